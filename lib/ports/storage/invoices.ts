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
  /** First target date. The first and the last target date are both included. */
  readonly startDate?: LocalDate;
  readonly endDate?: LocalDate;
  readonly ids?: readonly Uuid[];
  readonly statuses?: readonly InvoiceStatus[];
  readonly withMigration: boolean;
  /** If true, returns only invoices that `findOpen` would return. */
  readonly openOnly: boolean;
}

export type InvoiceSearch =
  | { readonly kind: 'all' }
  | { readonly kind: 'number'; readonly invoiceNumber: number }
  /** Finds the invoice with this id, or the invoices of the account with this id. */
  | { readonly kind: 'id'; readonly id: Uuid }
  /** Finds invoices by the amount that is owed on them (invoicing §1.4 rule 6). */
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
   * The tenant's usage settings. Subscriptions whose cursor has different settings are due. If null, the settings are
   * ignored.
   */
  readonly usageSettings: string | null;
}

/**
 * The last COMMITTED charge of a subscription. It consists of the items and usage periods that one run created, even if
 * they have been repaired.
 */
export interface LastCharge {
  readonly subscriptionId: Uuid;
  /** Latest start of the charge. */
  readonly start: LocalDate;
  /** The latest end of all parts of the charge, or null if no part has an end. */
  readonly end: LocalDate | null;
  /**
   * The end of the RECURRING days that were in force on COMMITTED invoices at the time of the charge, or null if the
   * charge contains only usage, or if there are no such days.
   */
  readonly inForceThrough: LocalDate | null;
}

export interface ItemOfInvoice {
  readonly itemId: Uuid;
  readonly invoiceId: Uuid;
}

export interface UsedCreditRequest {
  readonly accountId: Uuid;
  /** Record id before which items are read. If null, reading starts with the newest item. */
  readonly beforeRecordId: number | null;
  readonly limit: number;
}

export interface AccountsBehind {
  readonly catalogRevision: number;
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface AccountsOnPlans {
  /** Names of catalog plans. An override plan counts as its parent plan. */
  readonly planNames: readonly string[];
  readonly afterRecordId: number;
  readonly limit: number;
}

/**
 * Selects invoices by id, or the invoices of `listOfAccounts`. In the latter case, the invoices and their data can be
 * read together.
 */
export type InvoiceSelection =
  | readonly Uuid[]
  | { readonly accountIds: readonly Uuid[]; readonly filter: InvoiceFilter };

export interface InvoiceReads {
  findByIds(ids: readonly Uuid[]): Rows<Invoice>;
  /** Returns the invoices of a run's group in order. Returns an empty list for an unknown group. */
  findGroup(groupId: Uuid): Rows<Invoice>;
  findByNumbers(invoiceNumbers: readonly number[]): Rows<Invoice>;
  /** Returns the items of these invoices in creation order. */
  findItems(of: InvoiceSelection): Rows<InvoiceItem>;
  pageItems(
    invoiceIds: readonly Uuid[],
    page: { readonly afterRecordId: number; readonly limit: number },
  ): Rows<InvoiceItem>;
  /** Returns the number of items. If the invoice has more than `atMost` items, returns `atMost`. */
  countItems(invoiceId: Uuid, atMost: number): Promise<number>;
  findItemsByIds(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /**
   * Returns the facts from which the amounts of items were calculated. Omits items whose amount was given, and items
   * that were stored before the engine recorded facts.
   */
  findItemBases(itemIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, ItemBasis>>;
  /**
   * Returns the invoices sorted by target date (by creation date for invoices without a target date), then by number.
   */
  listOfAccounts(accountIds: readonly Uuid[], filter: InvoiceFilter): Rows<Invoice>;
  /**
   * Returns COMMITTED invoices of these accounts that may be owed. They are not written off or migrated, and have a
   * raw balance above 0. Omits invoices with a settled or VOID summary, so that the result does not grow with a
   * child's history.
   */
  findOpen(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns the balances of the accounts, and the data needed to complete them. Omits accounts without invoices. */
  loadBalances(accountIds: readonly Uuid[]): Rows<StoredBalance>;
  findOpenSummaries(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns the invoices that are linked to these parents' invoices, for all or some child accounts. */
  findLinked(parentInvoiceIds: readonly Uuid[], childAccountIds?: readonly Uuid[]): Rows<Invoice>;
  /** Returns the items on COMMITTED invoices that a parent pays. */
  findDelegated(itemIds: readonly Uuid[]): Rows<ItemOfInvoice>;
  /** Returns the DRAFT invoices of these accounts in creation order. Excludes summaries of child accounts. */
  findDrafts(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Returns items that adjust or repair one of these items, in creation order. */
  findItemsLinkedTo(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /**
   * Returns at most `limit` items that use credit (CBA_ADJ below 0) and are older than `beforeRecordId`, newest first.
   * Considers only COMMITTED invoices that are not migrated and not in a committed summary.
   */
  findUsedCredit(request: UsedCreditRequest): Rows<InvoiceItem>;
  /**
   * Returns the last charge of each subscription. Omits subscriptions without charges.
   * @param sinceItem Lowest record id of the items to read. By default, all items are read.
   */
  lastCharges(subscriptionIds: readonly Uuid[], sinceItem?: number): Rows<LastCharge>;
  /**
   * Returns the latest target date of the account's invoices that are not VOID and have RECURRING or USAGE items
   * (invoicing §1.5).
   */
  maxTargetDate(accountId: Uuid): Promise<LocalDate | null>;
  page(request: PageRequest): Promise<Page<Invoice>>;
  /** Returns a page of the invoices that match the search. `max` counts all invoices of the tenant. */
  search(search: InvoiceSearch, request: PageRequest): Promise<Page<Invoice>>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Invoice>>;
  /**
   * Returns the states of accounts. Omits accounts without a stored state. Such accounts have the balance 0 and no
   * target date.
   */
  loadStates(accountIds: readonly Uuid[]): Rows<AccountInvoicingState>;
  /**
   * Returns the cursors of due subscriptions (invoicing §7.1). These cursors are unsettled, dirty, or due by the
   * account's target date, or were last evaluated with an earlier catalog revision. The order is the same as in
   * `cursorsOfAccounts`.
   */
  dueCursors(due: readonly DueSubscriptions[]): Rows<StoredCursor>;
  /**
   * Returns the record ids of accounts whose cursors have an earlier catalog revision. These are the first `limit` ids
   * greater than the given record id, in ascending order.
   */
  accountsBehind(request: AccountsBehind): Rows<number>;
  /**
   * Returns the record ids of accounts that have ever had a subscription to one of these plans. These are the first
   * `limit` ids greater than the given record id, in ascending order.
   */
  accountsOnPlans(request: AccountsOnPlans): Rows<number>;
  /** Returns the cursors in the order in which their subscriptions were created. */
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
   * Returns all rows of these items, including rows outside the window (invoicing §7.2 rule 6). Each row covers part of
   * its item's period.
   */
  loadCoverageOfItems(itemIds: readonly Uuid[]): Rows<CoverageRow>;
}

export interface InvoiceWrites {
  /**
   * Reserves `count` consecutive numbers from the tenant's counter and returns the first one. If the transaction is
   * rolled back, the numbers are free again.
   */
  takeInvoiceNumbers(count: number): Promise<number>;
  /**
   * Returns the numbers that are already used. Until the transaction ends, no other transaction can number invoices.
   */
  findUsedNumbers(numbers: readonly number[]): Rows<number>;
  /** Moves the tenant's counter past this number. If the transaction is rolled back, the counter is restored. */
  passNumber(last: number): Promise<void>;
  insertInvoices(invoices: readonly New<Invoice>[]): Promise<void>;
  /** Inserts items, together with the facts from which their amounts were calculated. The facts never change. */
  insertItems(items: readonly AddedItem[]): Promise<void>;
  /** Writes the status, commit date, target date and note of invoices. The audit log records an UPDATE. */
  setStanding(
    invoices: readonly Pick<Invoice, 'id' | 'status' | 'commitDate' | 'issuedDate' | 'targetDate' | 'note'>[],
  ): Promise<void>;
  setLinks(
    invoices: readonly Pick<Invoice, 'id' | 'parentInvoiceId' | 'parentAccountId' | 'contributedAmount'>[],
  ): Promise<void>;
  /** Updates items on drafts. The audit log records an UPDATE. */
  setItemAmounts(items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[]): Promise<void>;
  /** Updates draft items that a plugin has changed. The audit log records an UPDATE. */
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
  /** Updates deleted or reversed credit items, with the reason. The audit log records an UPDATE. */
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
   * Saves cursors. A cursor with a `recordId` is updated, and an InvariantError is thrown if its row is missing. All
   * other cursors are inserted or replace existing cursors.
   */
  saveCursors(cursors: readonly CursorToSave[]): Promise<void>;
  /**
   * Saves the states of accounts. Inserts a state whose version is 0. Updates any other state only if the stored
   * version still equals `version`, and increments the version.
   * @throws ConcurrentChangeError if the versions differ. The operation then runs again.
   */
  saveStates(states: readonly AccountInvoicingState[]): Promise<void>;
  /** Records announced invoices, each only once. Returns the newly recorded invoices. */
  announceInvoices(told: readonly InvoiceAnnouncement[]): Rows<InvoiceAnnouncement>;
}

export interface CreditNoteReads {
  findByIds(ids: readonly Uuid[]): Rows<CreditNote>;
  /** Returns the credit notes, sorted by number. */
  ofInvoices(invoiceIds: readonly Uuid[]): Rows<CreditNote>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<CreditNote>>;
  /** Returns at most `limit` of the tenant's credit notes with a greater number, sorted by number. */
  afterNumber(creditNoteNumber: number, limit: number): Rows<CreditNote>;
}

export interface CreditNoteWrites {
  /**
   * Reserves `count` consecutive numbers from the tenant's counter and returns the first one. If the transaction is
   * rolled back, the numbers are free again.
   */
  takeNumbers(count: number): Promise<number>;
  insert(notes: readonly New<CreditNote>[]): Promise<void>;
  /** Returns true if the tenant has enabled credit notes. The setting is read only if something is credited. */
  areWritten(): Promise<boolean>;
}
