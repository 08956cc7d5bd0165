import { f, type RecordOf } from '../values/fields/index.ts';

/** An account that has been overdue at some time (overdue §2.3). */
export const overdueAccountFields = {
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** True if overdue processing, not a user, has set the tag AUTO_INVOICING_OFF. */
  isInvoicingOffOwned: f.flag(),
  /** Name of the current state. Null means the clear state. */
  stateName: f.orNull(f.text()),
};
export interface OverdueAccount extends RecordOf<typeof overdueAccountFields> {}
