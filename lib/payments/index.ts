export type { HostedFormView, NotificationAnswerView } from './claims/hosted-answers.ts';
export { AutomaticPaymentHandler } from './collect/automatic-payment-handler.ts';
export { HoldReleaseHandler } from './collect/hold-release-handler.ts';
export { PaymentRetryHandler } from './collect/payment-retry-handler.ts';
export { type ComboAccounts, ComboPartiesFinder, ComboPayments } from './direct/combo-payments.ts';
export { DirectPayments } from './direct/direct-payments.ts';
export { PaymentRepairs } from './direct/payment-repairs.ts';
export { PaymentService } from './direct/payment-service.ts';
export { externalPaymentGateway } from './gateways/external-payment-gateway.ts';
export type { PluginInfoOptions } from './gateways/gateway-info.ts';
export { NotifiedPayments } from './hosted/notified-payments.ts';
export {
  type ComboFormInput,
  type GatewayNotificationInput,
  type HostedFormInput,
  type PaymentGatewayOperations,
  PaymentGatewayService,
  type SignedNotificationInput,
} from './hosted/payment-gateway-service.ts';
export type {
  InvoiceChargebackInput,
  InvoicePaymentInput,
  InvoicePaymentOperations,
  InvoiceRefundInput,
  PaidInvoices,
  PayAllInput,
} from './invoice-payments/invoice-payment-operations.ts';
export { InvoicePaymentService } from './invoice-payments/invoice-payment-service.ts';
export { PaymentMethodDeletion } from './methods/payment-method-deletion.ts';
export type {
  DeletePaymentMethodInput,
  PaymentMethodInput,
  PaymentMethodOperations,
  PaymentMethodPageRequest,
  PaymentMethodReadOptions,
  PaymentMethodView,
  RefreshPaymentMethodsInput,
  SetDefaultInput,
} from './methods/payment-method-operations.ts';
export { PaymentMethodReads } from './methods/payment-method-reads.ts';
export { PaymentMethodRefresh } from './methods/payment-method-refresh.ts';
export { PaymentMethodService } from './methods/payment-method-service.ts';
export type {
  ChargebackReversalInput,
  ComboAccount,
  ComboOperations,
  ComboParties,
  ComboPaymentInput,
  ComboPaymentMethod,
  CompletionInput,
  DirectPaymentOperations,
  NewPaymentInput,
  NotifiedOutcomeInput,
  NotifiedStatus,
  OfPayment,
  OperationInput,
  PaymentAmountInput,
  PaymentListOperations,
  PaymentListRequest,
  PaymentOperations,
  PaymentReadOperations,
  PaymentReadOptions,
  PaymentRepairOperations,
  PaymentResult,
  ScheduledRetryInput,
  TransactionFixInput,
  VoidInput,
} from './payment-operations.ts';
export type { RefundAdjustmentInput } from './planning/refund-adjustments.ts';
export { PaymentLists } from './reading/payment-lists.ts';
export { loadPayments, PaymentReads } from './reading/payment-reads.ts';
export { AttemptSweep } from './recovery/attempt-sweep.ts';
export { JanitorHandler } from './recovery/janitor-handler.ts';
export type { FixedStatus } from './state/fixed-states.ts';
export { decidingTransaction, isRowOf } from './state/invoice-remainder.ts';
export {
  type PaymentConfig,
  type PaymentConfigOf,
  paymentConfig,
  paymentConfigOf,
} from './state/payment-config.ts';
export { noSignedNotifications } from './state/payment-errors.ts';
export { recoveryKey } from './state/payment-notifications.ts';
export { PaymentStateName } from './state/payment-state.ts';
export { type PaymentTotals, refundable, takenOf } from './state/payment-totals.ts';
export { checkStateMachine } from './state-machines/state-machines.ts';
export {
  type AttemptView,
  type InvoicePaymentView,
  type PaymentTransactionView,
  type PaymentView,
  ShownAttemptState,
  type TransactionPluginInfo,
  viewPayments,
  withInvoices,
} from './views/payment-view.ts';
