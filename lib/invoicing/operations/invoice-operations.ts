import type { CatalogUpload } from '../../catalog/index.ts';
import type { EInvoiceDelivery, Leading, Page, PageRequest } from '../../records/index.ts';
import type { UnbilledUsage } from '../../usage/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { DatedInstant, LocalDate, RequestedDate } from '../../values/time/index.ts';
import type {
  DocumentOptions,
  DocumentText,
  DocumentTextPreview,
  DocumentTextUpload,
} from '../documents/document-texts.ts';
import type { DryRunRequest, UpcomingInvoiceRequest } from '../dry-run/dry-run-request.ts';
import type { PreviewRequest } from '../dry-run/preview-request.ts';
import type { EInvoiceFile, EInvoiceRequest, NoteEInvoiceRequest } from '../e-invoices/e-invoice-file.ts';
import type { ChangeReportPart } from '../evaluation/price-differences.ts';
import type { ExplainedInvoice, ForeseenInvoice } from '../explanation/explained-invoice.ts';
import type { ItemExplanation } from '../explanation/explanation.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import type {
  AccountInvoicesRequest,
  AccountParking,
  CoverageDifference,
  DeleteCreditRequest,
  GenerateRequest,
  InvoiceGroupRequest,
  InvoiceNoteRequest,
  ItemAdjustmentRequest,
  ManualItemsRequest,
  MigrationInvoiceRequest,
  ParkedRun,
} from '../invoices/requests.ts';

/**
 * Operations on invoices and manual items. A tenant's invoice plugins are consulted before charges, taxes, credits,
 * adjustments, deletions of credit, migrations, commits and voids (§13 rule 7). Therefore, these operations can also
 * fail with INVOICE_PLUGIN_API_ABORTED (4029), UNEXPECTED (60000) for a plugin that fails and, for items that a plugin
 * adds, 4006 to 4031.
 */
export interface InvoiceOperations<C extends Leading = []> {
  /**
   * Runs the account up to the target date and returns the invoice (§8). Also runs a parked account, and unparks it.
   * @throws BillingError INVOICE_NOTHING_TO_DO (4007), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency, ACCOUNT_BUSY (60018);
   * for a specified draft INVOICE_NOT_FOUND (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023);
   * INVOICE_BOUND_EXCEEDED (4040) for a safety bound and UNEXPECTED_ERROR (4) for an illegal state, which both park
   * the account. With invoice plugins also 4007 for an aborted or postponed run, UNEXPECTED (60000) for a plugin that
   * fails, INVOICE_INVALID_NUMBER (4019) for an invalid imposed number and, for invalid items, 4009 to 4022.
   */
  generate(...given: [...C, request: HostInput<GenerateRequest>]): Promise<InvoiceView>;

  /**
   * Bills the account like `generate`, but invoice plugins may split the invoice (§8.2 step 12). Returns the invoices
   * of the run's group in order. The id of a group is the id of its first invoice. A reused draft keeps its group,
   * whose other invoices are returned too.
   * @throws the errors of `generate`.
   */
  generateGroup(...given: [...C, request: HostInput<GenerateRequest>]): Promise<readonly InvoiceView[]>;

  /** Returns a page of the accounts that automatic runs skip, in the order in which they were parked. */
  parked(...given: [...C, request: PageRequest]): Promise<Page<AccountParking>>;

  /**
   * Parks an account. Automatic runs skip it until it is unparked, or until a requested run succeeds (§8.6).
   * @param options `reason`: stored with the change, 1 to 255 characters.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY, MISSING_OR_INVALID_FIELD (60003).
   */
  park(...given: [...C, accountId: Uuid | string, options?: { readonly reason?: string }]): Promise<void>;

  /**
   * Unparks an account, so that automatic runs include it again. Runs that became due in the meantime start
   * immediately. Has no effect on an account that is not parked.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY.
   */
  unpark(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Bills a page of the parked accounts in the order in which they were parked. Each account is billed up to today in
   * UTC, like `generate`. A successful run unparks its account, even if there is nothing to invoice.
   * @returns the outcome of each run. A failure does not stop the other runs.
   */
  generateForParked(...given: [...C, request: PageRequest]): Promise<Page<ParkedRun>>;

  /**
   * Returns the invoices of one run in order, with their items.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_NOT_FOUND (4006) if the account does not have
   * the group.
   */
  listGroup(...given: [...C, request: HostInput<InvoiceGroupRequest>]): Promise<readonly InvoiceView[]>;

  /**
   * Returns the invoice that a run would create, or null (§11). TARGET_DATE: the invoice at the target date, after
   * all earlier due dates and events. UPCOMING_INVOICE: the next invoice. SUBSCRIPTION_ACTION: like TARGET_DATE, as
   * if a subscription were started, changed or stopped. Stores nothing and takes no lock. The invoice has a new id
   * and the number 0. With `explain`, each item contains its explanation.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005),
   * CURRENCY_INVALID (3), MISSING_OR_INVALID_FIELD (60003), the errors of the action's own operation, and 1081, 1082,
   * 1020 for ids of other accounts.
   */
  dryRun(...given: [...C, request: HostInput<DryRunRequest>]): Promise<ForeseenInvoice | null>;

  /**
   * Returns the next invoice of the account, dated on the day on which it will be created. Returns null if nothing
   * will be invoiced. Stores nothing, like `dryRun` with UPCOMING_INVOICE (§11).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3).
   */
  upcoming(...given: [...C, request: HostInput<UpcomingInvoiceRequest>]): Promise<InvoiceView | null>;

  /**
   * Returns the invoice with its items; `withChildrenItems` adds the children's items to a parent's summary (§12 rule
   * 8).
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  get(
    ...given: [...C, invoiceId: Uuid | string, options?: HostInput<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /**
   * Returns the invoice with this number, like `get`.
   * @throws BillingError INVOICE_NUMBER_NOT_FOUND (4018), INVOICE_INVALID_NUMBER (4019) for a number below 1 or a
   * fraction.
   */
  getByNumber(
    ...given: [...C, invoiceNumber: number, options?: HostInput<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /** Returns the invoice of the item, like `get`. @throws BillingError INVOICE_ITEM_NOT_FOUND (4011). */
  getByItem(
    ...given: [...C, itemId: Uuid | string, options?: HostInput<{ readonly withChildrenItems?: boolean }>]
  ): Promise<InvoiceView>;

  /**
   * Returns an account's invoices sorted by target date, then by number (http-api §8 rule 6). The request can include
   * migrated and void invoices, and exclude paid ones.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, request: HostInput<AccountInvoicesRequest>]): Promise<readonly InvoiceView[]>;

  /**
   * Returns a page of the tracking ids of the usage that the invoice was the first to bill, in recording order. The
   * invoice itself contains only the first ids. A void invoice has no tracking ids.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  trackingIds(...given: [...C, invoiceId: Uuid | string, request: PageRequest]): Promise<Page<string>>;

  /** Returns a page of the tenant's invoices in creation order, without items. */
  page(...given: [...C, request: PageRequest]): Promise<Page<InvoiceView>>;

  /**
   * Returns a page of the invoices that match the key, in creation order, without items (§15). The key is a number,
   * currency, invoice id or account id. `_q=1&column[operator]=value&…` finds invoices that satisfy all clauses,
   * `_q=1&balance[operator]=value` invoices with such a balance. An empty key matches all invoices, any other key
   * none.
   * @throws BillingError INVALID_PARAMETER (60002) for a malformed key in operator form.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<InvoiceView>>;

  /**
   * Returns a page of the account's invoices, without their items.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageOfAccount(...given: [...C, accountId: Uuid | string, request: PageRequest]): Promise<Page<InvoiceView>>;

  /**
   * Logs the amounts of the account's invoices, including void and migrated ones, for tests that read the log. Writes
   * one entry of level info with the given `type` for each invoice.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  writeToLog(
    ...given: [...C, accountId: Uuid | string, options?: { readonly type?: string | null }]
  ): Promise<void>;

  /**
   * Explains the amount of an item as of its creation: events, price, catalog version, catalog rules, period, days,
   * and every step to the rounded amount. An English paragraph describes the calculation. Given amounts, such as
   * those of external charges, have no steps.
   * @throws BillingError INVOICE_ITEM_NOT_FOUND (4011).
   */
  explain(...given: [...C, itemId: Uuid | string]): Promise<ItemExplanation>;

  /**
   * Returns the invoice as an HTML page for customers (§14), in the language of the account. The page uses the
   * tenant's template and texts, or the built-in ones.
   * @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020) for an invoice of more than 10,000 items,
   * or a page that exceeds the bounds.
   */
  html(...given: [...C, invoiceId: Uuid | string, options?: DocumentOptions]): Promise<string>;

  /**
   * Returns the invoice as a PDF with the content of the built-in page (§14 rule 6), A4 or Letter by the country of the
   * account. The engine's `documentRenderer` creates the PDF.
   * @throws BillingError INVOICE_NOT_FOUND (4006), ANSWER_TOO_LARGE (60020) for an invoice of more than 10,000 items,
   * NOT_IMPLEMENTED (1) if the renderer or its packages are missing, or if its fonts do not support the language.
   */
  pdf(...given: [...C, invoiceId: Uuid | string, options?: DocumentOptions]): Promise<Uint8Array>;

  /**
   * Returns the invoice as an e-invoice of EN 16931 (§22). The engine's option `eInvoices` writes it, and
   * `documentRenderer` the PDF of FACTUR_X.
   * @throws BillingError INVOICE_NOT_ELECTRONIC (4041) that lists every missing field and where to set it,
   * INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) for a DRAFT, VOID or migration invoice, INVALID_PARAMETER
   * (60002) for an invalid format or profile, or PEPPOL_BIS3 in a format other than UBL, ANSWER_TOO_LARGE (60020) as
   * `pdf`, NOT_IMPLEMENTED (1) without a writer.
   * @example const { bytes } = await acme.invoices.eInvoice({ invoiceId, format: 'UBL', profile: 'PEPPOL_BIS3' });
   */
  eInvoice(...given: [...C, request: HostInput<EInvoiceRequest>]): Promise<EInvoiceFile>;

  /**
   * Returns the deliveries of e-invoices to the access point, for an invoice and its credit notes, in creation order
   * (§22 rule 9). Each delivery contains its state, its attempts, and the receipt or the last error.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  eInvoiceDeliveries(...given: [...C, invoiceId: Uuid | string]): Promise<readonly EInvoiceDelivery[]>;

  /**
   * Sends an e-invoice again immediately, with the full retry schedule, regardless of its state.
   * @returns the delivery, which is PENDING.
   * @throws BillingError OBJECT_NOT_FOUND (60007), NOT_IMPLEMENTED (1) if the engine has no `eInvoiceSender`.
   */
  resendEInvoice(...given: [...C, deliveryId: Uuid | string]): Promise<EInvoiceDelivery>;

  /**
   * Adds external charges to one new invoice, or to the specified drafts (§9 rules 1 and 2).
   * @returns the items in the order given.
   * @throws BillingError INVOICE_EXTERNAL_CHARGE_AMOUNT_INVALID (4015), CURRENCY_INVALID (3), INVOICE_NOT_FOUND
   * (4006), INVOICE_ALREADY_COMMITTED (4024), INVOICE_INVALID_STATUS (4023), INVOICE_INVALID_DATE_SEQUENCE (4004),
   * MISSING_OR_INVALID_FIELD (60003), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  addCharges(...given: [...C, request: HostInput<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /**
   * Adds taxes, like `addCharges`. `linkedItemId` is the charge that a tax applies to; `taxRate`, `taxCategory` and
   * `taxExemption` are shown on documents (§14 rule 9). The subscription of a tax is not stored.
   * @throws the errors of `addCharges`; INVOICE_ITEM_NOT_FOUND (4011).
   * @example await acme.invoices.addTaxes({ accountId, items: [{
   *   invoiceId, linkedItemId, amount: '0', taxRate: '0', taxCategory: 'AE', taxExemption: 'Reverse charge',
   * }] });
   */
  addTaxes(...given: [...C, request: HostInput<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /**
   * Adds credits. On a new invoice, the credits become account credit, which pays unpaid invoices. On a draft, they
   * first reduce the draft's amount (§9 rule 3). The returned items have negative amounts, as stored.
   * @throws the errors of `addCharges`, with INVOICE_CREDIT_AMOUNT_INVALID (4009) for the amount.
   */
  addCredits(...given: [...C, request: HostInput<ManualItemsRequest>]): Promise<readonly InvoiceItemView[]>;

  /**
   * Returns the credit with this item id. The amount of the credit is negative.
   * @throws BillingError INVOICE_NO_SUCH_CREDIT (4008).
   */
  getCredit(...given: [...C, itemId: Uuid | string]): Promise<InvoiceItemView>;

  /**
   * Reduces an item of an invoice by an amount (§9 rule 4). The taxes of a charge are reduced in proportion, unless
   * an invoice plugin adjusts them. An overpayment of the invoice becomes account credit.
   * @throws BillingError, in this order: INVOICE_ITEM_ADJUSTMENT_AMOUNT_SHOULD_BE_POSITIVE (4010),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVOICE_NOT_FOUND (4006), INVOICE_VOID_UPDATED (4031), CURRENCY_INVALID
   * (3), INVOICE_ITEM_NOT_FOUND (4011), INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021),
   * INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020), INVOICE_NOTHING_TO_DO (4007) if nothing remains of the item;
   * MISSING_OR_INVALID_FIELD, BUSY (60018).
   */
  adjustItem(...given: [...C, request: HostInput<ItemAdjustmentRequest>]): Promise<void>;

  /**
   * Deletes a credit item (CBA_ADJ) by setting its amount to 0. Used credit (a negative item) returns to the account.
   * The next change or `accounts.rebalanceCredit` uses it again; this call does not. Generated credit (a positive
   * item) is deleted together with its source credit (CREDIT_ADJ). If it is already used, it is reclaimed from the
   * invoices that used credit last. An item of 0 stays unchanged.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); INVOICE_NOT_FOUND (4006), also for an invoice of
   * another account, a draft, a void or a migrated invoice; INVOICE_ITEM_NOT_FOUND (4011), INVOICE_ITEM_TYPE_INVALID
   * (4022) for other item types, INVOICE_CBA_DELETED (4030) if the invoice has no source credit of that amount, BUSY
   * (60018).
   */
  deleteCredit(...given: [...C, request: HostInput<DeleteCreditRequest>]): Promise<void>;

  /**
   * Stores an invoice from another system for reference. It is COMMITTED and has the given items and the balance 0.
   * It is never paid, and has no effect on any balance, credit, run or repair. `invoices.ofAccount` lists it only
   * `withMigration`.
   * @returns the invoice with its items.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) without items, or for an item without type or amount;
   * CURRENCY_INVALID (3), INVOICE_INVALID_DATE_SEQUENCE (4004), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  createMigrationInvoice(...given: [...C, request: HostInput<MigrationInvoiceRequest>]): Promise<InvoiceView>;

  /**
   * Sets the note of a DRAFT. Documents show the note to their readers (§14 rule 10). Calls no plugins.
   * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) in any other status,
   * MISSING_OR_INVALID_FIELD (60003) for a note of more than 2,000 characters.
   * @example await acme.invoices.setNote({ invoiceId, note: 'Your purchase order: 4711' });
   */
  setNote(...given: [...C, request: HostInput<InvoiceNoteRequest>]): Promise<void>;

  /**
   * Commits a DRAFT. The invoice then takes effect, and is paid like any new invoice.
   * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) in any other status, BUSY (60018).
   */
  commit(...given: [...C, invoiceId: Uuid | string]): Promise<void>;

  /**
   * Voids a DRAFT or COMMITTED invoice. The invoice no longer has any effect, and the next run bills the same charges
   * again.
   * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_INVALID_STATUS (4023) for a VOID invoice,
   * INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED (4032), INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT
   * (4033), INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID (4028), BUSY (60018).
   */
  void(...given: [...C, invoiceId: Uuid | string]): Promise<void>;

  /**
   * Evaluates the whole history of an account up to today and compares it with today's run. Returns the differences, or
   * an empty list. Writes nothing and takes no lock. Intended for operators, because the cost grows with everything
   * that was ever billed.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), CURRENCY_INVALID (3) for an account without currency.
   */
  verifyCoverage(...given: [...C, accountId: Uuid | string]): Promise<readonly CoverageDifference[]>;
}

/** The effect of a subscription change on invoices (§11.1). */
export interface ChangePreview {
  /** Time at which the change takes effect. For CREATE and CANCEL, the start or end of billing. */
  readonly effective: DatedInstant;
  /** The invoice that the change creates immediately, or null if it creates none. */
  readonly dueNow: ExplainedInvoice | null;
  /** The next invoice after the change, or null if there is no later invoice. */
  readonly next: ExplainedInvoice | null;
  /**
   * The account credit that the change adds immediately to the previous credit. The value is 0 if the change adds none.
   */
  readonly credit: Decimal;
}

/** Operations that preview changes of subscriptions. */
export interface ChangePreviewOperations<C extends Leading = []> {
  /**
   * Returns the invoices that a change would create if it were made now and all due work were done (§11.1).
   * `change` names the operation; the other members are its options. CREATE, CHANGE_PLAN, CHANGE_QUANTITY,
   * CHANGE_BILL_CYCLE_DAY, CANCEL, UNCANCEL and UNDO_CHANGE_PLAN are operations of `subscriptions`. PAUSE and RESUME
   * are `blocking.pauseBundle` and `resumeBundle`. Stores nothing, takes no lock and calls no entitlement plugins.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unknown change or a missing member, the errors of
   * the operation, and CURRENCY_INVALID (3).
   * @example const { dueNow, credit } = await acme.subscriptions.preview({ change: 'CHANGE_QUANTITY',
   * subscriptionId, quantity: 12, });
   */
  preview(...given: [...C, request: HostInput<PreviewRequest>]): Promise<ChangePreview>;
}

/**
 * Operations on the credit of accounts. A tenant's invoice plugins are consulted first (§13 rule 7). Therefore, these
 * operations can also fail with INVOICE_PLUGIN_API_ABORTED (4029), and with UNEXPECTED (60000) for a plugin that fails.
 */
export interface AccountCreditOperations<C extends Leading = []> {
  /**
   * Uses the account's credit on its unpaid invoices, oldest first. Has no effect without credit or unpaid invoices.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
   */
  rebalanceCredit(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Moves all credit of a child account to its parent in one transaction, as a charge on the child and a credit on
   * the parent.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT (3009),
   * INVOICE_CHILD_ACCOUNT_MISSING_CREDIT (4027), CURRENCY_INVALID (3) if the currencies differ, BUSY (60018).
   */
  transferCreditToParent(...given: [...C, childAccountId: Uuid | string]): Promise<void>;
}

/** Operations on credit notes of committed invoices (§21), for tenants with `org.service.invoice.creditNotes`. */
export interface CreditNoteOperations<C extends Leading = []> {
  /** Returns the credit note with its lines. @throws BillingError OBJECT_NOT_FOUND (60007). */
  get(...given: [...C, creditNoteId: Uuid | string]): Promise<CreditNoteView>;

  /** Returns the credit notes of the invoice, sorted by number. @throws BillingError INVOICE_NOT_FOUND (4006). */
  ofInvoice(...given: [...C, invoiceId: Uuid | string]): Promise<readonly CreditNoteView[]>;

  /**
   * Returns a page of the account's credit notes, sorted by number.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageOfAccount(
    ...given: [...C, accountId: Uuid | string, request: PageRequest]
  ): Promise<Page<CreditNoteView>>;

  /**
   * Returns the credit note as an HTML page in the language of the account. The page is built-in and uses the
   * tenant's translations.
   * @throws BillingError OBJECT_NOT_FOUND (60007), ANSWER_TOO_LARGE (60020) for a note of more than 10,000 lines.
   */
  html(...given: [...C, creditNoteId: Uuid | string, options?: DocumentOptions]): Promise<string>;

  /**
   * Returns the credit note as a PDF.
   * @throws the errors of `html`, and NOT_IMPLEMENTED (1) under the same conditions as `invoices.pdf`.
   */
  pdf(...given: [...C, creditNoteId: Uuid | string, options?: DocumentOptions]): Promise<Uint8Array>;

  /**
   * Returns the credit note as an e-invoice.
   * @throws the errors of `invoices.eInvoice`, and OBJECT_NOT_FOUND (60007).
   */
  eInvoice(...given: [...C, request: HostInput<NoteEInvoiceRequest>]): Promise<EInvoiceFile>;
}

/** Operations on templates and translations of customer documents (§14). */
export interface InvoiceTextOperations<C extends Leading = []> {
  /**
   * Stores a template or a translation, for all later documents. `keyValues` lists it as `INVOICE_TEMPLATE`,
   * `INVOICE_MP_TEMPLATE` (both also with `_<locale>`), `INVOICE_TRANSLATION_<locale>` or
   * `CATALOG_TRANSLATION_<locale>`.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid locale, or an existing text without `replace`;
   * MISSING_OR_INVALID_FIELD (60003) for an empty, malformed or too long text.
   */
  upload(...given: [...C, upload: DocumentTextUpload]): Promise<void>;

  /**
   * Returns the text as uploaded, or null if none was uploaded.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid locale.
   */
  get(...given: [...C, text: DocumentText]): Promise<string | null>;

  /**
   * Deletes the text, so that the built-in text applies. Deleting a missing text is not an error.
   * @throws the errors of `get`.
   */
  delete(...given: [...C, text: DocumentText]): Promise<void>;

  /**
   * Returns the invoice as an HTML page with an unsaved text, and stores nothing. The page is rendered for a customer
   * to whom the text applies. This customer has the text's locale and, for `MANUAL_PAY_TEMPLATE`, the tag MANUAL_PAY.
   * @throws BillingError INVALID_PARAMETER (60002) and MISSING_OR_INVALID_FIELD (60003) under the same conditions as
   * `upload`, and the errors of `invoices.html`.
   */
  preview(...given: [...C, preview: HostInput<DocumentTextPreview>]): Promise<string>;

  /**
   * Returns the text that applies if none is uploaded, in the same format as an upload. Translations are in the
   * language of the locale, or in English if that language has no built-in texts. Returns null for
   * `CATALOG_TRANSLATION`, which has no built-in texts.
   * @throws the errors of `get`.
   */
  builtIn(...given: [...C, text: DocumentText]): Promise<string | null>;
}

export interface RatedUsageRequest {
  /** Target date in the account's time zone. By default, the end dates of all current usage periods are used. */
  readonly targetDate?: LocalDate | null | undefined;
}

export interface UnbilledUsageRequest {
  readonly startDate: HostInput<RequestedDate>;
  /** Exclusive end date. Must not be before `startDate`. */
  readonly endDate: HostInput<RequestedDate>;
}

/** Operations on the cost of usage and on unbilled usage. They store nothing and take no lock. */
export interface UsageReviewOperations<C extends Leading = []> {
  /**
   * Returns the subscription's USAGE items in a dry run at the target date. Without a target date, returns the cost
   * of all running periods so far.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3),
   * INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005), and the errors of invoice plugins.
   */
  rated(
    ...given: [...C, subscriptionId: Uuid | string, request?: HostInput<RatedUsageRequest>]
  ): Promise<readonly InvoiceItemView[]>;

  /**
   * Returns the recorded usage between two dates that is on no invoice, by day, unit and reason. The result includes
   * usage that no tier of a billed period covers. Usage that two sections charge is listed for each section that has
   * not billed it.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), CURRENCY_INVALID (3), INVALID_PARAMETER (60002)
   * for an end before the start.
   */
  unbilled(
    ...given: [...C, subscriptionId: Uuid | string, request: UnbilledUsageRequest]
  ): Promise<readonly UnbilledUsage[]>;
}

/** Operations that report the effects of catalog changes. */
export interface CatalogReportOperations<C extends Leading = []> {
  /**
   * Reports the price changes that live subscriptions would get if this document were uploaded now, with their dates
   * and amounts, and the reasons for a rejection. The parts are created lazily, one page of accounts at a time, so
   * the report takes constant memory. A rejected document changes no prices. Recurring, fixed and usage prices (each
   * block and tier) are compared. A fixed price that is already billed is not listed.
   * @param document as for `uploadCatalog`.
   * @throws BillingError TOO_LARGE (60012); CATALOG_INVALID_FOR_TENANT (2080) while a catalog plugin serves the
   * tenant.
   */
  changeReport(...given: [...C, document: CatalogUpload]): Promise<AsyncIterable<ChangeReportPart>>;
}
