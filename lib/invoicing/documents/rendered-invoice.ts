import { type Account, type Invoice, itemTypes } from '../../records/index.ts';
import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { type Currency, type Decimal, sum } from '../../values/money/index.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import { isSettled } from '../invoices/parent-summary.ts';
import type { TextKey } from './built-in-texts.ts';
import { documentItems, isCredit, paidAmountOf } from './document-facts.ts';
import type { DocumentFormats, FormatsOf } from './document-formats.ts';
import {
  catalogNames,
  documentTexts,
  languageOfTexts,
  type TenantTranslations,
  type TextOf,
} from './document-texts.ts';
import {
  directionOf,
  formattable,
  type Locale,
  languageTag,
  parseLocale,
  type TextDirection,
} from './locale.ts';

export interface InvoiceToRender {
  readonly invoice: InvoiceView;
  readonly account: Account;
  /** Whether the customer pays without a stored payment method (tag MANUAL_PAY). */
  readonly isManualPay: boolean;
  /** The currency of the last processed payment; null for none. */
  readonly processedCurrency: Currency | null;
  /** The locale for accounts without one and for missing translations (`default.locale`). */
  readonly defaultLocale: Locale;
  readonly formatsOf: FormatsOf;
  readonly translations: TenantTranslations;
  readonly catalogTranslations: TenantTranslations;
  /** The items that its items refer to, and the TAX items of all these. */
  readonly linkedItems?: readonly InvoiceItemView[];
  /** The summary by which the parent pays the invoice; default null. */
  readonly summary?: Invoice | null;
}

/** The status shown to the reader; null means only amounts. */
type DocumentStatus = 'DRAFT' | 'VOID' | 'PAID' | null;

/** A line of a document: one item, or the sum of several of one kind. */
export interface RenderedLine extends LineName {
  readonly item: InvoiceItemView;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly usageName: string | null;
  readonly formattedStartDate: string | null;
  readonly formattedEndDate: string | null;
  /** Both dates, or the only one. */
  readonly formattedPeriod: string | null;
  readonly formattedAmount: string;
  readonly formattedQuantity: string | null;
  readonly formattedRate: string | null;
}

/** An invoice in the words and numbers of a language (§14 rule 4), from which every document is made. */
export interface RenderedInvoice {
  readonly locale: Locale;
  /** Language of the texts, as in the `lang` attribute of HTML. */
  readonly language: string;
  readonly direction: TextDirection;
  readonly text: TextOf;
  readonly formats: DocumentFormats;
  readonly account: Account;
  readonly addressee: readonly string[];
  readonly isManualPay: boolean;
  readonly invoice: InvoiceView;
  readonly status: DocumentStatus;
  readonly formattedInvoiceNumber: string;
  readonly formattedInvoiceDate: string;
  readonly formattedTargetDate: string | null;
  /** `amount` of the invoice, without account credit (§1.4 rule 1). */
  readonly formattedChargedAmount: string;
  /** Payments less refunds and chargebacks (§1.4 rule 4). */
  readonly paidAmount: Decimal;
  readonly formattedPaidAmount: string;
  readonly formattedRefundedAmount: string;
  readonly formattedBalance: string;
  /** null if it is the invoice's currency. */
  readonly processedCurrency: Currency | null;
  /** Every line, account credit last. */
  readonly lines: readonly RenderedLine[];
  /** The lines of the total: all except account credit, unless the invoice only turns a credit into account credit. */
  readonly totalledLines: readonly RenderedLine[];
  readonly formattedTotal: string;
  readonly accountCredit: RenderedLine | null;
  /** Set if the document is a credit note (§21), whose number and date replace the invoice's. */
  readonly creditNote: { readonly formattedInvoiceNumber: string } | null;
}

/** Returns the view of an invoice for documents. Pure. */
export function renderedInvoice(given: InvoiceToRender): RenderedInvoice {
  return atOnce(renderingInvoice(given));
}

export function* renderingInvoice(given: InvoiceToRender): Steps<RenderedInvoice> {
  const { invoice, account, defaultLocale, isManualPay, processedCurrency } = given;
  const wanted = parseLocale(account.locale ?? '') ?? defaultLocale;
  const locale = formattable(wanted, defaultLocale);
  const language = languageOfTexts(given.translations, wanted, defaultLocale);
  const text = documentTexts(given.translations, wanted, defaultLocale);
  const names = catalogNames(given.catalogTranslations, wanted, defaultLocale);
  const formats = given.formatsOf(locale, account);
  const { currency } = invoice;
  const itemOf = new Map([...(given.linkedItems ?? []), ...invoice.items].map((item) => [item.id, item]));
  const shown = documentItems(invoice.items, currency);
  const datesOf = formattedDatesOnce(formats);
  const lines = yield* eachStep(shown, (item): RenderedLine => {
    const linked = item.linkedItemId === null ? undefined : itemOf.get(item.linkedItemId);
    const named = (name: string | null) => (name === null ? null : (names(name) ?? name));
    return {
      item,
      ...lineName(item, { names, text, linked }),
      planName: named(item.planName),
      phaseName: named(item.phaseName),
      usageName: named(item.usageName),
      ...datesOf(item),
      formattedAmount: formats.amount(item.amount, currency),
      formattedQuantity: item.quantity === null ? null : formats.number(item.quantity),
      formattedRate: item.rate === null ? null : formats.amount(item.rate, currency),
    };
  });
  const credit = lines.find(({ item }) => item.itemType === 'CBA_ADJ') ?? null;
  const isOnlyCredit = lines.every(({ item }) => isCredit(item));
  const totalledLines = isOnlyCredit ? lines : lines.filter((line) => line !== credit);
  const paidAmount = paidAmountOf(invoice);
  return {
    locale,
    language: languageTag(language),
    direction: directionOf(language),
    text,
    formats,
    account,
    addressee: addresseeOf(account, account.country === null ? null : formats.country(account.country)),
    isManualPay,
    invoice,
    status: statusOf(invoice, given.summary ?? null),
    formattedInvoiceNumber: invoice.formattedNumber ?? String(invoice.invoiceNumber),
    formattedInvoiceDate: formats.date(invoice.invoiceDate),
    formattedTargetDate: invoice.targetDate === null ? null : formats.date(invoice.targetDate),
    formattedChargedAmount: formats.amount(invoice.amount, currency),
    paidAmount,
    formattedPaidAmount: formats.amount(paidAmount, currency),
    formattedRefundedAmount: formats.amount(invoice.refundAdj.abs(), currency),
    formattedBalance: formats.amount(invoice.balance, currency),
    processedCurrency: processedCurrency === currency ? null : processedCurrency,
    lines,
    totalledLines,
    formattedTotal: formats.amount(sum(totalledLines.map(({ item }) => item.amount)), currency),
    accountCredit: isOnlyCredit ? null : credit,
    creditNote: null,
  };
}

type Dates = Pick<RenderedLine, 'formattedStartDate' | 'formattedEndDate' | 'formattedPeriod'>;

/** Cached, since most lines share a few periods and `Intl` is slow. */
function formattedDatesOnce(formats: DocumentFormats): (item: InvoiceItemView) => Dates {
  const known = new Map<string, Dates>();
  return (item) => {
    const key = `${item.startDate} ${item.endDate}`;
    const dates = known.get(key) ?? formattedDates(item, formats);
    known.set(key, dates);
    return dates;
  };
}

function formattedDates({ startDate, endDate }: InvoiceItemView, formats: DocumentFormats): Dates {
  const formattedStartDate = startDate === null ? null : formats.date(startDate);
  const formattedEndDate = endDate === null ? null : formats.date(endDate);
  const isPeriod = startDate !== null && endDate !== null && startDate < endDate;
  const formattedPeriod = isPeriod
    ? formats.period(startDate, endDate)
    : (formattedStartDate ?? formattedEndDate);
  return { formattedStartDate, formattedEndDate, formattedPeriod };
}

/** PAID: a debt is settled, by the invoice or the parent's summary; write-offs and migrated invoices are not (§1.4 rule 6). */
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

/** Nobody owes the invoice, regardless of its amount. */
function isUncounted({ isMigration, isWrittenOff }: Invoice): boolean {
  return isMigration || isWrittenOff;
}

interface LineName {
  readonly name: string;
  /** Phase, usage or adjusted item; null means the name is enough. */
  readonly detail: string | null;
}

/** Names of plans, phases and usages in the document's language; undefined if the tenant has none. */
type CatalogNames = (name: string) => string | undefined;

/**
 * Returns the name of an item: the plan of a catalog charge, otherwise its description.
 * @param linked the adjusted item, if it is on the same invoice.
 */
function lineName(
  item: InvoiceItemView,
  { names, text, linked }: { names: CatalogNames; text: TextOf; linked: InvoiceItemView | undefined },
): LineName {
  const { chargesPlan, kind } = itemTypes[item.itemType];
  if (chargesPlan) return chargeName(item, names);
  if (kind === 'ACCOUNT_CREDIT') {
    const key = item.amount.isPositive() ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed';
    return { name: text(key), detail: null };
  }
  return {
    name: described(item, text),
    detail: linked === undefined ? null : lineName(linked, { names, text, linked: undefined }).name,
  };
}

function chargeName(item: InvoiceItemView, names: CatalogNames): LineName {
  const { planName, phaseName, usageName } = item;
  const plan = planName === null ? null : (names(planName) ?? item.prettyPlanName ?? planName);
  const usage = usageName === null ? null : (names(usageName) ?? item.prettyUsageName ?? usageName);
  const ownPhaseName = item.prettyPhaseName === phaseName ? null : item.prettyPhaseName;
  const phase = phaseName === null ? null : (names(phaseName) ?? ownPhaseName);
  const name = plan ?? item.description ?? item.itemType;
  const detail = usage ?? phase;
  return { name, detail: detail === name ? null : detail };
}

/** Returns the description; those that the engine writes (§1.3) in the document's language. */
function described({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const written: Readonly<Record<string, TextKey>> = itemTypes[itemType].descriptions;
  const key = Object.hasOwn(written, description) ? written[description] : undefined;
  return key === undefined ? description : text(key);
}

/** Countries that write state and postal code after the city; others write the postal code before it. */
const cityFirst = new Set(['AU', 'BR', 'CA', 'GB', 'IE', 'IN', 'MX', 'NZ', 'US', 'ZA']);

/** Returns the lines of the receiver's address, without missing parts. */
function addresseeOf(account: Account, countryName: string | null) {
  const { company, name, address1, address2 } = account;
  const lines = [company, name, address1, address2, placeOf(account), countryName];
  return lines.filter((line) => line !== null && line.trim() !== '') as readonly string[];
}

function placeOf({ city, state, postalCode, country }: Account): string {
  const joined = (separator: string, ...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null && part.trim() !== '').join(separator);
  return cityFirst.has((country ?? '').toUpperCase())
    ? joined(', ', city, joined(' ', state, postalCode))
    : joined(', ', joined(' ', postalCode, city), state);
}

/** The texts of a credit note that replace those of an invoice. */
const ownTexts: Readonly<Record<string, string>> = {
  invoiceTitle: 'creditNoteTitle',
  invoiceNumber: 'creditNoteNumber',
  invoiceBillTo: 'creditNoteTo',
};

/**
 * Renders a credit note like an invoice, so that both use the same pages and files (§21 rule 5). `given` describes the credited
 * invoice, with the lines of the note as its items.
 */
export function* renderingCreditNote({
  note,
  ...given
}: InvoiceToRender & { readonly note: CreditNoteView }): Steps<RenderedInvoice> {
  const view = yield* renderingInvoice(given);
  return {
    ...view,
    text: (key) => view.text(ownTexts[key] ?? key),
    status: null,
    formattedInvoiceNumber: note.formattedNumber ?? String(note.creditNoteNumber),
    formattedInvoiceDate: view.formats.date(note.creditNoteDate),
    formattedTotal: view.formats.amount(note.amount, note.currency),
    creditNote: { formattedInvoiceNumber: view.formattedInvoiceNumber },
  };
}
