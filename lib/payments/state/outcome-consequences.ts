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
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_SETTING_SPAN_MS } from '../../values/limits.ts';
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
  const own = records.transactions.filter(({ paymentId }) => paymentId === payment.id);
  const row = invoiceEffect(transaction, { ...records, own }, rules);
  const isPurchase = transaction.transactionType === TransactionType.PURCHASE;
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
): readonly NewNotification[] {
  const check = janitorCheck({ status: transaction.status, check: 0, from: now }, config);
  return check ? [recoveryNotification(transaction, check)] : [];
}

/** How the run of an attempt has ended. */
interface Ending {
  readonly transaction: PaymentTransaction;
  readonly payment: Payment;
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

/**
 * State of an attempt after its run, or after a later fix of its transaction (§3.3). `retryAt` is the date
 * that §8.3 gives, null = none.
 */
export function attemptStateAfter(status: TransactionStatus, retryAt: Instant | null): AttemptState {
  if (status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING)
    return AttemptState.SUCCESS;
  if (status === TransactionStatus.UNKNOWN || retryAt === null) return AttemptState.ABORTED;
  return AttemptState.RETRIED;
}

/**
 * True of a run that control plugins were asked about and that has reserved nothing: they have stopped it, the payment was
 * with somebody else, or a crash came between. Whatever it was to repeat is still to be repeated (§5.3 rule 2).
 * @param transactions those that the run may have made.
 */
export function hasOnlyBegun(
  { id, stateName, transactionId, pluginNames }: PaymentAttempt,
  transactions: readonly Pick<PaymentTransaction, 'attemptId'>[],
): boolean {
  if (transactionId !== null || transactions.some(({ attemptId }) => attemptId === id)) return false;
  if (stateName === AttemptState.INIT) return true;
  // Without plugins it is the engine that has ended it, for good.
  const wasAsked = pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
  return stateName === AttemptState.ABORTED && wasAsked;
}

/**
 * Those that an attempt keeps of which no retry is to be made (§8.1 rule 3): where no plugin could strip secrets, only what
 * tells whether the payment is tried again.
 */
export function keptProperties(
  { pluginNames }: Pick<PaymentAttempt, 'pluginNames'>,
  properties: readonly PluginProperty[],
): readonly PluginProperty[] {
  if (pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN)) return properties;
  return properties.filter((property) => asksForRetries([property]));
}

/** An attempt whose retry has been made, or is not to be made any more; none if that leaves it as it is. */
export function spentAttempt(attempt: PaymentAttempt): readonly PaymentAttempt[] {
  const properties = attempt.pluginProperties ?? [];
  const pluginProperties = keptProperties(attempt, properties);
  return pluginProperties.length === properties.length ? [] : [{ ...attempt, pluginProperties }];
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/**
 * When an automatic invoice payment is tried again, or null (§8.3). `transactions` are those of the payment
 * in creation order; the latest PURCHASE decides, and n counts the PURCHASE transactions with its status, so the two
 * counters run apart. UNKNOWN is never retried: the janitor decides first.
 */
export function retryDate(
  transactions: readonly Pick<PaymentTransaction, 'transactionType' | 'status'>[],
  now: Instant,
  config: Pick<PaymentConfig, 'retryDays' | 'failureRetry'>,
): Instant | null {
  const purchases = transactions.filter(
    ({ transactionType }) => transactionType === TransactionType.PURCHASE,
  );
  const status = purchases.at(-1)?.status;
  const n = purchases.filter((purchase) => purchase.status === status).length;
  if (status === TransactionStatus.PAYMENT_FAILURE) return afterDecline(n, now, config.retryDays);
  if (status === TransactionStatus.PLUGIN_FAILURE) return afterFailure(n, now, config.failureRetry);
  return null;
}

const neverRepeated: ReadonlySet<TransactionType> = new Set([
  TransactionType.REFUND,
  TransactionType.CREDIT,
  TransactionType.CHARGEBACK,
]);

/** False of what gives money back, or records what the network did: no date of a plugin repeats it (§8.3). */
export function isRepeatable(type: TransactionType): boolean {
  return !neverRepeated.has(type);
}

/** Whether a payment that was asked for by the API is to be tried again like one of the engine (§7.4 rule 4, §8.3). */
export function asksForRetries(properties: readonly PluginProperty[]): boolean {
  return properties.some(({ key, value }) => key === 'IPCD_RETRIES' && String(value) === 'true');
}

function afterDecline(n: number, now: Instant, retryDays: readonly number[]): Instant | null {
  const days = retryDays[n - 1];
  return days === undefined ? null : addMilliseconds(now, days * DAY_MS);
}

/** 300, 300, 600, 1200, … seconds: the pause doubles from the third failure on. */
function afterFailure(n: number, now: Instant, retry: PaymentConfig['failureRetry']): Instant | null {
  if (n - 1 >= retry.maxAttempts) return null;
  const pauseMs = Math.round(retry.startSeconds * retry.multiplier ** Math.max(0, n - 2)) * SECOND_MS;
  return addMilliseconds(now, Math.min(pauseMs, MAX_SETTING_SPAN_MS));
}
