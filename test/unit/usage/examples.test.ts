import { expect, timeZone } from '../../support/unit.ts';
import { ScannedUsageLife } from '../../support/usage/scanned-usage-life.ts';
import {
  clubUsage,
  duoTopUsage,
  duoUsage,
  liveUsage,
  packsUsage,
  plusUsage,
  powerUsage,
  powerUsageV2,
  smsUsage,
  stdUsage,
  teamUsage,
  ticksUsage,
  trialUsage,
  type UsageSection,
} from '../../support/usage/sections.ts';
import { usageEvent } from '../../support/usage/usage-catalog.ts';
import type { LifeInvoice, UsageLife } from '../../support/usage/usage-life.ts';

type Options = ConstructorParameters<typeof UsageLife>[1];

function lifeOf(section: UsageSection, from: string, options?: Options & { readonly bcd?: number }) {
  const { bcd = 1, zone } = options ?? {};
  const fields = { usages: [section], bcd, ...(zone === undefined ? {} : { zone }) };
  return new ScannedUsageLife([usageEvent('CREATE', from, fields)], options);
}

/** Returns usage, dates and amount; then rate × quantity of a DETAIL item, and the item that a credit reduces. */
function linesOf({ items }: LifeInvoice): readonly string[] {
  return items.map(({ usage, from, to, amount, rate, quantity, credits }) =>
    [
      `${usage} ${from} ${to} ${amount}`,
      ...(rate === null ? [] : [`(${rate} × ${quantity})`]),
      ...(credits === undefined ? [] : [`of ${credits}`]),
    ].join(' '),
  );
}

/** Returns unit, tier, quantity and amount of the lines of an AGGREGATE item. */
function lines({ items }: LifeInvoice, index = 0): readonly string[] {
  const details = items[index]?.details as
    | {
        readonly tierDetails: readonly {
          tierUnit: string;
          tier: number;
          quantity: number;
          amount?: number;
        }[];
      }
    | undefined;
  return (details?.tierDetails ?? []).map(
    ({ tierUnit, tier, quantity, amount }) =>
      `${tierUnit} T${tier} ${quantity}${amount === undefined ? '' : ` (${amount})`}`,
  );
}

describe('usage runs', () => {
  it('bill a first period and an empty period, and rebill a voided period (usage E1)', () => {
    const life = lifeOf(smsUsage, '2026-04-01');
    life.record('99 sms', '2026-04-01T00:00:00Z', 't1');
    life.record('100 sms', '2026-04-15', 't2');
    expect(life.bill('2026-04-30').items).to.eql([]);
    const may = {
      items: [
        {
          usage: 'sms-usage',
          from: '2026-04-01',
          to: '2026-05-01',
          amount: '5.9',
          rate: null,
          quantity: null,
          details: {
            tierDetails: [
              { tier: 1, tierUnit: 'sms', tierPrice: 2.95, quantity: 2, tierBlockSize: 100, amount: 5.9 },
            ],
            amount: 5.9,
          },
        },
      ],
      trackingIds: ['t1', 't2'],
      chargedThrough: '2026-05-01',
      nextDate: '2026-06-01',
    };
    expect(life.bill('2026-05-01')).to.eql(may);
    expect(life.bill('2026-05-01').items).to.eql([]);
    life.voidLast();
    expect(life.bill('2026-05-01')).to.eql(may);
    const june = life.bill('2026-06-01');
    expect(linesOf(june)).to.eql(['sms-usage 2026-05-01 2026-06-01 0']);
    expect(june).to.deep.include({ trackingIds: [], chargedThrough: '2026-06-01' });
  });

  it('skip the invoice if zero-amount items are dropped, but mark the period as billed (usage E1)', () => {
    const life = lifeOf(smsUsage, '2026-05-01', { config: { dropsZeroItems: true } });
    expect(life.bill('2026-06-01')).to.deep.include({ items: [], chargedThrough: '2026-06-01' });
    expect(life.bill('2026-06-01')).to.deep.include({ items: [], chargedThrough: null });
    life.record('5 sms', '2026-05-03');
    expect(linesOf(life.bill('2026-07-01'))).to.eql(['sms-usage 2026-05-01 2026-06-01 2.95']);
  });

  it('credit late usage that makes TOP_TIER cheaper (usage E4)', () => {
    const life = lifeOf(packsUsage, '2026-04-01');
    life.record('995 packs', '2026-04-10');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['packs-usage 2026-04-01 2026-05-01 10000']);
    life.record('20 packs', '2026-04-20');
    expect(linesOf(life.bill('2026-06-01'))).to.eql([
      'packs-usage 2026-04-01 2026-05-01 -8980 of 10000',
      'packs-usage 2026-05-01 2026-06-01 0',
    ]);
    expect(life.total().toFixed()).to.equal('1020');
    expect(linesOf(life.bill('2026-06-01'))).to.eql([]);
  });

  it('credit nothing with IGNORE, and fail with FAIL (usage E4)', () => {
    const life = lifeOf(packsUsage, '2026-04-01', { config: { negativeDelta: 'IGNORE' } });
    life.record('995 packs', '2026-04-10');
    life.bill('2026-05-01');
    life.record('20 packs', '2026-04-20');
    expect(linesOf(life.bill('2026-06-01'))).to.eql(['packs-usage 2026-05-01 2026-06-01 0']);
    life.config = { ...life.config, negativeDelta: 'FAIL' };
    expect(() => life.bill('2026-07-01')).to.throw(
      'packs-usage from 2026-04-01 to 2026-05-01 is 8980 less than billed',
    );
  });

  it('create a single item, or one item per line in detail mode (usage E5)', () => {
    const used = (section: UsageSection, itemMode: 'AGGREGATE' | 'DETAIL', foo: number) => {
      const life = lifeOf(section, '2026-04-01', { config: { itemMode } });
      life.record(`${foo} FOO`, '2026-04-02');
      life.record('101 BAR', '2026-04-02');
      return linesOf(life.bill('2026-05-01'));
    };
    const dates = 'duo-usage 2026-04-01 2026-05-01';
    expect(used(duoUsage, 'AGGREGATE', 75)).to.eql([`${dates} 2230`]);
    expect(used(duoUsage, 'DETAIL', 75)).to.eql([
      `${dates} 200 (2 × 100)`,
      `${dates} 20 (20 × 1)`,
      `${dates} 10 (1 × 10)`,
      `${dates} 500 (10 × 50)`,
      `${dates} 1500 (100 × 15)`,
    ]);
    expect(used(duoTopUsage, 'AGGREGATE', 76)).to.eql([`${dates} 9620`]);
    expect(used(duoTopUsage, 'DETAIL', 76)).to.eql([`${dates} 2020 (20 × 101)`, `${dates} 7600 (100 × 76)`]);
  });

  it('bill a late increase across tiers (usage E6)', () => {
    const life = lifeOf(duoUsage, '2026-04-01');
    life.record('50 FOO', '2026-04-02');
    life.record('80 BAR', '2026-04-02');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['duo-usage 2026-04-01 2026-05-01 570']);
    life.record('20 FOO', '2026-04-03');
    life.record('120 BAR', '2026-04-03');
    const late = life.bill('2026-05-01');
    expect(linesOf(late)).to.eql(['duo-usage 2026-04-01 2026-05-01 3140']);
    expect(lines(late)).to.eql([
      'BAR T1 20 (40)',
      'BAR T2 100 (2000)',
      'FOO T1 0 (0)',
      'FOO T2 10 (100)',
      'FOO T3 10 (1000)',
    ]);
  });

  it('bill late usage only within the look-back (usage E7)', () => {
    const lived = (config: Options) => {
      const life = lifeOf(smsUsage, '2026-04-01', config);
      for (const date of ['2026-05-01', '2026-06-01', '2026-07-01']) life.bill(date);
      life.record('100 sms', '2026-04-30', 'a');
      life.record('199 sms', '2026-05-01', 'b');
      life.record('50 sms', '2026-07-01', 'c');
      life.record('300 sms', '2026-07-16', 'd');
      const invoice = life.bill('2026-08-01');
      return [...linesOf(invoice), invoice.trackingIds.join()];
    };
    expect(lived({})).to.eql([
      'sms-usage 2026-05-01 2026-06-01 5.9',
      'sms-usage 2026-07-01 2026-08-01 11.8',
      'b,c,d',
    ]);
    expect(lived({ config: { beyondLookBack: 'NEXT_PERIOD' } })).to.eql([
      'sms-usage 2026-05-01 2026-06-01 5.9',
      'sms-usage 2026-07-01 2026-08-01 14.75',
      'a,b,c,d',
    ]);
  });

  it('bill a trial with its own usage section (usage E8)', () => {
    const life = lifeOf(trialUsage, '2026-04-01');
    life.events = [...life.events, usageEvent('PHASE', '2026-04-15', { usages: [liveUsage] })];
    life.record('10 calls', '2026-04-10');
    life.record('5 calls', '2026-04-20');
    const trial = life.bill('2026-04-15');
    expect(linesOf(trial)).to.eql(['trial-usage 2026-04-01 2026-04-15 0']);
    expect(lines(trial)).to.eql(['calls T1 10 (0)']);
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['live-usage 2026-04-15 2026-05-01 5']);
  });

  it('show only free blocks in detail mode if zero-amount items are dropped (usage E8)', () => {
    const trial = (itemMode: 'AGGREGATE' | 'DETAIL') => {
      const life = lifeOf(trialUsage, '2026-04-01', { config: { dropsZeroItems: true, itemMode } });
      life.record('10 calls', '2026-04-10');
      return linesOf(life.bill('2026-05-01'));
    };
    expect(trial('AGGREGATE')).to.eql([]);
    expect(trial('DETAIL')).to.eql(['trial-usage 2026-04-01 2026-05-01 0 (0 × 10)']);
  });

  it('do not prorate a short first interval (usage E9)', () => {
    const life = lifeOf(smsUsage, '2026-03-20', { bcd: 15 });
    life.record('130 sms', '2026-03-20');
    life.record('271 sms', '2026-03-21');
    life.record('199 sms', '2026-04-15');
    expect(life.bill('2026-04-14', { isDry: true }).items).to.eql([]);
    expect(linesOf(life.bill('2026-05-15'))).to.eql([
      'sms-usage 2026-03-20 2026-04-15 14.75',
      'sms-usage 2026-04-15 2026-05-15 5.9',
    ]);
  });

  it('bill a plan change within a day (usage E10)', () => {
    const life = lifeOf(stdUsage, '2026-01-01');
    life.record('10 calls', '2026-01-01T00:00:00Z');
    life.events = [...life.events, usageEvent('CHANGE', '2026-01-01T02:00:00Z', { usages: [plusUsage] })];
    expect(linesOf(life.bill('2026-01-01'))).to.eql(['std-usage 2026-01-01 2026-01-01 10']);
    life.record('20 calls', '2026-01-01T02:00:00Z');
    expect(linesOf(life.bill('2026-02-01'))).to.eql(['plus-usage 2026-01-01 2026-02-01 40']);
  });

  it('bill across a new catalog version within the period (usage E11)', () => {
    const lived = (before: string, after: string) => {
      const life = lifeOf(powerUsage, '2026-05-01');
      life.events = [...life.events, usageEvent('CHANGE', '2026-05-08', { usages: [powerUsageV2] })];
      life.record(before, '2026-05-02');
      life.record(after, '2026-05-10');
      return linesOf(life.bill('2026-06-01'));
    };
    expect(lived('100 kwh', '100 kwh')).to.eql([
      'power-usage 2026-05-01 2026-05-08 150',
      'power-usage 2026-05-08 2026-06-01 250',
    ]);
    expect(lived('900 kwh', '200 kwh')).to.eql([
      'power-usage 2026-05-01 2026-05-08 1350',
      'power-usage 2026-05-08 2026-06-01 500',
    ]);
  });

  it('bill usage up to the exact instant of a cancellation (usage E12)', () => {
    const life = lifeOf(smsUsage, '2026-05-01');
    life.record('50 sms', '2026-05-01');
    life.record('300 sms', '2026-05-16T00:00:00Z');
    life.record('100 sms', '2026-05-20');
    life.events = [...life.events, usageEvent('CANCEL', '2026-05-16')];
    expect(linesOf(life.bill('2026-05-16'))).to.eql(['sms-usage 2026-05-01 2026-05-16 11.8']);
    life.record('50 sms', '2026-05-16T00:00:00Z', 'late');
    expect(linesOf(life.bill('2026-05-20'))).to.eql([]);
    life.record('1 sms', '2026-05-16T00:00:00Z', 'later');
    expect(linesOf(life.bill('2026-05-20'))).to.eql(['sms-usage 2026-05-01 2026-05-16 2.95']);
  });

  it('bill a pause followed by a different bill cycle day (usage E13)', () => {
    const life = lifeOf(stdUsage, '2026-08-01');
    for (const date of ['08-01', '08-02', '08-03', '08-04', '08-05', '09-01', '09-02', '09-04'])
      life.record('1 calls', `2026-${date}`);
    expect(linesOf(life.bill('2026-09-01'))).to.eql(['std-usage 2026-08-01 2026-09-01 5']);
    life.events = [
      ...life.events,
      usageEvent('START_BILLING_DISABLED', '2026-09-01'),
      usageEvent('END_BILLING_DISABLED', '2026-09-05', { usages: [stdUsage], bcd: 5 }),
    ];
    for (const date of ['09-05', '09-06', '09-07', '10-01', '10-02']) life.record('1 calls', `2026-${date}`);
    expect(linesOf(life.bill('2026-10-05'))).to.eql(['std-usage 2026-09-05 2026-10-05 5']);
  });

  it('bill a point just after local midnight (usage E14)', () => {
    const zone = timeZone('America/New_York');
    const life = lifeOf(stdUsage, '2026-02-01T17:00:00Z', { zone });
    life.record('1 calls', '2026-04-01T04:30:00Z');
    expect(linesOf(life.bill('2026-05-01'))).to.eql([
      'std-usage 2026-02-01 2026-03-01 0',
      'std-usage 2026-03-01 2026-04-01 0',
      'std-usage 2026-04-01 2026-05-01 1',
    ]);
  });

  it('bill a point on the day that billing starts, but not a point just before the start instant (usage E15)', () => {
    const life = lifeOf(stdUsage, '2026-04-01T06:00:00Z');
    life.record('40 calls', '2026-04-01');
    life.record('7 calls', '2026-04-01T00:00:00Z');
    expect(linesOf(life.bill('2026-05-01'))).to.eql(['std-usage 2026-04-01 2026-05-01 40']);
  });

  it('bill fractions of a cent, and late usage within a started block (usage E16)', () => {
    const ticks = lifeOf(ticksUsage, '2026-04-01');
    ticks.record('55 tick', '2026-04-02');
    expect(linesOf(ticks.bill('2026-05-01'))).to.eql(['ticks-usage 2026-04-01 2026-05-01 3.69']);
    ticks.record('1 tick', '2026-04-03');
    const late = ticks.bill('2026-05-01');
    expect(linesOf(late)).to.eql(['ticks-usage 2026-04-01 2026-05-01 0.06']);
    expect(lines(late)).to.eql(['tick T1 1 (0.067)']);

    const sms = lifeOf(smsUsage, '2026-04-01');
    sms.record('199 sms', '2026-04-02');
    sms.bill('2026-05-01');
    sms.record('1 sms', '2026-04-03', 'late');
    expect(sms.bill('2026-05-01')).to.deep.include({ items: [], trackingIds: [] });
    expect(sms.bill('2026-06-01').trackingIds).to.eql(['late']);
  });

  it('bill usage of a recurring plan, and show that usage in a dry run for a future date (usage E18)', () => {
    const life = lifeOf(clubUsage, '2026-03-13', { bcd: 13 });
    life.record('6 videos', '2026-03-15');
    expect(linesOf(life.bill('2026-04-13', { isDry: true }))).to.eql(['club-usage 2026-03-13 2026-04-13 11']);
    life.record('7 videos', '2026-04-12');
    expect(linesOf(life.bill('2026-04-13'))).to.eql(['club-usage 2026-03-13 2026-04-13 18']);
  });

  it('bill peaks, including a late peak (usage E19)', () => {
    const life = lifeOf(teamUsage, '2026-01-01');
    life.record('10 members', '2026-01-10');
    life.record('4 members', '2026-01-11');
    life.record('100 mbps', '2026-01-10');
    life.record('10 members', '2026-02-10');
    life.record('101 mbps', '2026-02-10');
    expect(linesOf(life.bill('2026-04-01'))).to.eql([
      'team-usage 2026-01-01 2026-02-01 1',
      'team-usage 2026-02-01 2026-03-01 5',
      'team-usage 2026-03-01 2026-04-01 0',
    ]);
    life.record('51 members', '2026-02-11');
    const late = life.bill('2026-04-01');
    expect(linesOf(late)).to.eql(['team-usage 2026-02-01 2026-03-01 5']);
    expect(late.items[0]?.details).to.eql({
      tierDetails: [
        { tier: 2, tierUnit: 'mbps', tierPrice: 5, quantity: 101 },
        { tier: 3, tierUnit: 'members', tierPrice: 10, quantity: 51 },
      ],
      amount: 10,
    });
  });
});
