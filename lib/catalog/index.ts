export type { AvailablePlan } from './available-plans.ts';
export { Catalog, type CatalogPast, createCatalog, type ResolvedPlan } from './catalog.ts';
export type { CatalogValidation } from './catalog-document.ts';
export * from './catalog-json.ts';
export { CatalogVersion, createVersion } from './catalog-version.ts';
export { CatalogWithOverrides, type SeenAsOf } from './catalog-with-overrides.ts';
export { type FirstCharge, firstRecurringCharge, isFreeFinitePhase, phasesFrom } from './charge-start.ts';
export { DefinedCatalog, defineCatalog } from './define/define-catalog.ts';
export type * from './define/definition.ts';
export type { PlanUpdate } from './entries/change-plan.ts';
export type {
  BlockInput,
  CatalogEntriesInput,
  PhaseInput,
  PlanEntryInput,
  PriceInput,
  ProductEntryInput,
  TierInput,
  UsageInput,
} from './entries/entry-input.ts';
export type { EntryScopeOptions } from './entries/scope-access.ts';
export type { DeletePlanOptions, DeleteProductOptions } from './entries/service.ts';
export { problemText } from './invalid-catalog.ts';
export * from './model.ts';
export { defineOverrides, type OverrideDefinition, type OverrideInput } from './override-definition.ts';
export { OverridePlan } from './override-plan.ts';
export type { Locate, Location, ParsedVersion } from './parsed-version.ts';
export { parsePhaseName, phaseName, planNameOfPhase } from './phase-name.ts';
export { samePlan } from './plan.ts';
export type { PlanChangeEvaluation } from './plan-change.ts';
export type { PlanSpecifier } from './plan-specifier.ts';
export { isZeroEverywhere, priceOf } from './price.ts';
export type {
  PlanEnd,
  PlanStep,
  PlanTimeline,
  PriceChangeAlignment,
  PriceChangeEvent,
} from './price-change-events.ts';
export { matchPriceOverrides, type PriceOverrides } from './price-overrides.ts';
export type { PriceTarget } from './price-target.ts';
export type { ChangeContext, CreationContext, SubscriptionContext } from './rules.ts';
export { RULE_DEFAULTS } from './rules.ts';
export type { SimplePlan } from './simple-plan-input.ts';
export { type VersionValidation, validateVersion } from './validation/validate-version.ts';
export { validateVersions } from './validation/validate-versions.ts';
export type { PhaseContent, PlanContent, VersionContent } from './version-content.ts';
export { versionsToAdd } from './versions-to-add.ts';
export { type ParsedDocument, readCatalogXml } from './xml/read-catalog.ts';
export { canonicalXml, catalogXmlTextSteps, writeCatalogXml } from './xml/write-catalog.ts';
