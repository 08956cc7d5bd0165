import {
  type BlockingState,
  BlockingStateType,
  type Bundle,
  BusEventType,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type EventPayload,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  type NewBusEvent,
  type NewNotification,
  QueueName,
  type Subscription,
} from '../../records/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  parseWireDateTime,
} from '../../values/time/index.ts';
import type { BlockFlags } from '../blocking/states-in-force.ts';

export interface EventSubject {
  readonly subscription: Pick<Subscription, 'id' | 'accountId' | 'accountRecordId' | 'bundleId'>;
  readonly bundle: Pick<Bundle, 'externalKey'>;
}

const BUS_TYPE: Readonly<Record<LifecycleEventType, NewBusEvent['type']>> = {
  CREATE: BusEventType.SUBSCRIPTION_CREATION,
  TRANSFER: BusEventType.SUBSCRIPTION_CREATION,
  CHANGE: BusEventType.SUBSCRIPTION_CHANGE,
  UNDO_CHANGE: BusEventType.SUBSCRIPTION_CHANGE,
  PHASE: BusEventType.SUBSCRIPTION_PHASE,
  CANCEL: BusEventType.SUBSCRIPTION_CANCEL,
  UNCANCEL: BusEventType.SUBSCRIPTION_UNCANCEL,
  EXPIRED: BusEventType.SUBSCRIPTION_EXPIRED,
  BCD_CHANGE: BusEventType.SUBSCRIPTION_BCD_CHANGE,
  QUANTITY_CHANGE: BusEventType.SUBSCRIPTION_QUANTITY,
};

export type AnnouncedEvent = Pick<LifecycleEvent, 'type' | 'effective'>;

/**
 * Returns the event that reports an accepted call (§21, platform §10.4). `event` is the lifecycle event that the call
 * created.
 */
export function requestedEvent(subject: EventSubject, event: AnnouncedEvent): NewBusEvent {
  return busEvent(subject, event, { actionType: 'REQUESTED', targetDate: null, isLastOfOperation: false });
}

/**
 * Returns the event that reports an effective transition.
 * @param isLastOfOperation True for the last event of an operation. This event starts an invoice run (invoicing §8.1).
 */
export function effectiveEvent(
  subject: EventSubject,
  event: AnnouncedEvent,
  isLastOfOperation: boolean,
): NewBusEvent {
  const targetDate = formatLocalDate(event.effective.date);
  return busEvent(subject, event, { actionType: 'EFFECTIVE', targetDate, isLastOfOperation });
}

export function entitlementEvent({ subscription }: EventSubject, state: New<BlockingState>): NewBusEvent {
  const { id: subscriptionId, accountId, bundleId, accountRecordId } = subscription;
  return {
    type:
      state.stateName === EntitlementStateName.ENT_CANCELLED
        ? BusEventType.ENTITLEMENT_CANCEL
        : BusEventType.ENTITLEMENT_CREATION,
    accountRecordId,
    payload: { accountId, bundleId, subscriptionId, effectiveDate: formatInstant(state.effective.at) },
  };
}

/**
 * Returns a bus event about a subscription. @param variant `targetDate` is the target date of the resulting invoice
 * run, as a local date (`yyyy-MM-dd`).
 */
function busEvent(
  { subscription, bundle }: EventSubject,
  { type, effective }: AnnouncedEvent,
  variant: {
    readonly actionType: string;
    readonly targetDate: string | null;
    readonly isLastOfOperation: boolean;
  },
): NewBusEvent {
  const { id: subscriptionId, accountId, bundleId, accountRecordId } = subscription;
  return {
    type: BUS_TYPE[type],
    accountRecordId,
    payload: {
      accountId,
      bundleId,
      subscriptionId,
      bundleExternalKey: bundle.externalKey,
      subscriptionChangeUndo: type === LifecycleEventType.UNDO_CHANGE,
      effectiveDate: formatInstant(effective.at),
      ...variant,
    },
  };
}

interface BlockingOccurrence {
  /** Combined blocking flags of the object before and after the state. */
  readonly before: BlockFlags;
  readonly after: BlockFlags;
  /** True if the state starts an invoice run (invoicing §8.1). */
  readonly changesBilling: boolean;
  /** Target date of the invoice run. Null means today. */
  readonly targetDate: LocalDate | null;
}

/**
 * Returns the event of a state that took effect: BUNDLE_PAUSE, BUNDLE_RESUME, or BLOCKING_STATE for other services
 * (§21, platform §10.4).
 */
export function blockingStateEvent(
  accountId: Uuid,
  state: New<BlockingState>,
  occurrence: BlockingOccurrence,
): NewBusEvent {
  const type = typeOf(state);
  const { changesBilling, targetDate } = occurrence;
  return {
    type,
    accountRecordId: state.accountRecordId,
    payload: {
      accountId,
      blockedId: state.blockedId,
      blockingType: state.type,
      changesBilling,
      targetDate: targetDate && formatLocalDate(targetDate),
      metaData: type === BusEventType.BLOCKING_STATE ? metaDataOf(state, occurrence) : null,
    },
  };
}

function typeOf({ service, stateName }: New<BlockingState>) {
  if (service !== ENTITLEMENT_SERVICE) return BusEventType.BLOCKING_STATE;
  return stateName === EntitlementStateName.ENT_BLOCKED
    ? BusEventType.BUNDLE_PAUSE
    : BusEventType.BUNDLE_RESUME;
}

function metaDataOf(state: New<BlockingState>, { before, after }: BlockingOccurrence) {
  const transitions = {
    ransitionedToBlockedBilling: !before.isBlockBilling && after.isBlockBilling,
    ransitionedToUnblockedBilling: before.isBlockBilling && !after.isBlockBilling,
    ransitionedToBlockedEntitlement: !before.isBlockEntitlement && after.isBlockEntitlement,
    ransitionedToUnblockedEntitlement: before.isBlockEntitlement && !after.isBlockEntitlement,
  };
  // Both spellings are sent: `transitionedTo…` and `isTransitionedTo…`.
  const spelt = Object.entries(transitions).flatMap(([name, value]) => [
    [`t${name}`, value],
    [`isT${name}`, value],
  ]);
  return {
    blockableId: state.blockedId,
    service: state.service,
    stateName: state.stateName,
    blockingType: state.type,
    effectiveDate: formatInstant(state.effective.at),
    ...Object.fromEntries(spelt),
  };
}

export function eventNotification(event: New<LifecycleEvent>): NewNotification {
  return {
    queueName: QueueName.SUBSCRIPTION_EVENTS,
    accountRecordId: event.accountRecordId,
    effectiveDate: event.effective.at,
    payload: { subscriptionId: event.subscriptionId, eventId: event.id },
    uniqueKey: `${QueueName.SUBSCRIPTION_EVENTS}:${event.id}`,
  };
}

export function blockingStateNotification(state: New<BlockingState>): NewNotification {
  return {
    queueName: QueueName.ENTITLEMENT_EVENTS,
    accountRecordId: state.accountRecordId,
    effectiveDate: state.effective.at,
    payload: { blockingStateId: state.id, blockedId: state.blockedId, blockingType: state.type },
    uniqueKey: `${QueueName.ENTITLEMENT_EVENTS}:${state.id}`,
  };
}

export type DueItem =
  | { readonly kind: 'LIFECYCLE_EVENT'; readonly subscriptionId: Uuid; readonly eventId: Uuid }
  | {
      readonly kind: 'BLOCKING_STATE';
      readonly blockedId: Uuid;
      readonly blockingType: BlockingStateType;
      readonly blockingStateId: Uuid;
    }
  | { readonly kind: 'TRIAL_END'; readonly subscriptionId: Uuid; readonly at: Instant };

/** Parses a queue payload that this module or `trialNotification` created. Returns undefined for other payloads. */
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
  if (topic === QueueName.TRIAL_NOTICES) {
    const subscriptionId = uuidOf(payload.subscriptionId);
    const at = parseWireDateTime(String(payload.trialEnd));
    return subscriptionId && at !== undefined ? { kind: 'TRIAL_END', subscriptionId, at } : undefined;
  }
  return undefined;
}

function uuidOf(value: unknown): Uuid | undefined {
  return typeof value === 'string' && isUuid(value) ? value : undefined;
}
