import fc from 'fast-check';
import type { BillingEvent } from '../../../lib/records/index.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../../lib/usage/settlement/usage-config.ts';
import { addDays, formatLocalDate, parseLocalDate, timeZone } from '../../../lib/values/time/index.ts';
import { forRuns } from '../for-all.ts';
import { historyRuns } from '../long-run.ts';
import { capacity, consumable } from './sections.ts';
import { usageEvent } from './usage-catalog.ts';
import type { UsageLife } from './usage-life.ts';

// Clocks go forward on 8 March.
const begin = parseLocalDate('2026-02-20');
export const dateOf = (offset: number) => formatLocalDate(addDays(begin, offset));
export const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'].map(timeZone);

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

/** Few days, so that points often lie on billing boundaries. */
const days = fc.constantFrom<number>(0, 0, 1, 9, 9, 16, 17, 37, 40, 40, 68, 90);
const moment = fc.record({
  on: days,
  /** Null = a point of the day. */
  hour: fc.option(fc.nat(23), { freq: 2 }),
});
const change = fc.record({
  type: fc.constantFrom('CHANGE', 'START_BILLING_DISABLED', 'CANCEL', 'BCD_CHANGE'),
  on: days,
  hour: fc.nat(23),
  bcd: fc.integer({ min: 1, max: 31 }),
  sections: fc.nat(sectionSets.length - 1),
});
export const histories = fc.record({
  hour: fc.nat(23),
  sections: fc.nat(3),
  changes: fc.array(change, { maxLength: 4 }),
});

export const steps = fc.array(
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

export const configs = fc.record({
  lookBackPeriods: fc.constantFrom(-1, 0, 1, 2),
  itemMode: fc.constantFrom<UsageConfig['itemMode']>('AGGREGATE', 'DETAIL'),
  lateMode: fc.constantFrom<UsageConfig['lateMode']>('DELTA', 'NEXT_PERIOD', 'IGNORE'),
  beyondLookBack: fc.constantFrom<UsageConfig['beyondLookBack']>('REPORT', 'NEXT_PERIOD'),
});

export type History = typeof histories extends fc.Arbitrary<infer One> ? One : never;

/** Steps that credit most of the billed usage. */
export const billedAndVoided: readonly Step[] = [
  { do: 'BILL', on: 91 },
  ...[0, 1, 2, 3, 4].map((submission): Step => ({ do: 'VOID_POINTS', submission })),
  { do: 'BILL', on: 120 },
  { do: 'BILL', on: 150 },
];

export type Step = typeof steps extends fc.Arbitrary<readonly (infer One)[] | (infer One)[]> ? One : never;
type Zone = (typeof zones)[number];

export interface PlayedHistory {
  readonly zone: Zone;
  readonly events: readonly BillingEvent[];
  readonly list: readonly Step[];
  readonly config: UsageConfig;
}

/** Checks random histories, more of them in the long run. */
export function ofEveryHistory(show: (played: PlayedHistory) => void): void {
  forRuns(
    historyRuns,
    [fc.constantFrom(...zones), histories, fc.tuple(steps, configs)],
    (zone, first, [list, given]) =>
      show({ zone, events: eventsOf(first, zone), list, config: { ...DEFAULT_USAGE_CONFIG, ...given } }),
  );
}

interface Played {
  readonly zone: Zone;
  readonly bill: (targetDate: string) => void;
  readonly rewritten?: () => void;
}

/** Plays the steps in several lives. Target dates never decrease (usage §6). */
export function play(
  lives: readonly UsageLife[],
  list: readonly Step[],
  { zone, bill, rewritten }: Played,
): void {
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

/** A history in order: the next change ends a pause, nothing follows an end. */
export function eventsOf({ hour, sections, changes }: History, zone: Zone): readonly BillingEvent[] {
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
