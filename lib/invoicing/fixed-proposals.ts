import { type Currency, type Decimal, decimal, roundToCurrency } from '../money/index.ts';
import { addDuration, type LocalDate } from '../time/index.ts';
import type { BillingEvent } from './billing-event.ts';

/** A one-time price that should be billed (invoicing.md §5.1). */
export interface FixedProposal {
  readonly event: BillingEvent;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate | null;
  /** Price × quantity, rounded to the currency. */
  readonly amount: Decimal;
}

export interface FixedProposalsInput {
  /** Events of one subscription in order. */
  readonly events: readonly BillingEvent[];
  readonly anchorIndex: number;
  readonly windowStart: LocalDate | null;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
}

/** The fixed proposals of a subscription up to the target date, at most one per local date, in date order. */
export function fixedProposals(input: FixedProposalsInput): readonly FixedProposal[] {
  const { events, anchorIndex, windowStart, targetDate } = input;
  const proposals: FixedProposal[] = [];
  for (let index = anchorIndex; index < events.length; index += 1) {
    const event = events[index];
    if (event === undefined || event.localDate > targetDate) break;
    if (event.fixedPrice === null || (windowStart !== null && event.localDate < windowStart)) continue;
    if (!isDisplaced(events, index)) proposals.push(propose(event, events[index + 1], input.currency));
  }
  return proposals;
}

/** Of several events on one local date only the last counts, even without a fixed price (invoicing.md §5.1 rule 2). */
function isDisplaced(events: readonly BillingEvent[], index: number): boolean {
  const localDate = events[index]?.localDate;
  for (let later = index + 1; later < events.length; later += 1) {
    const event = events[later];
    if (event === undefined || event.localDate !== localDate) return false;
    if (displacesFixedPrice(event, events[later - 1])) return true;
  }
  return false;
}

/** False for the kinds of event that never carry a fixed price: they cannot take one away either. */
function displacesFixedPrice(event: BillingEvent, previous: BillingEvent | undefined): boolean {
  switch (event.transitionType) {
    case 'BCD_CHANGE':
    case 'QUANTITY_CHANGE':
    case 'START_BILLING_DISABLED':
      return false;
    case 'END_BILLING_DISABLED':
      return event.fixedPrice !== null;
    case 'CHANGE':
      return event.fixedPrice !== null || !isPriceChange(event, previous);
    case 'CREATE':
    case 'TRANSFER':
    case 'PHASE':
    case 'CANCEL':
    case 'EXPIRED':
      return true;
    default:
      return neverType(event.transitionType);
  }
}

/** A price change for existing subscriptions is a CHANGE that keeps plan and phase (invoicing.md §4). */
function isPriceChange(event: BillingEvent, previous: BillingEvent | undefined): boolean {
  return event.planName === previous?.planName && event.phaseName === previous?.phaseName;
}

function propose(event: BillingEvent, next: BillingEvent | undefined, currency: Currency): FixedProposal {
  const price = event.fixedPrice ?? decimal(0);
  const amount = roundToCurrency(
    event.quantity === 1 ? price : price.times(decimal(event.quantity)),
    currency,
  );
  return { event, startDate: event.localDate, endDate: endOfFixed(event, next), amount };
}

// invoicing.md §5.1 rule 3
function endOfFixed(event: BillingEvent, next: BillingEvent | undefined): LocalDate | null {
  if (event.recurringPrice !== null || event.isEvergreen) return null;
  if (next?.transitionType === 'PHASE') return next.localDate;
  const duration = event.phaseDuration;
  return duration === null || duration.unit === 'UNLIMITED' ? null : addDuration(event.localDate, duration);
}

function neverType(type: never): never {
  throw new Error(`Unknown billing transition ${String(type)}`);
}
