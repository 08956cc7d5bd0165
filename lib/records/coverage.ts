import { amount, code, date, id, orNull, type RecordOf, text } from '../values/fields/index.ts';

/**
 * What is billed and in force, by days (invoicing §1.5). One record with a kind in place of three tables:
 * RECURRING = CoverageRow, FIXED = FixedRow (no end date), FREE = FreeRow (a recurring item that has come to 0 by itself,
 * not by a plugin).
 */
export const coverageFields = {
  kind: code<'RECURRING' | 'FIXED' | 'FREE'>(),
  subscriptionId: id(),
  itemId: id(),
  startDate: date(),
  endDate: orNull(date()),
  planName: text(),
  phaseName: text(),
  rate: orNull(amount()),
  amount: amount(),
};
export interface CoverageRow extends RecordOf<typeof coverageFields> {}
