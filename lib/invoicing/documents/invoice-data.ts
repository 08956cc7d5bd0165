import type { Account } from '../../records/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import { formatInstant, formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import type { RenderedInvoice, RenderedLine } from './rendered-invoice.ts';
import { TemplateList, TemplateLookup, type TemplateObject } from './template.ts';

/**
 * Returns the data of a template (§14 rules 1 and 4): `text`, `account` and `invoice` with their HTTP names, dates as
 * `yyyy-MM-dd` and plain amounts beside the formatted ones; `language` and `direction` for HTML.
 */
export function invoiceData(view: RenderedInvoice): TemplateObject {
  return {
    text: new TemplateLookup(view.text),
    language: view.language,
    direction: view.direction,
    account: accountData(view),
    // Used only by the built-in credit note page.
    ...(view.creditNote === null ? {} : { creditNote: view.creditNote }),
    invoice: { ...fieldsOf(view.invoice), ...formattedFields(view) },
  };
}

function accountData({ account, addressee, isManualPay }: RenderedInvoice): TemplateObject {
  return {
    ...Object.fromEntries(accountTexts.map((name) => [name, account[name]])),
    accountId: account.id,
    isManualPay,
    addressee: new TemplateList(addressee.length, () => addressee),
    hasAddressee: addressee.length > 0,
  };
}

const accountTexts = [
  'externalKey',
  'name',
  'company',
  'locale',
  'timeZone',
  'phone',
  'email',
  'notes',
  'currency',
  'address1',
  'address2',
  'city',
  'state',
  'postalCode',
  'country',
  'parentAccountId',
] as const satisfies readonly (keyof Account)[];

function fieldsOf(invoice: InvoiceView): TemplateObject {
  const { accountId, currency, status, isParentInvoice, parentInvoiceId, parentAccountId } = invoice;
  return {
    invoiceId: invoice.id,
    accountId,
    currency,
    status,
    isParentInvoice,
    parentInvoiceId,
    parentAccountId,
    invoiceNumber: String(invoice.invoiceNumber),
    invoiceDate: formatLocalDate(invoice.invoiceDate),
    targetDate: day(invoice.targetDate),
    amount: formatDecimal(invoice.amount),
    creditAdj: formatDecimal(invoice.creditAdj),
    refundAdj: formatDecimal(invoice.refundAdj),
    balance: formatDecimal(invoice.balance),
  };
}

const CLOSING_LINES = 2;

function formattedFields(view: RenderedInvoice): TemplateObject {
  const lines = listOf(view.lines);
  const { status, accountCredit, formattedInvoiceNumber, formattedInvoiceDate, formattedTargetDate } = view;
  const { formattedChargedAmount, formattedTotal, formattedPaidAmount } = view;
  const { formattedRefundedAmount, formattedBalance } = view;
  return {
    formattedInvoiceNumber,
    formattedInvoiceDate,
    formattedTargetDate,
    formattedChargedAmount,
    formattedTotal,
    formattedPaidAmount,
    formattedRefundedAmount,
    formattedBalance,
    paidAmount: formatDecimal(view.paidAmount),
    processedCurrency: view.processedCurrency,
    invoiceItems: lines,
    items: lines,
    totalledItems: listOf(view.totalledLines),
    // The last lines stay on one page with the sums.
    leadingItems: listOf(view.totalledLines.slice(0, -CLOSING_LINES)),
    closingItems: listOf(view.totalledLines.slice(-CLOSING_LINES)),
    accountCredit: accountCredit === null ? null : lineData(accountCredit),
    isPaid: status === 'PAID',
    isDraft: status === 'DRAFT',
    isVoid: status === 'VOID',
    isCommitted: view.invoice.status === 'COMMITTED' && view.creditNote === null,
    hasPayments: !view.paidAmount.isZero(),
    hasRefunds: !view.invoice.refundAdj.isZero(),
    isOwed: view.invoice.balance.greaterThan(0) && view.creditNote === null,
  };
}

function listOf(lines: readonly RenderedLine[]): TemplateList {
  return new TemplateList(lines.length, () => lines.values().map(lineData));
}

function lineData({ item, ...shown }: RenderedLine): TemplateObject {
  return { ...itemFields(item), ...shown, isNegative: item.amount.lessThan(0) };
}

function itemFields(item: InvoiceItemView): TemplateObject {
  const { catalogEffectiveDate, linkedItemId } = item;
  return {
    ...Object.fromEntries(itemTexts.map((name) => [name, item[name]])),
    invoiceItemId: item.id,
    linkedInvoiceItemId: linkedItemId,
    startDate: day(item.startDate),
    endDate: day(item.endDate),
    amount: formatDecimal(item.amount),
    rate: plain(item.rate),
    quantity: plain(item.quantity),
    catalogEffectiveDate: catalogEffectiveDate === null ? null : formatInstant(catalogEffectiveDate),
  };
}

const itemTexts = [
  'invoiceId',
  'accountId',
  'childAccountId',
  'bundleId',
  'subscriptionId',
  'itemType',
  'currency',
  'productName',
  'prettyProductName',
  'prettyPlanName',
  'prettyPhaseName',
  'prettyUsageName',
  'description',
  'itemDetails',
] as const satisfies readonly (keyof InvoiceItemView)[];

function day(date: LocalDate | null): string | null {
  return date === null ? null : formatLocalDate(date);
}

function plain(value: Decimal | null): string | null {
  return value === null ? null : formatDecimal(value);
}
