import type { IdGenerator } from '../../ports/index.ts';
import {
  type Invoice,
  type InvoicePayment,
  type InvoiceRefund,
  isUnresolved,
  type New,
  type NewBusEvent,
  type NewNotification,
  type OpenStatus,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { endedAttempt } from './ended-attempt.ts';
import { adjustmentsDue, type ChangedRow, eventOfResult, invoiceEffect } from './invoice-effect.ts';
import type { PaymentConfig } from './payment-config.ts';
import { invoicePaymentEvent, paymentEvent } from './payment-events.ts';
import { janitorCheck, recoveryNotification } from './payment-notifications.ts';
import { paymentStateAfter } from './payment-state.ts';
import type { Settlement } from './transaction-outcome.ts';

/** The records around transactions that are being settled. */
export interface SettledRecords {
  /** All transactions of the payments, in creation order, as they are now. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: ReadonlyMap<Uuid, Payment>;
  /** Refunds of invoices' payments that are under way, where chargebacks leave room for them. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  readonly attempts: ReadonlyMap<Uuid, PaymentAttempt>;
  readonly rows: readonly InvoicePayment[];
  /** The same by id, with what has been decided just before. */
  readonly latest: ReadonlyMap<Uuid, New<InvoicePayment>>;
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** Everything that follows from one changed transaction. */
export interface Consequences {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly row: ChangedRow | null;
  /** What a refund takes off items of the invoice now that it has succeeded. */
  readonly adjustments: InvoiceRefund['adjustments'];
  readonly events: readonly NewBusEvent[];
  readonly notifications: readonly NewNotification[];
}

/** A transaction with its outcome, and what was told of it besides. */
export interface Decided {
  readonly transaction: PaymentTransaction;
  /** As it was. */
  readonly before: PaymentTransaction;
  readonly settlement: Pick<Settlement, 'control' | 'fix' | 'properties'>;
}

interface Rules {
  readonly ids: IdGenerator;
  readonly now: Instant;
  readonly config: PaymentConfig;
}

/** Payment state, attempt state, invoice payment, notifications and events of one changed transaction. */
export function consequencesOf(
  { transaction, before, settlement }: Decided,
  records: SettledRecords,
  rules: Rules,
): Consequences | undefined {
  const payment = records.payments.get(transaction.paymentId);
  if (!payment) return undefined;
  const attempt = (transaction.attemptId && records.attempts.get(transaction.attemptId)) || null;
  const transactions = [...records.transactions, ...records.openInvoiceRefunds];
  const own = records.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const row = invoiceEffect(transaction, { ...records, transactions, own }, rules);
  const isPurchase = transaction.transactionType === TransactionType.PURCHASE;
  const { fix } = settlement;
  const isApiPayment = fix ? !fix.allowsRetry : (attempt?.isApiPayment ?? true);
  const invoiceId = isPurchase ? (row?.after.invoiceId ?? null) : null;
  const ending = { transaction, payment, transactions: own, invoiceId, ...settlement };
  const { attempt: nextAttempt, retry } = endedAttempt(attempt, ending, rules);
  const events = [paymentEvent(payment, transaction, isApiPayment)];
  if (row !== null) {
    const about = {
      accountId: payment.accountId,
      row: row.after,
      attempt: attempt && { ...attempt, isApiPayment },
    };
    events.push(invoicePaymentEvent({ type: eventOfResult(row.after), ...about }));
  }
  const { stateName, lastSuccessStateName } =
    fix ?? paymentStateAfter(transaction, payment.lastSuccessStateName);
  return {
    transaction,
    payment: { ...payment, stateName, lastSuccessStateName },
    attempt: nextAttempt,
    row,
    adjustments: row === null ? [] : adjustmentsDue(before, transaction),
    events,
    notifications: isUnresolved(transaction) ? firstCheckOf(transaction, rules) : retry,
  };
}

function firstCheckOf(
  transaction: PaymentTransaction & { readonly status: OpenStatus },
  { now, config }: Rules,
): readonly NewNotification[] {
  const check = janitorCheck({ status: transaction.status, check: 0, from: now }, config);
  return check ? [recoveryNotification(transaction, check)] : [];
}
