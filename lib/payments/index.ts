export {
  automaticPaymentHandler,
  holdReleaseHandler,
  paymentRetryHandler,
} from './background/queued-payments.ts';
export { AttemptSweep, JanitorHandler } from './background/recovery.ts';
export type { HostedFormView, NotificationAnswerView } from './claims/gateway-claims.ts';
export { loadPayments } from './loading/load-facts.ts';
export { checkStateMachine } from './loading/state-machines.ts';
export { PaymentMachine } from './machine/payment-machine.ts';
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
export {
  type ComboAccounts,
  ComboPartiesFinder,
  ComboPayments,
  directPayments,
} from './operations/direct-payments.ts';
export { InvoicePaymentService } from './operations/invoice-payment-service.ts';
export {
  type ComboFormInput,
  type GatewayNotificationInput,
  type HostedFormInput,
  notifiedPayments,
  type PaymentGatewayOperations,
  PaymentGatewayService,
  type SignedNotificationInput,
} from './operations/payment-gateway-service.ts';
export { PaymentRepairs } from './operations/payment-repairs.ts';
export type {
  ChargebackReversalInput,
  ComboAccount,
  ComboOperations,
  ComboParties,
  ComboPaymentInput,
  ComboPaymentMethod,
  CompletionInput,
  DirectPaymentOperations,
  InvoiceChargebackInput,
  InvoicePaymentInput,
  InvoicePaymentOperations,
  InvoiceRefundInput,
  NewPaymentInput,
  NotifiedOutcomeInput,
  NotifiedStatus,
  OfPayment,
  OperationInput,
  PaidInvoices,
  PayAllInput,
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
export {
  type ControlledInput,
  externalPaymentGateway,
  type PluginInfoOptions,
  type PluginInput,
} from './plugins/gateway-info.ts';
export { PaymentReads } from './reading/payment-reads.ts';
export { decidingTransaction, isRowOf } from './state/invoice-remainder.ts';
export {
  type PaymentConfig,
  type PaymentConfigOf,
  paymentConfig,
  paymentConfigOf,
} from './state/payment-config.ts';
export { noSignedNotifications } from './state/payment-errors.ts';
export { recoveryKey } from './state/payment-notifications.ts';
export {
  collectedAmount,
  PaymentStateName,
  type PaymentTotals,
  paymentTotals,
  refundable,
  type StateNameOf,
} from './state/payment-state.ts';
export {
  type AttemptView,
  type InvoicePaymentView,
  type PaymentTransactionView,
  type PaymentView,
  ShownAttemptState,
  type TransactionPluginInfo,
  viewPayments,
  withInvoices,
} from './state/payment-view.ts';
export type { FixedStatus } from './state/transaction-outcome.ts';
