import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Invoice, NewBusEvent, NewNotification } from '../../records/index.ts';
import {
  AttemptState,
  type InvoicePayment,
  InvoicePaymentType,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { attemptStateAfter } from '../state/attempt-state.ts';
import { invoicePaymentResult } from '../state/invoice-payment-result.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { invoicePaymentEvent, paymentEvent } from '../state/payment-events.ts';
import {
  recoveryKey,
  recoveryNotification,
  retryKey,
  retryNotification,
} from '../state/payment-notifications.ts';
import { isUnresolved, paymentStateAfter } from '../state/payment-state.ts';
import { janitorCheck } from '../state/recovery-schedule.ts';
import { retryDate } from '../state/retry-dates.ts';
import { type CallOutcome, readOutcome } from '../state/transaction-outcome.ts';
import { type ChangedRow, settleInvoices } from './settle-invoices.ts';

/** What one question to a gateway said of one transaction. */
export interface Settlement {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly outcome: CallOutcome;
  /** CALL = the answer of our own call; LATE = the same, after its timeout; JANITOR = recovery has asked. */
  readonly source: 'CALL' | 'LATE' | 'JANITOR';
}

export interface RecordTools {
  readonly ids: IdGenerator;
  readonly config: PaymentConfig;
  readonly now: Instant;
}

interface Loaded {
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: ReadonlyMap<Uuid, Payment>;
  readonly attempts: ReadonlyMap<Uuid, PaymentAttempt>;
  readonly rows: readonly InvoicePayment[];
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** All that follows from one changed transaction. */
interface Consequences {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly row: ChangedRow | null;
  readonly events: readonly NewBusEvent[];
  readonly notifications: readonly NewNotification[];
}

/**
 * The Record step (§5.1 rule 3, §7.1, §8.4, §9.4): for each transaction that is still UNKNOWN or PENDING
 * writes status, payment state, attempt, invoice payment, invoice and account balance, retry and recovery
 * notifications and events, all in this session's transaction. The caller holds the locks of the accounts. What is
 * decided already, or what recovery learns nothing new about, stays as it is. A constant number of statements.
 *
 * @returns the transactions as they are afterwards.
 */
export async function recordOutcomes(
  session: WriteSession,
  settlements: readonly Settlement[],
  tools: RecordTools,
): Promise<ReadonlyMap<Uuid, PaymentTransaction>> {
  const loaded = await load(session, settlements);
  const stored = new Map(loaded.transactions.map((transaction) => [transaction.id, transaction]));
  const changes = settlements.flatMap((settlement) => {
    const before = stored.get(settlement.transactionId);
    const after = before && changedTransaction(before, settlement, tools.now);
    return after ? [{ before, after }] : [];
  });
  const wanted = changes.map(({ before, after }) => ({ transaction: after, expected: before.status }));
  const written = new Set(wanted.length > 0 ? await session.payments.updateTransactions(wanted) : []);
  for (const { after } of changes) if (written.has(after.id)) stored.set(after.id, after);
  const current = {
    ...loaded,
    transactions: loaded.transactions.map(({ id }) => stored.get(id)).filter(isPresent),
  };
  const effective = changes.filter(({ after }) => written.has(after.id)).map(({ after }) => after);
  const all = effective.flatMap((transaction) => consequencesOf(transaction, current, tools) ?? []);
  if (all.length > 0) await writeConsequences(session, { all, invoices: loaded.invoices }, tools);
  return stored;
}

async function load(session: WriteSession, settlements: readonly Settlement[]): Promise<Loaded> {
  const paymentIds = [...new Set(settlements.map(({ paymentId }) => paymentId))];
  const transactions = await session.payments.findTransactions(paymentIds);
  const payments = await session.payments.findByIds(paymentIds);
  const asked = new Set(settlements.map(({ transactionId }) => transactionId));
  const attemptIds = transactions.flatMap(({ id, attemptId }) =>
    asked.has(id) && attemptId ? [attemptId] : [],
  );
  const attempts = await session.payments.findAttemptsByIds(attemptIds);
  const rows = await session.payments.findInvoicePaymentsByPayments(paymentIds);
  const invoices = await session.invoices.findByIds([...new Set(rows.map(({ invoiceId }) => invoiceId))]);
  return {
    transactions,
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    attempts: new Map(attempts.map((attempt) => [attempt.id, attempt])),
    rows,
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
  };
}

/** The transaction with its outcome, or undefined where nothing is to be written. */
function changedTransaction(
  before: PaymentTransaction,
  settlement: Settlement,
  now: Instant,
): PaymentTransaction | undefined {
  if (!isUnresolved(before)) return undefined;
  const outcome = readOutcome(before, settlement.outcome);
  const after = { ...before, ...outcome, leaseUntil: null };
  if (settlement.source === 'CALL') return after;
  if (settlement.source === 'JANITOR' && before.leaseUntil !== null && before.leaseUntil > now)
    return undefined; // §7.1 rule 3
  if (after.status === TransactionStatus.UNKNOWN || after.status === before.status) return undefined; // §7.1 rules 1 and 2
  return after;
}

async function writeConsequences(
  session: WriteSession,
  { all, invoices }: { readonly all: readonly Consequences[]; readonly invoices: ReadonlyMap<Uuid, Invoice> },
  tools: RecordTools,
): Promise<void> {
  await session.payments.updatePayments(all.map(({ payment }) => payment));
  await session.payments.updateAttempts(all.map(({ attempt }) => attempt).filter(isPresent));
  const rows = all.map(({ row }) => row).filter(isPresent);
  await session.payments.updateInvoicePayments(rows.map(({ after }) => after));
  const released = new Set(
    all.flatMap(({ row, transaction }) => (row && !isUnresolved(transaction) ? row.after.invoiceId : [])),
  );
  await settleInvoices(session, { rows, invoices, released }, tools);
  const succeeded = all.flatMap(({ attempt }) =>
    attempt?.stateName === AttemptState.SUCCESS ? [attempt.id] : [],
  );
  await session.unschedule([
    ...all.map(({ transaction }) => recoveryKey(transaction.id)),
    ...succeeded.map(retryKey),
  ]);
  session.schedule(all.flatMap(({ notifications }) => notifications));
  session.publish(all.flatMap(({ events }) => events));
}

/** Pure: payment state, attempt state, invoice payment, notifications and events of one changed transaction. */
function consequencesOf(
  transaction: PaymentTransaction,
  loaded: Loaded,
  tools: RecordTools,
): Consequences | undefined {
  const payment = loaded.payments.get(transaction.paymentId);
  if (!payment) return undefined;
  const attempt = (transaction.attemptId && loaded.attempts.get(transaction.attemptId)) || null;
  const before = loaded.rows.find(
    (row) =>
      row.type === InvoicePaymentType.ATTEMPT && row.transactionExternalKey === transaction.externalKey,
  );
  const invoice = before && loaded.invoices.get(before.invoiceId);
  const result = invoice && invoicePaymentResult(transaction, invoice.currency);
  const isAutomatic = before !== undefined && attempt !== null && !attempt.isApiPayment;
  const own = loaded.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const retryAt = isAutomatic ? retryDate(own, tools.now, tools.config) : null;
  const nextAttempt = attempt && { ...attempt, stateName: attemptStateAfter(transaction.status, retryAt) };
  const after = before && result && { ...before, ...rowFields(result) };
  const events = [paymentEvent(payment, transaction, attempt?.isApiPayment ?? false)];
  if (after && result) {
    events.push(
      invoicePaymentEvent({ type: result.event, accountId: payment.accountId, row: after, attempt }),
    );
  }
  return {
    transaction,
    payment: { ...payment, ...paymentStateAfter(transaction, payment.lastSuccessStateName) },
    attempt: nextAttempt,
    row: before && after ? { before, after } : null,
    events,
    notifications: notificationsOf(
      { transaction, nextAttempt, invoiceId: before?.invoiceId, retryAt },
      tools,
    ),
  };
}

function rowFields(result: ReturnType<typeof invoicePaymentResult>): Partial<InvoicePayment> {
  return { status: result.status, amount: result.amount, processedCurrency: result.processedCurrency };
}

function notificationsOf(
  input: {
    readonly transaction: PaymentTransaction;
    readonly nextAttempt: PaymentAttempt | null;
    readonly invoiceId: Uuid | undefined;
    readonly retryAt: Instant | null;
  },
  tools: RecordTools,
): readonly NewNotification[] {
  const { transaction, nextAttempt, invoiceId, retryAt } = input;
  const { status, paymentId } = transaction;
  if (status === TransactionStatus.UNKNOWN || status === TransactionStatus.PENDING) {
    const check = janitorCheck({ status, check: 0, from: tools.now }, tools.config);
    return check ? [recoveryNotification(transaction, check)] : [];
  }
  if (nextAttempt?.stateName !== AttemptState.RETRIED || retryAt === null || invoiceId === undefined)
    return [];
  const job = { attemptId: nextAttempt.id, paymentId, invoiceId };
  return [retryNotification(job, transaction.accountRecordId, retryAt)];
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
