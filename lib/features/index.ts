export { catalogFeatureHandler } from './operations/catalog-feature-handler.ts';
export { featureChangeHandler, featureChecks } from './operations/feature-change-handler.ts';
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
} from './operations/feature-operations.ts';
export { featureOperations } from './operations/feature-service.ts';
export { purgeQuotas } from './storing/purge-quotas.ts';
