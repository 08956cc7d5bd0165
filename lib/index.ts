/** The framework-free engine: operations, ports and the values they speak. Entry point `billwright` adds Node's ports. */
export type { AccountInput } from './accounts/account-input.ts';
export type { CloseOptions } from './accounts/close-service.ts';
export type { Account, AccountBalance } from './accounts/model.ts';
export type { AccountUpdate } from './accounts/service.ts';
export { AuditLevel } from './audit/service.ts';
export { Billing, type BillingOperations, type TenantBilling } from './billing.ts';
export * from './catalog/index.ts';
export * from './check/model.ts';
export { type CallContext, CallOrigin, type SystemAuthor, type TenantRef } from './context.ts';
export type { CustomFieldChange } from './custom-fields/changed-fields.ts';
export type * from './custom-fields/model.ts';
export type { CustomFieldInput } from './custom-fields/new-fields.ts';
export type { BillingOptions } from './engine/billing-options.ts';
export type { Caller } from './engine/caller.ts';
export type { BillingControl } from './engine/control.ts';
export type { HealthCheck } from './health/checks.ts';
export type { HealthReport } from './health/service.ts';
export type { CalculationStep } from './invoicing/basis-calculation.ts';
export type { ChangeReportPart, ChangeReportTotals, PriceChange } from './invoicing/change-report.ts';
export type { DeleteCreditRequest } from './invoicing/credit-deletion-service.ts';
export { type DryRunRequest, DryRunType } from './invoicing/dry-run-request.ts';
export type { EventFacts, ItemEvents } from './invoicing/event-facts.ts';
export { type ExplainedRule, ExplainedRuleName } from './invoicing/explained-rules.ts';
export type { ItemExplanation } from './invoicing/explanation.ts';
export type { InvoiceItemView, InvoiceView } from './invoicing/invoice-view.ts';
export type { ItemBasis } from './invoicing/item-basis.ts';
export type { ItemAdjustmentRequest, ManualItemsRequest } from './invoicing/manual-item-service.ts';
export type { ManualItem } from './invoicing/manual-items.ts';
export type { MigrationInvoiceRequest } from './invoicing/migration-invoice-service.ts';
export type { MigrationItem } from './invoicing/migration-items.ts';
export * from './invoicing/model.ts';
export type { CoverageDifference } from './invoicing/verify-coverage.ts';
export type * from './metrics/metric.ts';
export * from './objects/object-type.ts';
export type { FieldedType } from './objects/owning-account.ts';
export * from './payments/model.ts';
export * from './ports/index.ts';
export * from './ports/storage/index.ts';
export * from './queue/model.ts';
export * from './security/model.ts';
export { ALL_PERMISSIONS, isPermitted } from './security/permissions.ts';
export { isGranted } from './security/tenant-grants.ts';
export type { NewTokenKey, TokenSigner } from './security/token-keys.ts';
export type { BlockingOptions, BlockingStateRequest } from './subscriptions/blocking-request.ts';
export type { BlockedRef, BlockingStateFilter } from './subscriptions/blocking-service.ts';
export type { BundleOutline, SubscriptionOutline } from './subscriptions/bundle-outline.ts';
export type { BundleFilter } from './subscriptions/bundles-of-account.ts';
export {
  type CancelSubscriptionOptions,
  EntitlementActionPolicy,
} from './subscriptions/cancellation-dates.ts';
export type { ChangePlanOptions, ChangePlanRequest } from './subscriptions/change-request.ts';
export type { CreateBundleRequest } from './subscriptions/create-groups.ts';
export type { CreateSubscriptionOptions, CreateSubscriptionRequest } from './subscriptions/create-request.ts';
export type { CreatedBundle } from './subscriptions/creation-service.ts';
export type { EffectiveFrom } from './subscriptions/effective-from.ts';
export { HypotheticalActionType } from './subscriptions/hypothetical-action.ts';
export type { CancelledSubscription, ChangedSubscription } from './subscriptions/lifecycle-service.ts';
export type { BundleWindow } from './subscriptions/load-outlines.ts';
export * from './subscriptions/model.ts';
export type { OutlinePage } from './subscriptions/outline-service.ts';
export type { PhasePrices } from './subscriptions/phase-prices.ts';
export type { RequestedDate } from './subscriptions/requested-date.ts';
export type { PlanAtRequest } from './subscriptions/service.ts';
export type { BillCycleDayChange, QuantityChange } from './subscriptions/terms-change.ts';
export {
  BcdTransfer,
  type TransferBundleOptions,
  type TransferBundleRequest,
} from './subscriptions/transfer-request.ts';
export type { PlanInForce } from './subscriptions/transitions.ts';
export type { BundleView, SubscriptionEventView, SubscriptionView } from './subscriptions/views.ts';
export type * from './tags/model.ts';
export type { TagDefinitionInput } from './tags/new-definition.ts';
export { SystemTag } from './tags/system-definitions.ts';
export type {
  ConfigurationObject,
  Period,
  TenantPropertyName,
  TenantSettings,
} from './tenants/configuration/index.ts';
export type { TenantKeyValue } from './tenants/key-value.ts';
export type { KeyValues } from './tenants/key-value-service.ts';
export type { Tenant } from './tenants/model.ts';
export type { NewTenantInput } from './tenants/service.ts';
export * from './values/errors/index.ts';
export * from './values/ids/index.ts';
export * from './values/money/index.ts';
export * from './values/time/index.ts';
