export {
  type CatalogOfAccount,
  type CatalogProvider,
  type CatalogRequest,
  type CatalogSource,
  withOverridePlans,
} from './cache/catalog-source.ts';
export { type PluginCatalogs, pluginCatalogs } from './cache/plugin-catalogs.ts';
export { StoredCatalogs } from './cache/stored-catalogs.ts';
export { partsOf, planOfText, Shape } from './cache/stored-parts.ts';
export type { SimplePlan } from './formats/add-simple-plan.ts';
export {
  compilePluginCatalog,
  DefinedCatalog,
  defineCatalog,
  type FeatureName,
} from './formats/define-catalog.ts';
export type { PlanUpdate } from './formats/entries/change-plan.ts';
export type {
  BlockInput,
  CatalogEntriesInput,
  EntryInputOf,
  EntryInputValue,
  PhaseInput,
  PlanEntryInput,
  PriceInput,
  ProductEntryInput,
  TierInput,
  UsageInput,
} from './formats/entries/entry-input.ts';
export {
  type CatalogValidation,
  type ParsedDocument,
  readCatalogXml,
} from './formats/xml/catalog-document.ts';
export { canonicalXml, catalogXmlTextSteps, writeCatalogXml } from './formats/xml/write-catalog.ts';
export {
  Catalog,
  type CatalogPast,
  cancelPolicyOf,
  createAlignmentOf,
  createCatalog,
  type Elsewhere,
  type LastPlanChange,
  planChangeRules,
  type ResolvedPlan,
  type RuledSubscription,
} from './lookup/catalog.ts';
export {
  type AvailablePlan,
  CatalogVersion,
  type ChangedPlans,
  createVersion,
  type VersionParts,
} from './lookup/catalog-version.ts';
export {
  type CatalogVersionView,
  type CatalogView,
  catalogVersionView,
  catalogView,
  plainPlan,
} from './lookup/catalog-view.ts';
export { featureDifferences } from './lookup/feature-differences.ts';
export { featureValuesOf, parseFeatureValue, UNLIMITED } from './lookup/feature-values.ts';
export type {
  ChosenPlan,
  PlanEnd,
  PlanStep,
  PlanTimeline,
  PriceChangeAlignment,
  PriceChangeEvent,
  RecurringStep,
} from './lookup/plan-history.ts';
export {
  isFreeFinitePhase,
  isZeroEverywhere,
  phasesFrom,
  priceOf,
  type SectionSource,
  usageSectionsOf,
} from './lookup/price.ts';
export { pricedUnits } from './lookup/priced-units.ts';
export {
  billingAlignment,
  type PlanChangeEvaluation,
  type PlanCriteria,
  type PlanLookup,
  type PlanSpecifier,
  RULE_DEFAULTS,
} from './lookup/rules.ts';
export type * from './model/catalog-model.ts';
export * from './model/catalog-model.ts';
export { SIMPLE_RULES } from './model/catalog-model.ts';
export { type Part, type PartList, type SoldAs, soldAs } from './model/part.ts';
export {
  billedPrices,
  createPlan,
  isTrialPhase,
  parsePhaseName,
  phaseName,
  samePlan,
  textOfPlan,
} from './model/plan.ts';
export type {
  Locate,
  Location,
  ParsedVersion,
  PhaseContent,
  PlanContent,
  VersionContent,
  VersionFrame,
} from './model/version-content.ts';
export { catalogAdministration } from './operations/catalog-administration.ts';
export type {
  AddOnsRequest,
  CatalogEntryOperations,
  CatalogOperations,
  CatalogPreview,
  CatalogSync,
  CatalogUpload,
  DeletePlanOptions,
  DeleteProductOptions,
  EntryScopeOptions,
  WritesXml,
} from './operations/catalog-operations.ts';
export {
  type CatalogService,
  catalogRevisionOf,
  catalogService,
  catalogsOfBatch,
  isCatalogChange,
} from './operations/catalog-service.ts';
export { catalogEntryOperations } from './operations/entry-service.ts';
export {
  foreseenOverridePlan,
  obtainOverridePlan,
  obtainOverridePlans,
} from './operations/obtain-override-plan.ts';
export { CatalogWithOverrides, type CollapsedSpan } from './overrides/catalog-with-overrides.ts';
export {
  defineOverrides,
  matchPriceOverrides,
  namesPrice,
  type OverrideDefinition,
  type OverrideInput,
  OverridePlan,
  type PriceOverrides,
  type PriceTarget,
} from './overrides/define-overrides.ts';
export { type VersionValidation, validateVersion, validateVersions } from './validation/validate-version.ts';
