import type { CatalogUpload } from '../../catalog/index.ts';
import type { Leading, Page, PageRequest } from '../../records/index.ts';
import type { UnbilledUsage } from '../../usage/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate, RequestedDate } from '../../values/time/index.ts';
import type { DocumentText, DocumentTextUpload } from '../documents/document-texts.ts';
import type { DryRunRequest } from '../dry-run/dry-run-request.ts';
import type { ChangeReportPart } from '../evaluation/price-differences.ts';
import type { ItemExplanation } from '../explanation/explanation.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import type {
  AccountInvoicesRequest,
  AccountParking,
  CoverageDifference,
  DeleteCreditRequest,
  GenerateRequest,
  InvoiceGroupRequest,
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  ParkedRun,
} from '../invoices/requests.ts';

/**
 * Invoices, and what is put on them by hand. Where the tenant has invoice plugins, they are asked about charges, taxes,
 * credits, adjustments, deletions of credit, migration, commits and voids before anything is changed (§13 rule 7), which
 * can then fail with INVOICE_PLUGIN_API_ABORTED (4029), UNEXPECTED (60000) for a plugin that fails and, for items that a
 * plugin adds, 4006 to 4031.
 */
export interface InvoiceOperations<C extends Leading = []> {
  /**
   * Runs the account up to the target date now and returns the invoice (§8). Works on a parked account and
   * unparks it.
   * @throws BillingError INVOICE_NOTHING_TO_DO (4007), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency, ACCOUNT_BUSY (60018),
   * INVOICE_NOT_FOUND (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023) of a draft that is named,
   * INVOICE_BOUND_EXCEEDED (4040) past a safety bound and UNEXPECTED_ERROR (4) for an illegal state, which both park the
   * account. With invoice plugins also 4007 for a run that one aborts or puts off, UNEXPECTED (60000) for one that fails,
   * INVOICE_INVALID_NUMBER (4019) for a number that cannot be imposed and, for items that cannot be added, 4009 to 4022.
   */
  generate(...given: [...C, request: Given<GenerateRequest>]): Promise<InvoiceView>;

  /**
   * As `generate`, with the difference that invoice plugins may split the invoice (§8.2 step 12): the invoices of the run's
   * group, in order. The id of the group is that of its first invoice; a draft that is reused keeps the group that it
   * has, so others of it are among them. @throws as `generate`.
   */
  generateGroup(...given: [...C, request: Given<GenerateRequest>]): Promise<readonly InvoiceView[]>;

  /** The accounts that automatic runs pass over, in the order in which they were parked. */
  parked(...given: [...C, request: PageRequest]): Promise<Page<AccountParking>>;

  /**
   * Lets automatic runs pass over an account until it is unparked, or until a run that somebody asks for succeeds (§8.6).
   * @param options `reason`: kept with the change, 1 to 255 characters.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY, MISSING_OR_INVALID_FIELD (60003).
   */
  park(...given: [...C, accountId: Uuid | string, options?: { readonly reason?: string }]): Promise<void>;

  /**
   * Lets automatic runs go on with an account; what has fallen due meanwhile is invoiced at once. Without effect on one
   * that is not parked.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY.
   */
  unpark(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Runs the accounts that automatic runs pass over since one has failed, a window of them in the order in which they were
   * parked, each up to today in UTC as `generate` does: one that succeeds is unparked, whether there was something to
   * invoice or not. @returns what came of each; a failing one does not stop the rest.
   */
  generateForParked(...given: [...C, request: PageRequest]): Promise<Page<ParkedRun>>;

  /**
   * The invoices that one run has made, in order, with their items.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_NOT_FOUND (4006) where the account has no such group.
   */
  listGroup(...given: [...C, request: Given<InvoiceGroupRequest>]): Promise<readonly InvoiceView[]>;

  /**
   * The invoice that a run would make, or null (§11). TARGET_DATE: at the target date, once all earlier due dates and
   * events have happened. UPCOMING_INVOICE: the next one that comes. SUBSCRIPTION_ACTION: as TARGET_DATE, if a
   * subscription were started, changed or stopped. Nothing is stored and no lock is taken; the invoice has a fresh id and
   * number 0.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * CURRENCY_INVALID (3), MISSING_OR_INVALID_FIELD (60003), those of the action's own operation, and for ids that are not
   * the account's 1081, 1082, 1020.
   */
  dryRun(...given: [...C, request: Given<DryRunRequest>]): Promise<InvoiceView | null>;

  /**
   * The invoice with its items; `withChildrenItems` fills those of a parent's summary with what they stand for (§12 rule 8).
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  get(
    ...given: [...C, invoiceId: Uuid | string, options?: Given<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /**
   * The invoice with this number of the tenant, otherwise as `get`.
   * @throws BillingError INVOICE_NUMBER_NOT_FOUND (4018), INVOICE_INVALID_NUMBER (4019) for what is no number from 1 on.
   */
  getByNumber(
    ...given: [...C, invoiceNumber: number, options?: Given<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /** The invoice that the item is on, otherwise as `get`. @throws BillingError INVOICE_ITEM_NOT_FOUND (4011). */
  getByItem(
    ...given: [...C, itemId: Uuid | string, options?: Given<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /**
   * Invoices of an account by target date, then number (http-api §8 rule 6). Migration, voided and paid ones are
   * included as the request says. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, request: Given<AccountInvoicesRequest>]): Promise<readonly InvoiceView[]>;

  /**
   * A window of the tracking ids of the usage that the invoice was the first to bill, in the order in which it was
   * recorded; the invoice itself lists the first ones. A void invoice has none.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  trackingIds(...given: [...C, invoiceId: Uuid | string, request: PageRequest]): Promise<Page<string>>;

  /** A window of the tenant's invoices in creation order, without items. */
  page(...given: [...C, request: PageRequest]): Promise<Page<InvoiceView>>;

  /**
   * A window of the invoices that the key finds, in creation order, without items (§15): those with that number, currency,
   * id or account's id; or with `_q=1&column[operator]=value&…` those of which all clauses hold, with
   * `_q=1&balance[operator]=value` those that owe so much. Any other key finds nothing, the empty one all.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<InvoiceView>>;

  /** A window of the account's invoices, without items. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  pageOfAccount(...given: [...C, accountId: Uuid | string, request: PageRequest]): Promise<Page<InvoiceView>>;

  /**
   * Writes what the account's invoices come to, void and migration ones included, to the log: an entry of the level info
   * each, with `type` as given, for tests that look at the log.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  writeToLog(
    ...given: [...C, accountId: Uuid | string, options?: { readonly type?: string | null }]
  ): Promise<void>;

  /**
   * Why an item has its amount: events, price, catalog version, the cases of the catalog's rules, period, days and every
   * step to the rounded amount, as they were when the item was made, and a paragraph of English that works the sum out.
   * Amounts that were given, such as those of external charges, have no steps.
   * @throws BillingError INVOICE_ITEM_NOT_FOUND (4011).
   */
  explain(...given: [...C, itemId: Uuid | string]): Promise<ItemExplanation>;

  /**
   * The invoice as a page of HTML that a customer can read, print and file (§14): made of the tenant's template and texts,
   * or of those that are built in, in the language of the account.
   * @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020) for an invoice of more than 10,000 items, or a
   * template that makes too much of it.
   */
  html(...given: [...C, invoiceId: Uuid | string]): Promise<string>;

  /**
   * The invoice as a PDF, with what the built-in page shows (§14 rule 6): A4 or Letter by the country of the account. Made by
   * the `documentRenderer` that the engine was opened with.
   * @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020) for an invoice of more than 10,000 items,
   * NOT_IMPLEMENTED (1) without a renderer or its packages, and for a language that its fonts cannot write.
   */
  pdf(...given: [...C, invoiceId: Uuid | string]): Promise<Uint8Array>;

  /**
   * Adds external charges, to one new invoice or to the drafts that they name (§9 rules 1 and 2).
   * @returns the items in the order given.
   * @throws BillingError INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID (4015), CURRENCY_INVALID (3), INVOICE_NOT_FOUND (4006),
   * INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023), INVOICE_INVALID_DATE_SEQUENCE (4004),
   * MISSING_OR_INVALID_FIELD (60003), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  addCharges(...given: [...C, request: Given<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /**
   * Adds taxes, as `addCharges` does; the subscription or item that they are about is not stored.
   * @throws as `addCharges`.
   */
  addTaxes(...given: [...C, request: Given<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /**
   * Gives credits. On a new invoice they become account credit, which pays unpaid invoices; on a draft they first reduce
   * its amount (§9 rule 3). The items are returned as they are stored: with negative amounts.
   * @throws as `addCharges`, with INVOICE_CREDIT_AMOUNT_INVALID (4009) for the amount.
   */
  addCredits(...given: [...C, request: Given<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /** The credit with that item id, its amount negative. @throws BillingError INVOICE_NO_SUCH_CREDIT (4008). */
  getCredit(...given: [...C, itemId: Uuid | string]): Promise<InvoiceItemView>;

  /**
   * Takes an amount off an item of an invoice (§9 rule 4); what the invoice then owes its customer becomes
   * account credit.
   * @throws BillingError, in this order: INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE (4010),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_NOT_FOUND (4006), INVOICE_VOID_UPDATED (4031), CURRENCY_INVALID (3),
   * INVOICE_ITEM_NOT_FOUND (4011), INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID
   * (4020), INVOICE_NOTHING_TO_DO (4007) where nothing remains of the item; MISSING_OR_INVALID_FIELD, BUSY (60018).
   */
  adjustItem(...given: [...C, request: Given<ItemAdjustmentRequest>]): Promise<void>;

  /**
   * Deletes a credit item (CBA_ADJ): its amount becomes 0. Used credit (a negative item) is the account's again; the next
   * change or `accounts.rebalanceCredit` uses it anew, not this call. Generated credit (a positive item) goes together
   * with the credit (CREDIT_ADJ) that it came from; as much of it as is used is taken back from the invoices that used
   * credit last. An item of 0 stays as it is.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); INVOICE_NOT_FOUND (4006), also of an invoice of another
   * account, a draft, a void or a migration invoice; INVOICE_ITEM_NOT_FOUND (4011), INVOICE_ITEM_TYPE_INVALID (4022) of
   * an item that is no CBA_ADJ, INVOICE_CBA_DELETED (4030) where no credit of that size was given on the invoice, BUSY
   * (60018).
   */
  deleteCredit(...given: [...C, request: Given<DeleteCreditRequest>]): Promise<void>;

  /**
   * Stores an invoice that another system made, for reference: COMMITTED, its items as given, its balance 0. It is never
   * paid, and counts in no balance, credit, run or repair; `invoices.ofAccount` lists it `withMigration` only.
   * @returns the invoice with its items.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) without items, or for an item without type or amount;
   * CURRENCY_INVALID (3), INVOICE_INVALID_DATE_SEQUENCE (4004), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  createMigrationInvoice(...given: [...C, request: Given<MigrationInvoiceRequest>]): Promise<InvoiceView>;

  /**
   * Commits a DRAFT: it counts from now on, and is paid as any new invoice is.
   * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) of one that is not a DRAFT, BUSY (60018).
   */
  commit(...given: [...C, invoiceId: Uuid | string]): Promise<void>;

  /**
   * Voids a DRAFT or COMMITTED invoice: it counts nowhere any more, and the next run bills again what it billed.
   * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) of one that is VOID,
   * INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED (4032), INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT (4033),
   * INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID (4028), BUSY (60018).
   */
  void(...given: [...C, invoiceId: Uuid | string]): Promise<void>;

  /**
   * Evaluates the whole history of an account up to today and compares the result with what a run of today would make; an
   * empty list = all is as it should be. Writes nothing and takes no lock. For operators: it costs as much as all that
   * was ever billed.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency.
   */
  verifyCoverage(...given: [...C, accountId: Uuid | string]): Promise<readonly CoverageDifference[]>;
}

/**
 * Credit of accounts. Where the tenant has invoice plugins, they are asked first (§13 rule 7):
 * INVOICE_PLUGIN_API_ABORTED (4029), UNEXPECTED (60000) for one that fails.
 */
export interface AccountCreditOperations<C extends Leading = []> {
  /**
   * Uses the account's credit on its unpaid invoices, the oldest first; nothing to do is fine too.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  rebalanceCredit(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Moves all credit of a child account to its parent: a charge on the child, a credit on the parent, in one transaction.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT (3009),
   * INVOICE_CHILD_ACCOUNT_MISSING_CREDIT (4027), CURRENCY_INVALID (3) where the parent's currency is another, BUSY (60018).
   */
  transferCreditToParent(...given: [...C, childAccountId: Uuid | string]): Promise<void>;
}

/** Documents of what was taken off committed invoices (§21), for tenants with `org.service.invoice.creditNotes`. */
export interface CreditNoteOperations<C extends Leading = []> {
  /** The credit note with its lines. @throws BillingError OBJECT_NOT_FOUND (60007). */
  get(...given: [...C, creditNoteId: Uuid | string]): Promise<CreditNoteView>;

  /** Those that credit the invoice, by number. @throws BillingError INVOICE_NOT_FOUND (4006). */
  ofInvoice(...given: [...C, invoiceId: Uuid | string]): Promise<readonly CreditNoteView[]>;

  /** A window of those of the account, by number. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  pageOfAccount(
    ...given: [...C, accountId: Uuid | string, request: PageRequest]
  ): Promise<Page<CreditNoteView>>;

  /**
   * The credit note as a page of HTML in the language of the account: the built-in page with the tenant's translations.
   * @throws BillingError OBJECT_NOT_FOUND (60007), ANSWER_TOO_LARGE (60020) for one of more than 10,000 lines.
   */
  html(...given: [...C, creditNoteId: Uuid | string]): Promise<string>;

  /** As a PDF. @throws as `html`, and NOT_IMPLEMENTED (1) as `invoices.pdf` does. */
  pdf(...given: [...C, creditNoteId: Uuid | string]): Promise<Uint8Array>;
}

/** Templates and translations of the documents that the tenant's customers get (§14). */
export interface InvoiceTextOperations<C extends Leading = []> {
  /**
   * Stores a template or a translation. It holds from the next document on; `keyValues` shows it under
   * `INVOICE_TEMPLATE`, `INVOICE_MP_TEMPLATE` (both also with `_<locale>`), `INVOICE_TRANSLATION_<locale>` or
   * `CATALOG_TRANSLATION_<locale>`.
   * @throws BillingError INVALID_PARAMETER (60002) for a locale that is none, and where there is one already that is not
   * to be replaced; MISSING_OR_INVALID_FIELD (60003) for a text that is empty, cannot be read or is past a bound.
   */
  upload(...given: [...C, upload: DocumentTextUpload]): Promise<void>;

  /** The text as it was uploaded; null if there is none. @throws BillingError INVALID_PARAMETER (60002) for a bad locale. */
  get(...given: [...C, text: DocumentText]): Promise<string | null>;

  /** Goes back to what is built in; no error if there is none. @throws as `get`. */
  delete(...given: [...C, text: DocumentText]): Promise<void>;
}

export interface RatedUsageRequest {
  /** Local date in the account's zone; default: the ends of the periods that are running. */
  readonly targetDate?: LocalDate | null | undefined;
}

export interface UnbilledUsageRequest {
  readonly startDate: Given<RequestedDate>;
  /** Exclusive; not before `startDate`. */
  readonly endDate: Given<RequestedDate>;
}

/** What usage costs, and what of it is on no invoice. Nothing is stored, and no lock is taken. */
export interface UsageReviewOperations<C extends Leading = []> {
  /**
   * The USAGE items of the subscription that the invoice of a dry run at the target date has, to the cent. Without a target
   * date it is what the running periods cost up to now, whatever their lengths.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3),
   * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), and what invoice plugins fail with.
   */
  rated(
    ...given: [...C, subscriptionId: Uuid | string, request?: Given<RatedUsageRequest>]
  ): Promise<readonly InvoiceItemView[]>;

  /**
   * What was recorded from one date to another and is on no invoice, by day, unit and reason, and what no tier of the
   * periods takes that are billed. Usage that two sections charge is told for each that has not billed it.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3), INVALID_PARAMETER (60002) for an
   * end before the start.
   */
  unbilled(
    ...given: [...C, subscriptionId: Uuid | string, request: UnbilledUsageRequest]
  ): Promise<readonly UnbilledUsage[]>;
}

/** What changes of the catalog come to. */
export interface CatalogReportOperations<C extends Leading = []> {
  /**
   * Which live subscriptions would change price if this document were uploaded now, from when and by how much, and what
   * would keep it from being stored. The parts are made while they are read, a page of accounts at a time, so that the
   * report takes constant memory however large the tenant is. A document that would be refused changes no prices.
   * Recurring and fixed prices are compared, and what usage costs: each block and tier. A fixed price that is billed
   * already is not listed: it stays as it is.
   * @param document as for `uploadCatalog`.
   * @throws BillingError TOO_LARGE (60012); CATALOG_INVALID_FOR_TENANT (2080) while a catalog plugin serves the tenant.
   */
  changeReport(...given: [...C, document: CatalogUpload]): Promise<AsyncIterable<ChangeReportPart>>;
}
