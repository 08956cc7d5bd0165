export type {
  CatalogOfAccount,
  CatalogProvider,
  CatalogRequest,
  CatalogSource,
} from './cache/catalog-source.ts';
export { withOverridePlans } from './cache/load-override-plans.ts';
export { PluginCatalogs } from './cache/plugin-catalogs.ts';
export { Shape } from './cache/shaped-text.ts';
export { StoredCatalogs } from './cache/stored-catalogs.ts';
export { partsOf, planOfText } from './cache/version-parts.ts';
export { compilePluginCatalog } from './formats/definition/compile-plugin-catalog.ts';
export { DefinedCatalog, defineCatalog } from './formats/definition/define-catalog.ts';
export type { PlanUpdate } from './formats/entries/change-plan.ts';
export type {
  BlockInput,
  CatalogEntriesInput,
  EntryGiven,
  GivenValue,
  PhaseInput,
  PlanEntryInput,
  PriceInput,
  ProductEntryInput,
  TierInput,
  UsageInput,
} from './formats/entries/entry-input.ts';
export type { SimplePlan } from './formats/simple-plan/simple-plan-input.ts';
export type { CatalogValidation } from './formats/xml/catalog-document.ts';
export { type ParsedDocument, readCatalogXml } from './formats/xml/read-catalog.ts';
export { canonicalXml, catalogXmlTextSteps, writeCatalogXml } from './formats/xml/write-catalog.ts';
export type { AvailablePlan } from './lookup/available-plans.ts';
export type { Elsewhere, LastPlanChange } from './lookup/catalog.ts';
export { Catalog, type CatalogPast, createCatalog, type ResolvedPlan } from './lookup/catalog.ts';
export type { VersionParts } from './lookup/catalog-version.ts';
export { CatalogVersion, createVersion } from './lookup/catalog-version.ts';
export type { ChangedPlans } from './lookup/changed-plans.ts';
export { isFreeFinitePhase, phasesFrom } from './lookup/charge-start.ts';
export type { PlanCriteria, PlanLookup } from './lookup/plan-lookup.ts';
export type { PlanSpecifier } from './lookup/plan-specifier.ts';
export { isZeroEverywhere, priceOf } from './lookup/price.ts';
export type {
  ChosenPlan,
  PlanEnd,
  PlanStep,
  PlanTimeline,
  PriceChangeAlignment,
  PriceChangeEvent,
  RecurringStep,
} from './lookup/price-change-events.ts';
export {
  cancelPolicyOf,
  createAlignmentOf,
  planChangeRules,
  type RuledSubscription,
} from './lookup/rule-versions.ts';
export type { ChangeContext } from './lookup/rules.ts';
export { billingAlignment, RULE_DEFAULTS } from './lookup/rules.ts';
export type { PlanChangeEvaluation } from './lookup/rules-of-change.ts';
export { type SectionSource, usageSectionsOf } from './lookup/usage-section.ts';
export * from './model/catalog-model.ts';
export type { Locate, Location, ParsedVersion } from './model/parsed-version.ts';
export { type Part, type SoldAs, soldAs } from './model/part.ts';
export type { PartList } from './model/part-list.ts';
export { parsePhaseName, phaseName } from './model/phase-name.ts';
export { createPlan, samePlan, textOfPlan } from './model/plan.ts';
export { billedPrices } from './model/prices-of.ts';
export type * from './model/rule-conditions.ts';
export { SIMPLE_RULES } from './model/simple-rules.ts';
export type { PhaseContent, PlanContent, VersionContent } from './model/version-content.ts';
export type { VersionFrame } from './model/version-frame.ts';
export { catalogsOfBatch } from './operations/batch-catalogs.ts';
export { CatalogAdministration } from './operations/catalog-administration.ts';
export type {
  CatalogEntryOperations,
  DeletePlanOptions,
  DeleteProductOptions,
} from './operations/catalog-entry-operations.ts';
export { catalogRevisionOf, isCatalogChange } from './operations/catalog-event.ts';
export type {
  AddOnsRequest,
  CatalogOperations,
  CatalogUpload,
  WritesXml,
} from './operations/catalog-operations.ts';
export type { CatalogPreview } from './operations/catalog-preview.ts';
export { CatalogService } from './operations/catalog-service.ts';
export type { EntryScopeOptions } from './operations/entry-scope.ts';
export { CatalogEntryService } from './operations/entry-service.ts';
export {
  foreseenOverridePlan,
  obtainOverridePlan,
  obtainOverridePlans,
} from './operations/obtain-override-plan.ts';
export { CatalogWithOverrides, type SeenAsOf } from './overrides/catalog-with-overrides.ts';
export {
  defineOverrides,
  type OverrideDefinition,
  type OverrideInput,
} from './overrides/define-overrides.ts';
export { matchPriceOverrides, namesPrice, type PriceOverrides } from './overrides/match-overrides.ts';
export type { PriceTarget } from './overrides/overridable-price.ts';
export { OverridePlan } from './overrides/override-plan.ts';
export { type VersionValidation, validateVersion } from './validation/validate-version.ts';
export { validateVersions } from './validation/validate-versions.ts';
