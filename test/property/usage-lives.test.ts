import { usageIntervals, usageRuns } from '../../lib/usage/intervals/usage-intervals.ts';
import type { UsageConfig } from '../../lib/usage/settlement/usage-config.ts';
import { day, text } from '../support/invoicing/billing-events.ts';
import { fc, forAll, forRuns, historyRuns } from '../support/property.ts';
import { addDays, type BillingPeriod, calendarDayOf, expect, lengthOfMonth } from '../support/unit.ts';
import { meteredSections, peakSections, thousandths } from '../support/usage/arbitrary-usage.ts';
import { ScannedUsageLife } from '../support/usage/scanned-usage-life.ts';
import { consumable, stdUsage } from '../support/usage/sections.ts';
import { UTC_ZONE, usageEvent } from '../support/usage/usage-catalog.ts';
import type { UsageLife } from '../support/usage/usage-life.ts';

const begin = day('2026-04-01');
const days = fc.integer({ min: 0, max: 100 });
const dateOf = (offset: number) => text(addDays(begin, offset));

/** Steps that affect the usage of a subscription, in order. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('RECORD' as const),
        unit: fc.constantFrom('gb', 'calls', 'mails'),
        amount: fc.bigInt({ min: 0n, max: 60_000n }),
        on: days,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('BILL' as const), on: days }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_POINTS' as const), which: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_INVOICE' as const) }) },
  ),
  { maxLength: 25 },
);
type Steps = typeof steps extends fc.Arbitrary<infer List> ? List : never;

const sections = fc
  .oneof(meteredSections('ALL_TIERS'), meteredSections('TOP_TIER'), peakSections({ isRising: false }))
  .map(({ section }) => section);
const itemModes = fc.constantFrom<UsageConfig['itemMode']>('AGGREGATE', 'DETAIL');

/** Plays the steps. Runs never use a target date before the latest one (usage §6). */
function live(life: UsageLife, list: Steps, isBilledOnTheWay: boolean): void {
  let target = 0;
  let billed = 0;
  for (const [index, step] of list.entries()) {
    if (step.do === 'RECORD') {
      life.record(`${thousandths(step.amount).toFixed()} ${step.unit}`, dateOf(step.on), `t${index}`);
    } else if (step.do === 'VOID_POINTS') {
      life.voidPoints(life.points[step.which % Math.max(1, life.points.length)]?.trackingId ?? '');
    } else if (isBilledOnTheWay && step.do === 'BILL') {
      target = Math.max(target, step.on);
      life.bill(dateOf(target));
      billed += 1;
    } else if (isBilledOnTheWay && step.do === 'VOID_INVOICE' && billed > 0) {
      life.voidLast();
    }
  }
}

const last = dateOf(130);

describe('random usage histories', () => {
  it('are billed the same regardless of how the arrivals are split (usage §11.5)', () =>
    forRuns(historyRuns, [sections, steps, itemModes], (section, list, itemMode) => {
      const created = [usageEvent('CREATE', dateOf(0), { usages: [section], bcd: 15 })];
      const config = { itemMode, lookBackPeriods: -1 };
      const lives = [
        new ScannedUsageLife(created, { config }),
        new ScannedUsageLife(created, { config }),
      ] as const;
      live(lives[0], list, true);
      live(lives[1], list, false);
      for (const life of lives) life.bill(last);
      expect(lives[0].total().toFixed(2)).to.equal(lives[1].total().toFixed(2));
      expect(lives[0].bill(last).items).to.eql([]);
    }));

  it('are billed only once in any item mode, with amounts that differ only by the rounding of lines (usage §7.3)', () => {
    const modes = fc.array(itemModes, { minLength: 6, maxLength: 6 });
    forAll([sections, steps, modes], (section, list, itemMode) => {
      const created = [usageEvent('CREATE', dateOf(0), { usages: [section], bcd: 15 })];
      const config = { lookBackPeriods: -1 };
      const lives = [
        new ScannedUsageLife(created, { config }),
        new ScannedUsageLife(created, { config }),
      ] as const;
      for (const [index, mode] of itemMode.entries()) {
        lives[0].config = { ...lives[0].config, itemMode: mode };
        live(lives[0], list.slice(index * 4, index * 4 + 4), true);
        live(lives[1], list.slice(index * 4, index * 4 + 4), false);
      }
      for (const life of lives) life.bill(last);
      expect(lives[0].bill(last).items).to.eql([]);
      const cents = lives[0].total().minus(lives[1].total()).times(100).abs();
      // At most half a cent for each line of each interval, and half a cent for the interval itself.
      expect(cents.toNumber()).to.be.at.most(5 * 13);
    });
  });

  it('charge each late point once, in its own period or the next one (usage §7.7)', () => {
    const lateModes = fc.constantFrom<UsageConfig['lateMode']>('DELTA', 'NEXT_PERIOD');
    forAll([steps, lateModes, fc.constantFrom(-1, 0, 1, 2)], (list, lateMode, lookBackPeriods) => {
      const section = consumable('calls', [[['calls', '0.001', '-1', '0.01']]]);
      const created = [usageEvent('CREATE', dateOf(0), { usages: [section], bcd: 15 })];
      const config = { lateMode, lookBackPeriods, beyondLookBack: 'NEXT_PERIOD' as const };
      const life = new ScannedUsageLife(created, { config });
      const points = list.filter((step) => step.do === 'RECORD' || step.do === 'BILL');
      live(life, points, true);
      life.bill(last);
      // All usage that arrives before the last run can be billed in a next period.
      life.bill(dateOf(160));
      const used = points.reduce(
        (all, step) => (step.do === 'RECORD' && step.unit === 'calls' ? all + step.amount : all),
        0n,
      );
      expect(life.total().times(100).toFixed(0)).to.equal(String(used));
    });
  });

  it('never charge a point twice, regardless of subscription changes (usage §7.3 rule 7)', () => {
    const change = fc.record({
      type: fc.constantFrom('CHANGE', 'START_BILLING_DISABLED', 'CANCEL', 'BCD_CHANGE', 'NO_USAGE'),
      section: fc.nat(oneForACall.length - 1),
      on: days,
      hour: fc.nat(23),
      bcd: fc.integer({ min: 1, max: 31 }),
    });
    const histories = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 2, maxLength: 4 });
    forRuns(
      historyRuns,
      [histories, fc.array(fc.tuple(days, fc.nat(23)), { maxLength: 15 })],
      (all, calls) => {
        const life = new ScannedUsageLife([], { config: { lookBackPeriods: -1, negativeDelta: 'FAIL' } });
        for (const [index, history] of all.entries()) {
          life.events = eventsOf(history);
          for (const [on, hour] of calls.filter((_, place) => place % all.length === index))
            life.record('1 calls', atHour(on, hour));
          life.bill(dateOf(40 * (index + 1)));
          expect(life.bill(dateOf(40 * (index + 1))).items).to.eql([]);
        }
        expect(life.total().toNumber()).to.be.at.most(calls.length);
      },
    );
  });

  it('have contiguous run boundaries on the calendar’s days (usage §6.3)', () => {
    const periods: readonly [BillingPeriod, number][] = [
      ['MONTHLY', 1],
      ['BIMESTRIAL', 2],
      ['QUARTERLY', 3],
      ['ANNUAL', 12],
    ];
    forAll(
      [
        fc.constantFrom(...periods),
        fc.integer({ min: 1, max: 31 }),
        fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 900 })),
      ],
      ([billingPeriod, months], bcd, [from, length]) => {
        const section = { ...stdUsage, billingPeriod };
        const events = [usageEvent('CREATE', dateOf(from), { usages: [section], bcd })];
        const target = addDays(begin, from + length);
        const lookBack = { at: events[0]?.effectiveDate ?? (0 as never), date: addDays(begin, from) };
        const found = usageRuns(events, target).flatMap((run) =>
          usageIntervals(run, { targetDate: target, lookBack, zone: UTC_ZONE }),
        );
        expect(found.map(({ start }) => start.at).slice(1)).to.eql(
          found.map(({ end }) => end.at).slice(0, -1),
        );
        expect(found.map(({ end }) => text(end.date))).to.eql(
          calendarBoundaries({ from, length, bcd, months }),
        );
      },
    );
  });
});

/** Returns the boundaries by checking each day: bill cycle days, every `months` months from the month of the start. */
function calendarBoundaries(run: {
  readonly from: number;
  readonly length: number;
  readonly bcd: number;
  readonly months: number;
}): readonly string[] {
  const start = addDays(begin, run.from);
  const monthIndex = (date: typeof start) => calendarDayOf(date).year * 12 + calendarDayOf(date).month;
  const found: string[] = [];
  for (let offset = 1; offset <= run.length; offset += 1) {
    const date = addDays(start, offset);
    const isDay = calendarDayOf(date).day === Math.min(run.bcd, lengthOfMonth(date));
    if (isDay && (monthIndex(date) - monthIndex(start)) % run.months === 0) found.push(text(date));
  }
  return found;
}

function atHour(on: number, hour: number): string {
  return `${dateOf(on)}T${String(hour).padStart(2, '0')}:00:00Z`;
}

/** Sections that each charge 1 per call, but have different names, prices or periods. */
const oneForACall = [
  stdUsage,
  { ...stdUsage, name: 'other-usage' },
  { ...stdUsage, priceIdentity: 'other' },
  { ...stdUsage, name: 'daily-usage', billingPeriod: 'DAILY' as const },
  { ...stdUsage, name: 'quarterly-usage', billingPeriod: 'QUARTERLY' as const },
];

interface Change {
  readonly type: 'CHANGE' | 'START_BILLING_DISABLED' | 'CANCEL' | 'BCD_CHANGE' | 'NO_USAGE';
  readonly section: number;
  readonly on: number;
  readonly hour: number;
  readonly bcd: number;
}

/** Returns the events in order. A pause ends with the next change, and nothing follows an end. */
function eventsOf(history: readonly Change[]) {
  const events = [usageEvent('CREATE', dateOf(0), { usages: [stdUsage], bcd: 1 })];
  let isPaused = false;
  let charged = stdUsage;
  for (const { type, on, hour, bcd, section } of history.toSorted((a, b) => a.on - b.on || a.hour - b.hour)) {
    const when = atHour(on, hour);
    const bcdBefore = events.at(-1)?.billCycleDayLocal ?? 1;
    if (type === 'CHANGE') charged = oneForACall[section] ?? stdUsage;
    const usages = type === 'NO_USAGE' ? [] : [charged];
    if (isPaused) {
      events.push(usageEvent('END_BILLING_DISABLED', when, { usages, bcd }));
      isPaused = false;
    } else if (type === 'CANCEL' || type === 'START_BILLING_DISABLED') {
      events.push(usageEvent(type, when, { bcd: bcdBefore }));
      if (type === 'CANCEL') break;
      isPaused = true;
    } else if (type === 'NO_USAGE') {
      events.push(usageEvent('CHANGE', when, { bcd: bcdBefore }));
    } else {
      events.push(usageEvent(type, when, { usages, bcd: type === 'BCD_CHANGE' ? bcd : bcdBefore }));
    }
  }
  return events;
}
