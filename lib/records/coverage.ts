import { f, type RecordOf } from '../values/fields/index.ts';

/**
 * The billed days that are in force (invoicing §1.5). There are three kinds of rows: RECURRING rows, FIXED rows without
 * an end date, and FREE rows. FREE rows are for recurring items with the amount 0, unless a plugin set that amount.
 */
export const coverageFields = {
  kind: f.code<'RECURRING' | 'FIXED' | 'FREE'>(),
  subscriptionId: f.id(),
  itemId: f.id(),
  startDate: f.date(),
  endDate: f.orNull(f.date()),
  planName: f.text(),
  phaseName: f.text(),
  rate: f.orNull(f.amount()),
  amount: f.amount(),
};
export interface CoverageRow extends RecordOf<typeof coverageFields> {}
