import { type Account, type Invoice, InvoiceItemType, itemTypes } from '../../records/index.ts';
import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { type Currency, type Decimal, roundToCurrency, sum } from '../../values/money/index.ts';
import type { CreditNoteView, InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import { isSettled } from '../invoices/parent-summary.ts';
import type { TextKey } from './built-in-texts.ts';
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

/** What a document about an invoice is made from. */
export interface InvoiceToRender {
  readonly invoice: InvoiceView;
  readonly account: Account;
  /** Whether the account pays by itself and not by a stored payment method (tag MANUAL_PAY). */
  readonly isManualPay: boolean;
  /** The currency in which the last payment was processed; null = none was. */
  readonly processedCurrency: Currency | null;
  /** For accounts without a locale, and for what is not translated (`default.locale`). */
  readonly defaultLocale: Locale;
  /** How amounts and days are written. */
  readonly formatsOf: FormatsOf;
  readonly translations: TenantTranslations;
  readonly catalogTranslations: TenantTranslations;
  /** Items of other invoices that lines are about. */
  readonly linkedItems?: readonly InvoiceItemView[];
  /** The summary by which the parent of the account pays the invoice; default null = it is in none. */
  readonly summary?: Invoice | null;
}

/** What a reader is told about where an invoice stands; null = nothing but its amounts. */
type DocumentStatus = 'DRAFT' | 'VOID' | 'PAID' | null;

/** A line of a document: an item, or all that it stands for of one kind. */
export interface RenderedLine extends LineName {
  readonly item: InvoiceItemView;
  readonly planName: string | null;
  readonly phaseName: string | null;
  readonly usageName: string | null;
  readonly formattedStartDate: string | null;
  readonly formattedEndDate: string | null;
  /** Both dates, or the one there is. */
  readonly formattedPeriod: string | null;
  readonly formattedAmount: string;
  readonly formattedQuantity: string | null;
  readonly formattedRate: string | null;
}

/** An invoice as its reader sees it, in words and numbers of a language (§14 rule 4): every document is made of it. */
export interface RenderedInvoice {
  /** How amounts and days are written. */
  readonly locale: Locale;
  /** Language of the texts, as `lang` of HTML writes it. */
  readonly language: string;
  readonly direction: TextDirection;
  readonly text: TextOf;
  readonly formats: DocumentFormats;
  readonly account: Account;
  /** To whom it goes, line by line. */
  readonly addressee: readonly string[];
  readonly isManualPay: boolean;
  readonly invoice: InvoiceView;
  readonly status: DocumentStatus;
  readonly formattedInvoiceNumber: string;
  readonly formattedInvoiceDate: string;
  readonly formattedTargetDate: string | null;
  /** `amount` of the invoice, which account credit is no part of (§1.4 rule 1). */
  readonly formattedChargedAmount: string;
  /** Payments without what was refunded or charged back (§1.4 rule 4). */
  readonly paidAmount: Decimal;
  readonly formattedPaidAmount: string;
  readonly formattedRefundedAmount: string;
  readonly formattedBalance: string;
  /** Only if another one than the invoice's. */
  readonly processedCurrency: Currency | null;
  /** Every line, account credit last. */
  readonly lines: readonly RenderedLine[];
  /**
   * The lines that make up the total: all but the line of account credit, unless the invoice only turns a credit into
   * account credit. `total` + account credit − paid = what is owed.
   */
  readonly totalledLines: readonly RenderedLine[];
  readonly formattedTotal: string;
  readonly accountCredit: RenderedLine | null;
  /** The document is a credit note (§21): its number and date stand where those of an invoice do. */
  readonly creditNote: { readonly formattedInvoiceNumber: string } | null;
}

/** The view of an invoice that documents show. Pure: the same facts make the same view. */
export function renderedInvoice(given: InvoiceToRender): RenderedInvoice {
  return atOnce(renderingInvoice(given));
}

/** The same, a step for each line. */
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
  const paidAmount = sum(invoice.items.map(({ amount }) => amount)).minus(invoice.rawBalance);
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

/** Most lines of an invoice are about a few periods, and `Intl` takes its time. */
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
  return {
    formattedStartDate,
    formattedEndDate,
    formattedPeriod: isPeriod ? formats.period(startDate, endDate) : (formattedStartDate ?? formattedEndDate),
  };
}

/**
 * Paid: there was something to pay, and nothing is left of it, by itself or in the parent's summary. A loss that is written
 * off is none, nor is what another invoice stands for (§1.4 rule 6).
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

/** Nobody owes it, whatever it comes to. */
function isUncounted({ isMigration, isWrittenOff }: Invoice): boolean {
  return isMigration || isWrittenOff;
}

/**
 * The items that a document shows (§14 rule 4), in their order: credits are merged into one line, account credit into
 * another behind it, and what comes to 0 is left out.
 */
function documentItems(items: readonly InvoiceItemView[], currency: Currency): readonly InvoiceItemView[] {
  const others = items.filter((item) => !isCredit(item));
  const merged = [InvoiceItemType.CREDIT_ADJ, InvoiceItemType.CBA_ADJ].flatMap((type) =>
    mergedItem(items, type),
  );
  return [...others, ...merged].filter(({ amount }) => !roundToCurrency(amount, currency).isZero());
}

/** The first item of the type with the sum of them all, described by the first unless they differ. */
function mergedItem(items: readonly InvoiceItemView[], type: InvoiceItemType): readonly InvoiceItemView[] {
  const [first, ...more] = items.filter(({ itemType }) => itemType === type);
  if (first === undefined) return [];
  if (more.length === 0) return [first];
  const isAlike = more.every(({ description }) => description === first.description);
  const [ofSeveral = first.description] = Object.keys(itemTypes[type].descriptions);
  return [
    {
      ...first,
      amount: sum([first, ...more].map(({ amount }) => amount)),
      description: isAlike ? first.description : ofSeveral,
    },
  ];
}

/** Whether the item is a credit or account credit. */
function isCredit({ itemType }: Pick<InvoiceItemView, 'itemType'>): boolean {
  const { kind } = itemTypes[itemType];
  return kind === 'CREDIT' || kind === 'ACCOUNT_CREDIT';
}

/** What a line of a document is for. */
interface LineName {
  readonly name: string;
  /** Phase, usage, or what an adjustment adjusts; null = the name says it all. */
  readonly detail: string | null;
}

/** Names of plans, phases and usages in the language of the document; undefined where the tenant has none. */
type CatalogNames = (name: string) => string | undefined;

/**
 * What an item is called: the plan of what is charged by the catalog, else its description.
 * @param linked the item that it adjusts, where that is on the same invoice.
 */
function lineName(
  item: InvoiceItemView,
  { names, text, linked }: { names: CatalogNames; text: TextOf; linked: InvoiceItemView | undefined },
): LineName {
  const { chargesPlan, kind } = itemTypes[item.itemType];
  if (chargesPlan) return chargeName(item, names);
  if (kind === 'ACCOUNT_CREDIT') {
    const isGenerated = item.amount.isPositive();
    return {
      name: text(isGenerated ? 'itemAccountCreditGenerated' : 'itemAccountCreditUsed'),
      detail: null,
    };
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
  const phase = phaseName === null ? null : (names(phaseName) ?? properName(item.prettyPhaseName, phaseName));
  const name = plan ?? item.description ?? item.itemType;
  const detail = usage ?? phase;
  return { name, detail: detail === name ? null : detail };
}

/** The pretty name, if it is more than the name: names of phases are made of the plan's, and read like code. */
function properName(prettyName: string | null, name: string): string | null {
  return prettyName === null || prettyName === name ? null : prettyName;
}

/** The description; one that the engine has written (§1.3) in the language of the document. */
function described({ itemType, description }: InvoiceItemView, text: TextOf): string {
  if (description === null || description === '') return itemType;
  const written: Readonly<Record<string, TextKey>> = itemTypes[itemType].descriptions;
  const key = Object.hasOwn(written, description) ? written[description] : undefined;
  return key === undefined ? description : text(key);
}

/** Where the state and postal code stand behind the city; elsewhere the postal code stands in front of it. */
const cityFirst = new Set(['AU', 'BR', 'CA', 'GB', 'IE', 'IN', 'MX', 'NZ', 'US', 'ZA']);

/** To whom a document goes, line by line; what the account does not have is left out. */
function addresseeOf(account: Account, countryName: string | null): readonly string[] {
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

/** What a credit note is made from: `invoice` is the credited one, with the lines of the note as its items. */
interface CreditNoteToRender extends InvoiceToRender {
  readonly note: CreditNoteView;
}

/** Texts of a credit note that stand in the places of an invoice's. */
const ownTexts: Readonly<Record<string, string>> = {
  invoiceTitle: 'creditNoteTitle',
  invoiceNumber: 'creditNoteNumber',
  invoiceBillTo: 'creditNoteTo',
};

/** A credit note in the view of an invoice, so that pages and files are made of it in the same way (§21 rule 5). */
export function* renderingCreditNote({ note, ...given }: CreditNoteToRender): Steps<RenderedInvoice> {
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
