import { effectsOnAccounts, TagEffect } from '../control-tags/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Account } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { FindingOfAccount } from './check-invoices.ts';
import { expectedEntries } from './expected-entries.ts';
import { CheckedInvariant } from './model.ts';
import { overRefunded } from './payment-limits.ts';

/** Checks the payments of these accounts, those without an invoice included. */
export async function checkRefunds(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly FindingOfAccount[]> {
  const payments = await session.payments.findByAccounts(accountIds);
  if (payments.length === 0) return [];
  const transactions = await session.payments.findTransactions(payments.map(({ id }) => id));
  const ofPayment = Map.groupBy(transactions, ({ paymentId }) => paymentId);
  return payments.flatMap(({ id, accountId }) =>
    overRefunded(id, ofPayment.get(id) ?? []).map((finding) => ({ ...finding, accountId })),
  );
}

/**
 * Finds what is to happen to these accounts and has no entry in the queue. Closing an account may have removed its
 * entries.
 */
export async function checkQueued(
  session: ReadSession,
  all: readonly Account[],
  now: Instant,
): Promise<readonly FindingOfAccount[]> {
  const tags = await effectsOnAccounts(
    session,
    all.map(({ id }) => id),
  );
  const accounts = all.filter(({ id }) => !tags.has(id, TagEffect.STOPS_INVOICING));
  const accountIds = accounts.map(({ id }) => id);
  const bundleIds = (await session.subscriptions.findBundlesByAccounts(accountIds)).map(({ id }) => id);
  const subscriptionIds = (await session.subscriptions.findByBundles(bundleIds)).map(({ id }) => id);
  const events = Map.groupBy(
    await session.subscriptions.findEvents(subscriptionIds),
    ({ accountRecordId }) => accountRecordId,
  );
  const states = Map.groupBy(
    await session.subscriptions.findBlockingStates([...accountIds, ...bundleIds, ...subscriptionIds]),
    ({ accountRecordId }) => accountRecordId,
  );
  const cursors = Map.groupBy(
    await session.invoices.cursorsOfAccounts(accountIds),
    ({ accountRecordId }) => accountRecordId,
  );
  const expected = accounts.flatMap((account) =>
    expectedEntries({
      account,
      cursors: cursors.get(account.recordId) ?? [],
      events: events.get(account.recordId) ?? [],
      states: states.get(account.recordId) ?? [],
      now,
    }).map((entry) => ({ ...entry, accountId: account.id })),
  );
  const queued = await session.checks.queuedKeys(expected.map(({ uniqueKey }) => uniqueKey));
  return expected
    .filter(({ uniqueKey }) => !queued.has(uniqueKey))
    .map(({ accountId, purpose }) => ({
      accountId,
      invariant: CheckedInvariant.QUEUED,
      message: `the queue has no entry for the ${purpose}`,
    }));
}
