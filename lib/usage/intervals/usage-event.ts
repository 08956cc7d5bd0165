import type { BillingEvent, UsageSection } from '../../records/index.ts';

/** A billing event with what it charges for usage. */
export interface UsageEvent extends BillingEvent {
  /** Sections billed IN_ARREAR of the phase in force; empty on CANCEL, EXPIRED and START_BILLING_DISABLED (§6). */
  readonly usages: readonly UsageSection[];
}

/** True for what ends a subscription for good. */
export function isEnd({ transitionType }: UsageEvent): boolean {
  return transitionType === 'CANCEL' || transitionType === 'EXPIRED';
}

/** True while a subscription is billed from this event on. */
export function isBilled(event: UsageEvent): boolean {
  return !isEnd(event) && event.transitionType !== 'START_BILLING_DISABLED';
}
