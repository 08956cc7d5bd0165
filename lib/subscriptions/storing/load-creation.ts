import { noSuchAccount } from '../../accounts/index.ts';
import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import { ConcurrentChangeError, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, Bundle } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { holdsKey } from '../create/bundle-choice.ts';
import type { FoundBundle, GroupChoiceInput } from '../create/chosen-group.ts';
import {
  type CheckedGroup,
  type CreateSubscriptionOptions,
  requestedKeys,
} from '../requests/create-request.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';

export interface LoadCreationInput {
  readonly account: Account;
  readonly groups: readonly CheckedGroup[];
  readonly options: CreateSubscriptionOptions;
  readonly catalogsOf: CatalogSource;
  readonly now: Instant;
}

/** Reads what creations are decided from, in a constant number of statements. */
export async function loadCreation(
  session: ReadSession,
  { account, groups, options, catalogsOf, now }: LoadCreationInput,
): Promise<GroupChoiceInput> {
  const { found, keyCarriers } = await findBundles(session, groups);
  const requested = groups.flatMap(({ members }) => members.map(({ plan }) => plan.planName ?? null));
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, [account.id]),
    accountIds: [account.id],
    planNames: [...requested, ...found.flatMap(({ events }) => [...planNamesOf(events)])],
  });
  const blockingStates = await session.subscriptions.findBlockingStates([
    account.id,
    ...found.flatMap(({ bundle, subscriptions }) => [bundle.id, ...subscriptions.map(({ id }) => id)]),
  ]);
  return { options, account, found, keyCarriers, blockingStates, catalog: plansOf(account.id), now };
}

/** The bundles that the requests name by id or, without one, by key, with what decides whether they are joined. */
async function findBundles(
  session: ReadSession,
  groups: readonly CheckedGroup[],
): Promise<Pick<GroupChoiceInput, 'found' | 'keyCarriers'>> {
  const ids = groups.flatMap(({ bundleId }) => bundleId ?? []);
  const keyCarriers = await session.subscriptions.findBundlesByKeys(requestedKeys(groups));
  const named = [
    ...(await session.subscriptions.findBundlesByIds([...new Set(ids)])),
    ...keyCarriers.filter(holdsKey),
  ];
  const bundles = [...new Map(named.map((bundle) => [bundle.id, bundle])).values()];
  const subscriptions = await session.subscriptions.findByBundles(bundles.map(({ id }) => id));
  const events = await session.subscriptions.findEvents(subscriptions.map(({ id }) => id));
  const subscriptionsOf = Map.groupBy(subscriptions, ({ bundleId }) => bundleId);
  const eventsOf = Map.groupBy(events, ({ subscriptionId }) => subscriptionId);
  const found = bundles.map((bundle): FoundBundle => {
    const own = subscriptionsOf.get(bundle.id) ?? [];
    return { bundle, subscriptions: own, events: own.flatMap(({ id }) => eventsOf.get(id) ?? []) };
  });
  return { found, keyCarriers };
}

/**
 * Locks the account that a creation is for, together with the accounts whose bundles hold the requested keys: a bundle
 * may have to give up its key (§17.2).
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
 * Refuses where another account's bundle has got a key between the first read and the lock.
 * @throws ConcurrentChangeError, which runs the creation again.
 */
export function checkHoldersLocked(carriers: readonly Bundle[], lockedIds: ReadonlySet<Uuid>): void {
  const holder = carriers.find((bundle) => holdsKey(bundle) && !lockedIds.has(bundle.accountId));
  if (holder === undefined) return;
  throw new ConcurrentChangeError(
    `Another operation gave the key ${holder.externalKey} to bundle ${holder.id} in between`,
    { bundleId: holder.id },
  );
}
