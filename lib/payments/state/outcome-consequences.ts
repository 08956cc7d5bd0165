import type { IdGenerator } from '../../ports/index.ts';
import {
  AttemptState,
  type Invoice,
  type InvoicePayment,
  isUnresolved,
  type NewBusEvent,
  type NewNotification,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, minInstant } from '../../values/time/index.ts';
import { attemptStateAfter } from './attempt-state.ts';
import { invoiceEffect } from './invoice-effect.ts';
import { type ChangedRow, eventOfResult } from './invoice-payment-result.ts';
import type { PaymentConfig } from './payment-config.ts';
import { invoicePaymentEvent, paymentEvent } from './payment-events.ts';
import { recoveryNotification, retryNotification } from './payment-notifications.ts';
import { paymentStateAfter } from './payment-state.ts';
import { janitorCheck } from './recovery-schedule.ts';
import { retryDate } from './retry-dates.ts';
import type { ControlResult, TransactionFix } from './settlement.ts';

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

/** A transaction with its outcome, and what control plugins made of it. */
export interface Decided {
  readonly transaction: PaymentTransaction;
  readonly control: ControlResult | undefined;
  /** Where an operator has corrected it. */
  readonly fix?: TransactionFix | undefined;
}

interface Rules {
  readonly ids: IdGenerator;
  readonly now: Instant;
  readonly config: PaymentConfig;
}

/** Payment state, attempt state, invoice payment, notifications and events of one changed transaction. */
export function consequencesOf(
  { transaction, control, fix }: Decided,
  records: SettledRecords,
  rules: Rules,
): Consequences | undefined {
  const payment = records.payments.get(transaction.paymentId);
  if (!payment) return undefined;
  const attempt = (transaction.attemptId && records.attempts.get(transaction.attemptId)) || null;
  const row = invoiceEffect(transaction, records, rules);
  const isPurchase = transaction.transactionType === TransactionType.PURCHASE;
  const isApiPayment = fix ? !fix.allowsRetry : (attempt?.isApiPayment ?? false);
  const isAutomatic = isPurchase && row !== null && attempt !== null && !isApiPayment;
  const own = records.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const retryAt = earliest(
    isAutomatic ? retryDate(own, rules.now, rules.config) : null,
    control?.retryAt ?? null,
  );
  const nextAttempt = attempt && endedAttempt(attempt, { transaction, payment, retryAt, control });
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
  const run = { transaction, nextAttempt, invoiceId: isPurchase ? row?.after.invoiceId : undefined, retryAt };
  return {
    transaction,
    payment: { ...payment, stateName, lastSuccessStateName },
    attempt: nextAttempt,
    row,
    events,
    notifications: notificationsOf(run, rules),
  };
}

/** §3.3, §8.1 rule 3: what drives a retry is the amount that was asked for. */
function endedAttempt(
  attempt: PaymentAttempt,
  {
    transaction,
    payment,
    retryAt,
    control,
  }: Decided & { readonly payment: Payment; readonly retryAt: Instant | null },
): PaymentAttempt {
  return {
    ...attempt,
    stateName: attemptStateAfter(transaction.status, retryAt),
    transactionId: transaction.id,
    paymentMethodId: payment.paymentMethodId,
    amount: transaction.amount ?? attempt.amount,
    currency: transaction.currency ?? attempt.currency,
    pluginProperties: control?.properties ?? attempt.pluginProperties ?? [],
  };
}

function earliest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return minInstant(one, other);
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
  if (nextAttempt?.stateName !== AttemptState.RETRIED || retryAt === null) return [];
  const job = { attemptId: nextAttempt.id, paymentId: transaction.paymentId, invoiceId: invoiceId ?? null };
  return [retryNotification(job, transaction.accountRecordId, retryAt)];
}
