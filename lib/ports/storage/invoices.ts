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
  /** Bounds of the target date, both inclusive. */
  readonly startDate?: LocalDate;
  readonly endDate?: LocalDate;
  readonly ids?: readonly Uuid[];
  readonly statuses?: readonly InvoiceStatus[];
  readonly withMigration: boolean;
  /** Only the invoices of `findOpen`. */
  readonly openOnly: boolean;
}

export type InvoiceSearch =
  | { readonly kind: 'all' }
  | { readonly kind: 'number'; readonly invoiceNumber: number }
  /** The invoice or the account with this id. */
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
  /** The tenant's usage settings; subscriptions with another setting in their cursor are due. null means ignore. */
  readonly usageSettings: string | null;
}

/** The last COMMITTED charge of a subscription, repaired or not: its items and usage periods of one run. */
export interface LastCharge {
  readonly subscriptionId: Uuid;
  /** Its latest start. */
  readonly start: LocalDate;
  /** Its latest end; null if nothing has an end. */
  readonly end: LocalDate | null;
  /**
   * End of the RECURRING days in force on COMMITTED invoices when it was made; null for usage alone, or without such
   * days.
   */
  readonly inForceThrough: LocalDate | null;
}

export interface ItemOfInvoice {
  readonly itemId: Uuid;
  readonly invoiceId: Uuid;
}

export interface UsedCreditRequest {
  readonly accountId: Uuid;
  /** Null means from the newest. */
  readonly beforeRecordId: number | null;
  readonly limit: number;
}

export interface AccountsBehind {
  readonly catalogRevision: number;
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface AccountsOnPlans {
  /** Catalog plans; override plans count as their parents. */
  readonly planNames: readonly string[];
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface InvoiceReads {
  findByIds(ids: readonly Uuid[]): Rows<Invoice>;
  /** Returns the invoices of a run's group, in order; empty for an unknown group. */
  findGroup(groupId: Uuid): Rows<Invoice>;
  findByNumbers(invoiceNumbers: readonly number[]): Rows<Invoice>;
  /** Items in creation order. */
  findItems(invoiceIds: readonly Uuid[]): Rows<InvoiceItem>;
  pageItems(
    invoiceIds: readonly Uuid[],
    page: { readonly afterRecordId: number; readonly limit: number },
  ): Rows<InvoiceItem>;
  /** Returns `atMost` if the invoice has more items. */
  countItems(invoiceId: Uuid, atMost: number): Promise<number>;
  findItemsByIds(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /** Calculation facts of items. Omits items with given amounts, and items older than the recording of facts. */
  findItemBases(itemIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, ItemBasis>>;
  /** Returns the invoices by target date (creation date if null), then number. */
  listOfAccount(accountId: Uuid, filter: InvoiceFilter): Rows<Invoice>;
  /**
   * COMMITTED invoices of these accounts that may be owed: not written off or migrated, with a raw balance above 0.
   * Omits invoices with a settled or VOID summary, so that the result does not grow with a child's history.
   */
  findOpen(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Data of the accounts' balances; accounts without invoices are omitted. */
  loadBalances(accountIds: readonly Uuid[]): Rows<StoredBalance>;
  findOpenSummaries(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Invoices linked to these parents' invoices, of all children or of some. */
  findLinked(parentInvoiceIds: readonly Uuid[], childAccountIds?: readonly Uuid[]): Rows<Invoice>;
  /** Returns the items on COMMITTED invoices that a parent pays. */
  findDelegated(itemIds: readonly Uuid[]): Rows<ItemOfInvoice>;
  /** Returns the DRAFT invoices of these accounts, without summaries of children, in creation order. */
  findDrafts(accountIds: readonly Uuid[]): Rows<Invoice>;
  /** Items that adjust or repair one of these, in creation order. */
  findItemsLinkedTo(itemIds: readonly Uuid[]): Rows<InvoiceItem>;
  /**
   * Items that use credit (CBA_ADJ below 0) on COMMITTED, unmigrated invoices without a committed summary, newest
   * first: at most `limit`, older than `beforeRecordId`.
   */
  findUsedCredit(request: UsedCreditRequest): Rows<InvoiceItem>;
  /**
   * Subscriptions without charges are omitted.
   * @param sinceItem record id from which items are read. Default: all are.
   */
  lastCharges(subscriptionIds: readonly Uuid[], sinceItem?: number): Rows<LastCharge>;
  /** Latest target date of the account's invoices with RECURRING or USAGE items that are not VOID (invoicing §1.5). */
  maxTargetDate(accountId: Uuid): Promise<LocalDate | null>;
  page(request: PageRequest): Promise<Page<Invoice>>;
  /** `max` counts all invoices of the tenant. */
  search(search: InvoiceSearch, request: PageRequest): Promise<Page<Invoice>>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Invoice>>;
  /** Accounts without a stored state (balance 0, no target date) are omitted. */
  loadStates(accountIds: readonly Uuid[]): Rows<AccountInvoicingState>;
  /**
   * Cursors of due subscriptions (invoicing §7.1): unsettled, dirty, due by the account's target date, or from an
   * earlier catalog revision. In the order of `cursorsOfAccounts`.
   */
  dueCursors(due: readonly DueSubscriptions[]): Rows<StoredCursor>;
  /**
   * Record ids of accounts with cursors of an earlier catalog revision, ascending, after a record id: at most `limit`.
   */
  accountsBehind(request: AccountsBehind): Rows<number>;
  /**
   * Record ids of accounts whose subscriptions ever had one of these plans, ascending, after a record id: at most
   * `limit`.
   */
  accountsOnPlans(request: AccountsOnPlans): Rows<number>;
  /** Returns the cursors in creation order of the subscriptions. */
  cursorsOfAccounts(accountIds: readonly Uuid[]): Rows<StoredCursor>;
  findCursors(subscriptionIds: readonly Uuid[]): Rows<StoredCursor>;
  /**
   * RECURRING rows ending after, FIXED and FREE rows starting on or after `from` (null means all), per subscription.
   */
  loadCoverage(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Rows<CoverageRow>;
  /**
   * Returns all rows of these items, even outside the window (invoicing §7.2 rule 6): each covers part of its item's
   * period.
   */
  loadCoverageOfItems(itemIds: readonly Uuid[]): Rows<CoverageRow>;
}

export interface InvoiceWrites {
  /** Takes `count` consecutive numbers from the tenant's counter and returns the first; rolled back with the transaction. */
  takeInvoiceNumbers(count: number): Promise<number>;
  /** Returns the numbers already used. Blocks other callers from numbering invoices until the transaction ends. */
  findUsedNumbers(numbers: readonly number[]): Rows<number>;
  /** Moves the tenant's counter past this number; rolled back with the transaction. */
  passNumber(last: number): Promise<void>;
  insertInvoices(invoices: readonly New<Invoice>[]): Promise<void>;
  /** Also stores the calculation facts, which never change. */
  insertItems(items: readonly AddedItem[]): Promise<void>;
  /** Writes status, commit date and target date; audited as UPDATE. */
  setStanding(
    invoices: readonly Pick<Invoice, 'id' | 'status' | 'commitDate' | 'issuedDate' | 'targetDate'>[],
  ): Promise<void>;
  setLinks(
    invoices: readonly Pick<Invoice, 'id' | 'parentInvoiceId' | 'parentAccountId' | 'contributedAmount'>[],
  ): Promise<void>;
  /** Updates items on drafts; audited as UPDATE. */
  setItemAmounts(items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[]): Promise<void>;
  /** Updates items changed by a plugin on drafts; audited as UPDATE. */
  rewriteItems(
    items: readonly Pick<
      InvoiceItem,
      'id' | 'amount' | 'repairable' | 'description' | 'rate' | 'quantity' | 'itemDetails'
    >[],
  ): Promise<void>;
  /** Updates deleted or reversed credit items with the reason; audited as UPDATE. */
  setCredits(
    items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable' | 'description'>[],
  ): Promise<void>;
  setAmounts(changes: readonly ({ readonly invoiceId: Uuid } & InvoiceAmounts)[]): Promise<void>;
  /** Updates `isWrittenOff`, derived from the invoice's tags. */
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
  /** Updates cursors with a `recordId` (InvariantError if the row is missing); inserts or replaces others. */
  saveCursors(cursors: readonly CursorToSave[]): Promise<void>;
  /**
   * Inserts a state (version 0), or updates it if the stored version is still `version`, and increments the version. A
   * concurrent change throws ConcurrentChangeError, which repeats the operation.
   */
  saveStates(states: readonly AccountInvoicingState[]): Promise<void>;
  /** Records announced invoices once; returns the new ones. */
  announceInvoices(told: readonly InvoiceAnnouncement[]): Rows<InvoiceAnnouncement>;
}

export interface CreditNoteReads {
  findByIds(ids: readonly Uuid[]): Rows<CreditNote>;
  /** Returns the credit notes in the order of their numbers. */
  ofInvoice(invoiceId: Uuid): Rows<CreditNote>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<CreditNote>>;
  /** Returns the tenant's credit notes by number, after one: at most `limit`. */
  afterNumber(creditNoteNumber: number, limit: number): Rows<CreditNote>;
}

export interface CreditNoteWrites {
  /** Takes `count` consecutive numbers from the tenant's counter and returns the first; rolled back with the transaction. */
  takeNumbers(count: number): Promise<number>;
  insert(notes: readonly New<CreditNote>[]): Promise<void>;
  /** Returns whether the tenant writes credit notes; read only when something is credited. */
  areWritten(): Promise<boolean>;
}
