import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type BlockingState,
  type Bundle,
  EntitlementState,
  type LifecycleEvent,
  LifecycleEventType,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { RECORDS_READ_AT_ONCE, SUBSCRIPTIONS_READ_AT_ONCE } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { type BlockHistory, blockHistory } from '../blocking/states-in-force.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import { readablePlans } from '../timeline/readable-plans.ts';
import { type BundleOutline, bundleOutline } from '../views/bundle-outline.ts';
import { answerTooLarge, type BundleWindow, type RowBound } from '../views/outline-page.ts';

/** Number of bundles per statement. Each statement takes a few milliseconds. */
const BUNDLES_READ_AT_ONCE = 200;

interface LoadOutlinesInput {
  readonly bundles: readonly Bundle[];
  readonly accounts?: readonly Account[];
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  /** Maximum number of records. If there are more, the last bundles are omitted. */
  readonly maxRecords: number;
  readonly nextTurn: SystemClock['nextTurn'];
}

/** Loads the data of bundle outlines in batches, so that no statement takes long. */
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

class Owners {
  readonly #session: ReadSession;
  readonly #accounts: Map<Uuid, Account>;
  readonly #blocks = new Map<Uuid, BlockHistory>();

  constructor(session: ReadSession, { accounts = [] }: Pick<LoadOutlinesInput, 'accounts'>) {
    this.#session = session;
    this.#accounts = new Map(accounts.map((account) => [account.id, account]));
  }

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
      subscriptions: (subscriptionsOf.get(bundle.id) ?? []).toSorted((a, b) => a.recordId - b.recordId),
      events: eventsOfBundle.get(bundle.id) ?? [],
      blockingStates: statesOfOwner.get(bundle.id) ?? [],
      plans: readablePlans(plansOf(bundle.accountId)),
      now,
    }),
  );
  return { outlines, recordIds: [bundles, subscriptions, events, states].flat().map(({ id }) => id) };
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

export async function loadBlockingStates(
  session: ReadSession,
  blockedIds: readonly Uuid[],
  nextTurn: SystemClock['nextTurn'],
): Promise<readonly BlockingState[]> {
  const found: BlockingState[] = [];
  for (let from = 0; from < blockedIds.length; from += RECORDS_READ_AT_ONCE) {
    const ids = blockedIds.slice(from, from + RECORDS_READ_AT_ONCE);
    let page: readonly BlockingState[];
    let after: BlockingState | null = null;
    do {
      if (found.length > 0) await nextTurn();
      page = await session.subscriptions.pageBlockingStates(ids, { after, limit: RECORDS_READ_AT_ONCE });
      for (const state of page) found.push(state);
      after = page.at(-1) ?? null;
    } while (page.length === RECORDS_READ_AT_ONCE);
  }
  return found;
}

export interface BundleFilter {
  readonly externalKey?: string | undefined;
  readonly bundleIds?: readonly Uuid[] | undefined;
}

/**
 * Returns the account's bundles, or those that match the filter, in the order of their original creation.
 * @throws BillingError ANSWER_TOO_LARGE (60020) if the bundles alone exceed the maximum number of rows.
 */
export async function findBundlesOfAccount(
  session: ReadSession,
  accountId: Uuid,
  { maxRows, nextTurn, filter = {} }: RowBound & { readonly filter?: BundleFilter },
): Promise<readonly Bundle[]> {
  const { bundleIds, externalKey } = filter;
  return (await candidates())
    .filter((bundle) => bundle.accountId === accountId && matches(bundle, filter))
    .toSorted((a, b) => a.originalCreatedDate - b.originalCreatedDate || a.recordId - b.recordId);

  async function candidates(): Promise<readonly Bundle[]> {
    if (bundleIds !== undefined) return session.subscriptions.findBundlesByIds(bundleIds);
    if (externalKey !== undefined) return session.subscriptions.findBundlesByKeys([externalKey]);
    const found: Bundle[] = [];
    for await (const bundles of bundlesInParts(session, accountId, nextTurn)) {
      for (const bundle of bundles) found.push(bundle);
      if (found.length > maxRows) throw answerTooLarge(accountId, maxRows);
    }
    return found;
  }
}

export async function* bundlesInParts(
  session: ReadSession,
  accountId: Uuid,
  nextTurn: SystemClock['nextTurn'],
): AsyncGenerator<readonly Bundle[], undefined> {
  const limit = SUBSCRIPTIONS_READ_AT_ONCE;
  for (let offset = 0; ; offset += limit) {
    const { rows } = await session.subscriptions.pageBundlesOfAccount(accountId, { offset, limit });
    yield rows;
    if (rows.length < limit) return;
    await nextTurn();
  }
}

function matches(bundle: Bundle, filter: BundleFilter): boolean {
  if (filter.externalKey !== undefined && bundle.externalKey !== filter.externalKey) return false;
  return filter.bundleIds === undefined || filter.bundleIds.includes(bundle.id);
}

interface LoadServiceEndsInput {
  readonly subscriptions: readonly Subscription[];
  readonly now: Instant;
  readonly catalogsOf: CatalogSource;
  readonly nextTurn: SystemClock['nextTurn'];
}

/**
 * Returns the end of service of each given subscription. This is its own end or, for an add-on, the end that the base
 * causes (§12). If there is no such end, a past expiry is the end of service. Omits subscriptions without an end.
 * Executes a constant number of statements.
 */
export async function loadServiceEnds(
  session: ReadSession,
  { subscriptions, ...input }: LoadServiceEndsInput,
): Promise<ReadonlyMap<Uuid, Instant>> {
  const addOns = subscriptions.filter(({ category }) => category === ProductCategory.ADD_ON);
  const others = subscriptions.filter(({ category }) => category !== ProductCategory.ADD_ON);
  const [own, derived] = await Promise.all([
    others.length === 0 ? [] : ownEnds(session, others, input),
    addOns.length === 0 ? [] : endsOfAddOns(session, addOns, input),
  ]);
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
  const [ownStates, events] = await Promise.all([
    loadBlockingStates(session, ids, nextTurn),
    session.subscriptions.findEvents(ids),
  ]);
  const states = Map.groupBy(ownStates, ({ blockedId }) => blockedId);
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
