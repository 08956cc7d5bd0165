import type { Account, Invoice } from '../../records/index.ts';
import { atOnce, eachStep, type Steps } from '../../runtime/index.ts';
import { type Currency, type Decimal, sum } from '../../values/money/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import { isSettled } from '../invoices/parent-standing.ts';
import { addresseeOf } from './addressee.ts';
import type { DocumentFormats } from './document-formats.ts';
import { documentItems, isCredit } from './document-lines.ts';
import {
  catalogNames,
  documentTexts,
  languageOfTexts,
  type TenantTranslations,
  type TextOf,
} from './document-texts.ts';
import type { FormatsOf } from './host-formats.ts';
import { type LineName, lineName } from './line-names.ts';
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
export type DocumentStatus = 'DRAFT' | 'VOID' | 'PAID' | null;

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
