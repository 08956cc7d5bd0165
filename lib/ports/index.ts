import type { Clock, SystemClock } from './clock.ts';
import type { IdGenerator, SecretCipher, SecretHasher, Sha256 } from './identity.ts';
import type { LogFiles, Logger, Meters } from './logger.ts';
import type { DocumentRenderer } from './plugins/document-renderer.ts';
import type { EInvoiceSender } from './plugins/e-invoice-sender.ts';
import type { EInvoiceWriter } from './plugins/e-invoice-writer.ts';
import type { InvoiceFormatterFactory } from './plugins/invoice-formatter.ts';
import type { PaymentControl } from './plugins/payment-control.ts';
import type { PaymentGateway } from './plugins/payment-gateway.ts';
import type { PushSender } from './push-sender.ts';
import type { Storage } from './storage/index.ts';
import type { Tracer, WorkScopes } from './tracer.ts';

export type * from './clock.ts';
export type * from './identity.ts';
export type * from './logger.ts';
export type * from './plugins/catalog-definition.ts';
export type * from './plugins/catalog-plugin.ts';
export type * from './plugins/document-renderer.ts';
export type * from './plugins/e-invoice-sender.ts';
export type * from './plugins/e-invoice-writer.ts';
export * from './plugins/entitlement-plugin.ts';
export type * from './plugins/event-sink.ts';
export type * from './plugins/invoice-formatter.ts';
export type * from './plugins/invoice-plugin.ts';
export type * from './plugins/payment-control.ts';
export * from './plugins/payment-gateway.ts';
export type * from './plugins/plugin-identity.ts';
export { RetryLater, retryLaterOf } from './plugins/plugin-identity.ts';
export type * from './plugins/usage-source.ts';
export type * from './push-sender.ts';
export type * from './tracer.ts';

/** The external services that the engine needs. */
export interface Ports {
  readonly storage: Storage<never>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly hasher: SecretHasher;
  readonly cipher: SecretCipher;
  readonly sha256: Sha256;
  readonly logger: Logger;
  readonly documentRenderer?: DocumentRenderer | undefined;
  readonly eInvoices?: EInvoiceWriter | undefined;
  readonly eInvoiceSender?: EInvoiceSender | undefined;
  /** Registered gateways by name. They always include the built-in gateway for external payments. */
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly invoiceFormatter?: InvoiceFormatterFactory | undefined;
  readonly paymentControls: ReadonlyMap<string, PaymentControl>;
  /** Sends events to callbacks. Without a sender, events are not pushed. */
  readonly pushSender?: PushSender | null | undefined;
  readonly meters?: Meters | undefined;
  readonly logFiles?: LogFiles | undefined;
  /** Records traces. Requires `scopes`. */
  readonly tracer?: Tracer | undefined;
  /** Holds the tenant, account and user of the current work, for log lines. */
  readonly scopes?: WorkScopes | undefined;
}
export type {
  BlockShape,
  ChangeCaseConditions,
  CreateCaseConditions,
  EndingPhase,
  FromConditions,
  PhaseCharges,
  SubscriptionCaseConditions,
} from './plugins/catalog-definition.ts';
export type { CallOf, NoTerms } from './plugins/entitlement-plugin.ts';
