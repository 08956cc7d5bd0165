import { type ListPrice, priceAfterDiscounts, recurringDiscounts } from '../../coupons/index.ts';
import { type BillingEvent, type BillingMode, PeriodRule, type Share } from '../../records/index.ts';
import type { InArrearMode } from '../../tenants/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { MAX_FRACTION_DIGITS, MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import { type Currency, type Decimal, roundToCurrency, roundToScale } from '../../values/money/index.ts';
import {
  addPeriod,
  type CycleDates,
  cycleDate,
  cycleDatesOf,
  firstCycleAfter,
  firstCycleFrom,
  type LocalDate,
  lastCycleUpTo,
  minDate,
} from '../../values/time/index.ts';
import type { InvoicingConfig } from './invoicing-config.ts';
import { countDays, proratedShare, type WholePeriod } from './proration.ts';
import { tooManyPeriods } from './target-date.ts';

/** A period that should be billed, with the amount for the whole proposal (§5.4, §5.5 rule 1). */
export interface RecurringProposal {
  readonly event: BillingEvent;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly planName: string;
  readonly phaseName: string;
  /** Price × quantity after discounts, with up to 9 decimals. */
  readonly rate: Decimal;
  /** The amount, rounded to the currency. */
  readonly amount: Decimal;
  /** The price before discounts, or null if there are no discounts. */
  readonly list: ProposedListPrice | null;
  readonly rule: PeriodRule;
  /** Share of the rate. Null means the whole rate. */
  readonly share: Share | null;
  /** The event after this one, or null if no later event is known. */
  readonly nextEvent: BillingEvent | null;
  readonly prorationFixedDays: number;
}

/** The price of a proposal before discounts, with its whole amount rounded to the currency's minor unit. */
export interface ProposedListPrice extends ListPrice {
  readonly amount: Decimal;
}

export type ProposalConfig = Pick<InvoicingConfig, 'inArrearMode' | 'prorationFixedDays'>;

export interface RecurringProposalsInput {
  /** Events of one subscription in order. */
  readonly events: readonly BillingEvent[];
  /** Index of the first event that creates proposals (the anchor defined in §7.2). */
  readonly anchorIndex: number;
  /** Start of the window. Earlier proposals are omitted. The value is null if the window has no start. */
  readonly windowStart: LocalDate | null;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: ProposalConfig;
}

/**
 * The cycle that an event bills at a target date. It ends no later than date X of §5.3 and no later than the next
 * event.
 */
export interface BilledEvent {
  readonly event: BillingEvent;
  readonly nextEvent: BillingEvent | null;
  readonly cycle: CycleDates;
  readonly endDate: LocalDate | null;
  /** The date up to which the event is billed (X of §5.3), or null if nothing is billable yet. */
  readonly billThrough: LocalDate | null;
}

/** Returns the recurring proposals of a subscription at the target date, in date order and without overlap. */
export function recurringProposals(input: RecurringProposalsInput): readonly RecurringProposal[] {
  const proposals: RecurringProposal[] = [];
  for (let index = input.anchorIndex; index < input.events.length; index += 1) {
    const event = input.events[index];
    if (event === undefined || event.localDate > input.targetDate) break;
    const billed = billedEvent(input, index);
    if (billed !== null) proposePeriods(proposals, billed, input);
  }
  return proposals;
}

/** Returns the cycle that the event at `index` bills, or null if the event bills nothing (§5.2 rules 3 and 4). */
export function billedEvent(
  input: Pick<RecurringProposalsInput, 'events' | 'targetDate' | 'config'>,
  index: number,
): BilledEvent | null {
  const event = input.events[index];
  if (event === undefined || !recurs(event)) return null;
  const nextEvent = input.events[index + 1] ?? null;
  const endDate = nextEvent?.localDate ?? null;
  if (endDate === event.localDate) return null;
  const cycle = cycleDatesOf(event);
  const { targetDate, config } = input;
  const terms = { billingMode: event.billingMode, inArrearMode: config.inArrearMode };
  const billThrough = billThroughDate({ cycle, endDate, targetDate, ...terms });
  return { event, nextEvent, cycle, endDate, billThrough };
}

/** Returns true if the event has a billing period and a recurring price. The price may be 0. */
export function recurs(event: BillingEvent): boolean {
  return event.recurringPrice !== null && event.billingPeriod !== 'NO_BILLING_PERIOD';
}

// The next function proposes the periods of one event (§5.4).
function proposePeriods(proposals: RecurringProposal[], billed: BilledEvent, input: RecurringProposalsInput) {
  const { event, cycle, endDate, billThrough } = billed;
  if (billThrough === null) return;
  const { start, first } = cycle;
  const propose = proposer(proposals, billed, input);
  if (endDate !== null && endDate <= first) {
    propose(PeriodRule.BETWEEN_EVENTS, [start, endDate], wholeUpToFirst(billed, input.events));
    return;
  }
  if (first > start) propose(PeriodRule.LEADING, [start, first], wholeUpToFirst(billed, input.events));

  const last = lastCycleUpTo(cycle, billThrough);
  const from = input.windowStart === null ? 0 : firstCycleFrom(cycle, input.windowStart);
  if (last - from > MAX_PERIODS_PER_RUN) {
    const { subscriptionId } = event;
    throw tooManyPeriods(input.targetDate, { subscriptionId, periods: last - from });
  }
  let current = cycleDate(cycle, Math.max(0, Math.min(from, last)));
  for (let k = from; k < last; k += 1) {
    const next = cycleDate(cycle, k + 1);
    propose(PeriodRule.WHOLE, [current, next], null);
    current = next;
  }
  if (billThrough > current) {
    const next = cycleDate(cycle, last + 1);
    const whole = { startDate: current, endDate: next, isFirst: false };
    propose(PeriodRule.TRAILING, [current, billThrough], whole);
  }
}

/**
 * Returns the period that ends on the first cycle date, C(0). In the first period of a cycle, a bill cycle day change
 * before C(0) ends the period (§5.4 rule 6).
 */
function wholeUpToFirst({ event, cycle }: BilledEvent, events: readonly BillingEvent[]): WholePeriod {
  const { before, first, period } = cycle;
  const isFirst = before < event.cycleStart;
  if (isFirst) {
    const later = events.slice(events.indexOf(event) + 1);
    const next = later.find(({ cycleStart }) => cycleStart !== event.cycleStart);
    if (next?.transitionType === 'BCD_CHANGE' && next.localDate <= first) {
      return { startDate: addPeriod(next.localDate, period, -1), endDate: next.localDate, isFirst };
    }
  }
  return { startDate: before, endDate: first, isFirst };
}

type Propose = (
  rule: PeriodRule,
  dates: readonly [startDate: LocalDate, endDate: LocalDate],
  whole: WholePeriod | null,
) => void;

/**
 * Returns a function that adds the proposal for one period. `whole` is the whole period to which a part belongs. If
 * `whole` is null, the ratio is 1.
 */
function proposer(
  proposals: RecurringProposal[],
  { event, nextEvent }: BilledEvent,
  { windowStart, currency, config }: RecurringProposalsInput,
): Propose {
  const { planName, phaseName, billingPeriod: period } = event;
  assertInvariant(
    planName !== null && phaseName !== null,
    'A billing event with a recurring price has no plan or phase',
    { subscriptionId: event.subscriptionId, localDate: event.localDate },
  );
  const priceOn = pricesOf(event);
  const { prorationFixedDays } = config;
  return (rule, [startDate, endDate], whole) => {
    if (windowStart !== null && startDate < windowStart) return;
    const { rate, list: listPrice } = priceOn(startDate);
    const counted =
      whole === null ? null : countDays({ startDate, endDate, period, prorationFixedDays, whole });
    const share = counted === null ? null : { base: rate, ...counted };
    const amountAt = (base: Decimal) =>
      counted === null ? roundToCurrency(base, currency) : proratedShare({ base, ...counted }, currency);
    const amount = amountAt(rate);
    const list = listPrice === null ? null : { ...listPrice, amount: amountAt(listPrice.rate) };
    const kind = { planName, phaseName, rate };
    const dates = { startDate, endDate };
    proposals.push({ event, nextEvent, ...dates, ...kind, amount, list, rule, share, prorationFixedDays });
  };
}

/** A rate and the price before discounts, which is null if there are no discounts. */
interface PeriodPrice {
  readonly rate: Decimal;
  readonly list: ListPrice | null;
}

/**
 * Returns a function that maps the start of a period to the price of the event. The price varies only if there are
 * discounts.
 */
function pricesOf(event: BillingEvent): (startDate: LocalDate) => PeriodPrice {
  if (event.discounts !== undefined) return (startDate) => priceOf(event, startDate);
  const price = priceOf(event, event.localDate);
  return () => price;
}

/** Returns the rate and the list price of a period that starts on the given day. */
function priceOf(event: BillingEvent, startDate: LocalDate): PeriodPrice {
  const { recurringPrice: price, quantity } = event;
  assertInvariant(price !== null, 'An event without a recurring price has no rate');
  const discounts = recurringDiscounts(event, startDate);
  const { rate, list } = priceAfterDiscounts({ price, quantity, discounts });
  // Charges are of the same kind if their rates, stored with 9 decimals, are equal.
  return { rate: withStoredDigits(rate), list };
}

/** Returns price × quantity, after discounts, for a period that starts on the given day. */
export function rateOf(event: BillingEvent, startDate: LocalDate): Decimal {
  return priceOf(event, startDate).rate;
}

function withStoredDigits(rate: Decimal): Decimal {
  return rate.decimalPlaces() > MAX_FRACTION_DIGITS ? roundToScale(rate, MAX_FRACTION_DIGITS) : rate;
}

interface BillThroughInput {
  readonly cycle: CycleDates;
  /** The date of the subscription's next event (E), or null if there is no next event. */
  readonly endDate: LocalDate | null;
  /** The target date (T). */
  readonly targetDate: LocalDate;
  readonly billingMode: BillingMode;
  readonly inArrearMode: InArrearMode;
}

/**
 * Returns X, the date up to which an event is billed at the target date. Null means that nothing is billed yet
 * (§5.3).
 */
export function billThroughDate(input: BillThroughInput): LocalDate | null {
  const { cycle, endDate, targetDate } = input;
  if (endDate !== null && targetDate >= endDate) return endDate;
  if (input.billingMode === 'IN_ADVANCE') {
    if (targetDate < cycle.first) return cycle.first;
    const next = cycleDate(cycle, firstCycleAfter(cycle, targetDate));
    return endDate === null ? next : minDate(next, endDate);
  }
  if (input.inArrearMode === 'GREEDY') return inArrearGreedy(input);
  return targetDate < cycle.first ? null : cycleDate(cycle, lastCycleUpTo(cycle, targetDate));
}
function inArrearGreedy({ cycle, endDate, targetDate }: BillThroughInput): LocalDate | null {
  if (targetDate < cycle.start) return null;
  if (endDate !== null && endDate < cycle.first) return endDate;
  const k = firstCycleAfter(cycle, targetDate);
  const next = cycleDate(cycle, k);
  if (endDate !== null && endDate <= next) return endDate;
  return k > 0 && cycleDate(cycle, k - 1) === targetDate ? targetDate : next;
}
