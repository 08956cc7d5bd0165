import { f, type RecordOf } from '../values/fields/index.ts';

/** An account that was ever overdue (overdue §2.3). */
export const overdueAccountFields = {
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** True while the tag AUTO_INVOICING_OFF was set by overdue and not by a user. */
  isInvoicingOffOwned: f.flag(),
  /** Name of the current state. Null means clear. */
  stateName: f.orNull(f.text()),
};
export interface OverdueAccount extends RecordOf<typeof overdueAccountFields> {}
