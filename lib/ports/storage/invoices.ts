import type {
  AccountInvoicingState,
  AddedItem,
  CoverageRow,
  CursorToSave,
  Invoice,
  InvoiceAmounts,
  InvoiceItem,
  InvoiceStatus,
  ItemBasis,
  New,
  Page,
  PageRequest,
  StoredBalance,
  StoredCursor,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

export interface InvoiceFilter {
  /** Bounds of the target date, both inclusive. */
  readonly startDate?: LocalDate;
  readonly endDate?: LocalDate;
  readonly ids?: readonly Uuid[];
  readonly statuses?: readonly InvoiceStatus[];
  readonly withMigration: boolean;
  /** Those alone that `findOpen` gives. */
  readonly openOnly: boolean;
}

export interface DueSubscriptions {
  readonly accountId: Uuid;
  readonly targetDate: LocalDate;
  /** Revision of the account's catalog. */
  readonly catalogRevision: number;
}

export interface UsedCreditRequest {
  readonly accountId: Uuid;
  /** null = from the newest on. */
  readonly beforeRecordId: number | null;
  readonly limit: number;
}

export interface AccountsBehind {
  readonly catalogRevision: number;
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface AccountsOnPlans {
  /** Of the catalog; plans that override their prices count as these. */
  readonly planNames: readonly string[];
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface InvoiceReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** Items in creation order. */
  findItems(invoiceIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /** So many of them, those behind a record id. */
  pageItems(
    invoiceIds: readonly Uuid[],
    page: { readonly afterRecordId: number; readonly limit: number },
  ): Promise<readonly InvoiceItem[]>;
  findItemsByIds(itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /**
   * The facts behind the amounts of these items, which no other read gives; items whose amount was given, and those older
   * than the keeping of facts, are left out.
   */
  findItemBases(itemIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, ItemBasis>>;
  /** By target date (creation date when null), then number. */
  listOfAccount(accountId: Uuid, filter: InvoiceFilter): Promise<readonly Invoice[]>;
  /**
   * The COMMITTED invoices of these accounts that may be owed: neither written off nor of another system, of a raw balance
   * above 0; but for those whose summary is settled or VOID, so that the answer does not follow the history of a child.
   */
  findOpen(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** What the balances of these accounts are told from; accounts without invoices are left out. */
  loadBalances(accountIds: readonly Uuid[]): Promise<readonly StoredBalance[]>;
  /** The summary of each of these accounts that is a DRAFT. */
  findOpenSummaries(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** The invoices that are linked to these of parents and contribute to them, of all children or of some. */
  findLinked(
    parentInvoiceIds: readonly Uuid[],
    childAccountIds?: readonly Uuid[],
  ): Promise<readonly Invoice[]>;
  /** The DRAFT invoices of these accounts, summaries of children left out, in creation order. */
  findDrafts(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** Items that adjust or repair one of these, in creation order. */
  findItemsLinkedTo(itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /**
   * The items that use the account's credit (CBA_ADJ below 0), of COMMITTED invoices but for migrated ones, the newest first:
   * at most `limit` of them, older than `beforeRecordId`.
   */
  findUsedCredit(request: UsedCreditRequest): Promise<readonly InvoiceItem[]>;
  /**
   * Up to when COMMITTED charges in force bill these subscriptions (invoicing §8.5); those that none bills are left
   * out.
   */
  committedThrough(
    subscriptionIds: readonly Uuid[],
  ): Promise<readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[]>;
  /** Latest target date of the account's invoices with RECURRING or USAGE items that are not VOID (invoicing §1.5). */
  maxTargetDate(accountId: Uuid): Promise<LocalDate | null>;
  page(request: PageRequest): Promise<Page<Invoice>>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Invoice>>;
  /** Accounts without a stored state are left out; they have balance 0 and no target date. */
  loadStates(accountIds: readonly Uuid[]): Promise<readonly AccountInvoicingState[]>;
  /**
   * Cursors of the subscriptions that are due (invoicing §7.1): settled nothing yet, dirty, or next due on or
   * before the account's target date; and of those that were last evaluated under an earlier revision of the catalog. In the same order.
   */
  dueCursors(due: readonly DueSubscriptions[]): Promise<readonly StoredCursor[]>;
  /**
   * Record ids of accounts with cursors of an earlier revision of the catalog, ascending, after a record id: at most
   * `limit` of them.
   */
  accountsBehind(request: AccountsBehind): Promise<readonly number[]>;
  /**
   * Record ids of accounts with subscriptions that have or ever had one of these plans, ascending, after a record id: at
   * most `limit` of them.
   */
  accountsOnPlans(request: AccountsOnPlans): Promise<readonly number[]>;
  /** Cursors of all subscriptions of these accounts, in the order in which the subscriptions were created. */
  cursorsOfAccounts(accountIds: readonly Uuid[]): Promise<readonly StoredCursor[]>;
  findCursors(subscriptionIds: readonly Uuid[]): Promise<readonly StoredCursor[]>;
  /** RECURRING rows ending after, FIXED and FREE rows starting on or after `from` (null = all), per subscription. */
  loadCoverage(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Promise<readonly CoverageRow[]>;
  /**
   * All rows of these items, inside the window or not (invoicing §7.2 rule 6): each is a piece of its item's period.
   */
  loadCoverageOfItems(itemIds: readonly Uuid[]): Promise<readonly CoverageRow[]>;
}

export interface InvoiceWrites {
  /** Takes `count` consecutive numbers of the tenant's counter and returns the first; rolled back with the transaction. */
  takeInvoiceNumbers(count: number): Promise<number>;
  insertInvoices(invoices: readonly New<Invoice>[]): Promise<void>;
  /** With the facts behind their amounts, which never change. */
  insertItems(items: readonly AddedItem[]): Promise<void>;
  /** Writes status, commit date and target date; audited as UPDATE. */
  setStanding(
    invoices: readonly Pick<Invoice, 'id' | 'status' | 'commitDate' | 'targetDate'>[],
  ): Promise<void>;
  /** Writes what links a child's invoice to the parent's. */
  setLinks(
    invoices: readonly Pick<Invoice, 'id' | 'parentInvoiceId' | 'parentAccountId' | 'contributedAmount'>[],
  ): Promise<void>;
  /** Writes the amounts of items of drafts; audited as UPDATE. */
  setItemAmounts(items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[]): Promise<void>;
  /** Writes the amounts of credit items that are deleted or taken back, and why; audited as UPDATE. */
  setCredits(
    items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable' | 'description'>[],
  ): Promise<void>;
  setAmounts(changes: readonly ({ readonly invoiceId: Uuid } & InvoiceAmounts)[]): Promise<void>;
  /** Writes `isWrittenOff`, which follows from the invoice's tags. */
  setWrittenOff(changes: readonly Pick<Invoice, 'id' | 'isWrittenOff'>[]): Promise<void>;
  setRepairable(changes: readonly Pick<InvoiceItem, 'id' | 'repairable'>[]): Promise<void>;
  insertCoverage(
    rows: readonly CoverageRow[],
    accountRecordIdOf: (row: CoverageRow) => number,
  ): Promise<void>;
  /** Removes the rows of these items, which are stored, and puts `rows` in their place. */
  replaceCoverage(
    itemIds: readonly Uuid[],
    rows: readonly CoverageRow[],
    accountRecordIdOf: (row: CoverageRow) => number,
  ): Promise<void>;
  /**
   * Writes those that have a `recordId` in their rows, one that is gone throws InvariantError; inserts or replaces the
   * others.
   */
  saveCursors(cursors: readonly CursorToSave[]): Promise<void>;
  /**
   * Inserts (version 0) or updates where the stored version is still `version`, and raises it; a state that was changed
   * in between throws ConcurrentChangeError, which re-runs the operation.
   */
  saveStates(states: readonly AccountInvoicingState[]): Promise<void>;
}
