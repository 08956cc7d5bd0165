import type { BillingEvent } from '../../lib/records/index.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../lib/usage/settlement/usage-config.ts';
import { expect, fc, forRuns, historyRuns, isLongRun, timeZone } from '../support/property.ts';
import { BookedUsageLife } from '../support/usage/booked-usage-life.ts';
import { EvaluatedUsageLife } from '../support/usage/evaluated-usage-life.ts';
import { usageEvent } from '../support/usage/usage-catalog.ts';
import type { UsageLife } from '../support/usage/usage-life.ts';
import { dateText, dayAt, dayOf } from '../support/usage-oracle/calendar.ts';
import {
  calls as allCalls,
  peaks as allPeaks,
  endingAt,
  oracleSection,
  ruleSection,
  type SectionText,
  top,
} from '../support/usage-oracle/metered-shelf.ts';
import { OracleLife } from '../support/usage-oracle/oracle-life.ts';
import type { OracleEvent } from '../support/usage-oracle/usage-facts.ts';

// DST starts on March 8 in New York and ends on April 5 in Auckland.
const begin = dayOf('2026-02-20');
const dateOf = (offset: number) => dateText(begin + offset);
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'] as const;

const calls = endingAt(allCalls, [
  ['3', '2'],
  ['5', '-1'],
  ['2', '-1'],
]);
const peaks = endingAt(allPeaks, [
  ['3', '-1'],
  ['6', '8'],
]);
const weekly: SectionText = { ...calls, name: 'weekly-usage', period: 'WEEKLY' };
const quarterly: SectionText = { ...top, name: 'quarterly-usage', period: 'QUARTERLY' };

/** Sections of the plans. The same name with other prices is another section. */
const sectionSets: readonly (readonly (readonly [SectionText, prices: string])[])[] = [
  [[calls, 'first']],
  [
    [calls, 'first'],
    [peaks, 'first'],
  ],
  [
    [calls, 'other'],
    [top, 'first'],
  ],
  [
    [peaks, 'first'],
    [quarterly, 'first'],
  ],
  [
    [weekly, 'first'],
    [top, 'first'],
  ],
  [],
];

/**
 * Only a few days, so that points are on days that split billing, such as the first days of periods, and on some
 * between.
 */
const days = fc.constantFrom<number>(0, 0, 1, 7, 9, 9, 16, 17, 30, 37, 40, 40, 44, 68, 90);
/** Only a few hours, including the starts of days in their zones. */
const hours = fc.constantFrom(0, 0, 5, 11, 12, 18, 23);
const moment = fc.record({
  on: days,
  /** null = a point of the whole day. */
  hour: fc.option(hours, { freq: 2 }),
});
const change = fc.record({
  type: fc.constantFrom('CHANGE', 'CHANGE', 'START_BILLING_DISABLED', 'CANCEL', 'BCD_CHANGE'),
  on: days,
  hour: hours,
  bcd: fc.integer({ min: 1, max: 31 }),
  sections: fc.nat(sectionSets.length - 1),
});
const histories = fc.record({
  hour: hours,
  bcd: fc.integer({ min: 1, max: 31 }),
  sections: fc.nat(4),
  changes: fc.array(change, { maxLength: 5 }),
});
type History = typeof histories extends fc.Arbitrary<infer One> ? One : never;

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('RECORD' as const),
        unit: fc.constantFrom('calls', 'calls', 'mails', 'mails', 'faxes'),
        /** Amounts at the bounds of blocks, tiers and limits are as frequent as other amounts. */
        tenths: fc.oneof(fc.nat(90), fc.constantFrom(0, 1, 5, 20, 30, 60, 80)),
        moment,
        submission: fc.nat(8),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('BILL' as const), on: days }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_POINTS' as const), submission: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('VOID_INVOICE' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('REWRITE' as const), history: histories }) },
  ),
  { minLength: 1, maxLength: 30 },
);
type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

const configs = fc.record({
  lookBackPeriods: fc.constantFrom(-1, 0, 1, 2),
  itemMode: fc.constantFrom<UsageConfig['itemMode']>('AGGREGATE', 'DETAIL'),
  overflow: fc.constantFrom<UsageConfig['overflow']>('CAP', 'LAST_TIER'),
  lateMode: fc.constantFrom<UsageConfig['lateMode']>('DELTA', 'DELTA', 'NEXT_PERIOD', 'IGNORE'),
  beyondLookBack: fc.constantFrom<UsageConfig['beyondLookBack']>('REPORT', 'REPORT', 'NEXT_PERIOD'),
  negativeDelta: fc.constantFrom<'CREDIT' | 'IGNORE'>('CREDIT', 'CREDIT', 'IGNORE'),
  dropsZeroItems: fc.boolean(),
});

/** Each history is played three times, so that each commit runs fewer of them. */
const runs = isLongRun ? historyRuns : Math.ceil(historyRuns / 4);

describe('independent usage oracle', () => {
  it('calculates the same amounts as day sums and windowed runs (usage §6, §7)', () => {
    const seen = { items: 0, credits: 0, details: 0, zero: 0 };
    forRuns(
      runs,
      [fc.constantFrom(...zones), histories, fc.tuple(steps, configs)],
      (zone, first, [list, given]) => {
        const options = { zone: timeZone(zone), config: { ...DEFAULT_USAGE_CONFIG, ...given } };
        const events = ruleEvents(first, zone);
        // The evaluation of a subscription does not read usage before the look-back.
        const life =
          given.beyondLookBack === 'REPORT'
            ? new EvaluatedUsageLife(events, options)
            : new BookedUsageLife(events, options);
        const full = new BookedUsageLife(events, options);
        const oracle = new OracleLife(zone, given);
        oracle.events = oracleEvents(first, zone);
        let target = 0;
        for (const step of [...list, ...lastRuns]) {
          if (step.do !== 'BILL') {
            for (const one of [life, full, oracle]) take(one, step);
            if (step.do === 'REWRITE') rewrite({ step, zone, lives: [life, full], oracle });
            continue;
          }
          target = Math.max(target, step.on);
          const owed = oracle.bill(dateOf(target));
          expectSame(full.bill(dateOf(target)), owed, 'sums of days');
          expectSame(life.bill(dateOf(target)), owed, 'the window');
          seen.items += owed.items.length;
          seen.credits += owed.items.filter(({ credits }) => credits !== undefined).length;
          seen.details += owed.items.filter(({ rate }) => rate !== null).length;
          seen.zero += owed.items.filter(({ amount }) => amount === '0').length;
        }
      },
    );
    expect(seen.items, 'items').to.be.above(5 * runs);
    expect(seen.credits, 'credits').to.be.above(runs / 50);
    expect(seen.details, 'items of a line').to.be.above(runs);
    expect(seen.zero, 'zero items').to.be.above(runs);
  }).timeout(0);
});

/** Compares as text first, which is faster and shows the difference. */
function expectSame(made: unknown, owed: unknown, what: string): void {
  const [one, other] = [JSON.stringify(made, null, 1), JSON.stringify(owed, null, 1)];
  if (one !== other) expect(made, `${what} bill\n${one}\nand the oracle\n${other}`).to.eql(owed);
}

/** Final steps that credit much of what was billed. */
const lastRuns: readonly Step[] = [
  { do: 'BILL', on: 91 },
  ...[0, 1, 2].map((submission): Step => ({ do: 'VOID_POINTS', submission })),
  { do: 'BILL', on: 120 },
  { do: 'BILL', on: 150 },
];

type Life = Pick<UsageLife, 'record' | 'voidPoints' | 'voidLast'>;

function take(life: Life, step: Step): void {
  if (step.do === 'RECORD') {
    const { on, hour } = step.moment;
    life.record(
      `${step.tenths / 10} ${step.unit}`,
      hour === null ? dateOf(on) : atHour(on, hour),
      `t${step.submission}`,
    );
  } else if (step.do === 'VOID_POINTS') life.voidPoints(`t${step.submission}`);
  else if (step.do === 'VOID_INVOICE') life.voidLast();
}

interface Rewriting {
  readonly step: { readonly history: History };
  readonly zone: string;
  readonly lives: readonly BookedUsageLife[];
  readonly oracle: OracleLife;
}

/** Changes the history. The next run reads all of it. */
function rewrite({ step, zone, lives, oracle }: Rewriting): void {
  for (const life of lives) {
    life.events = ruleEvents(step.history, zone);
    if (life instanceof EvaluatedUsageLife) life.from = null;
  }
  oracle.events = oracleEvents(step.history, zone);
}

function atHour(on: number, hour: number): string {
  return `${dateOf(on)}T${String(hour).padStart(2, '0')}:00:00Z`;
}

interface Turn {
  readonly type: BillingEvent['transitionType'];
  readonly when: string;
  readonly bcd: number;
  /** Index in `sectionSets`; null: no usage. */
  readonly sections: number | null;
}

/** Returns the changes in order. A pause ends with the next change, and nothing follows an end. */
function turnsOf({ hour, bcd, sections, changes }: History): readonly Turn[] {
  let now = { bcd, sections };
  const turns: Turn[] = [{ type: 'CREATE', when: atHour(0, hour), ...now }];
  let isPaused = false;
  for (const one of changes.toSorted((a, b) => a.on - b.on || a.hour - b.hour)) {
    const when = atHour(one.on, one.hour);
    if (one.on === 0 && one.hour < hour) continue;
    if (isPaused) {
      turns.push({ type: 'END_BILLING_DISABLED', when, ...now });
      isPaused = false;
    } else if (one.type === 'CANCEL' || one.type === 'START_BILLING_DISABLED') {
      turns.push({ type: one.type, when, bcd: now.bcd, sections: null });
      if (one.type === 'CANCEL') break;
      isPaused = true;
    } else {
      now = one.type === 'CHANGE' ? { ...now, sections: one.sections } : { ...now, bcd: one.bcd };
      turns.push({ type: one.type as Turn['type'], when, ...now });
    }
  }
  return turns;
}

function ruleEvents(history: History, zone: string): readonly BillingEvent[] {
  return turnsOf(history).map(({ type, when, bcd, sections }) => {
    const usages = (sectionSets[sections ?? -1] ?? []).map(([text, prices]) => ruleSection(text, prices));
    return usageEvent(type, when, { usages, bcd, zone: timeZone(zone) });
  });
}

function oracleEvents(history: History, zone: string): readonly OracleEvent[] {
  return turnsOf(history).map(({ type, when, bcd, sections }) => {
    const at = Date.parse(when);
    const charged = sectionSets[sections ?? -1] ?? [];
    return {
      at,
      day: dayAt(at, zone),
      billing: type === 'CANCEL' ? 'ENDED' : type === 'START_BILLING_DISABLED' ? 'PAUSED' : 'ON',
      billCycleDay: bcd,
      sections: charged.map(([text, prices]) => oracleSection(text, prices)),
    };
  });
}
