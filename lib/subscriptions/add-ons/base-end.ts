import type { CatalogWithOverrides } from '../../catalog/index.ts';
import {
  type BlockingState,
  type LifecycleEvent,
  LifecycleEventType,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import {
  type DatedInstant,
  type Instant,
  maxInstant,
  minInstant,
  type TimeZone,
} from '../../values/time/index.ts';
import { cancelledEntitlement, isEntitlementEnd } from '../blocking/states-in-force.ts';
import { bareDraft, isEnd, isPlanChoice, isStart } from '../timeline/lifecycle-events.ts';
import { derivedRecordId, withDerivedPhases } from '../timeline/phase-events.ts';
import { raiseTo } from '../timeline/phase-timeline.ts';
import { isKnown, isKnownProduct } from '../timeline/readable-plans.ts';
import {
  type PlanInForce,
  type PlanResolver,
  planShownAt,
  type Transition,
  transitionsOf,
} from '../timeline/transitions.ts';

/** The end of an add-on, caused by its base subscription. */
interface CausedEnd {
  readonly effective: DatedInstant;
  readonly cause: LifecycleEvent;
  /**
   * The instant from which the end is stored with the add-on. Before that instant, each read derives the end from the
   * base.
   */
  readonly storedFrom: Instant;
}

/**
 * The end that the base causes, or null if the add-on itself ends earlier, or if the base does not end the add-on.
 */
export interface BaseEnd {
  readonly billing: (CausedEnd & { readonly type: 'CANCEL' | 'EXPIRED' }) | null;
  readonly entitlement: CausedEnd | null;
}

export interface BundleMember {
  readonly subscription: Pick<Subscription, 'id' | 'accountRecordId' | 'alignStart'>;
  readonly transitions: readonly Transition[];
  /** Active blocking states. If this field is absent, only the end of billing is derived. */
  readonly blockingStates: readonly BlockingState[];
}

/**
 * Returns the current or future end of an add-on that its base subscription causes (§11 rule 2, §12). The cause is the
 * base's own end, or a change to a product that does not offer the add-on. The result depends only on the base's
 * events, so derived ends equal stored ends.
 */
export function baseEnd(base: BundleMember, addOn: BundleMember, plans: PlanResolver): BaseEnd {
  const end = base.transitions.find(({ event }) => isEnd(event))?.event;
  const change = withdrawingChange(base, addOn, plans);
  return {
    billing: billingEndOf(addOn, change ?? end),
    entitlement: entitlementEndOf(base, addOn, { change, end }),
  };
}

function withBaseEnd(
  events: readonly LifecycleEvent[],
  subscription: Pick<Subscription, 'id'>,
  end: BaseEnd['billing'],
): readonly LifecycleEvent[] {
  if (end === null) return events;
  const last = events.reduce((highest, { sequence }) => Math.max(highest, sequence), 0);
  const derived = {
    ...end.cause,
    ...bareDraft(end.type, end.effective),
    subscriptionId: subscription.id,
    recordId: derivedRecordId(end.cause.recordId),
    sequence: last + 1,
  };
  return [...events, derived];
}

/**
 * Returns the states of a subscription with only the first end of its service. That end is either the subscription's
 * own end or the end of its base.
 */
export function statesAsRead(
  { subscription, blockingStates }: Pick<BundleMember, 'subscription' | 'blockingStates'>,
  end: BaseEnd | null,
): readonly BlockingState[] {
  const [first, ...later] = entitlementEnds({ subscription, blockingStates });
  const derived = end?.entitlement ?? null;
  if (derived === null && later.length === 0) return blockingStates;
  const others = blockingStates.filter((state) => state !== first && !later.includes(state));
  const counting = derived === null ? first : derivedState(subscription, derived);
  return counting === undefined ? others : [...others, counting];
}

/** Returns the active ENT_CANCELLED states, both past and future, earliest first. */
export function entitlementEnds(of: {
  readonly subscription: Pick<Subscription, 'id'>;
  readonly blockingStates: readonly BlockingState[];
}): readonly BlockingState[] {
  return of.blockingStates
    .filter((state) => state.blockedId === of.subscription.id && isEntitlementEnd(state))
    .toSorted((a, b) => a.effective.at - b.effective.at);
}

/** Returns true for base events that may end add-ons: the base's end, and plan changes. */
export function mayEndAddOns(event: Pick<LifecycleEvent, 'type' | 'sequence'>): boolean {
  return isEnd(event) || replacesPlan(event);
}

/**
 * Returns true if the event changes the plan. A start that replaced another start also changes the plan (§7 rule 9).
 */
function replacesPlan(event: Pick<LifecycleEvent, 'type' | 'sequence'>): boolean {
  return event.type === LifecycleEventType.CHANGE || (isStart(event) && event.sequence > 1);
}

/**
 * Returns the first change to a plan that does not offer the add-on and is in force once the add-on starts. A change
 * that was requested before the purchase and takes effect before the add-on starts is ignored, because the add-on was
 * bought for the later plan.
 */
function withdrawingChange(base: BundleMember, addOn: BundleMember, plans: PlanResolver) {
  const bought = addOn.transitions[0]?.event.createdDate;
  const segments = base.transitions.filter(({ event }) => isPlanChoice(event) || isEnd(event));
  const found = segments.find(({ event, next }, index) => {
    if (next === null || !replacesPlan(event)) return false;
    const { alignStart } = addOn.subscription;
    if (bought === undefined) return false;
    if (event.effective.at < alignStart.at && event.createdDate < bought) return false;
    const from = maxInstant(event.effective.at, alignStart.at);
    const until = segments[index + 1]?.event.effective.at;
    if (until !== undefined && until <= from) return false;
    const addOnProduct = planShownAt(addOn.transitions, from)?.plan.product;
    if (addOnProduct === undefined) return false;
    return addOnOffer(next, addOnProduct, { catalog: plans, at: from }) !== AddOnOffer.AVAILABLE;
  });
  return found?.event;
}

function billingEndOf(addOn: BundleMember, cause: LifecycleEvent | undefined): BaseEnd['billing'] {
  if (cause === undefined) return null;
  const effective = raiseTo(cause.effective, addOn.subscription.alignStart);
  const own = ownEnd(addOn);
  if (own !== undefined && own.effective.at <= effective.at) return null;
  const type = cause.type === LifecycleEventType.EXPIRED ? cause.type : LifecycleEventType.CANCEL;
  return { type, effective, cause, storedFrom: cause.effective.at };
}

/** Returns the end of the add-on's service. A change or cancellation of the base ends it; an expiry does not. */
function entitlementEndOf(
  base: BundleMember,
  addOn: BundleMember,
  { change, end }: { readonly change: LifecycleEvent | undefined; readonly end: LifecycleEvent | undefined },
): BaseEnd['entitlement'] {
  const [ofBase] = entitlementEnds(base);
  const cancelled = ofBase !== undefined && end !== undefined && buildCausedEnd(end, ofBase.effective);
  const candidates = [
    ...(change === undefined ? [] : [buildCausedEnd(change, change.effective)]),
    ...(cancelled ? [cancelled] : []),
  ];
  const [first] = candidates.toSorted((a, b) => a.effective.at - b.effective.at);
  if (first === undefined) return null;
  const [own] = entitlementEnds(addOn);
  const isEarlier = own !== undefined && own.effective.at <= first.effective.at;
  const expiry = ownEnd(addOn);
  const hasExpired = expiry?.type === LifecycleEventType.EXPIRED && expiry.effective.at <= first.effective.at;
  return isEarlier || hasExpired ? null : first;
}

function buildCausedEnd(cause: LifecycleEvent, effective: DatedInstant): CausedEnd {
  return { effective, cause, storedFrom: minInstant(effective.at, cause.effective.at) };
}

function ownEnd({ transitions }: BundleMember): LifecycleEvent | undefined {
  return transitions.find(({ event }) => isEnd(event))?.event;
}

function derivedState(subscription: BundleMember['subscription'], { cause, effective }: CausedEnd) {
  return {
    recordId: derivedRecordId(cause.recordId),
    id: cause.id,
    ...cancelledEntitlement(subscription),
    effective,
    sequence: derivedRecordId(cause.recordId),
    causedBy: cause.id,
    createdDate: cause.createdDate,
  };
}

export const AddOnOffer = { AVAILABLE: 'AVAILABLE', INCLUDED: 'INCLUDED', NONE: 'NONE' } as const;
export type AddOnOffer = (typeof AddOnOffer)[keyof typeof AddOnOffer];

/**
 * Returns how a base's product offers an add-on product (§6.2 rule 10). Uses the catalog version of the base's plan. If
 * that version does not contain the add-on, uses the version in force, which may have newer add-ons or add-ons for this
 * account (catalog §15.6).
 */
export function addOnOffer(
  base: Pick<PlanInForce, 'version' | 'plan'>,
  addOnProduct: string,
  { catalog, at }: { readonly catalog: Pick<CatalogWithOverrides, 'versionAt'>; readonly at: Instant },
): AddOnOffer {
  // An unknown plan or product occurs only on reads, which must not end add-ons.
  if (!isKnown(base) || !isKnownProduct(addOnProduct)) return AddOnOffer.AVAILABLE;
  const { product } = base.plan;
  for (const version of [base.version, catalog.versionAt(at)]) {
    const { included = [], available = [] } = version?.productNamed(product) ?? {};
    if (included.includes(addOnProduct)) return AddOnOffer.INCLUDED;
    if (available.includes(addOnProduct)) return AddOnOffer.AVAILABLE;
  }
  return AddOnOffer.NONE;
}

export interface SubscriptionHistory {
  readonly subscription: Pick<
    Subscription,
    'id' | 'bundleId' | 'category' | 'accountRecordId' | 'alignStart'
  >;
  readonly events: readonly LifecycleEvent[];
  /**
   * The subscription's own active states. They are required to derive the end of an add-on's service from the end of
   * its base.
   */
  readonly blockingStates?: readonly BlockingState[];
}

export function historiesOf<S extends Pick<Subscription, 'id'>>(
  subscriptions: readonly S[],
  events: readonly LifecycleEvent[],
  states: readonly BlockingState[],
) {
  const eventsOf = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  const statesOf = Map.groupBy(states, ({ blockedId }) => blockedId);
  return subscriptions.map((subscription) => {
    const { id } = subscription;
    return { subscription, events: eventsOf.get(id) ?? [], blockingStates: statesOf.get(id) ?? [] };
  });
}

/** A subscription with its transitions. The transitions of an add-on stop at the end caused by its base. */
export type Timeline<H extends SubscriptionHistory> = H & {
  readonly transitions: readonly Transition[];
  /** The end caused by the base if it is not stored yet, or null for subscriptions that are not add-ons. */
  readonly baseEnd: BaseEnd | null;
};

/**
 * Returns the transitions of subscriptions (§4.2). The transitions of an add-on include the end that its base causes
 * (§12). The base of each add-on must be among the subscriptions.
 * @param rules `zone` is the time zone of the account. With a zone, phases that are not stored yet are included;
 * without a zone, only stored events are.
 */
export function timelinesOf<H extends SubscriptionHistory>(
  histories: readonly H[],
  { plans, zone }: { readonly plans: PlanResolver; readonly zone?: TimeZone },
): readonly Timeline<H>[] {
  const eventsOf = (events: readonly LifecycleEvent[]) =>
    zone === undefined ? events : withDerivedPhases(events, plans, zone);
  const own = histories.map((history): Timeline<H> => {
    const counting = eventsOf(history.events);
    return { ...history, transitions: transitionsOf(counting, plans), baseEnd: null };
  });
  const baseOf = new Map(
    own
      .filter(({ subscription }) => subscription.category === ProductCategory.BASE)
      .map((timeline) => [timeline.subscription.bundleId, timeline]),
  );
  return own.map((timeline) => {
    const { subscription } = timeline;
    const base = baseOf.get(subscription.bundleId);
    if (subscription.category !== ProductCategory.ADD_ON || base === undefined) return timeline;
    const end = baseEnd(withStates(base), withStates(timeline), plans);
    if (end.billing === null) return { ...timeline, baseEnd: end };
    const events = withBaseEnd(eventsOf(timeline.events), subscription, end.billing);
    return { ...timeline, transitions: transitionsOf(events, plans), baseEnd: end };
  });
}

function withStates<H extends SubscriptionHistory>(timeline: Timeline<H>) {
  return { ...timeline, blockingStates: timeline.blockingStates ?? [] };
}
