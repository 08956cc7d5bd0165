import type {
  Account,
  AccountEmail,
  ClauseSearch,
  New,
  OverdueAccount,
  Page,
  PageRequest,
  Rows,
  TextSearch,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export type AccountSearch =
  /**
   * Finds accounts whose id equals the text, or whose name, e-mail, external key or company contains it, ignoring case.
   */
  TextSearch | ClauseSearch;

export interface AccountReads {
  findByIds(ids: readonly Uuid[]): Rows<Account>;
  findByRecordIds(recordIds: readonly number[]): Rows<Account>;
  findAfter(request: { readonly afterRecordId: number; readonly limit: number }): Rows<Account>;
  findByKeys(externalKeys: readonly string[]): Rows<Account>;
  page(request: PageRequest): Promise<Page<Account>>;
  /** Returns a page of matching accounts. `max` is the number of all accounts of the tenant. */
  search(search: AccountSearch, request: PageRequest): Promise<Page<Account>>;
  /**
   * Returns the first account whose id equals the text, otherwise the first account whose name, e-mail, external key or
   * company equals it.
   */
  findExactly(text: string, id: Uuid | null): Promise<Account | null>;
  findChildren(parentAccountIds: readonly Uuid[]): Rows<Account>;
  /** Returns the accounts with the given ids and all their ancestors, in any order. */
  findWithAncestors(accountIds: readonly Uuid[]): Rows<Account>;
  findEmails(accountIds: readonly Uuid[]): Rows<AccountEmail>;
  /** Returns the addresses with the given ids, including removed addresses. */
  findEmailsByIds(ids: readonly Uuid[]): Rows<AccountEmail>;
}

export interface AccountWrites {
  /**
   * Stores accounts and returns them.
   * @throws BillingError 3000 (ACCOUNT_ALREADY_EXISTS) if an external key is already used.
   */
  insert(accounts: readonly New<Account>[]): Rows<Account>;
  /** Writes all fields that can be updated. The audit log records an UPDATE. */
  update(accounts: readonly Account[]): Promise<void>;
  insertEmails(emails: readonly New<AccountEmail>[]): Promise<void>;
  /** Deactivates addresses. The audit log records a DELETE. */
  deactivateEmails(emails: readonly AccountEmail[]): Promise<void>;
  /**
   * Overwrites all secondary addresses of the account with FORGOTTEN. The addresses must be inactive. The audit log
   * does not record the change.
   */
  anonymizeEmails(accountRecordId: number): Promise<void>;
  /** Replaces each history record of the account and its addresses with the result of `anonymized`. */
  anonymizeHistory(
    accountRecordId: number,
    anonymized: (snapshot: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void>;
}

export interface OverdueReads {
  findAccounts(accountIds: readonly Uuid[]): Rows<OverdueAccount>;
  /** Returns accounts that have ever been overdue, sorted by id, starting after the given account. */
  page(request: { readonly afterAccountId: Uuid | null; readonly limit: number }): Rows<OverdueAccount>;
  /**
   * Returns a page of the accounts in a state. If the state is null, returns the accounts in any state except clear.
   */
  pageOverdue(stateName: string | null, request: PageRequest): Promise<Page<OverdueAccount>>;
  /** Returns the number of accounts in each state except clear, in any order. */
  countStates(): Rows<{ readonly stateName: string; readonly accounts: number }>;
}

export interface OverdueWrites {
  /** Inserts new accounts. Updates the state and `isInvoicingOffOwned` of existing accounts. */
  saveAccounts(accounts: readonly OverdueAccount[]): Promise<void>;
  /** Records that only users have set AUTO_INVOICING_OFF on these accounts. */
  disownInvoicingOff(accountIds: readonly Uuid[]): Promise<void>;
}
