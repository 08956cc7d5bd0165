import { expect } from 'chai';
import fc from 'fast-check';
import type { BillingEvent } from '../../lib/records/index.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../lib/usage/settlement/usage-config.ts';
import { addDays, formatLocalDate, parseLocalDate, timeZone } from '../../lib/values/time/index.ts';
import { historyRuns } from '../support/runs.ts';
import { BookedUsageLife } from '../support/usage/booked-usage-life.ts';
import { EvaluatedUsageLife } from '../support/usage/evaluated-usage-life.ts';
import { ScannedUsageLife } from '../support/usage/scanned-usage-life.ts';
import { capacity, consumable } from '../support/usage/sections.ts';
import { usageEvent } from '../support/usage/usage-events.ts';
import type { UsageLife } from '../support/usage/usage-life.ts';
import { WalkedUsageLife } from '../support/usage/walked-usage-life.ts';
import { WindowedUsageLife } from '../support/usage/windowed-usage-life.ts';

// Clocks go forward on 8 March.
const begin = parseLocalDate('2026-02-20');
const dateOf = (offset: number) => formatLocalDate(addDays(begin, offset));
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'].map(timeZone);

const calls = consumable('calls-usage', [
  [
    ['calls', '2', '3', '1'],
    ['mails', '1', '-1', '0.335'],
  ],
  [
    ['calls', '1', '-1', '2'],
    ['mails', '1', '-1', '0.5'],
  ],
]);
const otherCalls = { ...calls, priceIdentity: 'other' };
const peaks = capacity('peak-usage', [
  ['1', ['mails', '3']],
  ['5', ['mails', '-1']],
]);
const sectionSets = [[calls], [calls, peaks], [otherCalls, peaks], [peaks], []];

/** Few days, so that points lie on those that billing cuts: the first ones of periods, and some between. */
const days = fc.constantFrom<number>(0, 0, 1, 9, 9, 16, 17, 37, 40, 40, 68, 90);
const moment = fc.record({
  on: days,
  /** null = a point of the day. */
  hour: fc.option(fc.nat(23), { freq: 2 }),
});
const change = fc.record({
  type: fc.constantFrom('CHANGE', 'START_BILLING_DISABLED', 'CANCEL', 'BCD_CHANGE'),
  on: days,
  hour: fc.nat(23),
  bcd: fc.integer({ min: 1, max: 31 }),
  sections: fc.nat(sectionSets.length - 1),
});
const histories = fc.record({
  hour: fc.nat(23),
  sections: fc.nat(3),
  changes: fc.array(change, { maxLength: 4 }),
});

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('RECORD' as const),
        unit: fc.constantFrom('calls', 'mails', 'faxes'),
        amount: fc.nat(9),
        moment,
        submission: fc.nat(8),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('BILL' as const), on: days }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_POINTS' as const), submission: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_INVOICE' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('REWRITE' as const), history: histories }) },
  ),
  { maxLength: 30 },
);

const configs = fc.record({
  lookBackPeriods: fc.constantFrom(-1, 0, 1, 2),
  itemMode: fc.constantFrom<UsageConfig['itemMode']>('AGGREGATE', 'DETAIL'),
  lateMode: fc.constantFrom<UsageConfig['lateMode']>('DELTA', 'NEXT_PERIOD', 'IGNORE'),
  beyondLookBack: fc.constantFrom<UsageConfig['beyondLookBack']>('REPORT', 'NEXT_PERIOD'),
});

type History = typeof histories extends fc.Arbitrary<infer One> ? One : never;

describe('the book of what was used', () => {
  it('usage §11: sums of days, split where billing cuts them, bill what a look at every point bills', () => {
    let items = 0;
    let splits = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        histories,
        fc.tuple(steps, configs),
        (zone, first, [list, given]) => {
          const config = { ...DEFAULT_USAGE_CONFIG, ...given };
          const events = eventsOf(first, zone);
          const booked = new BookedUsageLife(events, { zone, config });
          const scanned = new ScannedUsageLife(events, { zone, config });
          play([booked, scanned], [...list, { do: 'BILL', on: 120 }], {
            zone,
            bill: (target) => {
              const invoice = booked.bill(target);
              expect(invoice).to.deep.equal(scanned.bill(target));
              items += invoice.items.length;
              splits += booked.splits.length;
            },
          });
        },
      ),
      { numRuns: historyRuns },
    );
    expect(items, 'items billed').to.be.above(historyRuns);
    expect(splits, 'days split').to.be.above(historyRuns / 2);
  }).timeout(0);

  it('usage §7.10: a dry run goes from date to date with what it has read once, as runs do that read each time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        histories,
        fc.tuple(steps, configs),
        (zone, first, [list, given]) => {
          const config = { ...DEFAULT_USAGE_CONFIG, ...given };
          const walked = new WalkedUsageLife(eventsOf(first, zone), { zone, config });
          const full = new BookedUsageLife(eventsOf(first, zone), { zone, config });
          play([walked, full], [...list, { do: 'BILL', on: 91 }], {
            zone,
            bill: (target) => {
              walked.reload();
              for (const ahead of [0, 9, 28, 31]) {
                const date = formatLocalDate(addDays(parseLocalDate(target), ahead));
                expect(walked.bill(date)).to.deep.equal(full.bill(date));
              }
            },
          });
        },
      ),
      { numRuns: historyRuns },
    );
  }).timeout(0);

  it('usage §7.1: a run that reads no more of the past than it has to bills what one bills that reads all', () => {
    let leftOut = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        histories,
        fc.tuple(steps, configs),
        (zone, first, [list, given]) => {
          // What lies before the look-back is found by other means.
          const config = { ...DEFAULT_USAGE_CONFIG, ...given, beyondLookBack: 'REPORT' as const };
          const windowed = new WindowedUsageLife(eventsOf(first, zone), { zone, config });
          const full = new BookedUsageLife(eventsOf(first, zone), { zone, config });
          play([windowed, full], [...list, { do: 'BILL', on: 120 }, { do: 'BILL', on: 150 }], {
            zone,
            bill: (target) => {
              expect(windowed.bill(target)).to.deep.equal(full.bill(target));
              if (windowed.from !== null && formatLocalDate(windowed.from) > dateOf(0)) leftOut += 1;
            },
            rewritten: () => {
              windowed.from = null;
            },
          });
        },
      ),
      { numRuns: historyRuns },
    );
    expect(leftOut, 'runs that read a part').to.be.above(historyRuns);
  }).timeout(0);

  it('usage §7.3: the evaluation of a subscription bills it, reads no more than it has to, and keeps facts that make each amount', () => {
    let credits = 0;
    let again = 0;
    let passedOver = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        histories,
        fc.tuple(steps, configs),
        (zone, first, [list, given]) => {
          const config = { ...DEFAULT_USAGE_CONFIG, ...given, beyondLookBack: 'REPORT' as const };
          const evaluated = new EvaluatedUsageLife(eventsOf(first, zone), { zone, config });
          const full = new BookedUsageLife(eventsOf(first, zone), { zone, config });
          play([evaluated, full], [...list, ...billedAndVoided], {
            zone,
            bill: (target) => {
              const invoice = evaluated.bill(target);
              expect(invoice).to.deep.equal(full.bill(target));
              credits += invoice.items.filter((item) => item.credits !== undefined).length;
              expect(evaluated.bill(target).items, 'once more').to.deep.equal([]);
              full.bill(target);
              again += 1;
            },
            rewritten: () => {
              evaluated.from = null;
            },
          });
          passedOver += evaluated.passedOver;
        },
      ),
      { numRuns: historyRuns },
    );
    expect(credits, 'items that give back').to.be.above(historyRuns / 50);
    expect(again, 'runs').to.be.above(historyRuns);
    expect(passedOver, 'runs that need not look at it').to.be.above(historyRuns / 2);
  }).timeout(0);
});

/** Much of what is billed is taken back. */
const billedAndVoided: readonly Step[] = [
  { do: 'BILL', on: 91 },
  ...[0, 1, 2, 3, 4].map((submission): Step => ({ do: 'VOID_POINTS', submission })),
  { do: 'BILL', on: 120 },
  { do: 'BILL', on: 150 },
];

type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[] | (infer One)[]> ? One : never;
type Zone = (typeof zones)[number];

interface Played {
  readonly zone: Zone;
  readonly bill: (targetDate: string) => void;
  readonly rewritten?: () => void;
}

/** The same steps for several lives. Runs never go back before the latest target date (usage §6). */
function play(lives: readonly UsageLife[], list: readonly Step[], { zone, bill, rewritten }: Played): void {
  let target = 0;
  for (const step of list) {
    if (step.do === 'BILL') {
      target = Math.max(target, step.on);
      bill(dateOf(target));
      continue;
    }
    for (const life of lives) {
      if (step.do === 'RECORD') {
        life.record(`${step.amount} ${step.unit}`, momentText(step.moment), `t${step.submission}`);
      } else if (step.do === 'VOID_POINTS') life.voidPoints(`t${step.submission}`);
      else if (step.do === 'VOID_INVOICE') life.voidLast();
      else life.events = eventsOf(step.history, zone);
    }
    if (step.do === 'REWRITE') rewritten?.();
  }
}

function momentText({ on, hour }: { readonly on: number; readonly hour: number | null }): string {
  return hour === null ? dateOf(on) : atHour(on, hour);
}

function atHour(on: number, hour: number): string {
  return `${dateOf(on)}T${String(hour).padStart(2, '0')}:00:00Z`;
}

/** A history in order: a pause ends with the next change, nothing follows an end. */
function eventsOf({ hour, sections, changes }: History, zone: Zone): readonly BillingEvent[] {
  let usages = sectionSets[sections] ?? [];
  const events = [usageEvent('CREATE', atHour(0, hour), { usages, bcd: 1, zone })];
  let isPaused = false;
  for (const { type, on, hour: at, bcd, sections: next } of changes.toSorted(
    (a, b) => a.on - b.on || a.hour - b.hour,
  )) {
    const when = atHour(on, at);
    const day = events.at(-1)?.billCycleDayLocal ?? 1;
    if (on === 0 && at < hour) continue;
    if (isPaused) {
      events.push(usageEvent('END_BILLING_DISABLED', when, { usages, bcd: day, zone }));
      isPaused = false;
    } else if (type === 'CANCEL' || type === 'START_BILLING_DISABLED') {
      events.push(usageEvent(type, when, { bcd: day, zone }));
      if (type === 'CANCEL') break;
      isPaused = true;
    } else {
      usages = type === 'CHANGE' ? (sectionSets[next] ?? []) : usages;
      events.push(usageEvent(type, when, { usages, bcd: type === 'BCD_CHANGE' ? bcd : day, zone }));
    }
  }
  return events;
}
