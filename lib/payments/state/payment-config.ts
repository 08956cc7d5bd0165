import type { ReadSession } from '../../ports/storage/index.ts';
import type { SettingsOf, TenantSettings } from '../../tenants/index.ts';

/** Payment settings (§13). A changed value applies to all later decisions. */
export interface PaymentConfig {
  /**
   * Setting `retry.days`: the number of days until the next attempt after the first, second, … declined attempt. An
   * empty list means no retries.
   */
  readonly retryDays: readonly number[];
  /**
   * Settings `failure.retry.start.sec`, `.multiplier` and `.max.attempts`. They control retries of calls that never
   * reached the gateway.
   */
  readonly failureRetry: {
    readonly startSeconds: number;
    readonly multiplier: number;
    readonly maxAttempts: number;
  };
  /** Setting `plugin.timeout`. */
  readonly pluginTimeoutMs: number;
  /** Settings `janitor.unknown.retries` and `janitor.pending.retries`: the pauses before the first, second, … check. */
  readonly janitorUnknownDelaysMs: readonly number[];
  readonly janitorPendingDelaysMs: readonly number[];
  /** Setting `allow.emptyInvoice`. If true, an invoice with nothing due is paid with a payment of 0. */
  readonly allowEmptyInvoice: boolean;
  /** Setting `overRefund.allowed`. If true, only the gateway limits refunds. */
  readonly allowsOverRefund: boolean;
  /**
   * Setting `globalLock.retries`: the number of attempts, 100 ms apart, to acquire a payment while a running call holds
   * it.
   */
  readonly lockRetries: number;
  /** Setting `invoice.plugin`: default control plugins of the tenant's payments. */
  readonly controlPlugins: readonly string[];
  /** Setting `method.overwrite`. If true, control plugins may replace a requested payment method. */
  readonly overwritesMethod: boolean;
}

export type PaymentConfigOf = (session: ReadSession) => Promise<PaymentConfig>;

export function paymentConfigOf(settingsOf: SettingsOf): PaymentConfigOf {
  return async (session) => paymentConfig(await settingsOf(session));
}

export function paymentConfig(settings: TenantSettings): PaymentConfig {
  return {
    retryDays: settings['payment.retry.days'],
    failureRetry: {
      startSeconds: settings['payment.failure.retry.start.sec'],
      multiplier: settings['payment.failure.retry.multiplier'],
      maxAttempts: settings['payment.failure.retry.max.attempts'],
    },
    pluginTimeoutMs: settings['payment.plugin.timeout'],
    janitorUnknownDelaysMs: settings['payment.janitor.unknown.retries'],
    janitorPendingDelaysMs: settings['payment.janitor.pending.retries'],
    allowEmptyInvoice: settings['payment.allow.emptyInvoice'],
    allowsOverRefund: settings['payment.overRefund.allowed'],
    lockRetries: settings['payment.globalLock.retries'],
    controlPlugins: settings['payment.invoice.plugin'],
    overwritesMethod: settings['payment.method.overwrite'],
  };
}
