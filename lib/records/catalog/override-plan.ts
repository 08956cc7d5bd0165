import { f, type RecordOf } from '../../values/fields/index.ts';

/** A stored override plan. It is immutable (catalog §10 rule 6, §17). */
export const overridePlanFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Number of the override plan, unique in the tenant and starting at 1. */
  number: f.integer(),
  planName: f.text(),
  parentPlanName: f.text(),
  currency: f.currency(),
  /** Text of `writeOverrides`. */
  overrides: f.text(),
  /** SHA-256 of currency and overrides. */
  overrideHash: f.text(),
  createdDate: f.instant(),
};
export interface StoredOverridePlan extends RecordOf<typeof overridePlanFields> {}
