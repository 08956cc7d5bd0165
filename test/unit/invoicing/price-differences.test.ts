import { firstChangedDate } from '../../../lib/invoicing/evaluation/last-evaluation.ts';
import { priceDifferences } from '../../../lib/invoicing/evaluation/price-differences.ts';
import type { BillingEvent, UsageSection } from '../../../lib/records/index.ts';
import { cancel, day, event } from '../../support/invoicing/billing-events.ts';
import { type Decimal, expect, formatDecimal, formatLocalDate } from '../../support/unit.ts';
import type { BlockText } from '../../support/usage/sections.ts';
import { capacity, clubUsage, consumable, smsUsage, teamUsage } from '../../support/usage/sections.ts';

const clubTiers: readonly (readonly BlockText[])[] = [
  [['videos', '1', '5', '2']],
  [['videos', '1', '10000', '1']],
];
const created = event('CREATE', '2024-01-01', { price: '10.00' });
const raised = event('CHANGE', '2024-03-01', { price: '12.00' });
const used: BillingEvent = { ...created, usages: [smsUsage, clubUsage] };
const smsAtOtherPrice = { ...smsUsage, priceIdentity: '3.05 5.95' };
const laterSms = { ...smsUsage, versionDate: raised.effectiveDate };
const lowered = event('CHANGE', '2024-05-01', { price: '8.00' });

describe('price differences', () => {
  const cases = {
    'identical events': [[created, raised], [created, raised], null],
    'an added price change': [[created, lowered], [created, raised, lowered], '2024-03-01'],
    'a removed price change': [[created, raised], [created], '2024-03-01'],
    'a different price': [
      [created, raised],
      [created, { ...raised, recurringPrice: lowered.recurringPrice }],
      '2024-03-01',
    ],
    'a different day': [
      [created, raised],
      [created, event('CHANGE', '2024-02-01', { price: '12.00' })],
      '2024-02-01',
    ],
    'a different version': [[created], [{ ...created, catalogEffectiveDate: raised.effectiveDate }], null],
    'removed usage': [[used, raised], [created, raised], '2024-01-01'],
    'a different usage price': [[used], [{ ...used, usages: [clubUsage, smsAtOtherPrice] }], '2024-01-01'],
    'usage of a different version': [[used], [{ ...used, usages: [laterSms, clubUsage] }], '2024-01-01'],
    'usages in a different order': [[used], [{ ...used, usages: [clubUsage, { ...smsUsage }] }], null],
    'an added first event': [[], [created], '2024-01-01'],
  } as const;
  for (const [name, [before, after, expected]] of Object.entries(cases))
    it(`begin on ${expected ?? 'no date'} for ${name}`, () => {
      const date = firstChangedDate(before, after);
      expect(date && formatLocalDate(date)).to.equal(expected);
    });
});

describe('price differences', () => {
  const lines = (...[before, after]: Parameters<typeof priceDifferences>) =>
    priceDifferences(before, after).map(({ from, oldPrice, newPrice, difference }) =>
      [
        formatLocalDate(from.date),
        ...[oldPrice, newPrice, difference].map((each) => each && formatDecimal(each)),
      ].join(' '),
    );

  it('contain one entry per time span with the same pair of prices', () => {
    expect(lines([created], [created, raised])).to.eql(['2024-03-01 10 12 2']);
    expect(lines([created, lowered], [created, raised])).to.eql(['2024-03-01 10 12 2', '2024-05-01 8 12 4']);
    expect(lines([created, raised], [created, raised])).to.eql([]);
    expect(lines([created, raised, lowered], [created, lowered])).to.eql(['2024-03-01 12 10 -2']);
  });

  it('contain a new entry for each phase, even at the same price', () => {
    const last = event('PHASE', '2024-04-01', { price: '10.00', phase: 'gold-monthly-fixedterm' });
    const lastRaised = event('PHASE', '2024-04-01', { price: '12.00', phase: 'gold-monthly-fixedterm' });
    const found = priceDifferences([created, last], [created, raised, lastRaised]);
    expect(found.map(({ phaseName }) => phaseName)).to.eql([
      'gold-monthly-evergreen',
      'gold-monthly-fixedterm',
    ]);
  });

  it('exclude the time before the subscription starts and after it ends', () => {
    const end = cancel('2024-04-01');
    expect(lines([created, end], [created, raised, end])).to.eql(['2024-03-01 10 12 2']);
    expect(lines([created, end], [created, end])).to.eql([]);
    expect(lines([], [event('CREATE', '2024-01-01', { price: '10', fixed: '5' })])).to.eql([]);
  });

  it('exclude time spans that are free under both catalogs', () =>
    expect(lines([event('CREATE', '2024-01-01')], [event('CREATE', '2024-01-01', { price: '0' })])).to.eql(
      [],
    ));

  it('include the same price with a different billing period', () => {
    const yearly = event('CHANGE', '2024-03-01', { price: '10.00', period: 'ANNUAL' });
    const found = priceDifferences([created], [created, yearly]);
    expect(lines([created], [created, yearly])).to.eql(['2024-03-01 10 10 0']);
    expect(found).to.have.length(1);
    expect(found[0]).to.include({
      priceType: 'RECURRING',
      oldBillingPeriod: 'MONTHLY',
      newBillingPeriod: 'ANNUAL',
    });
    expect(lines([created, lowered], [created, yearly, lowered])).to.eql(['2024-03-01 10 10 0']);
  });

  it('include each fixed price that differs or exists in only one catalog, in order among the recurring prices', () => {
    const begun = (fixed: string | null) => event('CREATE', '2024-01-01', { fixed, phaseDays: 30 });
    const later = (date: string, fixed: string | null) => event('PHASE', date, { price: '10.00', fixed });
    expect(lines([begun('5'), later('2024-01-31', '7')], [begun('5.00'), later('2024-01-31', '8')])).to.eql([
      '2024-01-31 7 8 1',
    ]);
    expect(
      lines(
        [begun('5'), later('2024-01-31', null), raised],
        [begun(null), later('2024-01-31', '8'), lowered],
      ),
    ).to.eql(['2024-01-01 5  -5', '2024-01-31  8 8', '2024-03-01 12 10 -2', '2024-05-01 12 8 -4']);
    const moved = [begun('5'), later('2024-02-10', '7')];
    expect(lines([begun('5'), later('2024-01-31', '7')], moved), 'the same charge on another day').to.eql([
      '2024-01-31 10  -10',
    ]);
    const [found] = priceDifferences([begun('5')], [begun('6')]);
    expect(found).to.include({ priceType: 'FIXED', oldBillingPeriod: null, newBillingPeriod: null });
  });

  it('exclude a changed fixed price that is already billed (invoicing §6 rule 6)', () => {
    const streams = (['5', '6'] as const).map((fixed) => [
      event('CREATE', '2024-01-01', { fixed, price: '10.00' }),
      event('PHASE', '2024-04-01', { fixed, price: '10.00', phase: 'gold-monthly-fixedterm' }),
    ]);
    const [before = [], after = []] = streams;
    const fixed = (billedThrough: string | null) =>
      priceDifferences(before, after, billedThrough === null ? null : day(billedThrough)).map(({ from }) =>
        formatLocalDate(from.date),
      );
    expect(fixed(null)).to.eql(['2024-01-01', '2024-04-01']);
    expect(fixed('2024-01-01')).to.eql(['2024-04-01']);
    expect(fixed('2024-04-01')).to.eql([]);
  });

  it('are separate for each time that the same phase charges its fixed price', () => {
    const [first, again] = (['2024-01-01', '2024-06-01'] as const).map(
      (date) => (fixed: string) => event('CHANGE', date, { price: '10.00', fixed }),
    );
    if (!first || !again) throw new Error('two are expected');
    expect(lines([first('5'), again('5')], [first('5'), again('6')])).to.eql(['2024-06-01 5 6 1']);
  });

  /** Formats `2026-05-01 sms-usage T1 sms 2.95 → 3.05 (0.1) 100×10 → 100×10`. */
  const usageLines = (...[before, after]: Parameters<typeof priceDifferences>) =>
    priceDifferences(before, after).map(({ from, priceType, usage, oldPrice, newPrice, difference }) => {
      const number = (value: Decimal | null | undefined) => (value == null ? '-' : formatDecimal(value));
      const terms = [usage?.oldBlockSize, usage?.oldMax, usage?.newBlockSize, usage?.newMax].map(number);
      return [
        formatLocalDate(from.date),
        `${priceType} ${usage?.usageName} T${usage?.tier} ${usage?.unitType ?? 'tier'}`,
        `${number(oldPrice)} → ${number(newPrice)} (${number(difference)})`,
        `${terms[0]}×${terms[1]} → ${terms[2]}×${terms[3]}`,
      ].join(' ');
    });
  const using = (...usages: readonly UsageSection[]): BillingEvent => ({ ...created, usages });
  const raisedSms = consumable('sms-usage', [
    [['sms', '100', '10', '3.05']],
    [['sms', '1000', '100', '5.95']],
  ]);
  const resizedSms = consumable('sms-usage', [
    [['sms', '100', '20', '2.95']],
    [['sms', '500', '100', '5.95']],
    [['sms', '1000', '-1', '4']],
  ]);
  const later: BillingEvent = { ...raised, usages: [raisedSms] };

  it('include each changed usage block with its start date', () => {
    expect(usageLines([using(smsUsage)], [using({ ...smsUsage })])).to.eql([]);
    const unchanged = { ...raised, recurringPrice: created.recurringPrice };
    expect(usageLines([using(smsUsage)], [using(smsUsage), { ...unchanged, usages: [raisedSms] }])).to.eql([
      '2024-03-01 USAGE sms-usage T1 sms 2.95 → 3.05 (0.1) 100×10 → 100×10',
    ]);
    expect(usageLines([using(smsUsage)], [using(resizedSms)])).to.eql([
      '2024-01-01 USAGE sms-usage T1 sms 2.95 → 2.95 (0) 100×10 → 100×20',
      '2024-01-01 USAGE sms-usage T2 sms 5.95 → 5.95 (0) 1000×100 → 500×100',
      '2024-01-01 USAGE sms-usage T3 sms - → 4 (4) -×- → 1000×-',
    ]);
  });

  it('include CAPACITY tiers by price and limit', () => {
    const other = capacity('team-usage', [
      ['1', ['mbps', '200'], ['members', '10']],
      ['6', ['mbps', '500'], ['members', '50']],
      ['10', ['mbps', '-1'], ['members', '-1']],
    ]);
    expect(usageLines([using(teamUsage)], [using(other)])).to.eql([
      '2024-01-01 USAGE team-usage T1 mbps 1 → 1 (0) -×100 → -×200',
      '2024-01-01 USAGE team-usage T2 tier 5 → 6 (1) -×- → -×-',
    ]);
  });

  it('contain one entry for the whole duration of a usage section, and no entry when a section starts or ends', () => {
    const next = { ...event('CHANGE', '2024-05-01', { price: '12.00' }), usages: [smsUsage] };
    const nextRaised = { ...next, usages: [raisedSms] };
    const was = { ...raised, usages: [smsUsage] };
    expect(usageLines([using(smsUsage), was, next], [using(raisedSms), later, nextRaised])).to.eql([
      '2024-01-01 USAGE sms-usage T1 sms 2.95 → 3.05 (0.1) 100×10 → 100×10',
    ]);
    expect(usageLines([using()], [using(smsUsage)])).to.eql([]);
    expect(usageLines([using(smsUsage, clubUsage)], [using(clubUsage)])).to.eql([]);
  });

  it('include a changed tier policy or billing period with every block', () => {
    const [other] = [consumable('club-usage', clubTiers, { policy: 'TOP_TIER' })];
    const found = priceDifferences([using(clubUsage)], [using(other)]);
    expect(found.map(({ usage }) => [usage?.oldTierBlockPolicy, usage?.newTierBlockPolicy])).to.eql([
      ['ALL_TIERS', 'TOP_TIER'],
      ['ALL_TIERS', 'TOP_TIER'],
    ]);
    const quarterly = consumable('club-usage', clubTiers, { period: 'QUARTERLY' });
    const periods = priceDifferences([using(clubUsage)], [using(quarterly)]);
    expect(periods.map((one) => [one.oldBillingPeriod, one.newBillingPeriod])).to.eql([
      ['MONTHLY', 'QUARTERLY'],
      ['MONTHLY', 'QUARTERLY'],
    ]);
  });
});
