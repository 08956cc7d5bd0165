import fc from 'fast-check';
import type { BillingEvent } from '../../../lib/records/index.ts';
import { type Currency, formatDecimal, minorUnits } from '../../../lib/values/money/index.ts';
import type { BillingPeriod, LocalDate } from '../../../lib/values/time/index.ts';
import {
  addDays,
  formatLocalDate,
  instant,
  parseLocalDate,
  periodLength,
} from '../../../lib/values/time/index.ts';
import type { Generated } from '../for-all.ts';
import { cancel, event } from '../invoicing/billing-events.ts';
import { historySize } from '../long-run.ts';
import type { OracleEvent } from './invoicing-oracle.ts';

export type HistoryPlan = Generated<ReturnType<typeof plans>>[number];

/** A dated change of a subscription. `day` counts from the start of the history. */
export type Fact = Generated<ReturnType<typeof factsIn>>;
export type Step = Generated<ReturnType<typeof steps>>[number];
export type History = Generated<typeof histories>;

interface Standing {
  readonly type: BillingEvent['transitionType'];
  readonly day: number;
  readonly plan: HistoryPlan;
  readonly price: string;
  readonly quantity: number;
  readonly bcd: number;
  /** A catalog price change, which is a CHANGE without a stored event. */
  readonly isPrice: boolean;
}

const horizonDays = 900;

/** The billing events of the facts, by a second implementation of subscriptions §19. */
export function eventsOf(history: History, facts: readonly Fact[]): readonly BillingEvent[] {
  const start = parseLocalDate(history.start);
  const at = (day: number): LocalDate => addDays(start, day);
  const cancelDay = Math.min(
    ...facts.map((fact) => (fact.type === 'CANCEL' ? fact.day : Number.POSITIVE_INFINITY)),
  );
  const ordinary = standings(history, facts)
    .filter(({ day }) => day <= cancelDay)
    .map((standing) => billingEventOf(standing, at(standing.day)));
  if (Number.isFinite(cancelDay)) ordinary.push(cancel(at(cancelDay)));
  const events = blockedWindows(facts).reduce(
    (left, [from, to]) => withoutBlocked(left, at(from), to === null ? null : at(to)),
    ordinary as readonly BillingEvent[],
  );
  const anchors = anchorsOf(events);
  return events.map((each, index) => ({ ...each, cycleStart: anchors[index] ?? each.localDate }));
}

function standings(history: History, facts: readonly Fact[]): readonly Standing[] {
  const plan = planAt(history, 0);
  let state: Standing = {
    type: 'CREATE',
    day: 0,
    plan,
    price: plan.price,
    quantity: 1,
    bcd: history.bcd,
    isPrice: false,
  };
  const all = [state];
  const dated = facts
    .filter(({ type }) => type !== 'PAUSE' && type !== 'CANCEL')
    .toSorted((a, b) => a.day - b.day);
  for (const fact of dated) {
    state = { ...state, day: fact.day, isPrice: fact.type === 'PRICE', ...effectOf(history, fact) };
    all.push(state);
  }
  return all;
}

function effectOf(history: History, fact: Fact): Pick<Standing, 'type'> & Partial<Standing> {
  switch (fact.type) {
    case 'CHANGE': {
      const plan = planAt(history, fact.plan);
      return { type: 'CHANGE', plan, price: plan.price };
    }
    case 'PRICE':
      return { type: 'CHANGE', price: fact.price };
    case 'QUANTITY':
      return { type: 'QUANTITY_CHANGE', quantity: fact.quantity };
    case 'BCD':
      return { type: 'BCD_CHANGE', bcd: fact.bcd };
    default:
      throw new Error(`${fact.type} changes no standing`);
  }
}

function planAt(history: History, index: number): HistoryPlan {
  const plan = history.plans[index % history.plans.length];
  if (plan === undefined) throw new Error('A history has at least one plan');
  return plan;
}

function billingEventOf(standing: Standing, date: LocalDate): BillingEvent {
  const { type, plan, price, quantity, bcd, isPrice } = standing;
  const { name, period, mode } = plan;
  const bringsPhase = type === 'CREATE' || (type === 'CHANGE' && !isPrice);
  const fixed = bringsPhase ? plan.fixed : null;
  const order = isPrice ? NOT_STORED : 1;
  return event(type, date, { plan: name, price, fixed, period, mode, bcd, quantity, order });
}

/** Ordering from which events are derived, not stored (subscriptions §19.1). */
const NOT_STORED = 2 ** 52;

/**
 * Cycle starts of the events (invoicing §5.2 rule 5). A quantity or price change keeps the cycle if its terms are the
 * same.
 */
function anchorsOf(events: readonly BillingEvent[]): readonly LocalDate[] {
  const anchors: LocalDate[] = [];
  events.forEach((each, index) => {
    const before = events[index - 1];
    const splits = each.transitionType === 'QUANTITY_CHANGE' || isPriceChange(each);
    const goesOn = splits && before !== undefined && cycleFacts(before) === cycleFacts(each);
    anchors.push((goesOn ? anchors[index - 1] : undefined) ?? each.localDate);
  });
  return anchors;
}

/** Returns true if only the catalog price changes. */
export function isPriceChange({ transitionType, totalOrdering }: BillingEvent): boolean {
  return transitionType === 'CHANGE' && totalOrdering >= NOT_STORED;
}

function cycleFacts({ billingPeriod, billingMode, billCycleDayLocal, recurringPrice }: BillingEvent): string {
  return [billingPeriod, billingMode, billCycleDayLocal, recurringPrice !== null].join();
}

/** Merged pauses, each at least a day long. */
function blockedWindows(facts: readonly Fact[]): readonly (readonly [number, number | null])[] {
  const windows: [number, number | null][] = [];
  const pauses = facts.filter((fact) => fact.type === 'PAUSE').toSorted((a, b) => a.day - b.day);
  for (const { day, days } of pauses) {
    const end = days === null ? null : day + days;
    const last = windows.at(-1);
    if (last !== undefined && (last[1] === null || last[1] >= day)) {
      last[1] = last[1] === null || end === null ? null : Math.max(last[1], end);
    } else windows.push([day, end]);
  }
  return windows;
}

function withoutBlocked(events: readonly BillingEvent[], from: LocalDate, to: LocalDate | null) {
  const before = events.filter(({ localDate }) => localDate < from);
  const inside = events.filter(({ localDate }) => localDate >= from && (to === null || localDate < to));
  const after = to === null ? [] : events.filter(({ localDate }) => localDate >= to);
  const p = before.at(-1);
  const q = inside.at(-1) ?? p;
  const result = [...before];
  if (p !== undefined && p.transitionType !== 'CANCEL')
    result.push({ ...p, ...noPrices, transitionType: 'START_BILLING_DISABLED', ...on(from) });
  if (to !== null && q !== undefined && q.transitionType !== 'CANCEL') {
    const fixedPrice =
      inside.findLast(({ transitionType }) => bringsPhase.has(transitionType))?.fixedPrice ?? null;
    result.push({ ...q, fixedPrice, transitionType: 'END_BILLING_DISABLED', ...on(to) });
  }
  return [...result, ...after];
}

function on(localDate: LocalDate): Pick<BillingEvent, 'localDate' | 'effectiveDate'> {
  return { localDate, effectiveDate: instant(localDate * 86_400_000) };
}

const noPrices = {
  fixedPrice: null,
  recurringPrice: null,
  billingPeriod: 'NO_BILLING_PERIOD',
  usages: [],
} as const;
const bringsPhase: ReadonlySet<string> = new Set(['CREATE', 'CHANGE']);

/** The first date on which the two streams differ; null = they are equal. */
export function firstDifference(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): LocalDate | null {
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [a, b] = [before[index], after[index]];
    if (a !== undefined && b !== undefined && factsOf(a) === factsOf(b)) continue;
    const dates = [a, b].flatMap((each) => (each === undefined ? [] : [each.localDate]));
    return dates.reduce((first, date) => (date < first ? date : first));
  }
  return null;
}

export function factsOf(each: BillingEvent): string {
  return JSON.stringify({ ...each, effectiveDate: null, totalOrdering: null });
}

export function forOracle(
  history: Pick<History, 'currency' | 'isGreedy'>,
  events: readonly BillingEvent[],
): readonly OracleEvent[] {
  const scale = minorUnits(history.currency);
  const anchors = anchorsOf(events);
  return events.map((each, index) => {
    const recurs = each.recurringPrice !== null && each.billingPeriod !== 'NO_BILLING_PERIOD';
    const { unit, number: length } = recurs
      ? periodLength(each.billingPeriod)
      : ({ unit: 'DAYS', number: 1 } as const);
    const rate = recurs ? each.recurringPrice.times(each.quantity) : null;
    return {
      date: formatLocalDate(each.localDate),
      anchor: formatLocalDate(anchors[index] ?? each.localDate),
      movesDay: each.transitionType === 'BCD_CHANGE',
      kind: rate === null ? null : kindOf(each.planName, each.phaseName, formatDecimal(rate)),
      unit,
      length,
      billCycleDay: each.billCycleDayLocal,
      mode: each.billingMode === 'IN_ARREAR' && history.isGreedy ? 'GREEDY' : each.billingMode,
      rate: rate === null ? 0n : BigInt(rate.times(10 ** scale).toFixed(0)),
    };
  });
}

export function kindOf(planName: string | null, phaseName: string | null, rate: string): string {
  return `${planName}|${phaseName}|${rate}`;
}

const days = fc.integer({ min: 0, max: horizonDays });
const periods = fc.constantFrom<BillingPeriod>(
  'MONTHLY',
  'MONTHLY',
  'MONTHLY',
  'QUARTERLY',
  'ANNUAL',
  'BIANNUAL',
  'WEEKLY',
  'THIRTY_DAYS',
);

function prices(currency: Currency): fc.Arbitrary<string> {
  const scale = minorUnits(currency);
  const most = currency === 'JPY' ? 400 : 400_000;
  return fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: most }) },
      { weight: 1, arbitrary: fc.constant(0) },
    )
    .map((units) => (scale === 0 ? `${units}` : (units / 10 ** scale).toFixed(scale)));
}

function plans(currency: Currency) {
  const plan = fc.record({
    price: prices(currency),
    fixed: fc.option(prices(currency)),
    period: periods,
    mode: fc.constantFrom<BillingEvent['billingMode']>('IN_ADVANCE', 'IN_ADVANCE', 'IN_ARREAR'),
  });
  return fc
    .array(plan, { minLength: 1, maxLength: 3 })
    .map((list) => list.map((each, index) => ({ ...each, name: `plan${index}` })));
}

function factsIn(currency: Currency) {
  return fc.oneof(
    fc.record({ type: fc.constant('CHANGE' as const), day: days, plan: fc.nat(2) }),
    fc.record({ type: fc.constant('PRICE' as const), day: days, price: prices(currency) }),
    fc.record({
      type: fc.constant('QUANTITY' as const),
      day: days,
      quantity: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ type: fc.constant('BCD' as const), day: days, bcd: fc.integer({ min: 1, max: 31 }) }),
    fc.record({
      type: fc.constant('PAUSE' as const),
      day: days,
      days: fc.option(fc.integer({ min: 1, max: 120 }), { freq: 5 }),
    }),
    fc.record({ type: fc.constant('CANCEL' as const), day: days }),
  );
}

/** Days from the last target date to the fact; null = the fact's own day. */
const near = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.integer({ min: -45, max: 45 }) },
);

function steps(currency: Currency) {
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.record({ do: fc.constant('ADD' as const), fact: factsIn(currency), near }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('REMOVE' as const), index: fc.nat(20) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('ADJUST' as const),
        index: fc.nat(20),
        percent: fc.integer({ min: 1, max: 100 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('VOID' as const), index: fc.nat(20) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('RUN' as const),
        // From the last target date; null = the next due date.
        daysLater: fc.oneof(
          fc.constant(null),
          fc.constant(0),
          fc.integer({ min: -60, max: -1 }),
          fc.integer({ min: 1, max: 31 }),
          fc.integer({ min: 1, max: 200 }),
        ),
      }),
    },
  );
  return fc.array(step, { minLength: 3, maxLength: 30, size: historySize });
}

export const currencies = fc.constantFrom<Currency>('USD', 'USD', 'JPY', 'KWD');

/** Random histories of a subscription over about two and a half years. */
export const histories = currencies.chain((currency) =>
  fc.record({
    start: fc
      .integer({ min: 0, max: 1_500 })
      .map((day) => formatLocalDate(addDays(parseLocalDate('2019-12-01'), day))),
    bcd: fc.integer({ min: 1, max: 31 }),
    plans: plans(currency),
    currency: fc.constant(currency),
    isGreedy: fc.boolean(),
    fixedDays: fc.constantFrom(0, 0, 30),
    steps: steps(currency),
  }),
);
