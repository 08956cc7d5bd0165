import type { Uuid } from '../values/ids/index.ts';

/** What is stored of an account that has ever been overdue, besides its blocking states (overdue §2.3). */
export interface OverdueAccount {
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  /** True while AUTO_INVOICING_OFF is on the account because it is overdue, and not because somebody wanted it. */
  readonly isInvoicingOffOwned: boolean;
}
