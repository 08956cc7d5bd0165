import { effectsOnAccounts, TagEffect } from '../control-tags/index.ts';
import { type PaymentConfig, recoveryKey } from '../payments/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import type { Account, InvoicePayment, Payment, PaymentTransaction } from '../records/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { FindingOfAccount } from './check-invoices.ts';
import { expectedEntries } from './expected-entries.ts';
import { miscounted } from './invoice-payments.ts';
import { CheckedInvariant } from './model.ts';
import { overRefunded } from './payment-limits.ts';

/** Checks the payments of these accounts, those without an invoice included, and what their invoices count of them. */
export async function checkPayments(
  session: ReadSession,
  accounts: readonly Account[],
  { allowsOverRefund }: Pick<PaymentConfig, 'allowsOverRefund'>,
): Promise<readonly FindingOfAccount[]> {
  const payments = await session.payments.findByAccounts(accounts.map(({ id }) => id));
  const transactions = await session.payments.findTransactions(payments.map(({ id }) => id));
  const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
  const found = [
    ...(await checkDefaultMethods(session, accounts)),
    ...(await checkRecoveries(session, { payments, transactions })),
    ...overRefundedPayments(allowsOverRefund ? payingInvoices(payments, rows) : payments, transactions),
  ];
  const [ofAccount, rowsOfAccount] = [
    Map.groupBy(transactions, ({ accountRecordId }) => accountRecordId),
    Map.groupBy(rows, ({ accountRecordId }) => accountRecordId),
  ];
  const counted = accounts.flatMap(({ id: accountId, recordId }) =>
    miscounted(rowsOfAccount.get(recordId) ?? [], ofAccount.get(recordId) ?? []).map((finding) => ({
      ...finding,
      accountId,
    })),
  );
  return [...found, ...counted];
}

/** A default method is an active one of the account. */
async function checkDefaultMethods(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const ids = accounts.flatMap(({ paymentMethodId }) => paymentMethodId ?? []);
  const methods = new Map(
    (await session.payments.findMethodsByIds(ids)).map((method) => [method.id, method]),
  );
  return accounts.flatMap(({ id: accountId, paymentMethodId }) => {
    const method = paymentMethodId === null ? undefined : methods.get(paymentMethodId);
    if (method === undefined || (method.isActive && method.accountId === accountId)) return [];
    const flaw = method.isActive ? 'is of another account' : 'is deleted';
    const message = `the default payment method ${method.id} ${flaw}`;
    return [{ accountId, invariant: CheckedInvariant.DEFAULT_METHOD, message }];
  });
}

/** A call that may have been cut off has its recovery in the queue (payments §5.1 rule 1). */
async function checkRecoveries(
  session: ReadSession,
  {
    payments,
    transactions,
  }: { readonly payments: readonly Payment[]; readonly transactions: readonly PaymentTransaction[] },
): Promise<readonly FindingOfAccount[]> {
  const leased = transactions.filter(({ leaseUntil }) => leaseUntil !== null);
  const queued = await session.checks.queuedKeys(leased.map(({ id }) => recoveryKey(id)));
  const owners = new Map(payments.map(({ id, accountId }) => [id, accountId]));
  return leased.flatMap(({ id, paymentId }) => {
    const accountId = owners.get(paymentId);
    if (accountId === undefined || queued.has(recoveryKey(id))) return [];
    const message = `the queue has no entry for the recovery of transaction ${id}`;
    return [{ accountId, invariant: CheckedInvariant.QUEUED, message }];
  });
}

/** Payments of invoices: of these no tenant's setting lets more be refunded (payments §9.5 rule 1 d). */
function payingInvoices(payments: readonly Payment[], rows: readonly InvoicePayment[]): readonly Payment[] {
  const paying = new Set(rows.map(({ paymentId }) => paymentId));
  return payments.filter(({ id }) => paying.has(id));
}

function overRefundedPayments(
  payments: readonly Payment[],
  transactions: readonly PaymentTransaction[],
): readonly FindingOfAccount[] {
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
