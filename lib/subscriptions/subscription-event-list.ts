import { ProductCategory } from '../catalog/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { DatedInstant } from '../time/index.ts';
import {
  type BlockingState,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type LifecycleEventType,
  type Subscription,
  SubscriptionEventType,
} from './model.ts';
import { type PlanInForce, planShownAt, type Transition } from './transitions.ts';

/** Row of the merged, presented timeline (subscriptions.md §18). */
export interface SubscriptionEvent {
  /** Id of the lifecycle event or blocking state; several rows may share it. */
  readonly eventId: Uuid;
  readonly subscriptionId: Uuid;
  readonly type: SubscriptionEventType;
  readonly effective: DatedInstant;
  /** The plan after the row; of STOP_ rows the one that ended. */
  readonly plan: PlanInForce | null;
  readonly isBlockedBilling: boolean;
  readonly isBlockedEntitlement: boolean;
  readonly serviceName: string;
  readonly serviceStateName: string;
}

/** What the rows of one subscription are made from. */
export interface EventListSource {
  readonly subscription: Pick<Subscription, 'id' | 'category' | 'recordId'>;
  readonly transitions: readonly Transition[];
  /** Active states of the subscription. */
  readonly blockingStates: readonly BlockingState[];
}

const BILLING_SERVICE = 'billing-service';
const BOTH_SERVICES = 'entitlement+billing-service';

/** The rows of these subscriptions of one bundle in the total order of §18 rule 5. */
export function subscriptionEvents(sources: readonly EventListSource[]): readonly SubscriptionEvent[] {
  return sources
    .flatMap((source) => [...transitionRows(source), ...entitlementRows(source)])
    .toSorted(compareRows)
    .map((row) => row.event);
}

/** A row with the keys of its place in the order. */
interface OrderedRow {
  readonly event: SubscriptionEvent;
  readonly source: EventListSource;
  readonly sequence: number;
}

// Rows of other blocking states stand between PHASE or CHANGE and STOP_ENTITLEMENT (§18 rule 5).
const RANK: Readonly<Record<SubscriptionEventType, number>> = {
  START_ENTITLEMENT: 0,
  START_BILLING: 1,
  PHASE: 2,
  CHANGE: 2,
  PAUSE_ENTITLEMENT: 3,
  PAUSE_BILLING: 3,
  RESUME_ENTITLEMENT: 3,
  RESUME_BILLING: 3,
  SERVICE_STATE_CHANGE: 3,
  STOP_ENTITLEMENT: 4,
  STOP_BILLING: 5,
};

/** Rows that compare equal keep their order, so the rows of one blocking state stay together as they were made. */
function compareRows(a: OrderedRow, b: OrderedRow): number {
  return (
    a.event.effective.at - b.event.effective.at ||
    RANK[a.event.type] - RANK[b.event.type] ||
    Number(isBase(b)) - Number(isBase(a)) ||
    a.source.subscription.recordId - b.source.subscription.recordId ||
    a.sequence - b.sequence
  );
}

function isBase(row: OrderedRow): boolean {
  return row.source.subscription.category === ProductCategory.BASE;
}

const ROW_OF_TRANSITION: Readonly<Record<LifecycleEventType, SubscriptionEventType | null>> = {
  CREATE: SubscriptionEventType.START_BILLING,
  TRANSFER: SubscriptionEventType.START_BILLING,
  PHASE: SubscriptionEventType.PHASE,
  CHANGE: SubscriptionEventType.CHANGE,
  CANCEL: SubscriptionEventType.STOP_BILLING,
  EXPIRED: SubscriptionEventType.STOP_BILLING,
  BCD_CHANGE: null,
  QUANTITY_CHANGE: null,
  UNCANCEL: null,
  UNDO_CHANGE: null,
};

function transitionRows(source: EventListSource): readonly OrderedRow[] {
  return source.transitions.flatMap((transition) => {
    const type = ROW_OF_TRANSITION[transition.event.type];
    if (type === null) return [];
    const isBillingOnly =
      type === SubscriptionEventType.START_BILLING || type === SubscriptionEventType.STOP_BILLING;
    const event: SubscriptionEvent = {
      eventId: transition.event.id,
      subscriptionId: source.subscription.id,
      type,
      effective: transition.event.effective,
      plan: transition.next ?? transition.previous,
      isBlockedBilling: false,
      isBlockedEntitlement: false,
      serviceName: isBillingOnly ? BILLING_SERVICE : BOTH_SERVICES,
      serviceStateName: type,
    };
    return [{ event, source, sequence: transition.event.sequence }];
  });
}

function entitlementRows(source: EventListSource): readonly OrderedRow[] {
  return source.blockingStates.flatMap((state) => {
    const type = state.service === ENTITLEMENT_SERVICE ? ROW_OF_ENTITLEMENT.get(state.stateName) : undefined;
    if (type === undefined) return [];
    const event: SubscriptionEvent = {
      eventId: state.id,
      subscriptionId: source.subscription.id,
      type,
      effective: state.effective,
      plan: planShownAt(source.transitions, state.effective.at),
      isBlockedBilling: state.isBlockBilling,
      isBlockedEntitlement: state.isBlockEntitlement,
      serviceName: state.service,
      serviceStateName: state.stateName,
    };
    return [{ event, source, sequence: state.sequence }];
  });
}

const ROW_OF_ENTITLEMENT: ReadonlyMap<string, SubscriptionEventType> = new Map([
  [EntitlementStateName.ENT_STARTED, SubscriptionEventType.START_ENTITLEMENT],
  [EntitlementStateName.ENT_CANCELLED, SubscriptionEventType.STOP_ENTITLEMENT],
]);
