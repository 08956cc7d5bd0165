import {
  type BlockingState,
  type LifecycleEvent,
  LifecycleEventType,
  ProductCategory,
} from '../../records/index.ts';
import { formatInstant } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { DatedBy, readReason } from '../timeline/event-reason.ts';
import type { RunningSubscription } from './running-subscription.ts';

/**
 * Returns the ends of service that the subscription's own cancellations stored. Those that its base or a transfer brought
 * stay whatever is cancelled or uncancelled: the earliest end counts.
 */
export function ownServiceEnds(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): readonly BlockingState[] {
  return entitlementEnds(running).filter(({ causedBy }) => causedBy === null);
}

/** Returns true if the subscription is transferred, now or at a date to come. Add-ons follow their base. */
export function isTransferred(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
): boolean {
  // Nothing but a transfer brings an end of service to a subscription that is no add-on.
  const isAddOn = running.subscription.category === ProductCategory.ADD_ON;
  return !isAddOn && entitlementEnds(running).some(({ causedBy }) => causedBy !== null);
}

/** Returns true for the CANCEL with which a transfer ends billing on the source account: there is no way back (§17.4). */
export function isTransferEnd({ type, reason }: Pick<LifecycleEvent, 'type' | 'reason'>): boolean {
  if (type !== LifecycleEventType.CANCEL || reason === null) return false;
  return readReason(reason).datedBy === DatedBy.TRANSFER;
}

/** Says what a caller can do whom a pending end of billing stands in the way of; `edit` is what was tried. */
export function wayAroundEnd(
  running: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
  end: Pick<LifecycleEvent, 'type' | 'reason' | 'effective'>,
  edit: 'change' | 'cancel',
): string {
  if (!isTransferEnd(end)) return 'uncancel it first';
  // With END_OF_TERM billing ends after the transfer, the service ends with it.
  const service = entitlementEnds(running).findLast(({ causedBy }) => causedBy !== null);
  const { at } = (service ?? end).effective;
  return `it is transferred as of ${formatInstant(at)}; ${edit} it in the new bundle`;
}
