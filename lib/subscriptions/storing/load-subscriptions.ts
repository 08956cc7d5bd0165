import { lockAccount, noSuchAccount } from '../../accounts/index.ts';
import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import { ConcurrentChangeError, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, BlockingState, Bundle, Subscription } from '../../records/index.ts';
import { allEnded } from '../../runtime/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type FoundBundle, type GroupChoiceInput, holdsKey } from '../create/choose-group.ts';
import {
  type RunningInBundle,
  type RunningSubscription,
  runningSubscriptions,
} from '../edits/running-subscription.ts';
import { type CheckedGroup, requestedKeys } from '../requests/create-request.ts';
import { noSuchBundle, noSuchSubscription } from '../requests/unknown-objects.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';

interface ReadPlans {
  readonly catalogsOf: CatalogSource;
  /** Another plan that the operation reads. */
  readonly planName?: string | null;
}

/**
 * Locks a subscription's account and loads the subscription with its bundle.
 * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), BUSY (60018).
 */
export async function lockRunning(
  session: WriteSession,
  { subscriptionId, ...plans }: ReadPlans & { readonly subscriptionId: Uuid },
): Promise<RunningInBundle> {
  const known = await loadSubscription(session, subscriptionId);
  const account = await lockAccount(session, known.accountId);
  const bundles = await session.subscriptions.findBundlesByIds([known.bundleId]);
  const bundle = await loadRunning(session, { accounts: [account], bundles, ...plans });
  const running = bundle.find(({ subscription }) => subscription.id === subscriptionId);
  assertInvariant(running, `Subscription ${subscriptionId} has no bundle`, { subscriptionId });
  return { running, bundle };
}

interface LoadRunningInput extends ReadPlans {
  readonly accounts: readonly Account[];
  readonly bundles: readonly Bundle[];
}

/** Loads the subscriptions of these bundles in a constant number of statements. */
export async function loadRunning(
  session: ReadSession,
  { accounts, bundles, catalogsOf, planName = null }: LoadRunningInput,
): Promise<readonly RunningSubscription[]> {
  if (bundles.length === 0) return [];
  const accountIds = accounts.map(({ id }) => id);
  const bundleIds = bundles.map(({ id }) => id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const ids = subscriptions.map(({ id }) => id);
  const events = await session.subscriptions.findEvents(ids);
  const objectIds = [...accountIds, ...bundleIds, ...ids];
  const blockingStates = await session.subscriptions.findBlockingStates(objectIds);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: [...planNamesOf(events), planName],
  });
  const bundlesOf = Map.groupBy(bundles, ({ accountId }) => accountId);
  const subscriptionsOf = Map.groupBy(subscriptions, ({ accountId }) => accountId);
  const eventsOf = Map.groupBy(events, ({ accountRecordId }) => accountRecordId);
  const statesOf = Map.groupBy(blockingStates, ({ accountRecordId }) => accountRecordId);
  return accounts.flatMap((account) =>
    runningSubscriptions({
      account,
      bundles: bundlesOf.get(account.id) ?? [],
      subscriptions: subscriptionsOf.get(account.id) ?? [],
      events: eventsOf.get(account.recordId) ?? [],
      blockingStates: statesOf.get(account.recordId) ?? [],
      catalog: plansOf(account.id),
    }),
  );
}

/** Loads a bundle. @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID if it does not exist. */
export async function loadBundle(session: ReadSession, bundleId: Uuid): Promise<Bundle> {
  const [bundle] = await session.subscriptions.findBundlesByIds([bundleId]);
  if (bundle === undefined) throw noSuchBundle(bundleId);
  return bundle;
}

/** Loads a subscription. @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID if it does not exist. */
export async function loadSubscription(session: ReadSession, subscriptionId: Uuid): Promise<Subscription> {
  const [subscription] = await session.subscriptions.findByIds([subscriptionId]);
  if (subscription === undefined) throw noSuchSubscription(subscriptionId);
  return subscription;
}

/** The groups of subscriptions that one call creates for an account. */
interface RequestedCreation extends Pick<GroupChoiceInput, 'account' | 'options'> {
  readonly groups: readonly CheckedGroup[];
}

/** The data that depends only on the request. It can therefore be read in the batch that locks the accounts. */
export interface RequestedFacts extends Pick<GroupChoiceInput, 'keyCarriers'> {
  readonly accountStates: readonly BlockingState[];
}

export async function loadRequestedFacts(
  { subscriptions }: ReadSession,
  accountIds: readonly Uuid[],
  groups: readonly CheckedGroup[],
): Promise<RequestedFacts> {
  const [keyCarriers, accountStates] = await allEnded([
    subscriptions.findBundlesByKeys(requestedKeys(groups)),
    subscriptions.findBlockingStates(accountIds),
  ]);
  return { keyCarriers, accountStates };
}

/** Loads the data for `chooseGroup` in a constant number of statements. */
export async function loadCreations(
  session: ReadSession,
  {
    creations,
    facts: { keyCarriers, accountStates },
    catalogsOf,
    now,
  }: {
    readonly creations: readonly RequestedCreation[];
    readonly facts: RequestedFacts;
    readonly catalogsOf: CatalogSource;
    readonly now: Instant;
  },
): Promise<readonly GroupChoiceInput[]> {
  const groups = creations.flatMap((creation) => creation.groups);
  const accountIds = creations.map(({ account }) => account.id);
  const found = await findBundles(session, groups, keyCarriers);
  const requested = groups.flatMap(({ members }) => members.map(({ plan }) => plan.planName ?? null));
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: [...requested, ...found.flatMap(({ events }) => [...planNamesOf(events)])],
  });
  const objectIds = found.flatMap(({ bundle, subscriptions }) => [bundle.id, ...subscriptions.map(idOf)]);
  const blockingStates =
    objectIds.length === 0
      ? accountStates
      : await session.subscriptions.findBlockingStates([...accountIds, ...objectIds]);
  return creations.map(({ account, options }) => ({
    account,
    options,
    now,
    found,
    keyCarriers,
    blockingStates,
    catalog: plansOf(account.id),
  }));
}

function idOf({ id }: { readonly id: Uuid }): Uuid {
  return id;
}

async function findBundles(
  session: ReadSession,
  groups: readonly CheckedGroup[],
  keyCarriers: readonly Bundle[],
): Promise<readonly FoundBundle[]> {
  const ids = groups.flatMap(({ bundleId }) => bundleId ?? []);
  const named = [
    ...(await session.subscriptions.findBundlesByIds([...new Set(ids)])),
    ...keyCarriers.filter(holdsKey),
  ];
  const bundles = [...new Map(named.map((bundle) => [bundle.id, bundle])).values()];
  const subscriptions = await session.subscriptions.findByBundles(bundles.map(idOf));
  const events = await session.subscriptions.findEvents(subscriptions.map(idOf));
  const subscriptionsOf = Map.groupBy(subscriptions, ({ bundleId }) => bundleId);
  const eventsOf = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  return bundles.map((bundle) => {
    const own = subscriptionsOf.get(bundle.id) ?? [];
    return { bundle, subscriptions: own, events: own.flatMap(({ id }) => eventsOf.get(id) ?? []) };
  });
}

/**
 * Locks the account of a creation, and the accounts whose bundles may lose a requested key (§17.2).
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
 */
export async function lockWithKeyHolders(
  session: WriteSession,
  accountId: Uuid,
  keys: readonly string[],
): Promise<{ readonly account: Account; readonly lockedIds: ReadonlySet<Uuid> }> {
  const holders = (await session.subscriptions.findBundlesByKeys(keys)).filter(holdsKey);
  const lockedIds = new Set([accountId, ...holders.map((holder) => holder.accountId)]);
  const locked = await session.lockAccounts([...lockedIds]);
  const account = locked.find(({ id }) => id === accountId);
  if (account === undefined) throw noSuchAccount(accountId);
  return { account, lockedIds };
}

/**
 * Checks that all bundles with the key are locked.
 * @throws ConcurrentChangeError if a bundle of another account received the key before the locks were acquired. In that
 * case, the creation runs again.
 */
export function checkHoldersLocked(carriers: readonly Bundle[], lockedIds: ReadonlySet<Uuid>): void {
  const holder = carriers.find((bundle) => holdsKey(bundle) && !lockedIds.has(bundle.accountId));
  if (holder === undefined) return;
  throw new ConcurrentChangeError(
    `Another operation gave the key ${holder.externalKey} to bundle ${holder.id} in the meantime`,
    { bundleId: holder.id },
  );
}
