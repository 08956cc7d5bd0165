import {
  AttemptState,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type NewNotification,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  type PluginProperty,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, minInstant } from '../../values/time/index.ts';
import { attemptStateAfter } from './attempt-state.ts';
import { keptProperties } from './kept-properties.ts';
import type { PaymentConfig } from './payment-config.ts';
import { retryNotification } from './payment-notifications.ts';
import { asksForRetries, isRepeatable, retryDate } from './retry-dates.ts';
import type { ControlResult, TransactionFix } from './settlement.ts';

/** How the run of an attempt has ended. */
interface Ending {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  /** Those of the payment, in creation order. */
  readonly transactions: readonly PaymentTransaction[];
  /** The invoice that the transaction was to pay; null = none. */
  readonly invoiceId: Uuid | null;
  readonly control?: ControlResult | undefined;
  /** What the call was made with, where the ending is its answer. */
  readonly properties?: readonly PluginProperty[];
  /** Where an operator has corrected the transaction. */
  readonly fix?: Pick<TransactionFix, 'allowsRetry'>;
}

/** An attempt after its run, and its next one where there is to be one. */
export interface EndedAttempt {
  readonly attempt: PaymentAttempt | null;
  readonly retry: readonly NewNotification[];
}

/**
 * The attempt of a transaction that has got its status (§3.3, §8.1 rule 3, §8.4): of the dates of the built-in control,
 * which retries automatic payments of invoices (§8.3), and of control plugins the earlier counts.
 */
export function endedAttempt(
  attempt: PaymentAttempt | null,
  { transaction, payment, transactions, invoiceId, ...told }: Ending,
  {
    now,
    config,
  }: { readonly now: Instant; readonly config: Pick<PaymentConfig, 'retryDays' | 'failureRetry'> },
): EndedAttempt {
  if (attempt === null) return { attempt: null, retry: [] };
  const { control, fix } = told;
  const pluginProperties = control?.properties ?? told.properties ?? attempt.pluginProperties ?? [];
  const isRetried = fix ? fix.allowsRetry : !attempt.isApiPayment || asksForRetries(pluginProperties);
  const own = invoiceId !== null && isRetried ? retryDate(transactions, now, config) : null;
  const given = isRepeatable(transaction.transactionType) ? (control?.retryAt ?? null) : null;
  const retryAt = earliest(own, given);
  const stateName = attemptStateAfter(transaction.status, retryAt);
  const ended: PaymentAttempt = {
    ...attempt,
    stateName,
    transactionId: transaction.id,
    paymentMethodId: payment.paymentMethodId,
    ...requestedBy(attempt, transaction),
    pluginProperties:
      stateName === AttemptState.RETRIED ? pluginProperties : keptProperties(attempt, pluginProperties),
  };
  if (stateName !== AttemptState.RETRIED || retryAt === null) return { attempt: ended, retry: [] };
  const job = { attemptId: attempt.id, paymentId: payment.id, invoiceId };
  return { attempt: ended, retry: [retryNotification(job, transaction.accountRecordId, retryAt)] };
}

/**
 * What drives a retry (§8.1 rule 3): the amount that was asked for; of what settles an invoice in another currency that
 * of the invoice, which is converted anew.
 */
function requestedBy(
  attempt: PaymentAttempt,
  { amount, currency, transactionType }: PaymentTransaction,
): Pick<PaymentAttempt, 'amount' | 'currency'> {
  const settlesInvoice =
    transactionType === TransactionType.PURCHASE &&
    attempt.pluginNames.includes(INVOICE_PAYMENT_CONTROL_PLUGIN);
  if (settlesInvoice && currency !== attempt.currency)
    return { amount: attempt.amount, currency: attempt.currency };
  return { amount: amount ?? attempt.amount, currency: currency ?? attempt.currency };
}

function earliest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return minInstant(one, other);
}
