/** The framework-free engine: operations, ports and the values they speak. Entry point `billwright` adds Node's ports. */

export type { CloseOptions } from './account-closing/account-closing-operations.ts';
export type { AccountInput } from './accounts/account-input.ts';
export type { AccountUpdate } from './accounts/account-operations.ts';
export { AuditLevel } from './audit/audit-operations.ts';
export { Billing, type BillingOperations, type TenantBilling } from './billing.ts';
export * from './catalog/index.ts';
export * from './check/model.ts';
export type { CustomFieldChange } from './custom-fields/changed-fields.ts';
export type { CustomFieldInput } from './custom-fields/new-fields.ts';
export type { BillingOptions } from './engine/billing-options.ts';
export type { Caller } from './engine/caller.ts';
export type { BillingControl } from './engine/control.ts';
export type { HealthCheck } from './health/checks.ts';
export type { HealthReport } from './health/service.ts';
export type { CalculationStep } from './invoicing/basis-calculation.ts';
export type {
  ChangeReportPart,
  ChangeReportTotals,
  PriceChange,
} from './invoicing/catalog-report-operations.ts';
export { type DryRunRequest, DryRunType } from './invoicing/dry-run-request.ts';
export type { EventFacts, ItemEvents } from './invoicing/event-facts.ts';
export { type ExplainedRule, ExplainedRuleName } from './invoicing/explained-rules.ts';
export type { ItemExplanation } from './invoicing/explanation.ts';
export type {
  DeleteCreditRequest,
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
} from './invoicing/invoice-operations.ts';
export type { InvoiceItemView, InvoiceView } from './invoicing/invoice-view.ts';
export type { ManualItem } from './invoicing/manual-items.ts';
export type { MigrationItem } from './invoicing/migration-items.ts';
export type { CoverageDifference } from './invoicing/verify-coverage.ts';
export type * from './metrics/metric.ts';
export * from './ports/index.ts';
export * from './ports/storage/index.ts';
export * from './records/index.ts';
export { ALL_PERMISSIONS, isPermitted } from './security/permissions.ts';
export { isGranted } from './security/tenant-grants.ts';
export type { NewTokenKey, TokenSigner } from './security/token-keys.ts';
export type { BlockingStateFilter } from './subscriptions/blocking-operations.ts';
export type { EffectiveFrom } from './subscriptions/edits/effective-from.ts';
export type { BillCycleDayChange, QuantityChange } from './subscriptions/edits/terms-change.ts';
export type { CreatedBundle } from './subscriptions/operations/creation-service.ts';
export type { CreateBundleRequest } from './subscriptions/requests/create-groups.ts';
export type {
  CreateSubscriptionOptions,
  CreateSubscriptionRequest,
} from './subscriptions/requests/create-request.ts';
export type { TransferBundleRequest } from './subscriptions/requests/transfer-request.ts';
export type { BundleFilter } from './subscriptions/storing/bundles-of-account.ts';
export type { PlanAtRequest } from './subscriptions/subscription-operations.ts';
export type { PlanInForce } from './subscriptions/timeline/transitions.ts';
export type { BundleOutline, SubscriptionOutline } from './subscriptions/views/bundle-outline.ts';
export type {
  BundleView,
  SubscriptionEventView,
  SubscriptionView,
} from './subscriptions/views/bundle-view.ts';
export type { BundleWindow, OutlinePage } from './subscriptions/views/outline-page.ts';
export type { PhasePrices } from './subscriptions/views/phase-prices.ts';
export { HypotheticalActionType } from './subscriptions/what-if/hypothetical-action.ts';
export type { TagDefinitionInput } from './tags/new-definition.ts';
export { SystemTag } from './tags/system-definitions.ts';
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
