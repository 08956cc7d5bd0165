export type { HostedFormView } from './claims/hosted-form.ts';
export type { NotificationAnswerView } from './claims/notification-answer.ts';
export { AutomaticPaymentHandler } from './collect/automatic-payment-handler.ts';
export { HoldReleaseHandler } from './collect/hold-release-handler.ts';
export { PaymentRetryHandler } from './collect/payment-retry-handler.ts';
export type {
  ComboAccount,
  ComboOperations,
  ComboParties,
  ComboPaymentInput,
  ComboPaymentMethod,
} from './direct/combo-operations.ts';
export { type ComboAccounts, ComboPartiesFinder } from './direct/combo-parties.ts';
export { ComboPayments } from './direct/combo-payments.ts';
export type {
  ChargebackReversalInput,
  CompletionInput,
  DirectPaymentOperations,
  NewPaymentInput,
  NotifiedOutcomeInput,
  NotifiedStatus,
  OfPayment,
  OperationInput,
  PaymentAmountInput,
  PaymentResult,
  VoidInput,
} from './direct/direct-payment-operations.ts';
export { DirectPayments } from './direct/direct-payments.ts';
export type {
  PaymentRepairOperations,
  ScheduledRetryInput,
  TransactionFixInput,
} from './direct/payment-repair-operations.ts';
export { PaymentRepairs } from './direct/payment-repairs.ts';
export { PaymentService } from './direct/payment-service.ts';
export { externalPaymentGateway } from './gateways/external-payment-gateway.ts';
export type { PluginInfoOptions } from './gateways/gateway-info.ts';
export { noSignedNotifications } from './hosted/gateway-call-errors.ts';
export { NotifiedPayments } from './hosted/notified-payments.ts';
export type {
  ComboFormInput,
  GatewayNotificationInput,
  HostedFormInput,
  PaymentGatewayOperations,
  SignedNotificationInput,
} from './hosted/payment-gateway-operations.ts';
export { PaymentGatewayService } from './hosted/payment-gateway-service.ts';
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
export type { PaymentOperations } from './payment-operations.ts';
export type { RefundAdjustmentInput } from './planning/refund-adjustments.ts';
export { loadPayments } from './reading/load-payments.ts';
export type { PaymentListOperations, PaymentListRequest } from './reading/payment-list-operations.ts';
export { PaymentLists } from './reading/payment-lists.ts';
export type { PaymentReadOperations, PaymentReadOptions } from './reading/payment-read-operations.ts';
export { PaymentReads } from './reading/payment-reads.ts';
export { AttemptSweep } from './recovery/attempt-sweep.ts';
export { JanitorHandler } from './recovery/janitor-handler.ts';
export type { FixedStatus } from './state/fixed-states.ts';
export { decidingTransaction, isRowOf } from './state/keyed-row.ts';
export {
  type PaymentConfig,
  type PaymentConfigOf,
  paymentConfig,
  paymentConfigOf,
} from './state/payment-config.ts';
export { recoveryKey } from './state/payment-notifications.ts';
export { PaymentStateName } from './state/payment-state.ts';
export { type PaymentTotals, refundable, takenOf } from './state/payment-totals.ts';
export { checkStateMachine } from './state-machines/state-machines.ts';
export { type AttemptView, ShownAttemptState } from './views/attempt-view.ts';
export type { TransactionPluginInfo } from './views/payment-view.ts';
export {
  type InvoicePaymentView,
  type PaymentTransactionView,
  type PaymentView,
  viewPayments,
  withInvoices,
} from './views/payment-view.ts';
