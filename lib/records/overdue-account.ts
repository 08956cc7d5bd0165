import { bigint, flag, id, type RecordOf } from '../values/fields/index.ts';

/** What is stored of an account that has ever been overdue, besides its blocking states (overdue §2.3). */
export const overdueAccountFields = {
  accountId: id(),
  accountRecordId: bigint(),
  /** True while AUTO_INVOICING_OFF is on the account because it is overdue, and not because somebody wanted it. */
  isInvoicingOffOwned: flag(),
};
export interface OverdueAccount extends RecordOf<typeof overdueAccountFields> {}
