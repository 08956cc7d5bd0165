import {
  type BlockingState,
  type LifecycleEvent,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import type { TimeZone } from '../../values/time/index.ts';
import { withDerivedPhases } from '../timeline/derived-phases.ts';
import type { PlanResolver } from '../timeline/plan-with-phase.ts';
import { type Transition, transitionsOf } from '../timeline/transitions.ts';
import { type BaseEnd, baseEnd, withBaseEnd } from './base-end.ts';

/** A subscription with its active lifecycle events. */
export interface SubscriptionHistory {
  readonly subscription: Pick<
    Subscription,
    'id' | 'bundleId' | 'category' | 'accountRecordId' | 'alignStart'
  >;
  readonly events: readonly LifecycleEvent[];
  /** Its own active states; they alone tell when the service of an add-on ends with that of its base. */
  readonly blockingStates?: readonly BlockingState[];
}

/** The same with its transitions, up to the end that the base brings. */
export type Timeline<H extends SubscriptionHistory> = H & {
  readonly transitions: readonly Transition[];
  /** What the base ends of it and is not stored yet; null for all but add-ons. */
  readonly baseEnd: BaseEnd | null;
};

export interface TimelineRules {
  readonly plans: PlanResolver;
  /** Zone of the account. With it, phases that are not stored yet count too; without it, only what is stored. */
  readonly zone?: TimeZone;
}

/**
 * The transitions of subscriptions of any number of bundles (§4.2); add-ons have the ends that their base brings (§12).
 * Where add-ons are among the subscriptions, their base must be too.
 */
export function timelinesOf<H extends SubscriptionHistory>(
  histories: readonly H[],
  { plans, zone }: TimelineRules,
): readonly Timeline<H>[] {
  const eventsOf = (events: readonly LifecycleEvent[]) =>
    zone === undefined ? events : withDerivedPhases({ events, plans, zone });
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
