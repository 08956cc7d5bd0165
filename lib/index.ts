/**
 * The engine without any framework: operations, ports and their types. The entry point `billwright` adds Node's ports.
 */

export type { AccountClosingOperations, CloseOptions } from './account-closing/index.ts';
export type {
  AccountEmailOperations,
  AccountOperations,
  AccountUpdate,
} from './accounts/index.ts';
export type { AuditOperations } from './audit/index.ts';
export { AuditLevel } from './audit/index.ts';
export type { CallerBilling } from './billing.ts';
export {
  Billing,
  type BillingOperations,
  type EngineEventOperations,
  type TenantBilling,
} from './billing.ts';
export * from './catalog/index.ts';
export type { CellView, MoveOptions, MoveProgress, MoveResult, MoveStep } from './cells/index.ts';
export type { CheckOperations } from './check/index.ts';
export * from './check/model.ts';
export { SystemTag } from './control-tags/index.ts';
export type {
  CouponOperations,
  CouponView,
  DiscountView,
  RedeemRequest,
  RedemptionView,
  RemoveOptions,
} from './coupons/index.ts';
export type { CustomFieldChange, CustomFieldInput, CustomFieldOperations } from './custom-fields/index.ts';
export type { BillingOptions } from './engine/billing-options.ts';
export type { Caller } from './engine/calls.ts';
export type {
  CellOperations,
  CellsBilling,
  CellsOptions,
  PlaceView,
} from './engine/cells/cells-options.ts';
export type { BillingControl } from './engine/control.ts';
export type {
  AllAccountOperations,
  AllCatalogOperations,
  AllOutlineOperations,
  AllSubscriptionOperations,
  AllUsageOperations,
  FrequentOperations,
  GroupedOperations,
  Operations,
  PlainGroup,
  PlainOperations,
  PlanInForceView,
} from './engine/operations.ts';
export type { RequestSpan, RequestTracking, ServedRequest } from './engine/requests.ts';
export type { SettableClock, SettleThroughOptions } from './engine/settle-through.ts';
export type { AccountExportOperations } from './export/index.ts';
export type {
  ConsumeRequest,
  Consumption,
  FeatureExplanation,
  FeatureInput,
  FeatureOperations,
  FeatureSourceView,
  FeaturesRequest,
  FeatureView,
  OverrideRequest,
  OverrideTarget,
  Release,
} from './features/index.ts';
export type { HealthCheck, HealthReport } from './health/index.ts';
export type {
  AccountCreditOperations,
  AccountInvoicesRequest,
  AccountParking,
  CalculationStep,
  CatalogReportOperations,
  ChangePreview,
  ChangePreviewOperations,
  ChangeReportPart,
  ChangeReportTotals,
  CoverageDifference,
  CreditNoteOperations,
  CreditNoteView,
  DeleteCreditRequest,
  DocumentOptions,
  DocumentText,
  DocumentTextPreview,
  DocumentTextUpload,
  EInvoiceChoice,
  EInvoiceFile,
  EInvoiceKind,
  EInvoiceRequest,
  EventFacts,
  ExplainedFields,
  ExplainedInvoice,
  ExplainedInvoiceItem,
  ForeseenInvoice,
  GenerateRequest,
  InvoiceGroupRequest,
  InvoiceItemView,
  InvoiceNoteRequest,
  InvoiceOperations,
  InvoiceTextOperations,
  InvoiceView,
  ItemAdjustmentRequest,
  ItemEvents,
  ItemExplanation,
  ManualItem,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  MigrationItem,
  NewInvoiceItem,
  NoteEInvoiceRequest,
  ParkedRun,
  PreviewedBundle,
  PreviewedSubscription,
  PreviewRequest,
  PriceChange,
  PriceDifference,
  PriceType,
  RatedUsageRequest,
  TaxFacts,
  UnbilledUsageRequest,
  UsagePriceTerms,
  UsageReviewOperations,
  UsedTier,
  UsedUnit,
} from './invoicing/index.ts';
export {
  DocumentTextKind,
  type DryRunRequest,
  DryRunType,
  type ExplainedRule,
  ExplainedRuleName,
  PreviewedChange,
  type UpcomingInvoiceRequest,
} from './invoicing/index.ts';
export type { Metric, MetricValue } from './metrics/index.ts';
export type {
  AnsweredRequest,
  Diagnostic,
  DiagnosticOperations,
  DiagnosticRequest,
  HealthData,
  HealthDataOperations,
  MonitoringOperations,
  ParkedAccountView,
  RequestObserver,
  SampleOperations,
  SampleSeries,
  SamplesRequest,
} from './monitoring/index.ts';
export { Granularity } from './monitoring/index.ts';
export type { NodeCommand, NodeCommandHandler, NodeCommandProperty, NodeOperations } from './nodes/index.ts';
export { PluginCommand } from './nodes/index.ts';
export type {
  NewOverdueCondition,
  NewOverdueDefinition,
  NewOverdueState,
  OverdueAccountOperations,
  OverdueAccountsRequest,
  OverdueAccountView,
  OverdueConditionDefinition,
  OverdueConfigOperations,
  OverdueCriterionReason,
  OverdueDefinition,
  OverdueExplanation,
  OverdueInvoice,
  OverdueOperations,
  OverduePreview,
  OverdueReason,
  OverdueStateDefinition,
  OverdueStateView,
  OverdueStep,
  OverdueUploadOptions,
} from './overdue/index.ts';
export { CancellationPolicy, OverdueFormat } from './overdue/index.ts';
export type {
  AttemptView,
  ChargebackReversalInput,
  ComboAccount,
  ComboFormInput,
  ComboOperations,
  ComboParties,
  ComboPaymentInput,
  ComboPaymentMethod,
  CompletionInput,
  DeletePaymentMethodInput,
  DirectPaymentOperations,
  FixedStatus,
  GatewayNotificationInput,
  HostedFormInput,
  HostedFormView,
  InvoiceChargebackInput,
  InvoicePaymentInput,
  InvoicePaymentOperations,
  InvoicePaymentView,
  InvoiceRefundInput,
  NewPaymentInput,
  NotificationAnswerView,
  NotifiedOutcomeInput,
  NotifiedStatus,
  OfPayment,
  OperationInput,
  PaidInvoices,
  PayAllInput,
  PaymentAmountInput,
  PaymentGatewayOperations,
  PaymentListOperations,
  PaymentListRequest,
  PaymentMethodInput,
  PaymentMethodOperations,
  PaymentMethodPageRequest,
  PaymentMethodReadOptions,
  PaymentMethodView,
  PaymentOperations,
  PaymentReadOperations,
  PaymentReadOptions,
  PaymentRepairOperations,
  PaymentResult,
  PaymentTotals,
  PaymentTransactionView,
  PaymentView,
  PluginInfoOptions,
  RefreshPaymentMethodsInput,
  RefundAdjustmentInput,
  ScheduledRetryInput,
  SetDefaultInput,
  ShownAttemptState,
  SignedNotificationInput,
  TransactionFixInput,
  TransactionPluginInfo,
  VoidInput,
} from './payments/index.ts';
export {
  type ControlledInput,
  PaymentStateName,
  type PluginInput,
  type StateNameOf,
} from './payments/index.ts';
export * from './ports/index.ts';
export type {
  DeliveryListRequest,
  DeliveryOperations,
  DeliveryView,
  EventFeed,
  EventListRequest,
  EventOperations,
  EventSubscription,
  EventSubscriptionOperations,
  ExternalEvent,
  SubscribeRequest,
} from './push/index.ts';
export type {
  BacklogOperations,
  ChosenEntriesRequest,
  Explained,
  FailedWorkRequest,
  LateEntryView,
  OfOneTenant,
  QueueEntryView,
  QueueExportRequest,
  QueueLookRequest,
  QueueOperations,
} from './queues/index.ts';
export { LateCause } from './queues/index.ts';
export * from './records/index.ts';
export type {
  FailedPaymentsRequest,
  FailedPaymentView,
  FindRequest,
  FoundObject,
  MonthFigures,
  MonthsReport,
  MonthsRequest,
  OverdueReport,
  PlanFigures,
  ReportedMonth,
  ReportOperations,
  SubscriptionsReport,
} from './reports/index.ts';
export { FoundKind } from './reports/index.ts';
export type { Begun, IdempotencyOperations, Steps, StoredAnswer } from './runtime/index.ts';
export type {
  ApiClientOperations,
  LoginAttempt,
  LoginGuardOperations,
  LoginSessionOperations,
  NewApiClientInput,
  NewTokenKey,
  NewUserInput,
  PasswordPolicy,
  PrincipalOperations,
  RoleDefinition,
  RoleOperations,
  SecurityOperations,
  TokenKeyOperations,
  TokenSigner,
  UserOperations,
  UserRolesInput,
} from './security/index.ts';
export { ALL_PERMISSIONS, isGranted, isPermitted } from './security/index.ts';
export type {
  BillCycleDayChange,
  BlockingOperations,
  BlockingStateFilter,
  BlockPrice,
  BundleFilter,
  BundleOperations,
  BundleOutline,
  BundleView,
  BundleWindow,
  CancelSubscriptionRequest,
  CreateBundleRequest,
  CreatedBundle,
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
  DatedBy,
  EffectiveFrom,
  EventReason,
  OutlineOperations,
  OutlinePage,
  PhasePrices,
  PlanAtRequest,
  PlanInForce,
  QuantityChange,
  SubscriptionEventView,
  SubscriptionListRequest,
  SubscriptionOperations,
  SubscriptionOutline,
  SubscriptionView,
  TierPrices,
  TransferBundleRequest,
  UsagePrices,
} from './subscriptions/index.ts';
export { HypotheticalActionType } from './subscriptions/index.ts';
export type { TagDefinitionInput, TagDefinitionOperations, TagOperations } from './tags/index.ts';
export type {
  ConfigurationObject,
  ConfigurationOperations,
  KeyValueOperations,
  KeyValues,
  NewTenantInput,
  Period,
  Property,
  SellerOperations,
  ServerSettings,
  SettingDescription,
  SettingsOfTable,
  SigningSecretOperations,
  TenantAuthor,
  TenantListChoice,
  TenantOperations,
  TenantPropertyName,
  TenantSettings,
} from './tenants/index.ts';
export type {
  AccountTimeline,
  TimelineInvoice,
  TimelineOperations,
  TimelineOutline,
  TimelineOutlineOperations,
} from './timeline/index.ts';
export type {
  ArchivedUsage,
  ArchiveRequest,
  NewUnitUsage,
  NewUsage,
  NewUsageLine,
  NewUsageRecord,
  RecordAllOptions,
  RecordedUsage,
  RecordUsageOptions,
  ReportedLine,
  RolledUpUnit,
  RolledUpUsage,
  RollUpRequest,
  TimelineRequest,
  UnbilledUsage,
  UsageArchiveOperations,
  UsageOperations,
  UsageReport,
} from './usage/index.ts';
export {
  LineStatus,
  OnDuplicate,
  RecordingFaultCode,
  UnbilledReason,
  UnknownUnitPolicy,
  UnreadableLine,
  UsageGranularity,
} from './usage/index.ts';
export * from './values/errors/index.ts';
export type { Field, FieldKind, Fields, InputOf, RecordOf, SetOn } from './values/fields/index.ts';
export type { HostInput } from './values/host-values/host-input.ts';
export type { Plain } from './values/host-values/plain.ts';
export * from './values/ids/index.ts';
export * from './values/money/index.ts';
export * from './values/time/index.ts';
