import type {
  AccountInvoicingState,
  AddedItem,
  ClauseSearch,
  CoverageRow,
  CreditNote,
  CursorToSave,
  Invoice,
  InvoiceAmounts,
  InvoiceAnnouncement,
  InvoiceItem,
  InvoiceStatus,
  ItemBasis,
  New,
  Page,
  PageRequest,
  Rows,
  SearchOperator,
  StoredBalance,
  StoredCursor,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

export interface InvoiceFilter {
  /** First target date, inclusive. The last date is inclusive too. */
  readonly startDate?: LocalDate;
  readonly endDate?: LocalDate;
  readonly ids?: readonly Uuid[];
  readonly statuses?: readonly InvoiceStatus[];
  readonly withMigration: boolean;
  /** If true, returns only the invoices that `findOpen` returns. */
  readonly openOnly: boolean;
}

export type InvoiceSearch =
  | { readonly kind: 'all' }
  | { readonly kind: 'number'; readonly invoiceNumber: number }
  /** The invoice with this id, or the invoices of the account with this id. */
  | { readonly kind: 'id'; readonly id: Uuid }
  /** Compares the amount owed on the invoice (invoicing §1.4 rule 6). */
  | {
      readonly kind: 'balance';
      readonly operator: Exclude<SearchOperator, 'like'>;
      readonly balance: Decimal;
    }
  | ClauseSearch;

export interface DueSubscriptions {
  readonly accountId: Uuid;
  readonly targetDate: LocalDate;
  readonly catalogRevision: number;
  /**
   * The tenant's usage settings. Subscriptions whose cursor has other settings are due. Null to ignore the settings.
   */
  readonly usageSettings: string | null;
}

/** The last COMMITTED charge of a subscription, repaired or not: its items and usage periods from one run. */
export interface LastCharge {
  readonly subscriptionId: Uuid;
  /** Latest start of the charge. */
  readonly start: LocalDate;
  /** Latest end of the charge. Null if no part of the charge has an end. */
  readonly end: LocalDate | null;
  /**
   * End of the RECURRING days that were in force on COMMITTED invoices at the time of the charge. Null if the charge
   * contains only usage, or if there are no such days.
   */
  readonly inForceThrough: LocalDate | null;
}

export interface ItemOfInvoice {
  readonly itemId: Uuid;
  readonly invoiceId: Uuid;
}

export interface UsedCreditRequest {
  readonly accountId: Uuid;
  /** Record id before which items are read. Null starts with the newest item. */
  readonly beforeRecordId: number | null;
  readonly limit: number;
}

export interface AccountsBehind {
  readonly catalogRevision: number;
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface AccountsOnPlans {
  /** Names of catalog plans. An override plan is treated as its parent. */
  readonly planNames: readonly string[];
  readonly afterRecordId: number;
  readonly limit: number;
}

/**
 * Invoices by id, or the invoices of `listOfAccount`. With `listOfAccount`, the invoices and their data can be read
 * together.
 */
export type InvoiceSelection = readonly Uuid[] | { readonly accountId: Uuid; readonly filter: InvoiceFilter };

export interface InvoiceReads {
  findByIds(ids: readonly Uuid[]): Rows<Invoice>;
  /** Returns the invoices of a run's group in order. An unknown group has no invoices. */
  findGroup(groupId: Uuid): Rows<Invoice>;
  findByNumbers(invoiceNumbers: readonly number[]): Rows<Invoice>;
  /** Returns the items of these invoices in creation order. */
  findItems(of: InvoiceSelection): Rows<InvoiceItem>;
  pageItems(
    invoiceIds: readonly Uuid[],
    page: { readonly afterRecordId: number; readonly limit: number },
  ): Rows<InvoiceItem>;
  /** Returns the number of items, or `atMost` if the invoice has more. */
  countItems(invoiceId: Uuid, atMost: number): Promise<number>;
  findItemsByIds(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /**
   * Returns the calculation facts of items. Omits items whose amount was not calculated, and items stored before
   * facts were recorded.
   */
  findItemBases(itemIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, ItemBasis>>;
  /** Returns the invoices sorted by target date (creation date if null), then by number. */
  listOfAccount(accountId: Uuid, filter: InvoiceFilter): Rows<Invoice>;
  /**
   * Returns COMMITTED invoices of these accounts that may be owed. They are not written off or migrated, and have a
   * raw balance above 0. Omits invoices with a settled or VOID summary, so that the result does not grow with a
   * child's history.
   */
  findOpen(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns the data of the accounts' balances. Accounts without invoices are omitted. */
  loadBalances(accountIds: readonly Uuid[]): Rows<StoredBalance>;
  findOpenSummaries(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns invoices linked to these parents' invoices, of all child accounts or of some. */
  findLinked(parentInvoiceIds: readonly Uuid[], childAccountIds?: readonly Uuid[]): Rows<Invoice>;
  /** Returns the items on COMMITTED invoices that a parent pays. */
  findDelegated(itemIds: readonly Uuid[]): Rows<ItemOfInvoice>;
  /** Returns the DRAFT invoices of these accounts, without summaries of child accounts, in creation order. */
  findDrafts(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns items that adjust or repair one of these items, in creation order. */
  findItemsLinkedTo(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /**
   * Returns items that use credit (CBA_ADJ below 0) on COMMITTED, unmigrated invoices without a committed summary,
   * newest first. Returns at most `limit` items that are older than `beforeRecordId`.
   */
  findUsedCredit(request: UsedCreditRequest): Rows<InvoiceItem>;
  /**
   * Returns the last charges. Subscriptions without charges are omitted.
   * @param sinceItem record id from which items are read. By default all items are read.
   */
  lastCharges(subscriptionIds: readonly Uuid[], sinceItem?: number): Rows<LastCharge>;
  /**
   * Returns the latest target date of the account's invoices that are not VOID and have RECURRING or USAGE items
   * (invoicing §1.5).
   */
  maxTargetDate(accountId: Uuid): Promise<LocalDate | null>;
  page(request: PageRequest): Promise<Page<Invoice>>;
  /** Returns a page of matching invoices. `max` counts all invoices of the tenant. */
  search(search: InvoiceSearch, request: PageRequest): Promise<Page<Invoice>>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Invoice>>;
  /** Returns account states. Accounts without a stored state (balance 0, no target date) are omitted. */
  loadStates(accountIds: readonly Uuid[]): Rows<AccountInvoicingState>;
  /**
   * Returns the cursors of due subscriptions (invoicing §7.1): unsettled, dirty, due by the account's target date, or
   * from an earlier catalog revision. The order is the same as in `cursorsOfAccounts`.
   */
  dueCursors(due: readonly DueSubscriptions[]): Rows<StoredCursor>;
  /**
   * Returns up to `limit` record ids of accounts with cursors of an earlier catalog revision, sorted and starting
   * after a record id.
   */
  accountsBehind(request: AccountsBehind): Rows<number>;
  /**
   * Returns up to `limit` record ids of accounts whose subscriptions have ever had one of these plans, sorted and
   * starting after a record id.
   */
  accountsOnPlans(request: AccountsOnPlans): Rows<number>;
  /** Returns the cursors, sorted by the creation of their subscriptions. */
  cursorsOfAccounts(accountIds: readonly Uuid[]): Rows<StoredCursor>;
  findCursors(subscriptionIds: readonly Uuid[]): Rows<StoredCursor>;
  /**
   * Returns, per subscription, the RECURRING rows that end after `from`, and the FIXED and FREE rows that start on or
   * after it. A null `from` means all rows.
   */
  loadCoverage(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Rows<CoverageRow>;
  /**
   * Returns all rows of these items, even outside the window (invoicing §7.2 rule 6). Each row covers part of its
   * item's period.
   */
  loadCoverageOfItems(itemIds: readonly Uuid[]): Rows<CoverageRow>;
}

export interface InvoiceWrites {
  /**
   * Takes `count` consecutive numbers from the tenant's counter and returns the first. A rollback releases the
   * numbers.
   */
  takeInvoiceNumbers(count: number): Promise<number>;
  /**
   * Returns the numbers that are already used. Prevents other callers from numbering invoices until the transaction
   * ends.
   */
  findUsedNumbers(numbers: readonly number[]): Rows<number>;
  /** Moves the tenant's counter past this number. A rollback undoes the move. */
  passNumber(last: number): Promise<void>;
  insertInvoices(invoices: readonly New<Invoice>[]): Promise<void>;
  /** Inserts items. Also stores the calculation facts, which never change. */
  insertItems(items: readonly AddedItem[]): Promise<void>;
  /** Writes status, commit date, target date and note. Audited as UPDATE. */
  setStanding(
    invoices: readonly Pick<Invoice, 'id' | 'status' | 'commitDate' | 'issuedDate' | 'targetDate' | 'note'>[],
  ): Promise<void>;
  setLinks(
    invoices: readonly Pick<Invoice, 'id' | 'parentInvoiceId' | 'parentAccountId' | 'contributedAmount'>[],
  ): Promise<void>;
  /** Updates items on drafts. The audit records an UPDATE. */
  setItemAmounts(items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[]): Promise<void>;
  /** Updates draft items that a plugin has changed. The audit records an UPDATE. */
  rewriteItems(
    items: readonly Pick<
      InvoiceItem,
      | 'id'
      | 'amount'
      | 'repairable'
      | 'description'
      | 'rate'
      | 'listRate'
      | 'discounts'
      | 'quantity'
      | 'itemDetails'
      | 'taxRate'
      | 'taxCategory'
      | 'taxExemption'
    >[],
  ): Promise<void>;
  /** Updates deleted or reversed credit items, with the reason. The audit records an UPDATE. */
  setCredits(
    items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable' | 'description'>[],
  ): Promise<void>;
  setAmounts(changes: readonly ({ readonly invoiceId: Uuid } & InvoiceAmounts)[]): Promise<void>;
  /** Updates `isWrittenOff`, which is derived from the invoice's tags. */
  setWrittenOff(changes: readonly Pick<Invoice, 'id' | 'isWrittenOff'>[]): Promise<void>;
  setRepairable(changes: readonly Pick<InvoiceItem, 'id' | 'repairable'>[]): Promise<void>;
  insertCoverage(
    rows: readonly CoverageRow[],
    accountRecordIdOf: (row: CoverageRow) => number,
  ): Promise<void>;
  /** Replaces the stored rows of these items. */
  replaceCoverage(
    itemIds: readonly Uuid[],
    rows: readonly CoverageRow[],
    accountRecordIdOf: (row: CoverageRow) => number,
  ): Promise<void>;
  /**
   * Updates cursors that have a `recordId` (InvariantError if the row is missing). Inserts or replaces other cursors.
   */
  saveCursors(cursors: readonly CursorToSave[]): Promise<void>;
  /**
   * Inserts a state (version 0). Updates a state whose stored version is still `version`, and increments the version.
   * A concurrent change throws ConcurrentChangeError, which repeats the operation.
   */
  saveStates(states: readonly AccountInvoicingState[]): Promise<void>;
  /** Records each announced invoice once. Returns the newly recorded ones. */
  announceInvoices(told: readonly InvoiceAnnouncement[]): Rows<InvoiceAnnouncement>;
}

export interface CreditNoteReads {
  findByIds(ids: readonly Uuid[]): Rows<CreditNote>;
  /** Returns the credit notes in the order of their numbers. */
  ofInvoices(invoiceIds: readonly Uuid[]): Rows<CreditNote>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<CreditNote>>;
  /** Returns at most `limit` of the tenant's credit notes with a greater number, sorted by number. */
  afterNumber(creditNoteNumber: number, limit: number): Rows<CreditNote>;
}

export interface CreditNoteWrites {
  /**
   * Takes `count` consecutive numbers from the tenant's counter and returns the first. A rollback releases the
   * numbers.
   */
  takeNumbers(count: number): Promise<number>;
  insert(notes: readonly New<CreditNote>[]): Promise<void>;
  /** Returns true if the tenant writes credit notes. The setting is read only if something is credited. */
  areWritten(): Promise<boolean>;
}
