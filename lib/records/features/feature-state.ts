import { f, type RecordOf } from '../../values/fields/index.ts';

/** The values of an account's features at the last check. FEATURE_CHANGE events are based on them (features §5). */
export const featureStateFields = {
  accountRecordId: f.bigint(),
  /** Values as text, by feature. The value is null for a TEXT feature that has no value. */
  values: f.json<Readonly<Record<string, string | null>>>(),
};
export interface FeatureState extends RecordOf<typeof featureStateFields> {}
