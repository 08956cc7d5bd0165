import type { New } from '../../records/index.ts';
import {
  type BlockingState,
  BlockingStateType,
  type EventPayload,
  type LifecycleEvent,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';

/** The notification that falls due when a stored lifecycle event takes effect (§21). */
export function eventNotification(event: New<LifecycleEvent>): NewNotification {
  return {
    queueName: QueueName.SUBSCRIPTION_EVENTS,
    accountRecordId: event.accountRecordId,
    effectiveDate: event.effective.at,
    payload: { subscriptionId: event.subscriptionId, eventId: event.id },
    uniqueKey: `${QueueName.SUBSCRIPTION_EVENTS}:${event.id}`,
  };
}

/** The notification that falls due when a stored blocking state takes effect. */
export function blockingStateNotification(state: New<BlockingState>): NewNotification {
  return {
    queueName: QueueName.ENTITLEMENT_EVENTS,
    accountRecordId: state.accountRecordId,
    effectiveDate: state.effective.at,
    payload: { blockingStateId: state.id, blockedId: state.blockedId, blockingType: state.type },
    uniqueKey: `${QueueName.ENTITLEMENT_EVENTS}:${state.id}`,
  };
}

/** What a due notification of either kind points at. */
export type DueItem =
  | { readonly kind: 'LIFECYCLE_EVENT'; readonly subscriptionId: Uuid; readonly eventId: Uuid }
  | {
      readonly kind: 'BLOCKING_STATE';
      readonly blockedId: Uuid;
      readonly blockingType: BlockingStateType;
      readonly blockingStateId: Uuid;
    };

/** Reads the payload of a queue entry; undefined if it was not made by the two functions above. */
export function dueItemOf(topic: string, payload: EventPayload): DueItem | undefined {
  if (topic === QueueName.SUBSCRIPTION_EVENTS) {
    const [subscriptionId, eventId] = [uuidOf(payload.subscriptionId), uuidOf(payload.eventId)];
    return subscriptionId && eventId ? { kind: 'LIFECYCLE_EVENT', subscriptionId, eventId } : undefined;
  }
  if (topic === QueueName.ENTITLEMENT_EVENTS) {
    const [blockedId, blockingStateId] = [uuidOf(payload.blockedId), uuidOf(payload.blockingStateId)];
    const blockingType = Object.values(BlockingStateType).find((type) => type === payload.blockingType);
    return blockedId && blockingStateId && blockingType
      ? { kind: 'BLOCKING_STATE', blockedId, blockingType, blockingStateId }
      : undefined;
  }
  return undefined;
}

function uuidOf(value: unknown): Uuid | undefined {
  return typeof value === 'string' && isUuid(value) ? value : undefined;
}
