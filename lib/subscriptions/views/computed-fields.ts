import { LifecycleEventType, SourceType, type Subscription } from '../../records/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import { type BillCycleDaySources, billCycleDayOf } from '../timeline/bill-cycle-day.ts';
import { planShownAt, type Transition, transitionAt } from '../timeline/transitions.ts';

/** Date of the first transition. */
export function billingStart(transitions: readonly Transition[]): DatedInstant | null {
  return transitions[0]?.event.effective ?? null;
}

/** Date of the CANCEL, past or future; null if there is none or it is an expiry. */
export function billingEnd(transitions: readonly Transition[]): DatedInstant | null {
  return (
    transitions.find((transition) => transition.event.type === LifecycleEventType.CANCEL)?.event.effective ??
    null
  );
}

export function sourceTypeOf(
  subscription: Pick<Subscription, 'migrated'>,
  transitions: readonly Transition[],
): SourceType {
  if (subscription.migrated) return SourceType.MIGRATED;
  return transitions[0]?.event.type === LifecycleEventType.TRANSFER
    ? SourceType.TRANSFERRED
    : SourceType.NATIVE;
}

/** Quantity in force at `now`; 1 unless a QUANTITY_CHANGE has set another. */
export function quantityAt(transitions: readonly Transition[], now: Instant): number {
  return transitionAt(transitions, now)?.quantity ?? 1;
}

/**
 * Bill cycle day that callers see at `now`: the requested one, else by alignment; null while the alignment is ACCOUNT and
 * the account has none (§4.4).
 */
export function shownBillCycleDay(
  transitions: readonly Transition[],
  now: Instant,
  sources: BillCycleDaySources,
): number | null {
  const inForce = planShownAt(transitions, now);
  if (inForce === null) return null;
  const requested = transitionAt(transitions, now)?.billCycleDay ?? null;
  const { day, isProvisional } = billCycleDayOf(inForce, requested, sources);
  return isProvisional ? null : day;
}
