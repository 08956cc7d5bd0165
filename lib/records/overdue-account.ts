import { bigint, flag, id, type RecordOf } from '../values/fields/index.ts';

/** An account that was ever overdue (overdue §2.3). */
export const overdueAccountFields = {
  accountId: id(),
  accountRecordId: bigint(),
  /** True while AUTO_INVOICING_OFF was set by overdue and not by a user. */
  isInvoicingOffOwned: flag(),
};
export interface OverdueAccount extends RecordOf<typeof overdueAccountFields> {}
