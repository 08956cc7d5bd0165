import { type Account, LifecycleEventType } from '../../records/index.ts';
import { billingError, ErrorCode, invalidField, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  BillingPeriod,
  type DatedInstant,
  dayOfMonth,
  firstBillCycleDate,
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  maxDate,
  type RequestedDate,
} from '../../values/time/index.ts';
import { checkTerms } from '../requests/create-request.ts';
import { bareDraft, type EditTools, type EventDraft, eventsOf } from '../timeline/lifecycle-events.ts';
import { atReferenceTime, datedInstant, raiseTo } from '../timeline/phase-timeline.ts';
import { hasEnded } from './cancellation.ts';
import {
  firstTransitionOf,
  lastSequenceOf,
  type RunningSubscription,
  stateOf,
} from './running-subscription.ts';
import { editOf, type SubscriptionEdit } from './subscription-edit.ts';

/** The input for a subscription's own bill cycle day. That day takes precedence over all alignments. */
export interface BillCycleDayChange extends EffectiveFrom {
  /** Day from 1 to 31. Shorter months use their last day. */
  readonly billCycleDayLocal?: number | null | undefined;
}

export interface QuantityChange extends EffectiveFrom {
  /** Quantity, at least 1. */
  readonly quantity?: number | null | undefined;
}

interface TermsChange {
  readonly effective: DatedInstant;
  readonly edit: SubscriptionEdit;
}

/**
 * Returns the requested day.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the day is missing or is not from 1 to 31.
 */
export function requestedBillCycleDay({ billCycleDayLocal }: BillCycleDayChange): number {
  return requireTerm('billCycleDayLocal', checkTerms({ billCycleDayLocal }).billCycleDay);
}

/**
 * Returns the requested quantity.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the quantity is missing or is not a whole number of at least
 * 1.
 */
export function requestedQuantity({ quantity }: QuantityChange): number {
  return requireTerm('quantity', checkTerms({ quantity }).quantity);
}

function requireTerm(field: string, value: number | null): number {
  if (value !== null) return value;
  throw invalidField(`SubscriptionJson ${field} needs to be set`, { field });
}

/**
 * Changes the bill cycle day (§15.3). Has no effect after a pending expiry (§11 rule 3).
 * @throws BillingError SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), INVALID_PARAMETER (60002).
 */
export function planBillCycleDayChange(
  running: RunningSubscription,
  change: { readonly day: number; readonly from: EffectiveFrom },
  tools: EditTools,
): TermsChange {
  checkBilled(running, tools.now);
  const { day } = change;
  const from = requestedDayOf(change.from, tools.now, running.account);
  const effective = billCycleDayChangeDate(running, { day, from }, tools.now);
  return termsChange(
    running,
    { ...bareDraft(LifecycleEventType.BCD_CHANGE, effective), billCycleDay: day },
    tools,
  );
}

/**
 * Changes the quantity from the requested day or from now on (§16). Has no effect after a pending expiry (§11 rule 3).
 * @throws BillingError SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), INVALID_PARAMETER (60002).
 */
export function planQuantityChange(
  running: RunningSubscription,
  change: { readonly quantity: number; readonly from: EffectiveFrom },
  tools: EditTools,
): TermsChange {
  const { account } = running;
  checkBilled(running, tools.now);
  const from = requestedDayOf(change.from, tools.now, account);
  const asked = from === null ? datedInstant(null, tools.now, account) : atReferenceTime(from, account);
  const effective = raiseTo(asked, firstTransitionOf(running).event.effective);
  const { quantity } = change;
  return termsChange(
    running,
    { ...bareDraft(LifecycleEventType.QUANTITY_CHANGE, effective), quantity },
    tools,
  );
}

/**
 * Returns the first occurrence of the bill cycle day on or after both the requested day and the start of billing (§15.3
 * rules 2, 3). Shorter months use their last day. If the occurrence is today, the change takes effect immediately.
 */
function billCycleDayChangeDate(
  running: RunningSubscription,
  { day, from }: { readonly day: number; readonly from: LocalDate | null },
  now: Instant,
): DatedInstant {
  const { account } = running;
  const start = firstTransitionOf(running).event.effective;
  const today = localDateOf(now, account.timeZone);
  if (from === null && day === dayOfMonth(today) && today >= start.date) {
    return raiseTo(datedInstant(null, now, account), start);
  }
  const earliest = maxDate(from ?? today, start.date);
  const date = firstBillCycleDate(earliest, BillingPeriod.MONTHLY, day);
  return raiseTo(atReferenceTime(date, account), start);
}

function termsChange(running: RunningSubscription, draft: EventDraft, { now, nextId }: EditTools) {
  const { effective } = draft;
  const addedEvents = eventsOf([draft], {
    subscriptionId: running.subscription.id,
    accountRecordId: running.subscription.accountRecordId,
    // Undoing a plan change also undoes the events that follow without a gap.
    // The gap before this event keeps the event in force.
    lastSequence: lastSequenceOf(running) + 1,
    createdDate: now,
    nextId,
  });
  return { effective, edit: editOf(running, { requested: draft, addedEvents }) };
}

function checkBilled(running: RunningSubscription, now: Instant): void {
  if (!hasEnded(running, now)) return;
  const id: Uuid = running.subscription.id;
  throw billingError(
    ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE,
    `Subscription ${id} is ${stateOf(running, now)}, or its billing has ended: its terms can no longer change`,
    { subscriptionId: id },
  );
}

export interface EffectiveFrom {
  /**
   * Day on which the change takes effect: a local date of the account, or an instant on that day. Defaults to today.
   */
  readonly effectiveFromDate?: RequestedDate | null | undefined;
  /** If true, `effectiveFromDate` may be in the past. Defaults to false. */
  readonly allowPastDate?: boolean | undefined;
}

/**
 * Returns the requested day, or null for today (§15.3 rule 1).
 * @throws BillingError INVALID_PARAMETER (60002) for a past day that is not allowed, or an unreachable day.
 */
function requestedDayOf(
  { effectiveFromDate, allowPastDate = false }: EffectiveFrom,
  now: Instant,
  account: Pick<Account, 'timeZone' | 'referenceTime'>,
): LocalDate | null {
  if (!effectiveFromDate) return null;
  const { date } = datedInstant(effectiveFromDate, now, account);
  const today = localDateOf(now, account.timeZone);
  if (date === today) return null;
  if (date > today || allowPastDate) return date;
  throw invalidParameter(
    `effectiveFromDate ${formatLocalDate(date)} is before today, ${formatLocalDate(today)}; a past date must be forced`,
    { parameter: 'effectiveFromDate', effectiveFromDate: formatLocalDate(date) },
  );
}
