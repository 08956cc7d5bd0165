/** The framework-free engine: operations, ports and the values they speak. Entry point `billwright` adds Node's ports. */

export type { CloseOptions } from './account-closing/index.ts';
export type { AccountInput, AccountUpdate } from './accounts/index.ts';
export { AuditLevel } from './audit/index.ts';
export { Billing, type BillingOperations, type TenantBilling } from './billing.ts';
export * from './catalog/index.ts';
export * from './check/model.ts';
export { SystemTag } from './control-tags/index.ts';
export type { CustomFieldChange, CustomFieldInput } from './custom-fields/index.ts';
export type { BillingOptions } from './engine/billing-options.ts';
export type { Caller } from './engine/caller.ts';
export type { BillingControl } from './engine/control.ts';
export type { HealthCheck, HealthReport } from './health/index.ts';
export type {
  CalculationStep,
  ChangeReportPart,
  ChangeReportTotals,
  CoverageDifference,
  DeleteCreditRequest,
  EventFacts,
  InvoiceItemView,
  InvoiceView,
  ItemAdjustmentRequest,
  ItemEvents,
  ItemExplanation,
  ManualItem,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  MigrationItem,
  PriceChange,
} from './invoicing/index.ts';
export { type DryRunRequest, DryRunType, type ExplainedRule, ExplainedRuleName } from './invoicing/index.ts';
export type { Metric, MetricValue } from './metrics/index.ts';
export * from './ports/index.ts';
export * from './ports/storage/index.ts';
export * from './records/index.ts';
export { ALL_PERMISSIONS, isPermitted } from './security/permissions.ts';
export { isGranted } from './security/tenant-grants.ts';
export type { NewTokenKey, TokenSigner } from './security/token-keys.ts';
export type {
  BillCycleDayChange,
  BlockingStateFilter,
  BundleFilter,
  BundleOutline,
  BundleView,
  BundleWindow,
  CreateBundleRequest,
  CreatedBundle,
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
  EffectiveFrom,
  OutlinePage,
  PhasePrices,
  PlanAtRequest,
  PlanInForce,
  QuantityChange,
  SubscriptionEventView,
  SubscriptionOutline,
  SubscriptionView,
  TransferBundleRequest,
} from './subscriptions/index.ts';
export { HypotheticalActionType } from './subscriptions/index.ts';
export type { TagDefinitionInput } from './tags/index.ts';
export type {
  ConfigurationObject,
  KeyValues,
  NewTenantInput,
  Period,
  TenantPropertyName,
  TenantSettings,
} from './tenants/index.ts';
export * from './values/errors/index.ts';
export * from './values/ids/index.ts';
export * from './values/money/index.ts';
export * from './values/time/index.ts';
