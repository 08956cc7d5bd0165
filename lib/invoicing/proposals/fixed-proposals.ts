import { isTrialPhase } from '../../catalog/index.ts';
import { fixedDiscounts, priceAfterDiscounts } from '../../coupons/index.ts';
import type { BillingEvent } from '../../records/index.ts';
import { type Currency, type Decimal, decimal, roundToCurrency } from '../../values/money/index.ts';
import { durationEnd, type LocalDate, minDate } from '../../values/time/index.ts';
import type { ProposedListPrice, RecurringProposalsInput } from './recurring-proposals.ts';

/** A one-time price that should be billed (§5.1). */
export interface FixedProposal {
  readonly event: BillingEvent;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate | null;
  /** Price × quantity after discounts, rounded to the currency's minor unit. */
  readonly amount: Decimal;
  /** The price before discounts, or null if there are no discounts. */
  readonly list: ProposedListPrice | null;
}

/** Returns the fixed proposals of a subscription up to the target date, at most one per local date, in date order. */
export function fixedProposals(input: Omit<RecurringProposalsInput, 'config'>): readonly FixedProposal[] {
  const { events, anchorIndex, windowStart, targetDate } = input;
  const proposals: FixedProposal[] = [];
  for (let index = anchorIndex; index < events.length; index += 1) {
    const event = events[index];
    if (event === undefined || event.localDate > targetDate) break;
    if (event.fixedPrice === null || (windowStart !== null && event.localDate < windowStart)) continue;
    if (!isDisplaced(events, index)) proposals.push(propose(event, phaseEnd(events, index), input.currency));
  }
  return proposals;
}

/** Returns true if the setting `disable.trial.zero.amount` can drop the item (§5.1 rule 4). */
export function isFreeTrial({ event, amount }: FixedProposal): boolean {
  return amount.isZero() && event.phaseName !== null && isTrialPhase(event.phaseName);
}

/**
 * Returns true if a later event on the same local date replaces the event. The last event of a date always prevails,
 * even without a fixed price (§5.1 rule 2).
 */
function isDisplaced(events: readonly BillingEvent[], index: number): boolean {
  const localDate = events[index]?.localDate;
  for (let later = index + 1; later < events.length; later += 1) {
    const event = events[later];
    if (event === undefined || event.localDate !== localDate) return false;
    if (displacesFixedPrice(event, events[later - 1])) return true;
  }
  return false;
}

/**
 * Returns false for event types that never have a fixed price. Such events do not displace the fixed price of an
 * earlier event either.
 */
function displacesFixedPrice(event: BillingEvent, previous: BillingEvent | undefined): boolean {
  switch (event.transitionType) {
    case 'BCD_CHANGE':
    case 'QUANTITY_CHANGE':
    case 'CHANGE':
      return !isChangeOfTerms(event, previous);
    case 'START_BILLING_DISABLED':
      return false;
    case 'END_BILLING_DISABLED':
      return event.fixedPrice !== null;
    case 'CREATE':
    case 'TRANSFER':
    case 'PHASE':
    case 'CANCEL':
    case 'EXPIRED':
      return true;
    default:
      throw new Error(`Unknown billing transition ${String(event.transitionType satisfies never)}`);
  }
}

/**
 * Returns true if the event changes neither plan nor phase. Such an event changes the bill cycle day, the quantity, or
 * the price of an existing subscription. A price change is a CHANGE without a fixed price (§4).
 */
function isChangeOfTerms(event: BillingEvent, previous: BillingEvent | undefined): boolean {
  if (event.transitionType === 'BCD_CHANGE' || event.transitionType === 'QUANTITY_CHANGE') return true;
  return (
    event.transitionType === 'CHANGE' &&
    event.fixedPrice === null &&
    event.planName === previous?.planName &&
    event.phaseName === previous?.phaseName
  );
}

function propose(event: BillingEvent, endDate: LocalDate | null, currency: Currency): FixedProposal {
  const price = event.fixedPrice ?? decimal(0);
  const { quantity } = event;
  const { rate, list } = priceAfterDiscounts({ price, quantity, discounts: fixedDiscounts(event) });
  return {
    event,
    startDate: event.localDate,
    endDate,
    amount: roundToCurrency(rate, currency),
    list: list === null ? null : { ...list, amount: roundToCurrency(list.rate, currency) },
  };
}

/**
 * Returns the end of the phase of a fixed price, or null if the price does not cover a period (§5.1 rule 3). A pause
 * within the phase does not move the end. If a phase ends during a pause, its end is no later than the first event
 * after the pause.
 */
function phaseEnd(events: readonly BillingEvent[], index: number): LocalDate | null {
  const event = events[index];
  if (event === undefined || event.recurringPrice !== null || event.isEvergreen) return null;
  const next = nextEventBeyondPhase(events, index);
  if (next?.transitionType === 'PHASE') return next.localDate;
  const duration = event.phaseDuration;
  const end = duration === null ? null : (durationEnd(event.localDate, duration) ?? null);
  return end !== null && next?.transitionType === 'END_BILLING_DISABLED' ? minDate(end, next.localDate) : end;
}

/**
 * Returns the next event that changes the plan or phase. Ignores events that keep the plan and phase, and the start or
 * end of a pause in the same plan and phase.
 */
function nextEventBeyondPhase(events: readonly BillingEvent[], index: number) {
  for (let later = index + 1; later < events.length; later += 1) {
    const next = events[later];
    const previous = events[later - 1];
    if (next !== undefined && !isChangeOfTerms(next, previous) && !isPause(next, events[index])) return next;
  }
  return undefined;
}

function isPause(event: BillingEvent, phase: BillingEvent | undefined): boolean {
  switch (event.transitionType) {
    case 'START_BILLING_DISABLED':
      return true;
    case 'END_BILLING_DISABLED':
      return event.planName === phase?.planName && event.phaseName === phase?.phaseName;
    default:
      return false;
  }
}
