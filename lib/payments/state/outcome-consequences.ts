import {
  AttemptState,
  type Invoice,
  type InvoicePayment,
  InvoicePaymentType,
  isUnresolved,
  type NewBusEvent,
  type NewNotification,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { attemptStateAfter } from './attempt-state.ts';
import { type ChangedRow, changedRow, invoicePaymentResult } from './invoice-payment-result.ts';
import type { PaymentConfig } from './payment-config.ts';
import { invoicePaymentEvent, paymentEvent } from './payment-events.ts';
import { recoveryNotification, retryNotification } from './payment-notifications.ts';
import { paymentStateAfter } from './payment-state.ts';
import { janitorCheck } from './recovery-schedule.ts';
import { retryDate } from './retry-dates.ts';

/** The records around transactions that are being settled. */
export interface SettledRecords {
  /** All transactions of the payments, in creation order, as they are now. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: ReadonlyMap<Uuid, Payment>;
  readonly attempts: ReadonlyMap<Uuid, PaymentAttempt>;
  readonly rows: readonly InvoicePayment[];
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** Everything that follows from one changed transaction. */
export interface Consequences {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly row: ChangedRow | null;
  readonly events: readonly NewBusEvent[];
  readonly notifications: readonly NewNotification[];
}

interface Rules {
  readonly now: Instant;
  readonly config: PaymentConfig;
}

/** Payment state, attempt state, invoice payment, notifications and events of one changed transaction. */
export function consequencesOf(
  transaction: PaymentTransaction,
  records: SettledRecords,
  rules: Rules,
): Consequences | undefined {
  const payment = records.payments.get(transaction.paymentId);
  if (!payment) return undefined;
  const attempt = (transaction.attemptId && records.attempts.get(transaction.attemptId)) || null;
  const before = records.rows.find(
    (row) =>
      row.type === InvoicePaymentType.ATTEMPT && row.transactionExternalKey === transaction.externalKey,
  );
  const invoice = before && records.invoices.get(before.invoiceId);
  const result = invoice && invoicePaymentResult(transaction, invoice.currency);
  const isAutomatic = before !== undefined && attempt !== null && !attempt.isApiPayment;
  const own = records.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const retryAt = isAutomatic ? retryDate(own, rules.now, rules.config) : null;
  const nextAttempt = attempt && { ...attempt, stateName: attemptStateAfter(transaction.status, retryAt) };
  const row = before && result ? changedRow(before, result) : null;
  const events = [paymentEvent(payment, transaction, attempt?.isApiPayment ?? false)];
  if (row && result) {
    const { accountId } = payment;
    events.push(invoicePaymentEvent({ type: result.event, accountId, row: row.after, attempt }));
  }
  const run = { transaction, nextAttempt, invoiceId: before?.invoiceId, retryAt };
  return {
    transaction,
    payment: { ...payment, ...paymentStateAfter(transaction, payment.lastSuccessStateName) },
    attempt: nextAttempt,
    row,
    events,
    notifications: notificationsOf(run, rules),
  };
}

function notificationsOf(
  run: {
    readonly transaction: PaymentTransaction;
    readonly nextAttempt: PaymentAttempt | null;
    readonly invoiceId: Uuid | undefined;
    readonly retryAt: Instant | null;
  },
  { now, config }: Rules,
): readonly NewNotification[] {
  const { transaction, nextAttempt, invoiceId, retryAt } = run;
  if (isUnresolved(transaction)) {
    const check = janitorCheck({ status: transaction.status, check: 0, from: now }, config);
    return check ? [recoveryNotification(transaction, check)] : [];
  }
  if (nextAttempt?.stateName !== AttemptState.RETRIED || retryAt === null || invoiceId === undefined)
    return [];
  const job = { attemptId: nextAttempt.id, paymentId: transaction.paymentId, invoiceId };
  return [retryNotification(job, transaction.accountRecordId, retryAt)];
}
