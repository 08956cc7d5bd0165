import { GATEWAY_TIMEOUT_MS } from '../../values/limits.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Settings of payments (§13). A changed value applies to decisions taken afterwards. */
export interface PaymentConfig {
  /** `retry.days`: days until the next attempt after the first, second, … declined one; empty = no retry. */
  readonly retryDays: readonly number[];
  /** `failure.retry.start.sec`, `.multiplier`, `.max.attempts`: retries of what never reached the gateway. */
  readonly failureRetry: {
    readonly startSeconds: number;
    readonly multiplier: number;
    readonly maxAttempts: number;
  };
  /** `plugin.timeout`. */
  readonly pluginTimeoutMs: number;
  /** `janitor.unknown.retries` and `janitor.pending.retries`: pauses before the first, second, … check. */
  readonly janitorUnknownDelaysMs: readonly number[];
  readonly janitorPendingDelaysMs: readonly number[];
  /** `allow.emptyInvoice`: true = an invoice with nothing due is paid with 0. */
  readonly allowEmptyInvoice: boolean;
}

export const DEFAULT_PAYMENT_CONFIG: PaymentConfig = {
  retryDays: [8, 8, 8],
  failureRetry: { startSeconds: 300, multiplier: 2, maxAttempts: 8 },
  pluginTimeoutMs: GATEWAY_TIMEOUT_MS,
  janitorUnknownDelaysMs: [5 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS],
  janitorPendingDelaysMs: [HOUR_MS, DAY_MS],
  allowEmptyInvoice: false,
};
