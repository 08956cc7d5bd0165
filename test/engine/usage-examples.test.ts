import { eachDatabaseByTurns, expect, itemLines } from '../support/index.ts';
import { powerCatalogs } from '../support/usage/usage-catalog.ts';
import { ratesOf, tierLines, UsageStage, type UsageStageOptions } from '../support/usage/usage-stage.ts';

const DETAIL = { 'invoice.item.result.behavior.mode': 'DETAIL' };
const WITHOUT_ZEROS = { 'invoice.disable.usage.zero.amount': 'true' };

eachDatabaseByTurns.describe('usage pricing', (open) => {
  let stage: UsageStage;

  const begin = async (planName: string, from: string, options: UsageStageOptions = {}): Promise<void> => {
    stage = await UsageStage.begin(open, { planName, from }, options);
  };

  it('bills a period at its end, with the details of its amount (usage E1 "First period and an empty one")', async () => {
    await begin('sms-payg', '2026-04-01');
    await stage.use('99 sms 2026-04-01T00:00:00Z', 't1');
    await stage.use('100 sms 2026-04-15', 't2');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 5.9']);
    const first = await stage.last();
    expect(first.trackingIds).to.eql(['t1', 't2']);
    const [item] = first.items;
    expect(item).to.deep.include({ rate: null, quantity: null, usageName: 'sms-usage', linkedItemId: null });
    expect(JSON.parse(item?.itemDetails ?? '')).to.eql({
      tierDetails: [
        { tier: 1, tierUnit: 'sms', tierPrice: 2.95, quantity: 2, tierBlockSize: 100, amount: 5.9 },
      ],
      amount: 5.9,
    });
    expect(await stage.chargedThrough()).to.equal('2026-05-01');
    const { text } = await stage.engine.acme.invoices.explain(item?.id ?? '');
    expect(text).to.contain('199 sms').and.to.contain('Tier 1: 2 blocks of 100 sms at 2.95 USD.');
    await stage.runTo('2026-06-01');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-05-01..2026-06-01 0');
    expect((await stage.last()).trackingIds).to.eql([]);
  });

  it('creates no invoice for an empty period if zero amounts are dropped (usage E1 "First period and an empty one")', async () => {
    await begin('sms-payg', '2026-04-01', { settings: WITHOUT_ZEROS });
    await stage.use('199 sms 2026-04-15');
    await stage.runTo('2026-05-01', '2026-06-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 5.9']);
    expect(await stage.chargedThrough()).to.equal('2026-06-01');
  });

  it('bills the usage again after a void (usage E1 "First period and an empty one")', async () => {
    await begin('sms-payg', '2026-04-01', { unpaid: true });
    await stage.use('99 sms 2026-04-01T00:00:00Z', 't1');
    await stage.use('100 sms 2026-04-15', 't2');
    await stage.runTo('2026-05-01');
    const { id } = await stage.last();
    await stage.engine.acme.invoices.void(id);
    expect(await stage.chargedThrough()).to.equal(null);
    expect((await stage.engine.acme.getInvoice(id)).trackingIds).to.eql([]);
    expect(itemLines(await stage.run('2026-05-01'))).to.eql(['USAGE 2026-04-01..2026-05-01 5.9']);
    expect((await stage.last()).trackingIds).to.eql(['t1', 't2']);
    expect(await stage.chargedThrough()).to.equal('2026-05-01');
  });

  it('reports usage beyond the tiers, and charges it on request (usage E2 "Tiers, blocks, overflow")', async () => {
    await begin('sms-payg', '2026-04-01');
    await stage.use('5325 sms 2026-04-15');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 59.25']);
    expect(tierLines(await stage.last())).to.eql(['sms T1 10 (29.5)', 'sms T2 5 (29.75)']);
    await stage.use('101001 sms 2026-05-15');
    await stage.runTo('2026-06-01');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-05-01..2026-06-01 624.5');
    const [item] = (await stage.last()).items;
    expect(JSON.parse(item?.itemDetails ?? '').overflow).to.eql([{ tierUnit: 'sms', quantity: 1 }]);
  });

  it('charges usage beyond the tiers at the price of the last tier with LAST_TIER (usage E2 "Tiers, blocks, overflow")', async () => {
    await begin('sms-payg', '2026-04-01', { settings: { 'invoice.usage.overflow': 'LAST_TIER' } });
    await stage.use('101001 sms 2026-04-15');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 630.45']);
  });

  it('charges all usage at the price of the tier that it reaches (usage E3 "TOP_TIER")', async () => {
    await begin('packs-top', '2026-04-01');
    await stage.use('15 packs 2026-04-10');
    await stage.use('1100 packs 2026-05-10');
    await stage.use('40000 packs 2026-06-10');
    await stage.runTo('2026-05-01', '2026-06-01', '2026-07-01');
    expect(await stage.lines()).to.eql([
      'USAGE 2026-04-01..2026-05-01 200',
      'USAGE 2026-05-01..2026-06-01 1100',
      'USAGE 2026-06-01..2026-07-01 4000',
    ]);
  });

  it('credits the difference if late usage reaches a cheaper tier (usage E4 "Late usage making TOP_TIER cheaper")', async () => {
    await begin('packs-top', '2026-04-01');
    await stage.use('995 packs 2026-04-10');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 10000']);
    await stage.use('20 packs 2026-04-20', 'late');
    await stage.runTo('2026-06-01');
    const [april, june] = await stage.invoices();
    expect(june && itemLines(june)).to.eql([
      'REPAIR_ADJ 2026-04-01..2026-05-01 -8980',
      'USAGE 2026-05-01..2026-06-01 0',
      'CBA_ADJ 2026-06-01..2026-06-01 8980',
    ]);
    expect(june?.items[0]?.linkedItemId).to.equal(april?.items[0]?.id);
    expect((await stage.last()).trackingIds).to.eql(['late']);
  });

  it('credits nothing if the tenant treats missing usage leniently (usage E4 "Late usage making TOP_TIER cheaper")', async () => {
    await begin('packs-top', '2026-04-01', { settings: { 'invoice.usage.missing.lenient': 'true' } });
    await stage.use('995 packs 2026-04-10');
    await stage.runTo('2026-05-01');
    await stage.use('20 packs 2026-04-20');
    await stage.runTo('2026-06-01');
    expect((await stage.lines()).at(-1)).to.equal('USAGE 2026-05-01..2026-06-01 0');
  });

  for (const [plan, foo, aggregate, detail] of [
    ['duo', 75, 2230, ['2 100 200', '20 1 20', '1 10 10', '10 50 500', '100 15 1500']],
    ['duo-top', 76, 9620, ['20 101 2020', '100 76 7600']],
  ] as const)
    it(`bills ${plan} with one item, or with one item per line (usage E5 "DETAIL against AGGREGATE")`, async () => {
      const billed = async (settings: Readonly<Record<string, string>>) => {
        await begin(plan, '2026-04-01', { settings });
        await stage.use(`${foo} FOO 2026-04-02`);
        await stage.use('101 BAR 2026-04-02');
        await stage.runTo('2026-05-01');
        return ratesOf(await stage.last());
      };
      expect(await billed({})).to.eql([`- - ${aggregate}`]);
      await stage.close();
      expect(await billed(DETAIL)).to.eql(detail);
    });

  it('bills only the additional lines of late usage (usage E6 "Late delta across tiers")', async () => {
    await begin('duo', '2026-04-01');
    await stage.use('50 FOO 2026-04-02');
    await stage.use('80 BAR 2026-04-02');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 570']);
    await stage.use('20 FOO 2026-04-03');
    await stage.use('120 BAR 2026-04-03');
    const late = await stage.run('2026-05-01');
    expect(itemLines(late)).to.eql(['USAGE 2026-04-01..2026-05-01 3140']);
    expect(tierLines(late)).to.eql([
      'BAR T1 20 (40)',
      'BAR T2 100 (2000)',
      'FOO T1 0 (0)',
      'FOO T2 10 (100)',
      'FOO T3 10 (1000)',
    ]);
  });

  it('bills late usage within the look-back under its own dates (usage E7 "Look-back, N = 2")', async () => {
    await begin('sms-payg', '2026-04-01');
    await stage.runTo('2026-05-01', '2026-06-01', '2026-07-01');
    await stage.use('100 sms 2026-04-30', 'a');
    await stage.use('199 sms 2026-05-01', 'b');
    await stage.use('50 sms 2026-07-01', 'c');
    await stage.use('300 sms 2026-07-16', 'd');
    await stage.runTo('2026-08-01');
    expect((await stage.lines()).at(-1)).to.equal(
      'USAGE 2026-05-01..2026-06-01 5.9, USAGE 2026-07-01..2026-08-01 11.8',
    );
    expect((await stage.last()).trackingIds).to.eql(['b', 'c', 'd']);
  });

  it('restarts the counters when a new price applies (usage E11 "Catalog version inside the period")', async () => {
    const billed = async (before: number, after: number) => {
      await begin('power', '2026-05-01', { catalog: powerCatalogs });
      await stage.use(`${before} kwh 2026-05-02`);
      await stage.use(`${after} kwh 2026-05-10`);
      await stage.runTo('2026-05-08', '2026-06-01');
      const items = (await stage.invoices()).flatMap((invoice) => invoice.items);
      return items.map(
        ({ amount, catalogEffectiveDate: date }) =>
          `${amount} ${date === null ? '' : date.toISOString().slice(0, 10)}`,
      );
    };
    expect(await billed(100, 100)).to.eql(['150 2020-01-01', '250 2026-05-08']);
    await stage.close();
    expect(await billed(900, 200)).to.eql(['1350 2020-01-01', '500 2026-05-08']);
  });

  it('rounds only once, and bills no late point within a started block (usage E16 "Fractions of a cent")', async () => {
    await begin('ticks', '2026-04-01');
    await stage.use('55 tick 2026-04-10');
    await stage.runTo('2026-05-01');
    expect(await stage.lines()).to.eql(['USAGE 2026-04-01..2026-05-01 3.69']);
    await stage.use('1 tick 2026-04-11');
    const late = await stage.run('2026-05-01');
    expect(itemLines(late)).to.eql(['USAGE 2026-04-01..2026-05-01 0.06']);
    expect(tierLines(late)).to.eql(['tick T1 1 (0.067)']);
  });

  it('adds usage to the invoice of the recurring charge, and a dry run previews both (usage E18 "Recurring and usage together")', async () => {
    await begin('club', '2026-03-13', { bcd: 13 });
    await stage.use('6 videos 2026-03-14');
    stage.engine.clock.set('2026-03-20T00:00:00Z');
    const ahead = await stage.dryRun('2026-04-13');
    expect(ahead && itemLines(ahead)).to.eql([
      'RECURRING 2026-04-13..2026-05-13 30',
      'USAGE 2026-03-13..2026-04-13 11',
    ]);
    expect(ahead?.trackingIds).to.eql(['6 videos 2026-03-14']);
    await stage.use('7 videos 2026-04-12');
    await stage.runTo('2026-04-13');
    expect(await stage.lines()).to.eql([
      'RECURRING 2026-03-13..2026-04-13 30',
      'RECURRING 2026-04-13..2026-05-13 30, USAGE 2026-03-13..2026-04-13 18',
    ]);
  });

  it('charges the peak of each unit (usage E19 "Capacity")', async () => {
    await begin('team-cap', '2026-01-01');
    await stage.use('10 members 2026-01-03');
    await stage.use('100 mbps 2026-01-04');
    await stage.use('10 members 2026-02-03');
    await stage.use('101 mbps 2026-02-04');
    await stage.runTo('2026-02-01', '2026-03-01');
    expect(tierLines(await stage.last())).to.eql(['members T1 10', 'mbps T2 101']);
    await stage.runTo('2026-04-01');
    expect(await stage.lines()).to.eql([
      'USAGE 2026-01-01..2026-02-01 1',
      'USAGE 2026-02-01..2026-03-01 5',
      'USAGE 2026-03-01..2026-04-01 0',
    ]);
    await stage.use('51 members 2026-02-20');
    const late = await stage.run('2026-04-01');
    expect(itemLines(late)).to.eql(['USAGE 2026-02-01..2026-03-01 5']);
    expect(tierLines(late)).to.eql(['mbps T2 101', 'members T3 51']);
  });
});
