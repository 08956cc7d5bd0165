import type { CatalogSource } from '../../catalog/index.ts';
import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  EntitlementState,
  LifecycleEventType,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { loadBlockingStates } from './load-blocking-states.ts';
import { loadOutlines } from './load-outlines.ts';

export interface LoadServiceEndsInput {
  readonly subscriptions: readonly Subscription[];
  readonly now: Instant;
  /** Of the accounts of the add-ons among them. */
  readonly catalogsOf: CatalogSource;
  readonly nextTurn: SystemClock['nextTurn'];
}

/**
 * When the services of these subscriptions end, in the past or to come: with their own end or, for add-ons, that of the
 * base (§12), else with an expiry that has happened. Those whose service goes on are left out. The number of statements
 * grows neither with them nor with their past.
 */
export async function loadServiceEnds(
  session: ReadSession,
  { subscriptions, ...input }: LoadServiceEndsInput,
): Promise<ReadonlyMap<Uuid, Instant>> {
  const addOns = subscriptions.filter(({ category }) => category === ProductCategory.ADD_ON);
  const others = subscriptions.filter(({ category }) => category !== ProductCategory.ADD_ON);
  const own = others.length === 0 ? [] : await ownEnds(session, others, input);
  const derived = addOns.length === 0 ? [] : await endsOfAddOns(session, addOns, input);
  return new Map([...own, ...derived]);
}

type Ends = readonly (readonly [subscriptionId: Uuid, end: Instant])[];

type Around = Omit<LoadServiceEndsInput, 'subscriptions'>;

async function ownEnds(
  session: ReadSession,
  subscriptions: readonly Subscription[],
  { now, nextTurn }: Around,
): Promise<Ends> {
  const ids = subscriptions.map(({ id }) => id);
  const states = Map.groupBy(await loadBlockingStates(session, ids, nextTurn), ({ blockedId }) => blockedId);
  const events = await session.subscriptions.findEvents(ids);
  const expiries = new Map(
    events
      .filter(({ type, effective }) => type === LifecycleEventType.EXPIRED && effective.at <= now)
      .map(({ subscriptionId, effective }) => [subscriptionId, effective.at]),
  );
  return subscriptions.flatMap((subscription) => {
    const [end] = entitlementEnds({ subscription, blockingStates: states.get(subscription.id) ?? [] });
    const at = end?.effective.at ?? expiries.get(subscription.id);
    return at === undefined ? [] : [[subscription.id, at] as const];
  });
}

async function endsOfAddOns(
  session: ReadSession,
  addOns: readonly Subscription[],
  { now, catalogsOf, nextTurn }: Around,
): Promise<Ends> {
  const bundleIds = [...new Set(addOns.map(({ bundleId }) => bundleId))];
  const bundles = await session.subscriptions.findBundlesByIds(bundleIds);
  const { outlines } = await loadOutlines(session, {
    bundles,
    now,
    catalogsOf,
    nextTurn,
    maxRecords: Number.POSITIVE_INFINITY,
  });
  const wanted = new Set(addOns.map(({ id }) => id));
  return outlines
    .flatMap(({ subscriptions }) => subscriptions)
    .filter(({ subscriptionId }) => wanted.has(subscriptionId))
    .flatMap(({ subscriptionId, cancelled, billingEnd, state }) => {
      const expired = state === EntitlementState.EXPIRED ? billingEnd : null;
      const end = cancelled ?? expired;
      return end === null ? [] : [[subscriptionId, end.at] as const];
    });
}
