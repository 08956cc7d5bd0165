import type { New } from '../../records/index.ts';
import {
  type BlockingState,
  type Bundle,
  BusEventType,
  EntitlementStateName,
  type EventPayload,
  type LifecycleEvent,
  LifecycleEventType,
  type NewBusEvent,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { formatInstant, formatLocalDate } from '../../values/time/index.ts';

/** REQUESTED: a call was accepted; EFFECTIVE: its transition was reached (platform §10.4). */
export const ActionType = { REQUESTED: 'REQUESTED', EFFECTIVE: 'EFFECTIVE' } as const;
export type ActionType = (typeof ActionType)[keyof typeof ActionType];

/** The subscription that a bus event tells of. */
export interface EventSubject {
  readonly subscription: Pick<Subscription, 'id' | 'accountId' | 'accountRecordId' | 'bundleId'>;
  readonly bundle: Pick<Bundle, 'externalKey'>;
}

/** Payload of a subscription's bus event: the members of its push `metaData`, and what the engine's own consumers need. */
export interface SubscriptionEventPayload extends EventPayload {
  readonly accountId: Subscription['accountId'];
  readonly bundleId: Subscription['bundleId'];
  readonly subscriptionId: Subscription['id'];
  readonly actionType: ActionType;
  readonly bundleExternalKey: string;
  readonly subscriptionChangeUndo: boolean;
  /** When the transition takes effect: UTC date-time. */
  readonly effectiveDate: string;
  /** Its stored local date (`yyyy-MM-dd`), the target of the invoice run that it causes; null on REQUESTED. */
  readonly targetDate: string | null;
  /** True on the last EFFECTIVE event of one operation: only that one asks for an invoice run (invoicing §8.1). */
  readonly isLastOfOperation: boolean;
}

type SubscriptionBusEventType = NewBusEvent['type'];

const BUS_TYPE: ReadonlyMap<LifecycleEventType, SubscriptionBusEventType> = new Map<
  LifecycleEventType,
  SubscriptionBusEventType
>([
  [LifecycleEventType.CREATE, BusEventType.SUBSCRIPTION_CREATION],
  [LifecycleEventType.TRANSFER, BusEventType.SUBSCRIPTION_CREATION],
  [LifecycleEventType.CHANGE, BusEventType.SUBSCRIPTION_CHANGE],
  [LifecycleEventType.UNDO_CHANGE, BusEventType.SUBSCRIPTION_CHANGE],
  [LifecycleEventType.PHASE, BusEventType.SUBSCRIPTION_PHASE],
  [LifecycleEventType.CANCEL, BusEventType.SUBSCRIPTION_CANCEL],
  [LifecycleEventType.UNCANCEL, BusEventType.SUBSCRIPTION_UNCANCEL],
  [LifecycleEventType.EXPIRED, BusEventType.SUBSCRIPTION_EXPIRED],
  [LifecycleEventType.BCD_CHANGE, BusEventType.SUBSCRIPTION_BCD_CHANGE],
  [LifecycleEventType.QUANTITY_CHANGE, BusEventType.SUBSCRIPTION_QUANTITY],
]);

/** What a bus event tells of a lifecycle event. */
export type ToldEvent = Pick<LifecycleEvent, 'type' | 'effective'>;

/** The bus event that an operation was accepted (§21). `event` is the one that the operation is about. */
export function requestedEvent(subject: EventSubject, event: ToldEvent): NewBusEvent {
  return busEvent(subject, event, {
    actionType: ActionType.REQUESTED,
    targetDate: null,
    isLastOfOperation: false,
  });
}

/** The bus event that a lifecycle event has taken effect. */
export function effectiveEvent(
  subject: EventSubject,
  event: ToldEvent,
  isLastOfOperation: boolean,
): NewBusEvent {
  const targetDate = formatLocalDate(event.effective.date);
  return busEvent(subject, event, { actionType: ActionType.EFFECTIVE, targetDate, isLastOfOperation });
}

/** The bus event that the service of a subscription has started or ended. */
export function entitlementEvent(subject: EventSubject, state: New<BlockingState>): NewBusEvent {
  return {
    type:
      state.stateName === EntitlementStateName.ENT_CANCELLED
        ? BusEventType.ENTITLEMENT_CANCEL
        : BusEventType.ENTITLEMENT_CREATION,
    accountRecordId: subject.subscription.accountRecordId,
    payload: {
      accountId: subject.subscription.accountId,
      bundleId: subject.subscription.bundleId,
      subscriptionId: subject.subscription.id,
      effectiveDate: formatInstant(state.effective.at),
    },
  };
}

function busEvent(
  { subscription, bundle }: EventSubject,
  event: ToldEvent,
  variant: Pick<SubscriptionEventPayload, 'actionType' | 'targetDate' | 'isLastOfOperation'>,
): NewBusEvent {
  const type = BUS_TYPE.get(event.type);
  assertInvariant(type, `${event.type} has no bus event`, { type: event.type });
  const payload: SubscriptionEventPayload = {
    accountId: subscription.accountId,
    bundleId: subscription.bundleId,
    subscriptionId: subscription.id,
    bundleExternalKey: bundle.externalKey,
    subscriptionChangeUndo: event.type === LifecycleEventType.UNDO_CHANGE,
    effectiveDate: formatInstant(event.effective.at),
    ...variant,
  };
  return { type, accountRecordId: subscription.accountRecordId, payload };
}
