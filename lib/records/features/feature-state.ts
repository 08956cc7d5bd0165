import { f, type RecordOf } from '../../values/fields/index.ts';

/** The values of an account's features at the last check, from which FEATURE_CHANGE follows (features §5). */
export const featureStateFields = {
  accountRecordId: f.bigint(),
  /** Texts by feature. Null for a TEXT without a value. */
  values: f.json<Readonly<Record<string, string | null>>>(),
};
export interface FeatureState extends RecordOf<typeof featureStateFields> {}
