import {
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { MAX_SETTING_SPAN_MS } from '../../values/limits.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import type { PaymentConfig } from './payment-config.ts';

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
