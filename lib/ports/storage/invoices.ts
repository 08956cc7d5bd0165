import type {
  AccountInvoicingState,
  AddedItem,
  CoverageRow,
  CreditNote,
  CursorToSave,
  Invoice,
  InvoiceAmounts,
  InvoiceItem,
  InvoiceStatus,
  ItemBasis,
  New,
  Page,
  PageRequest,
  SearchClause,
  SearchOperator,
  StoredBalance,
  StoredCursor,
  ToldInvoice,
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
  /** Only those that `findOpen` gives. */
  readonly openOnly: boolean;
}

export type InvoiceSearch =
  /** Every invoice. */
  | { readonly kind: 'all' }
  | { readonly kind: 'number'; readonly invoiceNumber: number }
  /** The invoice with this id, or those of the account with it. */
  | { readonly kind: 'id'; readonly id: Uuid }
  /** What is owed on the invoice (invoicing §1.4 rule 6) compares so. */
  | {
      readonly kind: 'balance';
      readonly operator: Exclude<SearchOperator, 'like'>;
      readonly balance: Decimal;
    }
  /** All clauses hold. */
  | { readonly kind: 'clauses'; readonly clauses: readonly SearchClause[] };

export interface DueSubscriptions {
  readonly accountId: Uuid;
  readonly targetDate: LocalDate;
  /** Revision of the account's catalog. */
  readonly catalogRevision: number;
  /** The tenant's settings for usage; where a cursor has others, its subscription is due. null = they do not matter. */
  readonly usageSettings: string | null;
}

/** The last COMMITTED charge of a subscription, repaired or not: all its items and periods of usage from one run. */
export interface LastCharge {
  readonly subscriptionId: Uuid;
  /** Its latest start. */
  readonly start: LocalDate;
  /** Its latest end; null where nothing of it has an end. */
  readonly end: LocalDate | null;
  /**
   * End of the RECURRING days on COMMITTED invoices that were in force when it was made; null where it charged usage alone,
   * or there were none.
   */
  readonly inForceThrough: LocalDate | null;
}

/** An item, and the invoice that it is on. */
export interface ItemOfInvoice {
  readonly itemId: Uuid;
  readonly invoiceId: Uuid;
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
  /** Plans of the catalog; override plans count as the plans they were made of. */
  readonly planNames: readonly string[];
  readonly afterRecordId: number;
  readonly limit: number;
}

export interface InvoiceReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** The invoices that the run of this group has written, in their order; empty for an unknown group. */
  findGroup(groupId: Uuid): Promise<readonly Invoice[]>;
  findByNumbers(invoiceNumbers: readonly number[]): Promise<readonly Invoice[]>;
  /** Items in creation order. */
  findItems(invoiceIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /** Up to `limit` items, those after a record id. */
  pageItems(
    invoiceIds: readonly Uuid[],
    page: { readonly afterRecordId: number; readonly limit: number },
  ): Promise<readonly InvoiceItem[]>;
  /** How many items the invoice has; `atMost` where it has more. */
  countItems(invoiceId: Uuid, atMost: number): Promise<number>;
  findItemsByIds(itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /**
   * The facts behind the amounts of these items, which no other read gives. Items whose amount was given, and items older
   * than the recording of facts, are left out.
   */
  findItemBases(itemIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, ItemBasis>>;
  /** By target date (creation date when null), then number. */
  listOfAccount(accountId: Uuid, filter: InvoiceFilter): Promise<readonly Invoice[]>;
  /**
   * The COMMITTED invoices of these accounts that may be owed: neither written off nor made by another system, with a raw
   * balance above 0. Invoices whose summary is settled or VOID are left out, so that the answer does not grow with the
   * history of a child.
   */
  findOpen(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** What the balances of these accounts are computed from; accounts without invoices are left out. */
  loadBalances(accountIds: readonly Uuid[]): Promise<readonly StoredBalance[]>;
  /** The DRAFT summary of each of these accounts. */
  findOpenSummaries(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** The invoices that are linked to these invoices of parents and contribute to them; of all children or of some. */
  findLinked(
    parentInvoiceIds: readonly Uuid[],
    childAccountIds?: readonly Uuid[],
  ): Promise<readonly Invoice[]>;
  /** Those of these items that are on COMMITTED invoices which a parent pays or is to pay. */
  findDelegated(itemIds: readonly Uuid[]): Promise<readonly ItemOfInvoice[]>;
  /** The DRAFT invoices of these accounts, summaries of children left out, in creation order. */
  findDrafts(accountIds: readonly Uuid[]): Promise<readonly Invoice[]>;
  /** Items that adjust or repair one of these, in creation order. */
  findItemsLinkedTo(itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]>;
  /**
   * The items that use the account's credit (CBA_ADJ below 0), on COMMITTED invoices that were not migrated and that no
   * summary stands for which is not a DRAFT, the newest first: at most `limit` of them, older than `beforeRecordId`.
   */
  findUsedCredit(request: UsedCreditRequest): Promise<readonly InvoiceItem[]>;
  /**
   * Subscriptions without any are left out.
   * @param sinceItem record id of an item: earlier items are not looked at. Default: all are.
   */
  lastCharges(subscriptionIds: readonly Uuid[], sinceItem?: number): Promise<readonly LastCharge[]>;
  /** Latest target date of the account's invoices with RECURRING or USAGE items that are not VOID (invoicing §1.5). */
  maxTargetDate(accountId: Uuid): Promise<LocalDate | null>;
  page(request: PageRequest): Promise<Page<Invoice>>;
  /** The invoices that the search finds; `max` counts all of the tenant. */
  search(search: InvoiceSearch, request: PageRequest): Promise<Page<Invoice>>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<Invoice>>;
  /** Accounts without a stored state are left out; they have balance 0 and no target date. */
  loadStates(accountIds: readonly Uuid[]): Promise<readonly AccountInvoicingState[]>;
  /**
   * Cursors of the subscriptions that are due (invoicing §7.1): nothing settled yet, dirty, or next due on or before the
   * account's target date; and cursors that were last evaluated under an earlier revision of the catalog. In the order of
   * `cursorsOfAccounts`.
   */
  dueCursors(due: readonly DueSubscriptions[]): Promise<readonly StoredCursor[]>;
  /**
   * Record ids of accounts with cursors from an earlier revision of the catalog, ascending, after a record id: at most
   * `limit` of them.
   */
  accountsBehind(request: AccountsBehind): Promise<readonly number[]>;
  /**
   * Record ids of accounts with subscriptions that have, or ever had, one of these plans, ascending, after a record id:
   * at most `limit` of them.
   */
  accountsOnPlans(request: AccountsOnPlans): Promise<readonly number[]>;
  /** Cursors of all subscriptions of these accounts, in the order in which the subscriptions were created. */
  cursorsOfAccounts(accountIds: readonly Uuid[]): Promise<readonly StoredCursor[]>;
  findCursors(subscriptionIds: readonly Uuid[]): Promise<readonly StoredCursor[]>;
  /** RECURRING rows ending after, FIXED and FREE rows starting on or after `from` (null = all), per subscription. */
  loadCoverage(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Promise<readonly CoverageRow[]>;
  /** All rows of these items, inside the window or not (invoicing §7.2 rule 6): each is a piece of its item's period. */
  loadCoverageOfItems(itemIds: readonly Uuid[]): Promise<readonly CoverageRow[]>;
}

export interface InvoiceWrites {
  /** Takes `count` consecutive numbers from the tenant's counter and returns the first; rolled back with the transaction. */
  takeInvoiceNumbers(count: number): Promise<number>;
  /** Those of these numbers that invoices have. Until the transaction ends, no other one gives its invoices numbers. */
  takenNumbers(numbers: readonly number[]): Promise<readonly number[]>;
  /** The tenant's counter goes past this number; rolled back with the transaction. */
  passNumber(last: number): Promise<void>;
  insertInvoices(invoices: readonly New<Invoice>[]): Promise<void>;
  /** Stores the facts behind their amounts too, which never change. */
  insertItems(items: readonly AddedItem[]): Promise<void>;
  /** Writes status, commit date and target date; audited as UPDATE. */
  setStanding(
    invoices: readonly Pick<Invoice, 'id' | 'status' | 'commitDate' | 'targetDate'>[],
  ): Promise<void>;
  /** Writes the link of a child's invoice to the parent's. */
  setLinks(
    invoices: readonly Pick<Invoice, 'id' | 'parentInvoiceId' | 'parentAccountId' | 'contributedAmount'>[],
  ): Promise<void>;
  /** Writes the amounts of items on drafts; audited as UPDATE. */
  setItemAmounts(items: readonly Pick<InvoiceItem, 'id' | 'amount' | 'repairable'>[]): Promise<void>;
  /** Writes items of drafts that a plugin has changed; audited as UPDATE. */
  rewriteItems(
    items: readonly Pick<
      InvoiceItem,
      'id' | 'amount' | 'repairable' | 'description' | 'rate' | 'quantity' | 'itemDetails'
    >[],
  ): Promise<void>;
  /** Writes the amounts of credit items that are deleted or taken back, with the reason; audited as UPDATE. */
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
  /** Removes the stored rows of these items and puts `rows` in their place. */
  replaceCoverage(
    itemIds: readonly Uuid[],
    rows: readonly CoverageRow[],
    accountRecordIdOf: (row: CoverageRow) => number,
  ): Promise<void>;
  /**
   * Updates the cursors that have a `recordId` (throws InvariantError if such a row is gone); inserts or replaces the
   * others.
   */
  saveCursors(cursors: readonly CursorToSave[]): Promise<void>;
  /**
   * Inserts a state (version 0), or updates it where the stored version is still `version`, and raises the version. A
   * state that was changed in between throws ConcurrentChangeError, which re-runs the operation.
   */
  saveStates(states: readonly AccountInvoicingState[]): Promise<void>;
  /** Records that these invoices were foreseen, each once; gives those that were not recorded before. */
  tellInvoices(told: readonly ToldInvoice[]): Promise<readonly ToldInvoice[]>;
}

export interface CreditNoteReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly CreditNote[]>;
  /** In the order of their numbers. */
  ofInvoice(invoiceId: Uuid): Promise<readonly CreditNote[]>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<CreditNote>>;
  /** Of the tenant, by number, after one: at most `limit`. */
  afterNumber(creditNoteNumber: number, limit: number): Promise<readonly CreditNote[]>;
}

export interface CreditNoteWrites {
  /** Takes `count` consecutive numbers from the tenant's counter and returns the first; rolled back with the transaction. */
  takeNumbers(count: number): Promise<number>;
  insert(notes: readonly New<CreditNote>[]): Promise<void>;
  /** Whether the tenant writes credit notes; asked only where something is credited. */
  areWritten(): Promise<boolean>;
}
