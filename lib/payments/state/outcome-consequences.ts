import type { IdGenerator } from '../../ports/index.ts';
import {
  AttemptState,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type InvoiceRefund,
  isUnresolved,
  type NewBusEvent,
  type NewNotification,
  type OpenStatus,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  type PluginProperty,
  type TransactionStatus,
  type TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { DAY_MS, MAX_SETTING_SPAN_MS } from '../../values/limits.ts';
import { addMilliseconds, type Instant, minInstant } from '../../values/time/index.ts';
import {
  adjustmentsDue,
  type ChangedRow,
  eventOfResult,
  invoiceEffect,
  type SettledRecords,
} from './invoice-effect.ts';
import type { PaymentConfig } from './payment-config.ts';
import {
  invoicePaymentEvent,
  janitorCheck,
  paymentEvent,
  recoveryNotification,
  retryNotification,
} from './payment-notifications.ts';
import { paymentStateAfter } from './payment-state.ts';
import type { ControlResult, Settlement, TransactionFix } from './transaction-outcome.ts';

export interface Consequences {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly row: ChangedRow | null;
  /** The item adjustments of a refund that has succeeded. */
  readonly adjustments: InvoiceRefund['adjustments'];
  readonly events: readonly NewBusEvent[];
  readonly notifications: readonly NewNotification[];
}

/** A transaction with its outcome and related data. */
export interface Decided {
  readonly transaction: PaymentTransaction;
  readonly before: PaymentTransaction;
  readonly settlement: Pick<Settlement, 'control' | 'fix' | 'properties'>;
}

interface Rules {
  readonly ids: IdGenerator;
  readonly now: Instant;
  readonly config: PaymentConfig;
}

/**
 * Returns the consequences of one changed transaction: payment state, attempt state, invoice payment, notifications and
 * events.
 */
export function consequencesOf(
  { transaction, before, settlement }: Decided,
  records: SettledRecords,
  rules: Rules,
): Consequences | undefined {
  const payment = records.payments.get(transaction.paymentId);
  if (!payment) return undefined;
  const attempt = (transaction.attemptId && records.attempts.get(transaction.attemptId)) || null;
  const own = records.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const row = invoiceEffect(transaction, { ...records, own }, rules);
  const isPurchase = transaction.transactionType === 'PURCHASE';
  const { fix } = settlement;
  const isApiPayment = fix ? !fix.allowsRetry : (attempt?.isApiPayment ?? true);
  const invoiceId = isPurchase ? (row?.after.invoiceId ?? null) : null;
  const ending = { transaction, payment, transactions: own, invoiceId, ...settlement };
  const { attempt: nextAttempt, retry } = endedAttempt(attempt, ending, rules);
  const events = [paymentEvent(payment, transaction, isApiPayment)];
  if (row !== null) {
    const { accountId } = payment;
    const type = eventOfResult(row.after);
    const by = attempt && { ...attempt, isApiPayment };
    events.push(invoicePaymentEvent({ type, accountId, row: row.after, attempt: by }));
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
) {
  const check = janitorCheck({ status: transaction.status, check: 0, from: now }, config);
  return check ? [recoveryNotification(transaction, check)] : [];
}

interface Ending {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
  readonly transactions: readonly PaymentTransaction[];
  /** The invoice to pay, or null if the payment has no invoice. */
  readonly invoiceId: Uuid | null;
  readonly control?: ControlResult | undefined;
  /** The plugin properties of the call, if the result of the call ended the run. */
  readonly properties?: readonly PluginProperty[];
  readonly fix?: Pick<TransactionFix, 'allowsRetry'>;
}

/** An attempt whose run has ended, with its retry if one is planned. */
export interface EndedAttempt {
  readonly attempt: PaymentAttempt | null;
  readonly retry: readonly NewNotification[];
}

/**
 * Returns the attempt of a decided transaction (§3.3, §8.1 rule 3, §8.4). If the attempt will be retried, the retry
 * date is the date of the built-in retry of automatic invoice payments (§8.3) or the date set by the control plugins,
 * whichever is earlier.
 */
export function endedAttempt(
  attempt: PaymentAttempt | null,
  { transaction, payment, transactions, invoiceId, ...told }: Ending,
  { now, config }: { readonly now: Instant; readonly config: RetryConfig },
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
    ...chooseRetryAmount(attempt, transaction),
    pluginProperties:
      stateName === 'RETRIED' ? pluginProperties : retainedProperties(attempt, pluginProperties),
  };
  if (stateName !== 'RETRIED' || retryAt === null) return { attempt: ended, retry: [] };
  const job = { attemptId: attempt.id, paymentId: payment.id, invoiceId };
  return { attempt: ended, retry: [retryNotification(job, transaction.accountRecordId, retryAt)] };
}

/**
 * Returns the amount for a retry (§8.1 rule 3). This is the requested amount, or the amount of the invoice, which is
 * converted again.
 */
function chooseRetryAmount(
  attempt: PaymentAttempt,
  { amount, currency, transactionType }: PaymentTransaction,
) {
  const settlesInvoice =
    transactionType === 'PURCHASE' && attempt.pluginNames.includes(INVOICE_PAYMENT_CONTROL_PLUGIN);
  if (settlesInvoice && currency !== attempt.currency)
    return { amount: attempt.amount, currency: attempt.currency };
  return { amount: amount ?? attempt.amount, currency: currency ?? attempt.currency };
}

function earliest(one: Instant | null, other: Instant | null) {
  if (one === null || other === null) return one ?? other;
  return minInstant(one, other);
}

/**
 * Returns the state of an attempt after its run or a correction (§3.3). `retryAt` is the date of its retry (§8.3).
 */
export function attemptStateAfter(status: TransactionStatus, retryAt: Instant | null): AttemptState {
  const isWell = status === 'SUCCESS' || status === 'PENDING';
  if (isWell) return AttemptState.SUCCESS;
  if (status === 'UNKNOWN' || retryAt === null) return AttemptState.ABORTED;
  return AttemptState.RETRIED;
}

/**
 * Returns true if control plugins were consulted about a run that then reserved nothing, because it was stopped, busy
 * or interrupted by a crash. The attempt that the run repeats must still be repeated (§5.3 rule 2).
 * @param transactions Transactions that the run may have created.
 */
export function hasOnlyBegun(
  { id, stateName, transactionId, pluginNames }: PaymentAttempt,
  transactions: readonly Pick<PaymentTransaction, 'attemptId'>[],
): boolean {
  if (transactionId !== null || transactions.some(({ attemptId }) => attemptId === id)) return false;
  if (stateName === 'INIT') return true;
  // If no plugins were called, the engine itself ended the attempt.
  const wasConsulted = pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
  return stateName === 'ABORTED' && wasConsulted;
}

/**
 * Returns the properties that an attempt without a retry keeps (§8.1 rule 3). The attempt keeps all properties if a
 * plugin had the opportunity to remove secrets.
 */
export function retainedProperties(
  { pluginNames }: Pick<PaymentAttempt, 'pluginNames'>,
  properties: readonly PluginProperty[],
): readonly PluginProperty[] {
  if (pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN)) return properties;
  return properties.filter((property) => asksForRetries([property]));
}

/** Returns the attempt after its retry was made or canceled. Returns nothing if the attempt does not change. */
export function spentAttempt(attempt: PaymentAttempt): readonly PaymentAttempt[] {
  const properties = attempt.pluginProperties ?? [];
  const pluginProperties = retainedProperties(attempt, properties);
  return pluginProperties.length === properties.length ? [] : [{ ...attempt, pluginProperties }];
}

const SECOND_MS = 1_000;

type RetryConfig = Pick<PaymentConfig, 'retryDays' | 'failureRetry'>;

/**
 * Returns the date of the next attempt of an automatic invoice payment, or null (§8.3). The date depends on the status
 * of the latest PURCHASE and on the number of purchases with that status. UNKNOWN is never retried, because the janitor
 * must resolve it first.
 * @param transactions Transactions of the payment, in creation order.
 */
export function retryDate(
  transactions: readonly Pick<PaymentTransaction, 'transactionType' | 'status'>[],
  now: Instant,
  config: RetryConfig,
): Instant | null {
  const purchases = transactions.filter(({ transactionType: type }) => type === 'PURCHASE');
  const status = purchases.at(-1)?.status;
  const n = purchases.filter((purchase) => purchase.status === status).length;
  if (status === 'PAYMENT_FAILURE') return afterDecline(n, now, config.retryDays);
  if (status === 'PLUGIN_FAILURE') return afterFailure(n, now, config.failureRetry);
  return null;
}

const neverRepeated: ReadonlySet<TransactionType> = new Set(['REFUND', 'CREDIT', 'CHARGEBACK']);

/**
 * Returns false for operations that return money or record an action of the card network. Plugins cannot repeat these
 * operations (§8.3).
 */
export function isRepeatable(type: TransactionType): boolean {
  return !neverRepeated.has(type);
}

/** Returns true if an API payment must be retried like an automatic payment (§7.4 rule 4, §8.3). */
export function asksForRetries(properties: readonly PluginProperty[]): boolean {
  return properties.some(({ key, value }) => key === 'IPCD_RETRIES' && String(value) === 'true');
}

function afterDecline(n: number, now: Instant, retryDays: readonly number[]) {
  const days = retryDays[n - 1];
  return days === undefined ? null : addMilliseconds(now, days * DAY_MS);
}

/**
 * Returns the date of the retry after a failure. The pauses are 300, 300, 600, 1200, … seconds. They double from the
 * third failure on.
 */
function afterFailure(n: number, now: Instant, retry: PaymentConfig['failureRetry']) {
  if (n - 1 >= retry.maxAttempts) return null;
  const pauseMs = Math.round(retry.startSeconds * retry.multiplier ** Math.max(0, n - 2)) * SECOND_MS;
  return addMilliseconds(now, Math.min(pauseMs, MAX_SETTING_SPAN_MS));
}
