import { currency, id, instant, integer, type RecordOf, recordId, text } from '../../values/fields/index.ts';

/** A stored override plan; immutable (catalog §10 rule 6, §17). */
export const overridePlanFields = {
  recordId,
  id: id(),
  /** Counts the tenant's override plans from 1. */
  number: integer(),
  planName: text(),
  parentPlanName: text(),
  currency: currency(),
  /** Text of `writeOverrides`. */
  overrides: text(),
  /** SHA-256 of currency and overrides. */
  overrideHash: text(),
  createdDate: instant(),
};
export interface StoredOverridePlan extends RecordOf<typeof overridePlanFields> {}
