import type {
  Account,
  AccountEmail,
  New,
  OverdueAccount,
  Page,
  PageRequest,
  SearchClause,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export type AccountSearch =
  /** The whole id, or part of name, e-mail, external key or company in any letter case. */
  | { readonly kind: 'text'; readonly id: Uuid | null; readonly text: string }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export interface AccountReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly Account[]>;
  findByRecordIds(recordIds: readonly number[]): Promise<readonly Account[]>;
  /** Accounts after a record id, in creation order, at most `limit`. */
  findAfter(request: { readonly afterRecordId: number; readonly limit: number }): Promise<readonly Account[]>;
  findByKeys(externalKeys: readonly string[]): Promise<readonly Account[]>;
  page(request: PageRequest): Promise<Page<Account>>;
  /** `max` counts all accounts of the tenant. */
  search(search: AccountSearch, request: PageRequest): Promise<Page<Account>>;
  /** The first account whose id, else name, e-mail, external key or company is the text, in that order. */
  findExactly(text: string, id: Uuid | null): Promise<Account | null>;
  /** Accounts whose parent is one of these, in creation order. */
  findChildren(parentAccountIds: readonly Uuid[]): Promise<readonly Account[]>;
  /** These accounts with their parents, the parents of those, and so on, in any order. */
  findWithAncestors(accountIds: readonly Uuid[]): Promise<readonly Account[]>;
  /** Active secondary addresses, in the order of their addition. */
  findEmails(accountIds: readonly Uuid[]): Promise<readonly AccountEmail[]>;
  /** Secondary addresses with these ids, removed ones too. */
  findEmailsByIds(ids: readonly Uuid[]): Promise<readonly AccountEmail[]>;
}

export interface AccountWrites {
  /** Returns the stored accounts; a taken external key throws BillingError 3000 (ACCOUNT_ALREADY_EXISTS). */
  insert(accounts: readonly New<Account>[]): Promise<readonly Account[]>;
  /** Writes every updatable field; audited as UPDATE. */
  update(accounts: readonly Account[]): Promise<void>;
  insertEmails(emails: readonly New<AccountEmail>[]): Promise<void>;
  /** Audited as DELETE. */
  deactivateEmails(emails: readonly AccountEmail[]): Promise<void>;
  /** Writes FORGOTTEN in place of every secondary address of the account, none of which may be active; not audited. */
  anonymizeEmails(accountRecordId: number): Promise<void>;
  /** Replaces every history record of the account and its addresses by what `anonymized` makes of it. */
  anonymizeHistory(
    accountRecordId: number,
    anonymized: (snapshot: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void>;
}

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
