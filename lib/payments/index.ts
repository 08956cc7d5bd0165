export { AutomaticPaymentHandler } from './collect/automatic-payment-handler.ts';
export { HoldReleaseHandler } from './collect/hold-release-handler.ts';
export { PaymentRetryHandler } from './collect/payment-retry-handler.ts';
export { externalPaymentGateway } from './gateways/external-payment-gateway.ts';
export type { PluginInfoOptions } from './gateways/gateway-info.ts';
export type {
  PaymentMethodInput,
  PaymentMethodOperations,
  PaymentMethodReadOptions,
  PaymentMethodView,
  SetDefaultInput,
} from './methods/payment-method-operations.ts';
export { PaymentMethodReads } from './methods/payment-method-reads.ts';
export { PaymentMethodService } from './methods/payment-method-service.ts';
export { loadPayments } from './reading/load-payments.ts';
export type { PaymentOperations, PaymentReadOptions } from './reading/payment-operations.ts';
export { PaymentReads } from './reading/payment-reads.ts';
export { JanitorHandler } from './recovery/janitor-handler.ts';
export { type AttemptView, ShownAttemptState } from './state/attempt-view.ts';
export { type PaymentConfig, type PaymentConfigOf, paymentConfig } from './state/payment-config.ts';
export type { PaymentTotals } from './state/payment-totals.ts';
export type { TransactionPluginInfo } from './state/payment-view.ts';
export {
  type InvoicePaymentView,
  type PaymentTransactionView,
  type PaymentView,
  viewPayments,
  withInvoices,
} from './state/payment-view.ts';
