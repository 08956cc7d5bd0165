import { f, type RecordOf } from '../../values/fields/index.ts';
import { FeatureKind } from '../catalog/catalog-enumerations.ts';
import type { WrittenFeatureValue } from '../catalog/feature.ts';

/** A value of a feature that replaces the value in the catalog for a period of time (features §2). */
export const featureOverrideFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** The subscription. Null means that the override is on the account and replaces the combined value. */
  subscriptionId: f.orNull(f.id()),
  feature: f.text(),
  kind: f.oneOf(FeatureKind),
  value: f.json<WrittenFeatureValue>(),
  reason: f.orNull(f.text({ max: 255 })),
  from: f.instant(),
  /** The exclusive end, or null if the override has no end. */
  until: f.orNull(f.instant()),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface FeatureOverride extends RecordOf<typeof featureOverrideFields> {}
