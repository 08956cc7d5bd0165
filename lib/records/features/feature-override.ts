import { f, type RecordOf } from '../../values/fields/index.ts';
import { FeatureKind } from '../catalog/catalog-enumerations.ts';
import type { WrittenFeatureValue } from '../catalog/feature.ts';

/** A dated value of a feature that replaces the value of the catalog (features §2). */
export const featureOverrideFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** Null for an override on the account, which replaces the combined value. */
  subscriptionId: f.orNull(f.id()),
  feature: f.text(),
  kind: f.oneOf(FeatureKind),
  value: f.json<WrittenFeatureValue>(),
  reason: f.orNull(f.text({ max: 255 })),
  from: f.instant(),
  /** Exclusive end. Null if the override has no end. */
  until: f.orNull(f.instant()),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface FeatureOverride extends RecordOf<typeof featureOverrideFields> {}
