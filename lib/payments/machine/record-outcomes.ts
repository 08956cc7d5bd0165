import { changeInvoices, withAdjustments } from '../../invoicing/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type InvoicePayment,
  InvoicePaymentType,
  isUnresolved,
  type NewNotification,
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { settledInvoices, withAdjustmentsNoted } from '../state/invoice-effect.ts';
import {
  type Consequences,
  consequencesOf,
  type Decided,
  type SettledRecords,
} from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { recoveryKey, releaseNotification, retryKey } from '../state/payment-notifications.ts';
import { isLeased } from '../state/payment-state.ts';
import { type Settlement, settledTransaction } from '../state/transaction-outcome.ts';

interface RecordTools {
  readonly ids: IdGenerator;
  readonly config: PaymentConfig;
  readonly now: Instant;
}

/** Payments with outcomes, as they are stored. */
export interface RecordedPayments {
  /** In creation order. */
  readonly transactions: ReadonlyMap<Uuid, PaymentTransaction>;
  readonly payments: ReadonlyMap<Uuid, Payment>;
}

/**
 * The Record step (§5.1 rule 3, §7.1, §8.4, §9.4): for each transaction that is still UNKNOWN or PENDING, or that an
 * operator corrects (§7.4), writes status,
 * payment state, attempt, invoice payment, invoice and account balance, retry and recovery notifications and bus events,
 * all in this session's transaction. The caller holds the locks of the accounts. A transaction that is already decided,
 * or of which recovery learns nothing new, stays as it is. A constant number of statements, of which those that do not
 * depend on each other go together.
 *
 * @returns the payments and all their transactions as they are afterwards.
 */
export async function recordOutcomes(
  session: WriteSession,
  settlements: readonly Settlement[],
  { ids, configOf }: { readonly ids: IdGenerator; readonly configOf: PaymentConfigOf },
): Promise<RecordedPayments> {
  const tools = { ids, config: await configOf(session), now: session.authorship.createdDate };
  const records = await loadRecords(session, settlements);
  const stored = new Map(records.transactions.map((transaction) => [transaction.id, transaction]));
  const changes = settlements.flatMap((settlement) => {
    const before = stored.get(settlement.transactionId);
    const settled = before && settledTransaction(before, settlement, tools.now);
    if (!settled) return [];
    const after = withAdjustmentsNoted(before, settled);
    return [{ before, after, settlement }];
  });
  const wanted = changes.map(({ before, after }) => ({ transaction: after, expected: before.status }));
  const written = new Set(wanted.length > 0 ? await session.payments.updateTransactions(wanted) : []);
  for (const { after } of changes) if (written.has(after.id)) stored.set(after.id, after);
  const transactions = records.transactions.flatMap(({ id }) => stored.get(id) ?? []);
  const effective = changes.filter(({ after }) => written.has(after.id));
  const { all, payments } = consequencesInOrder(effective, { ...records, transactions }, tools);
  if (all.length > 0) await writeConsequences(session, all, { ...tools, ...records, payments });
  const { rows } = records;
  const before = effective.map((change) => change.before);
  session.schedule(await holdsToRelease(session, before, { rows, now: tools.now }));
  return { transactions: stored, payments };
}

/**
 * What follows from all of them, in the order in which the transactions were created: each begins with what
 * the one before has left of their payment and its rows.
 */
function consequencesInOrder(
  changes: readonly (Omit<Decided, 'transaction'> & { readonly after: PaymentTransaction })[],
  records: SettledRecords,
  tools: RecordTools,
): { readonly all: readonly Consequences[]; readonly payments: ReadonlyMap<Uuid, Payment> } {
  const payments = new Map(records.payments);
  const latest = new Map(records.latest);
  const order = new Map(records.transactions.map(({ id }, index) => [id, index]));
  const placeOf = ({ after }: { readonly after: PaymentTransaction }) => order.get(after.id) ?? 0;
  const all = changes
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .flatMap(({ after, ...decided }) => {
      const found = consequencesOf(
        { ...decided, transaction: after },
        { ...records, payments, latest },
        tools,
      );
      if (found === undefined) return [];
      if (found.row !== null) latest.set(found.row.after.id, found.row.after);
      payments.set(found.payment.id, found.payment);
      return [found];
    });
  return { all, payments };
}

async function loadRecords(
  session: WriteSession,
  settlements: readonly Settlement[],
): Promise<SettledRecords> {
  const paymentIds = [...new Set(settlements.map(({ paymentId }) => paymentId))];
  const [transactions, payments, ownRows] = await Promise.all([
    session.payments.findTransactions(paymentIds),
    session.payments.findByIds(paymentIds),
    session.payments.findInvoicePaymentsByPayments(paymentIds),
  ]);
  const asked = new Set(settlements.map(({ transactionId }) => transactionId));
  const settled = transactions.filter(({ id }) => asked.has(id));
  const refunded = new Set(settled.flatMap(({ invoiceRefund }) => invoiceRefund?.paymentId ?? []));
  for (const id of paymentIds) refunded.delete(id);
  const [attempts, refundedRows] = await Promise.all([
    session.payments.findAttemptsByIds(settled.flatMap(({ attemptId }) => attemptId ?? [])),
    session.payments.findInvoicePaymentsByPayments([...refunded]),
  ]);
  const rows = [...ownRows, ...refundedRows];
  const invoices = await session.invoices.findByIds([...new Set(rows.map(({ invoiceId }) => invoiceId))]);
  const disputed = transactions.filter(
    ({ id, transactionType }) => asked.has(id) && transactionType === TransactionType.CHARGEBACK,
  );
  const disputing = new Set(disputed.map(({ accountRecordId }) => accountRecordId));
  return {
    transactions,
    openInvoiceRefunds: await session.payments.findOpenInvoiceRefunds([...disputing]),
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    attempts: new Map(attempts.map((attempt) => [attempt.id, attempt])),
    rows,
    latest: new Map(rows.map((row) => [row.id, row])),
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
  };
}

async function writeConsequences(
  session: WriteSession,
  all: readonly Consequences[],
  { ids, invoices, payments }: Pick<RecordTools, 'ids'> & Pick<SettledRecords, 'invoices' | 'payments'>,
): Promise<void> {
  const changedPayments = [...new Set(all.map(({ payment }) => payment.id))];
  // What was planned for an attempt is decided anew with it.
  const planned = [
    ...all.map(({ transaction }) => recoveryKey(transaction.id)),
    ...all.flatMap(({ attempt }) => (attempt ? [retryKey(attempt.id)] : [])),
  ];
  await Promise.all([
    session.payments.updatePayments(changedPayments.flatMap((id) => payments.get(id) ?? [])),
    session.payments.updateAttempts(all.flatMap(({ attempt }) => attempt ?? [])),
    session.unschedule(planned),
  ]);
  const rows = all.flatMap(({ row }) => row ?? []);
  await session.payments.updateInvoicePayments(rows.flatMap((row) => (row.before ? [row.after] : [])));
  const newRows = rows.flatMap((row) => (row.before ? [] : [row.after]));
  if (newRows.length > 0) await session.payments.insertInvoicePayments(newRows);
  const released = new Set(
    all.flatMap(({ row, transaction }) => (row && !isUnresolved(transaction) ? row.after.invoiceId : [])),
  );
  const settled = settledInvoices(rows, invoices, released);
  const changes = await withAdjustments(session, settled, { adjustments: adjustmentsOf(all), ids });
  session.schedule(all.flatMap(({ notifications }) => notifications));
  session.publish(all.flatMap(({ events }) => events));
  // Its adjustments are told after the payments that lead to them (§12).
  await changeInvoices(session, { changes }, ids);
}

/** What succeeded refunds take off items of their invoices (§9.5 rule 1 e). */
function adjustmentsOf(all: readonly Consequences[]) {
  return all.flatMap(({ row, adjustments }) =>
    row === null ? [] : adjustments.map((each) => ({ ...each, invoiceId: row.after.invoiceId })),
  );
}

/**
 * The releases of holds that have waited for the outcome of these transactions (§9.3); whether an account is held back
 * again shows when they are due. A call that ends under its own lease has let no release pass, which would have waited.
 */
export async function holdsToRelease(
  session: WriteSession,
  changed: readonly PaymentTransaction[],
  { rows, now }: { readonly rows: readonly InvoicePayment[]; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  const seen = changed.filter(
    (before) =>
      isUnresolved(before) && (before.status === TransactionStatus.PENDING || !isLeased(before, now)),
  );
  const paymentIds = new Set(seen.map(({ paymentId }) => paymentId));
  const paid = rows.filter(
    ({ type, paymentId }) =>
      type === InvoicePaymentType.ATTEMPT && paymentId !== null && paymentIds.has(paymentId),
  );
  const holds = await session.payments.findHoldsByInvoices([
    ...new Set(paid.map(({ invoiceId }) => invoiceId)),
  ]);
  return holds.map((hold) => releaseNotification(hold, now));
}
