import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, BlockingState, Bundle, LifecycleEvent, Subscription } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { BUNDLES_READ_AT_ONCE, SUBSCRIPTIONS_READ_AT_ONCE } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { type BlockHistory, blockHistory } from '../blocking/block-history.ts';
import { planNamesOf } from '../timeline/lifecycle-order.ts';
import { readablePlans } from '../timeline/readable-plans.ts';
import { type BundleOutline, bundleOutline } from '../views/bundle-outline.ts';
import type { BundleWindow } from '../views/outline-page.ts';
import { loadBlockingStates } from './load-blocking-states.ts';

export interface LoadOutlinesInput {
  /** The answer has their order. */
  readonly bundles: readonly Bundle[];
  /** Accounts of these bundles that have already been read. */
  readonly accounts?: readonly Account[];
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  /** With more records than this, the last bundles are left out. */
  readonly maxRecords: number;
  readonly nextTurn: SystemClock['nextTurn'];
}

/**
 * Loads what the outlines of these bundles are made from, some bundles at a time: apart from that, the number of
 * statements does not grow with them, and no statement holds the others up.
 */
export async function loadOutlines(session: ReadSession, input: LoadOutlinesInput): Promise<BundleWindow> {
  const { bundles, maxRecords, nextTurn } = input;
  const owners = new Owners(session, input);
  const outlines: BundleOutline[] = [];
  const recordIds: Uuid[] = [];
  for (let from = 0; from < bundles.length && recordIds.length <= maxRecords; from += BUNDLES_READ_AT_ONCE) {
    if (from > 0) await nextTurn();
    const members = await loadMembers(session, bundles.slice(from, from + BUNDLES_READ_AT_ONCE), {
      ...input,
      owners,
    });
    outlines.push(...members.outlines);
    for (const id of members.recordIds) recordIds.push(id);
  }
  return { outlines, recordIds };
}

/** The accounts of the bundles, each read once with what is set on it. */
class Owners {
  readonly #session: ReadSession;
  readonly #accounts: Map<Uuid, Account>;
  readonly #blocks = new Map<Uuid, BlockHistory>();

  constructor(session: ReadSession, { accounts = [] }: Pick<LoadOutlinesInput, 'accounts'>) {
    this.#session = session;
    this.#accounts = new Map(accounts.map((account) => [account.id, account]));
  }

  /** Those of these accounts whose states are not known yet. */
  async read(accountIds: readonly Uuid[]): Promise<readonly Uuid[]> {
    const unknown = accountIds.filter((id) => !this.#accounts.has(id));
    const accounts = unknown.length === 0 ? [] : await this.#session.accounts.findByIds(unknown);
    for (const account of accounts) this.#accounts.set(account.id, account);
    return accountIds.filter((id) => !this.#blocks.has(id));
  }

  keepBlocks(accountId: Uuid, states: readonly BlockingState[]): void {
    this.#blocks.set(accountId, blockHistory(states));
  }

  of(bundle: Bundle): { readonly account: Account; readonly accountBlocks: BlockHistory } {
    const account = this.#accounts.get(bundle.accountId);
    const accountBlocks = this.#blocks.get(bundle.accountId);
    assertInvariant(account && accountBlocks, `The account of bundle ${bundle.id} was not loaded`, {
      bundleId: bundle.id,
    });
    return { account, accountBlocks };
  }
}

async function loadMembers(
  session: ReadSession,
  bundles: readonly Bundle[],
  input: LoadOutlinesInput & { readonly owners: Owners },
): Promise<BundleWindow> {
  const { now, catalogsOf, nextTurn, owners } = input;
  const accountIds = [...new Set(bundles.map(({ accountId }) => accountId))];
  const newOwners = await owners.read(accountIds);
  const bundleIds = bundles.map(({ id }) => id);
  const subscriptions = await session.subscriptions.findByBundles(bundleIds);
  const subscriptionIds = subscriptions.map(({ id }) => id);
  const events = await eventsOf(session, subscriptionIds, nextTurn);
  const states = await loadBlockingStates(
    session,
    [...newOwners, ...bundleIds, ...subscriptionIds],
    nextTurn,
  );
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: planNamesOf(events),
  });

  const bundleOfSubscription = new Map(subscriptions.map(({ id, bundleId }) => [id, bundleId]));
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.bundleId);
  const eventsOfBundle = Map.groupBy(events, (event) => bundleOfSubscription.get(event.subscriptionId));
  const statesOfOwner = Map.groupBy(
    states,
    (state) => bundleOfSubscription.get(state.blockedId) ?? state.blockedId,
  );
  for (const id of newOwners) owners.keepBlocks(id, statesOfOwner.get(id) ?? []);
  const outlines = bundles.map((bundle) =>
    bundleOutline({
      ...owners.of(bundle),
      bundle,
      subscriptions: inCreationOrder(subscriptionsOf.get(bundle.id) ?? []),
      events: eventsOfBundle.get(bundle.id) ?? [],
      blockingStates: statesOfOwner.get(bundle.id) ?? [],
      plans: readablePlans(plansOf(bundle.accountId)),
      now,
    }),
  );
  return { outlines, recordIds: [bundles, subscriptions, events, states].flatMap(idsOf) };
}

async function eventsOf(
  session: ReadSession,
  subscriptionIds: readonly Uuid[],
  nextTurn: SystemClock['nextTurn'],
): Promise<readonly LifecycleEvent[]> {
  const found: LifecycleEvent[][] = [];
  for (let from = 0; from < subscriptionIds.length; from += SUBSCRIPTIONS_READ_AT_ONCE) {
    if (from > 0) await nextTurn();
    const ids = subscriptionIds.slice(from, from + SUBSCRIPTIONS_READ_AT_ONCE);
    found.push([...(await session.subscriptions.findEvents(ids))]);
  }
  return found.flat();
}

function inCreationOrder(subscriptions: readonly Subscription[]): readonly Subscription[] {
  return subscriptions.toSorted((a, b) => a.recordId - b.recordId);
}

function idsOf(records: readonly { readonly id: Uuid }[]): readonly Uuid[] {
  return records.map(({ id }) => id);
}
