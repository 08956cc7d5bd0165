import { loadAccount } from '../../accounts/index.ts';
import { type CatalogSource, withOverridePlans } from '../../catalog/index.ts';
import type { CounterKey, ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { planNamesOf, serviceStreams } from '../../subscriptions/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { FeatureAt, FeatureFacts } from '../evaluation/features-at.ts';
import type { CountedSource, UsedOf } from '../evaluation/quota-draws.ts';

type Facts = FeatureFacts & { readonly account: Account };

/**
 * Loads the data on which an account's features depend, in a constant number of statements.
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
 */
export async function loadFeatureFacts(
  session: ReadSession,
  accountId: Uuid,
  catalogsOf: CatalogSource,
): Promise<Facts> {
  const account = await loadAccount(session, accountId);
  const [facts] = await loadFactsOfAccounts(session, [account], catalogsOf);
  assertInvariant(facts, `Features of account ${accountId} were not loaded`, { accountId });
  return facts;
}

/**
 * Loads the data on which the features of accounts depend, in a constant number of statements. Returns it in the order
 * of the accounts.
 */
export async function loadFactsOfAccounts(
  session: ReadSession,
  accounts: readonly Account[],
  catalogsOf: CatalogSource,
): Promise<readonly Facts[]> {
  const accountIds = accounts.map(({ id }) => id);
  const [subscriptions, overrides] = await Promise.all([
    session.subscriptions.findByAccounts(accountIds),
    session.features.overridesOfAccounts(accountIds),
  ]);
  const ids = subscriptions.map(({ id }) => id);
  const bundleIds = new Set(subscriptions.map(({ bundleId }) => bundleId));
  const [events, blockingStates] = await Promise.all([
    session.subscriptions.findEvents(ids),
    session.subscriptions.findBlockingStates([...accountIds, ...bundleIds, ...ids]),
  ]);
  const plansOf = await withOverridePlans(session, {
    catalogOf: await catalogsOf(session, accountIds),
    accountIds,
    planNames: planNamesOf(events),
  });
  const subscriptionsOf = Map.groupBy(subscriptions, ({ accountId }) => accountId);
  const overridesOf = Map.groupBy(overrides, ({ accountId }) => accountId);
  const eventsOf = Map.groupBy(events, ({ accountRecordId }) => accountRecordId);
  const statesOf = Map.groupBy(blockingStates, ({ accountRecordId }) => accountRecordId);
  return accounts.map((account) => {
    const plans = plansOf(account.id);
    const streams = serviceStreams({
      account,
      subscriptions: subscriptionsOf.get(account.id) ?? [],
      events: eventsOf.get(account.recordId) ?? [],
      blockingStates: statesOf.get(account.recordId) ?? [],
      plans,
    });
    return { account, streams, overrides: overridesOf.get(account.id) ?? [], plans };
  });
}

/** The used amounts of counters by owner, feature and period. */
export class UsedAmounts {
  readonly #used: Map<string, Decimal>;

  constructor(used: Iterable<readonly [string, Decimal]> = []) {
    this.#used = new Map(used);
  }

  of(feature: string): UsedOf {
    return (source) => this.#used.get(counterKey(counterOf(feature, source))) ?? ZERO;
  }

  /**
   * Raises a counter. Ignores a lower value, because it is older. Only `release` lowers a counter, and `release` also
   * clears the cache.
   */
  raise(counter: CounterKey, used: Decimal): void {
    const key = counterKey(counter);
    if ((this.#used.get(key) ?? ZERO).lessThan(used)) this.#used.set(key, used);
  }
}

/** Returns the key of a contribution's counter at the instant of its evaluation. */
export function counterOf(feature: string, { quota: { ownerId, span } }: CountedSource): CounterKey {
  return { ownerId, feature, periodStart: span.start };
}

function counterKey({ ownerId, feature, periodStart }: CounterKey): string {
  return `${ownerId} ${feature} ${periodStart}`;
}

/** Loads the counters of these quotas. Executes at most one statement. */
export async function loadUsedAmounts(
  session: ReadSession,
  quotas: Iterable<Pick<FeatureAt, 'name' | 'counted'>>,
): Promise<UsedAmounts> {
  const keys = [...quotas].flatMap(({ name, counted }) => counted.map((source) => counterOf(name, source)));
  const counters = keys.length === 0 ? [] : await session.features.counters(keys);
  return new UsedAmounts(counters.map(({ used, ...counter }) => [counterKey(counter), used]));
}
