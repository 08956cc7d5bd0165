import type { BillingEvent } from '../../records/index.ts';

/** True for what ends a subscription for good. */
export function isEnd({ transitionType }: BillingEvent): boolean {
  return transitionType === 'CANCEL' || transitionType === 'EXPIRED';
}

/** True while a subscription is billed from this event on. */
export function isBilled(event: BillingEvent): boolean {
  return !isEnd(event) && event.transitionType !== 'START_BILLING_DISABLED';
}
