import type { OverdueAccount } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface OverdueReads {
  /** Accounts that have never been overdue are left out. */
  findAccounts(accountIds: readonly Uuid[]): Promise<readonly OverdueAccount[]>;
  /** Accounts that have ever been overdue, in the order of their ids: the first behind that one, or of all. */
  page(request: {
    readonly afterAccountId: Uuid | null;
    readonly limit: number;
  }): Promise<readonly OverdueAccount[]>;
}

export interface OverdueWrites {
  /** Inserts these, or writes `isInvoicingOffOwned` of those that are there. */
  saveAccounts(accounts: readonly OverdueAccount[]): Promise<void>;
  /** From now on AUTO_INVOICING_OFF on these accounts is nobody's doing but a user's. */
  disownInvoicingOff(accountIds: readonly Uuid[]): Promise<void>;
}
