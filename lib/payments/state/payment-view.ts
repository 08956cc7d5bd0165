import type { PendingNotification } from '../../ports/storage/index.ts';
import {
  AttemptState,
  type InvoicePayment,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  type PluginProperty,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type ClaimedResults, gatewayText, lastClaimOf } from '../claims/gateway-claims.ts';
import { retryKey } from './payment-notifications.ts';
import { type PaymentTotals, paymentTotals } from './payment-state.ts';

/** A gateway's information about a transaction. It is never stored (§1.4). */
export interface TransactionPluginInfo {
  readonly firstPaymentReferenceId: string | null;
  readonly secondPaymentReferenceId: string | null;
  readonly properties: readonly PluginProperty[];
}

export interface PaymentTransactionView extends PaymentTransaction {
  /** The gateway's information, or null if it was not requested, or if the gateway does not know the transaction. */
  readonly pluginInfo: TransactionPluginInfo | null;
}

/** A payment as read operations return it (§1.3, §4.4). */
export interface PaymentView extends Payment {
  readonly totals: PaymentTotals;
  readonly transactions: readonly PaymentTransactionView[];
  /** Attempts, oldest first, followed by scheduled attempts. The value is null if attempts were not requested. */
  readonly attempts: readonly AttemptView[] | null;
}

/** A payment and the invoice that it pays. The invoice is null for a direct payment. */
export interface InvoicePaymentView extends PaymentView {
  readonly targetInvoiceId: Uuid | null;
}

export interface LoadedPayments {
  readonly payments: readonly Payment[];
  readonly transactions: ReadonlyMap<Uuid, readonly PaymentTransaction[]>;
  /** The attempts by external key of the payment, or null if they were not requested. */
  readonly attempts: ReadonlyMap<string, readonly PaymentAttempt[]> | null;
  /** Retries of these attempts, by unique key. */
  readonly pending: ReadonlyMap<string, PendingNotification>;
  /** Gateway names by payment method id. The map is empty if gateway names were not requested. */
  readonly pluginNames: ReadonlyMap<Uuid, string>;
}

/** Returns the views of the payments. `told` contains the results of the gateways, by payment id. */
export function viewPayments(
  loaded: LoadedPayments,
  told: ReadonlyMap<Uuid, ClaimedResults>,
): readonly PaymentView[] {
  return loaded.payments.map((payment) => {
    const transactions = loaded.transactions.get(payment.id) ?? [];
    const results = told.get(payment.id) ?? [];
    const { attempts, pending } = loaded;
    return {
      ...payment,
      totals: paymentTotals(transactions),
      transactions: transactions.map((each) => ({ ...each, pluginInfo: pluginInfoOf(each, results) })),
      attempts: attempts && attemptViews(attempts.get(payment.externalKey) ?? [], pending),
    };
  });
}

export function withInvoices(
  payments: readonly PaymentView[],
  rows: readonly InvoicePayment[],
): readonly InvoicePaymentView[] {
  const paid = rows.filter(({ type }) => type === 'ATTEMPT');
  const invoiceOf = new Map(paid.map(({ paymentId, invoiceId }) => [paymentId, invoiceId]));
  return payments.map((payment) => ({ ...payment, targetInvoiceId: invoiceOf.get(payment.id) ?? null }));
}

function pluginInfoOf({ id }: PaymentTransaction, results: ClaimedResults) {
  const result = lastClaimOf(results, id);
  if (!result) return null;
  return {
    firstPaymentReferenceId: gatewayText(result.firstPaymentReferenceId),
    secondPaymentReferenceId: gatewayText(result.secondPaymentReferenceId),
    properties: result.properties,
  };
}

/** States of attempts as callers see them. SCHEDULED is a retry that has not happened yet (§1.1, §8.2). */
export const ShownAttemptState = { ...AttemptState, SCHEDULED: 'SCHEDULED' } as const;
export type ShownAttemptState = (typeof ShownAttemptState)[keyof typeof ShownAttemptState];

/**
 * An attempt as callers see it. A SCHEDULED attempt has no transaction and uses the id of the attempt that it repeats.
 */
export interface AttemptView extends Omit<PaymentAttempt, 'stateName'> {
  readonly stateName: ShownAttemptState;
  /** Time at which the attempt was created or, for a SCHEDULED attempt, the date of the retry. */
  readonly effectiveDate: Instant;
}

/** Returns the attempts of one payment, oldest first, and a SCHEDULED entry for each pending retry (§8.2). */
export function attemptViews(
  attempts: readonly PaymentAttempt[],
  pending: ReadonlyMap<string, PendingNotification>,
): readonly AttemptView[] {
  const stored = attempts.map((attempt) => ({ ...attempt, effectiveDate: attempt.createdDate }));
  const scheduled = attempts.flatMap((attempt) => {
    const retry = pending.get(retryKey(attempt.id));
    return retry ? [scheduledView(attempt, retry.effectiveDate)] : [];
  });
  return [...stored, ...scheduled];
}

export function retryKeysOf(attempts: readonly { readonly id: Uuid }[]): readonly string[] {
  return attempts.map(({ id }) => retryKey(id));
}

function scheduledView(attempt: PaymentAttempt, effectiveDate: Instant) {
  return { ...attempt, stateName: ShownAttemptState.SCHEDULED, transactionId: null, effectiveDate };
}
