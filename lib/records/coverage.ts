import { amount, code, date, id, orNull, type RecordOf, text } from '../values/fields/index.ts';

/**
 * The billed days in force (invoicing §1.5): RECURRING = CoverageRow, FIXED = FixedRow without end date, FREE = FreeRow of
 * a recurring item whose amount is 0, unless a plugin made it 0.
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
