import { currency, id, instant, integer, type RecordOf, recordId, text } from '../../values/fields/index.ts';

/** One stored override plan, insert-only (catalog §10 rule 6, §17). */
export const overridePlanFields = {
  recordId,
  id: id(),
  /** Counts the tenant's override plans from 1. */
  number: integer(),
  planName: text(),
  parentPlanName: text(),
  currency: currency(),
  /** As `writeOverrides` writes them. */
  overrides: text(),
  /** SHA-256 of currency and overrides. */
  overrideHash: text(),
  createdDate: instant(),
};
export interface StoredOverridePlan extends RecordOf<typeof overridePlanFields> {}
