import type { ReadSession } from '../ports/storage/index.ts';
import type { SettingsOf } from '../tenants/index.ts';
import type { PaymentConfig } from './state/payment-config.ts';

/** Gives the payment settings of a session's tenant. */
export type PaymentConfigOf = (session: ReadSession) => Promise<PaymentConfig>;

/** The settings of §13 among those of the tenant. */
export function paymentConfigOf(settingsOf: SettingsOf): PaymentConfigOf {
  return async (session) => {
    const settings = await settingsOf(session);
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
    };
  };
}
