import type { PrintableFact } from '../../ports/index.ts';
import type { Account, Invoice, Seller } from '../../records/index.ts';
import { atOnce, type Steps } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, sum } from '../../values/money/index.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import { isSettled } from '../invoices/parent-summary.ts';
import { type DocumentFacts, documentFacts, isCredit, paidAmountOf } from './document-facts.ts';
import type { DocumentFormats, FormatsOf } from './document-formats.ts';
import {
  catalogNames,
  documentTexts,
  languageOfTexts,
  type TenantTranslations,
  type TextOf,
} from './document-texts.ts';
import type { SummarizedChild } from './line-names.ts';
import {
  directionOf,
  formattable,
  type Locale,
  languageTag,
  parseLocale,
  type TextDirection,
} from './locale.ts';
import { type RenderedLine, renderingLines } from './rendered-lines.ts';
import {
  type PartyWords,
  type RenderedBuyer,
  type RenderedSeller,
  renderedBuyer,
  renderedSeller,
} from './rendered-parties.ts';
import {
  headFacts,
  paymentDetails,
  type RenderedTax,
  renderedTaxes,
  taxNameOf,
  taxTotals,
} from './rendered-sums.ts';

export interface InvoiceToRender {
  readonly invoice: InvoiceView;
  readonly account: Account;
  /** The seller data valid on the document's date (§14 rule 7), or null if the tenant has no seller data. */
  readonly seller: Seller | null;
  /** True if the customer pays without a stored payment method (tag MANUAL_PAY). */
  readonly isManualPay: boolean;
  /** The currency of the last processed payment, or null if there is no such payment. */
  readonly processedCurrency: Currency | null;
  /** The locale for accounts without one and for missing translations (`default.locale`). */
  readonly defaultLocale: Locale;
  readonly formatsOf: FormatsOf;
  readonly translations: TenantTranslations;
  readonly catalogTranslations: TenantTranslations;
  /** The items that the invoice's items refer to, and the TAX items of both groups of items. */
  readonly linkedItems?: readonly InvoiceItemView[];
  /** Custom fields of the account by name, loaded only for templates that use them. Defaults to none. */
  readonly customFields?: ReadonlyMap<string, string>;
  /** The credit notes that document the invoice's repairs and adjustments. Empty by default. */
  readonly notes?: readonly CreditNoteView[];
  /** The summary through which the parent pays the invoice; defaults to null. */
  readonly summary?: Invoice | null;
  /** The children that a summary charges, by account. Defaults to none. */
  readonly children?: ReadonlyMap<Uuid, SummarizedChild>;
}

/** The status shown to the reader. If null, documents show only the amounts. */
type DocumentStatus = 'DRAFT' | 'VOID' | 'PAID' | null;

/** An invoice as texts in one language (§14 rule 4). Every document is created from this view. */
export interface RenderedInvoice extends RenderedBuyer {
  readonly locale: Locale;
  /** Language of the texts, as in the `lang` attribute of HTML. */
  readonly language: string;
  readonly direction: TextDirection;
  readonly text: TextOf;
  readonly formats: DocumentFormats;
  readonly labeled: PartyWords['labeled'];
  readonly facts: DocumentFacts;
  readonly account: Account;
  /** The seller. If null, documents show the texts about the company instead. */
  readonly seller: RenderedSeller | null;
  readonly customFields: ReadonlyMap<string, string>;
  readonly isManualPay: boolean;
  readonly invoice: InvoiceView;
  readonly status: DocumentStatus;
  readonly formattedInvoiceNumber: string;
  readonly formattedInvoiceDate: string;
  readonly formattedIssueDate: string;
  readonly formattedDueDate: string | null;
  readonly formattedTargetDate: string | null;
  /** `amount` of the invoice, without account credit (§1.4 rule 1). */
  readonly formattedChargedAmount: string;
  /** Payments less refunds and chargebacks (§1.4 rule 4). */
  readonly paidAmount: Decimal;
  readonly formattedPaidAmount: string;
  readonly formattedRefundedAmount: string;
  readonly formattedBalance: string;
  /** The written-off amount as a negative number, or null if nothing is written off. */
  readonly formattedWrittenOffAmount: string | null;
  /** The currency of the processed payment, or null if it is the invoice's currency. */
  readonly processedCurrency: Currency | null;
  /** Every line, account credit last. */
  readonly lines: readonly RenderedLine[];
  /**
   * The lines that make up the total: all except account credit, unless the invoice only turns a credit into account
   * credit.
   */
  readonly totalledLines: readonly RenderedLine[];
  /** The lines of the built-in page: the lines of the total, without TAX lines if the page sums taxes by rate. */
  readonly pageLines: readonly RenderedLine[];
  /** The heading of the tax rate column, or null if there is at most one kind of tax. */
  readonly taxColumn: string | null;
  readonly taxes: readonly RenderedTax[];
  readonly formattedTotal: string;
  readonly accountCredit: RenderedLine | null;
  /** Number and dates of the document. */
  readonly headFacts: readonly PrintableFact[];
  /**
   * The net amount, taxes, total, account credit, paid amount and amount due. Amounts that do not apply are omitted.
   */
  readonly totals: readonly PrintableFact[];
  /**
   * The details of a bank transfer for the amount due. The list is empty if nothing is due or the seller has no bank
   * account.
   */
  readonly paymentDetails: readonly PrintableFact[];
  /** True if the invoice is in a summary that the parent account has not paid yet (§12). */
  readonly isPaidByParent: boolean;
  /**
   * The credited invoice if the document is a credit note (§21). The number and date of the credit note then replace
   * those of the invoice.
   */
  readonly creditNote: { readonly formattedInvoiceNumber: string } | null;
}

/** Returns the view of an invoice from which documents are created. */
export function renderedInvoice(given: InvoiceToRender): RenderedInvoice {
  return atOnce(renderingInvoice(given));
}

export function renderingInvoice(given: InvoiceToRender): Steps<RenderedInvoice> {
  return renderingDocument(given, null);
}

function* renderingDocument(given: InvoiceToRender, note: CreditNoteView | null): Steps<RenderedInvoice> {
  const { invoice, account, isManualPay, processedCurrency, linkedItems = [], seller } = given;
  const { currency } = invoice;
  const words = wordsOf(given, note);
  const { text, formats } = words;
  const state = stateOf(given, note);
  const { isPaidByParent } = state;
  const notes = given.notes ?? [];
  const facts = documentFacts({ invoice, account, seller, linkedItems, note, notes, isPaidByParent });
  const lines = yield* renderingLines(invoice.items, { facts, linkedItems, words });
  const credit = lines.find(({ item }) => item.itemType === 'CBA_ADJ') ?? null;
  const isOnlyCredit = lines.every(({ item }) => isCredit(item));
  const totalledLines = isOnlyCredit ? lines : lines.filter((line) => line !== credit);
  const taxes = renderedTaxes(facts, words);
  const renderedParty = seller === null ? null : renderedSeller(seller, words);
  const paidAmount = paidAmountOf(invoice);
  const view = {
    ...words,
    facts,
    account,
    ...renderedBuyer(account, words),
    seller: renderedParty,
    customFields: given.customFields ?? new Map<string, string>(),
    isManualPay,
    invoice,
    ...state,
    formattedInvoiceNumber: facts.number,
    formattedInvoiceDate: formats.date(note?.creditNoteDate ?? invoice.invoiceDate),
    formattedIssueDate: formats.date(facts.issueDate),
    formattedDueDate: facts.dueDate === null ? null : formats.date(facts.dueDate),
    formattedTargetDate: invoice.targetDate === null ? null : formats.date(invoice.targetDate),
    formattedChargedAmount: formats.amount(invoice.amount, currency),
    paidAmount,
    formattedPaidAmount: formats.amount(paidAmount, currency),
    formattedRefundedAmount: formats.amount(invoice.refundAdj.abs(), currency),
    formattedBalance: formats.amount(invoice.balance, currency),
    formattedWrittenOffAmount: note === null ? formattedWriteOff(given, formats) : null,
    processedCurrency: processedCurrency === currency ? null : processedCurrency,
    lines,
    totalledLines,
    pageLines: pageLinesOf(facts, { lines, totalledLines }),
    taxColumn: taxes.length > 1 ? taxNameOf(facts, text) : null,
    taxes,
    formattedTotal: formats.amount(
      note?.amount ?? sum(totalledLines.map(({ item }) => item.amount)),
      currency,
    ),
    accountCredit: isOnlyCredit ? null : credit,
    headFacts: headFacts(facts, words),
    paymentDetails: isPaidByParent ? [] : paymentDetails(facts, { seller: renderedParty, text }),
    creditNote: facts.credited === null ? null : { formattedInvoiceNumber: facts.credited.number },
  };
  return { ...view, totals: [...taxTotals(facts, taxes, words), ...totalsOf(view)] };
}

/**
 * Returns the status of the document, and whether the invoice is in a summary that the parent has not paid yet. A
 * credit note has no status and is in no summary.
 */
function stateOf(
  { invoice, summary = null }: Pick<InvoiceToRender, 'invoice' | 'summary'>,
  note: CreditNoteView | null,
): Pick<RenderedInvoice, 'status' | 'isPaidByParent'> {
  if (note !== null) return { status: null, isPaidByParent: false };
  const status = statusOf(invoice, summary);
  // The contribution is set when the invoice is committed, shortly before the invoice is added to a summary.
  const isInSummary =
    summary === null
      ? invoice.contributedAmount !== null
      : summary.status !== 'VOID' && !summary.isWrittenOff;
  return { status, isPaidByParent: isInSummary && status === null && invoice.rawBalance.greaterThan(0) };
}

/**
 * Returns the lines of the built-in page. If taxes or deductions appear below the lines, these are the lines of
 * `facts`. Otherwise, these are the lines that make up the total.
 */
function pageLinesOf(
  facts: DocumentFacts,
  { lines, totalledLines }: Pick<RenderedInvoice, 'lines' | 'totalledLines'>,
): readonly RenderedLine[] {
  if (facts.taxes.length === 0 && facts.deductions.length === 0) return totalledLines;
  const shown = new Set(facts.lines.map(({ item }) => item.id));
  return lines.filter(({ item }) => shown.has(item.id));
}

/** Returns the language, texts and formats of a document. */
function wordsOf(given: InvoiceToRender, note: CreditNoteView | null) {
  const { account, defaultLocale, translations } = given;
  const wanted = parseLocale(account.locale ?? '') ?? defaultLocale;
  const locale = formattable(wanted, defaultLocale);
  const language = languageOfTexts(translations, wanted, defaultLocale);
  const ofInvoice = documentTexts(translations, wanted, defaultLocale);
  const text: TextOf = note === null ? ofInvoice : (key) => ofInvoice(ownTexts[key] ?? key);
  const formats = given.formatsOf(locale, account);
  // In French, a space precedes a colon.
  const colon = language.startsWith('fr') ? '\u00a0: ' : ': ';
  const direction = directionOf(language);
  const isolateIfRtl = (part: string) => (direction === 'rtl' ? isolateDirection(part) : part);
  return {
    locale,
    language: languageTag(language),
    direction,
    text,
    names: catalogNames(given.catalogTranslations, wanted, defaultLocale),
    children: given.children ?? new Map<Uuid, SummarizedChild>(),
    formats,
    countryName: (code: string) => formats.country(code),
    isolated: isolateIfRtl,
    labeled: (label: string, value: string) => `${label}${colon}${isolateIfRtl(value)}`,
  };
}

/**
 * Isolates a string so that it keeps its direction inside text of the opposite direction. Otherwise `123-456` would
 * become `456-123`.
 */
function isolateDirection(text: string): string {
  return `\u2068${text}\u2069`;
}

/**
 * Returns the amount, below 0, that is no longer owed because the invoice, or the summary that contains it, is
 * written off. Returns null if nothing was written off.
 */
function formattedWriteOff(
  { invoice, summary = null }: Pick<InvoiceToRender, 'invoice' | 'summary'>,
  formats: DocumentFormats,
): string | null {
  const { status, isMigration, rawBalance, currency } = invoice;
  const isWrittenOff = invoice.isWrittenOff || summary?.isWrittenOff === true;
  if (status !== 'COMMITTED' || isMigration || !isWrittenOff || !rawBalance.greaterThan(0)) return null;
  return formats.amount(rawBalance.negated(), currency);
}

type Totalled = Pick<
  RenderedInvoice,
  | 'text'
  | 'labeled'
  | 'facts'
  | 'invoice'
  | 'formats'
  | 'lines'
  | 'accountCredit'
  | 'paidAmount'
  | 'formattedTotal'
  | 'formattedPaidAmount'
  | 'formattedBalance'
  | 'formattedWrittenOffAmount'
  | 'formattedDueDate'
>;

/** Returns the total and the amounts that follow it. */
function totalsOf(view: Totalled): readonly PrintableFact[] {
  const { text, facts, accountCredit, invoice, formattedDueDate } = view;
  const { formats, lines } = view;
  const amountOf = (amount: Decimal) => formats.amount(amount, facts.currency);
  const total = facts.deductions.length === 0 ? view.formattedTotal : amountOf(facts.gross);
  const totals: PrintableFact[] = [{ label: text('invoiceAmount'), value: total }];
  for (const { noteNumber, item, amount } of facts.deductions) {
    const name = lines.find((line) => line.item.id === item?.id)?.name ?? '';
    const label = noteNumber === null ? name : `${text('creditNoteTitle')} ${noteNumber}`;
    totals.push({ label, value: amountOf(amount) });
  }
  if (accountCredit !== null)
    totals.push({ label: accountCredit.name, value: accountCredit.formattedAmount });
  if (facts.kind === 'CREDIT_NOTE' || invoice.status !== 'COMMITTED') return totals;
  if (!view.paidAmount.isZero())
    totals.push({ label: text('invoiceAmountPaid'), value: view.formattedPaidAmount });
  if (view.formattedWrittenOffAmount !== null)
    totals.push({ label: text('invoiceWrittenOff'), value: view.formattedWrittenOffAmount });
  const details = formattedDueDate === null ? [] : [view.labeled(text('invoiceDueDate'), formattedDueDate)];
  totals.push({ label: text('invoiceBalance'), value: view.formattedBalance, details });
  return totals;
}

/**
 * Returns the status. PAID means that payments settled a debt, on the invoice or on the parent's summary. Write-offs
 * and migrated invoices are never PAID (§1.4 rule 6).
 */
function statusOf(invoice: InvoiceView, summary: Invoice | null): DocumentStatus {
  const { status, amount } = invoice;
  switch (status) {
    case 'DRAFT':
    case 'VOID':
      return status;
    case 'COMMITTED': {
      const isPaid = isPaidUp(invoice) || (summary !== null && isPaidUp(summary));
      return isPaid && !isUncounted(invoice) && amount.greaterThan(0) ? 'PAID' : null;
    }
  }
}

function isPaidUp(invoice: Invoice): boolean {
  return isSettled(invoice) && !isUncounted(invoice);
}

/** Returns true if the invoice is never owed, regardless of its amount. */
function isUncounted({ isMigration, isWrittenOff }: Invoice): boolean {
  return isMigration || isWrittenOff;
}

/** The texts of a credit note that replace those of an invoice. */
const ownTexts: Readonly<Record<string, string>> = {
  invoiceTitle: 'creditNoteTitle',
  invoiceNumber: 'creditNoteNumber',
  invoiceBillTo: 'creditNoteTo',
};

/**
 * Renders a credit note like an invoice, so that both use the same pages and files (§21 rule 5). `given` describes
 * the credited invoice, with the lines of the note as its items.
 */
export function renderingCreditNote({
  note,
  ...given
}: InvoiceToRender & { readonly note: CreditNoteView }): Steps<RenderedInvoice> {
  return renderingDocument(given, note);
}
