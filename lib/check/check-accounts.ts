import { effectsOnAccounts, TagEffect } from '../control-tags/index.ts';
import { dueEntry } from '../invoicing/index.ts';
import { decidingTransaction, isRowOf, type PaymentConfig, recoveryKey } from '../payments/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import {
  type Account,
  type BlockingState,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type InvoicingCursor,
  type LifecycleEvent,
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../records/index.ts';
import { blockingStateNotification, eventNotification } from '../subscriptions/index.ts';
import { formatInstant, formatLocalDate, type Instant, localDateOf } from '../values/time/index.ts';
import { overRefunded } from './check-invoices.ts';
import { CheckedInvariant, type Finding, type FindingOfAccount, finding, ofAccount } from './model.ts';

/** Checks the payments of these accounts, with or without an invoice, and the paid amounts of their invoices. */
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
    ...(await checkRecoveries(session, payments, transactions)),
    ...overRefundedPayments(allowsOverRefund ? payingInvoices(payments, rows) : payments, transactions),
  ];
  const [transactionsOf, rowsOf] = [byAccount(transactions), byAccount(rows)];
  const counted = accounts.flatMap(({ id, recordId }) =>
    ofAccount(id, findMiscountedPayments(rowsOf.get(recordId) ?? [], transactionsOf.get(recordId) ?? [])),
  );
  return [...found, ...counted];
}

function byAccount<R extends { readonly accountRecordId: number | null }>(records: readonly R[]) {
  return Map.groupBy(records, ({ accountRecordId }) => accountRecordId);
}

/** Finds default payment methods that are not active methods of the account. */
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
    const flaw = method.isActive ? 'belongs to another account' : 'is deleted';
    const message = `The default payment method ${method.id} ${flaw}`;
    return [{ accountId, invariant: CheckedInvariant.DEFAULT_METHOD, message }];
  });
}

/** Finds gateway calls that may have been interrupted and have no queued recovery (payments §5.1 rule 1). */
async function checkRecoveries(
  session: ReadSession,
  payments: readonly Payment[],
  transactions: readonly PaymentTransaction[],
): Promise<readonly FindingOfAccount[]> {
  const leased = transactions.filter(({ leaseUntil }) => leaseUntil !== null);
  const queued = await session.checks.queuedKeys(leased.map(({ id }) => recoveryKey(id)));
  const owners = new Map(payments.map(({ id, accountId }) => [id, accountId]));
  return leased.flatMap(({ id, paymentId }) => {
    const accountId = owners.get(paymentId);
    if (accountId === undefined || queued.has(recoveryKey(id))) return [];
    const message = `The queue has no entry for the recovery of transaction ${id}`;
    return [{ accountId, invariant: CheckedInvariant.QUEUED, message }];
  });
}

/**
 * Returns the payments that pay invoices. For these payments, no setting allows refunds above the captured amount
 * (payments §9.5 rule 1 d).
 */
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
    ofAccount(accountId, overRefunded(id, ofPayment.get(id) ?? [])),
  );
}

/**
 * Finds future work without a queue entry. Skips accounts without automatic invoicing, because their entries may have
 * been removed when the account was closed.
 */
export async function checkQueued(
  session: ReadSession,
  all: readonly Account[],
  now: Instant,
): Promise<readonly FindingOfAccount[]> {
  const allIds = all.map(({ id }) => id);
  const tags = await effectsOnAccounts(session, allIds);
  const accounts = all.filter(({ id }) => !tags.has(id, TagEffect.STOPS_INVOICING));
  const accountIds = accounts.map(({ id }) => id);
  const bundleIds = (await session.subscriptions.findBundlesByAccounts(accountIds)).map(({ id }) => id);
  const subscriptionIds = (await session.subscriptions.findByBundles(bundleIds)).map(({ id }) => id);
  const blockedIds = [...accountIds, ...bundleIds, ...subscriptionIds];
  const events = byAccount(await session.subscriptions.findEvents(subscriptionIds));
  const states = byAccount(await session.subscriptions.findBlockingStates(blockedIds));
  const cursors = byAccount(await session.invoices.cursorsOfAccounts(accountIds));
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
      message: `The queue has no entry for the ${purpose}`,
    }));
}

interface FutureOfAccount {
  readonly account: Account;
  readonly cursors: readonly InvoicingCursor[];
  /** Active lifecycle events. */
  readonly events: readonly LifecycleEvent[];
  readonly states: readonly BlockingState[];
  readonly now: Instant;
}

/**
 * Returns the queue entries that future work requires. An invoice run requires an entry only if it is due tomorrow or
 * later, because a run that failed today has no entry.
 */
function expectedEntries({ account, cursors, events, states, now }: FutureOfAccount) {
  const today = localDateOf(now, account.timeZone);
  return [
    ...events
      .filter(({ effective }) => effective.at > now)
      .map((event) => ({
        uniqueKey: eventNotification(event).uniqueKey ?? '',
        purpose: `${event.type} ${event.id} at ${formatInstant(event.effective.at)}`,
      })),
    ...states
      .filter(({ effective }) => effective.at > now)
      .map((state) => ({
        uniqueKey: blockingStateNotification(state).uniqueKey ?? '',
        purpose: `${state.stateName} ${state.id} at ${formatInstant(state.effective.at)}`,
      })),
    ...cursors.flatMap(({ subscriptionId, nextDueDate }) =>
      nextDueDate === null || nextDueDate <= today
        ? []
        : [
            {
              uniqueKey: dueEntry(account, nextDueDate).uniqueKey ?? '',
              purpose: `invoice run of subscription ${subscriptionId} on ${formatLocalDate(nextDueDate)}`,
            },
          ],
    ),
  ];
}

type Row = Pick<
  InvoicePayment,
  'id' | 'invoiceId' | 'type' | 'status' | 'paymentId' | 'transactionExternalKey'
>;
type Transaction = Pick<
  PaymentTransaction,
  'id' | 'paymentId' | 'externalKey' | 'transactionType' | 'status' | 'amount' | 'invoiceRefund'
>;

/** Transaction types that correspond to each type of invoice payment row. */
const countedBy: Readonly<Record<InvoicePaymentType, readonly TransactionType[]>> = {
  ATTEMPT: [TransactionType.PURCHASE],
  REFUND: [TransactionType.REFUND, TransactionType.CREDIT],
  CHARGED_BACK: [TransactionType.CHARGEBACK],
};

/**
 * Finds invoice payment rows without a transaction, and transactions without a row. Examines all payments of one
 * account.
 */
function findMiscountedPayments(
  rows: readonly Row[],
  transactions: readonly Transaction[],
): readonly Finding[] {
  const paying = new Set(
    rows.flatMap(({ type, paymentId }) => (type === InvoicePaymentType.ATTEMPT ? (paymentId ?? []) : [])),
  );
  return [
    ...rows.flatMap((row) => findUnsupportedRow(row, transactions)),
    ...findUncountedTransactions(rows, transactions, paying),
  ];
}

function findUnsupportedRow(row: Row, transactions: readonly Transaction[]): readonly Finding[] {
  if (row.status !== InvoicePaymentStatus.SUCCESS) return [];
  const keyed = transactions.filter(
    (each) => countedBy[row.type].includes(each.transactionType) && isRowOf(row, each),
  );
  const own = keyed[0] && decidingTransaction(keyed[0], keyed);
  if (own?.status === TransactionStatus.SUCCESS) return [];
  const found = own === undefined ? 'no such transaction exists' : `transaction ${own.id} is ${own.status}`;
  const message = `Invoice ${row.invoiceId} counts ${row.type} ${row.id}, but ${found}`;
  return [finding(CheckedInvariant.INVOICE_PAYMENT, message)];
}

function findUncountedTransactions(
  rows: readonly Row[],
  transactions: readonly Transaction[],
  paying: ReadonlySet<PaymentTransaction['paymentId']>,
): readonly Finding[] {
  return transactions.flatMap((transaction) => {
    const type = typeOfRow(transaction, paying);
    if (type === null || transaction.status !== TransactionStatus.SUCCESS) return [];
    const row = rows.find((each) => each.type === type && isRowOf(each, transaction));
    if (row?.status === InvoicePaymentStatus.SUCCESS) return [];
    if (decidingTransaction(transaction, transactions) !== transaction) return [];
    const message = `Transaction ${transaction.id} of payment ${transaction.paymentId} has succeeded, but its invoice does not count it`;
    return [finding(CheckedInvariant.INVOICE_PAYMENT, message)];
  });
}

/**
 * Returns the type of the invoice payment row that the transaction must have, or null if its payment has no invoice.
 */
function typeOfRow(
  { transactionType, paymentId, invoiceRefund }: Transaction,
  paying: ReadonlySet<PaymentTransaction['paymentId']>,
): InvoicePaymentType | null {
  if (invoiceRefund !== null) return InvoicePaymentType.REFUND;
  if (!paying.has(paymentId)) return null;
  if (transactionType === TransactionType.REFUND) return InvoicePaymentType.REFUND;
  if (transactionType === TransactionType.CHARGEBACK) return InvoicePaymentType.CHARGED_BACK;
  return transactionType === TransactionType.PURCHASE ? InvoicePaymentType.ATTEMPT : null;
}
