import { f, type RecordOf } from '../values/fields/index.ts';

/**
 * The billed days in force (invoicing §1.5). RECURRING rows are CoverageRows. FIXED rows are FixedRows without an end
 * date. FREE rows are FreeRows of recurring items whose amount is 0, unless a plugin made it 0.
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
