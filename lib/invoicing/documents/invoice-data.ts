import type { PrintableFact } from '../../ports/index.ts';
import type { Account, Seller, SellerLogo } from '../../records/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import { formatInstant, formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import type { InvoiceItemView, InvoiceView } from '../invoices/invoice-view.ts';
import type { RenderedInvoice } from './rendered-invoice.ts';
import type { RenderedLine } from './rendered-lines.ts';
import type { RenderedSeller } from './rendered-parties.ts';
import { formattedServicePeriod, type RenderedTax } from './rendered-sums.ts';
import type { RenderedUsage } from './rendered-usage.ts';
import { TemplateList, TemplateLookup, type TemplateObject } from './template.ts';

/**
 * Returns the data that fills a template (§14 rules 1 and 4). `text`, `account`, `seller` and `invoice` use the names
 * of the HTTP API. Dates have the form `yyyy-MM-dd`, and each formatted amount has a plain counterpart. `language` and
 * `direction` are for HTML.
 */
export function invoiceData(view: RenderedInvoice): TemplateObject {
  return {
    text: new TemplateLookup(view.text),
    language: view.language,
    direction: view.direction,
    account: accountData(view),
    seller: view.seller === null ? null : sellerData(view.seller),
    // Only the built-in credit note page uses this field.
    ...(view.creditNote === null ? {} : { creditNote: view.creditNote }),
    invoice: { ...fieldsOf(view.invoice), ...formattedFields(view) },
  };
}

function accountData(view: RenderedInvoice): TemplateObject {
  const { account, addressee, isManualPay, formattedTaxId } = view;
  return {
    ...Object.fromEntries(accountTexts.map((name) => [name, account[name]])),
    accountId: account.id,
    isManualPay,
    formattedTaxId,
    customFields: new TemplateLookup((name) => view.customFields.get(name) ?? ''),
    addressee: listOf(addressee),
    hasAddressee: addressee.length > 0 || formattedTaxId !== null,
  };
}

const accountTexts = [
  'externalKey',
  'name',
  'company',
  'legalName',
  'taxId',
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

function sellerData({ seller, lines, accent, ...formatted }: RenderedSeller): TemplateObject {
  return {
    ...Object.fromEntries(sellerTexts.map((name) => [name, seller[name]])),
    ...formatted,
    lines: listOf(lines),
    logo: seller.logo === null ? null : dataUri(seller.logo),
    accentColor: accent?.rule ?? null,
    headingColor: accent?.heading ?? null,
  };
}

const sellerTexts = [
  'name',
  'legalName',
  'address1',
  'address2',
  'city',
  'state',
  'postalCode',
  'country',
  'taxId',
  'registrationNumber',
  'email',
  'phone',
  'bankName',
  'iban',
  'bic',
] as const satisfies readonly (keyof Seller)[];

/** Number of bytes that are converted at a time. */
const CHUNK = 8_192;

function dataUri({ mediaType, bytes }: SellerLogo): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return `data:${mediaType};base64,${btoa(binary)}`;
}

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
    note: invoice.note,
    targetDate: day(invoice.targetDate),
    amount: formatDecimal(invoice.amount),
    creditAdj: formatDecimal(invoice.creditAdj),
    refundAdj: formatDecimal(invoice.refundAdj),
    balance: formatDecimal(invoice.balance),
  };
}

const CLOSING_LINES = 2;

function formattedFields(view: RenderedInvoice): TemplateObject {
  const lines = dataOfLines(view.lines);
  const { status, accountCredit, formattedInvoiceNumber, formattedInvoiceDate, formattedTargetDate } = view;
  const { formattedChargedAmount, formattedTotal, formattedPaidAmount } = view;
  const { formattedRefundedAmount, formattedBalance, formattedWrittenOffAmount } = view;
  return {
    formattedInvoiceNumber,
    formattedInvoiceDate,
    formattedTargetDate,
    formattedChargedAmount,
    formattedTotal,
    formattedPaidAmount,
    formattedRefundedAmount,
    formattedBalance,
    formattedWrittenOffAmount,
    paidAmount: formatDecimal(view.paidAmount),
    processedCurrency: view.processedCurrency,
    invoiceItems: lines,
    items: lines,
    totalledItems: dataOfLines(view.totalledLines),
    // Keep the last lines on the same page as the totals.
    leadingItems: dataOfLines(view.totalledLines.slice(0, -CLOSING_LINES)),
    closingItems: dataOfLines(view.totalledLines.slice(-CLOSING_LINES)),
    accountCredit: accountCredit === null ? null : lineData(accountCredit),
    ...documentFields(view),
    isPaid: status === 'PAID',
    isDraft: status === 'DRAFT',
    isVoid: status === 'VOID',
    isCommitted: view.invoice.status === 'COMMITTED' && view.creditNote === null,
    hasPayments: !view.paidAmount.isZero(),
    hasRefunds: !view.invoice.refundAdj.isZero(),
    isOwed: view.invoice.balance.greaterThan(0) && view.creditNote === null,
  };
}

/** Returns the data that the built-in page shows in addition to the lines: dates, taxes, sums and payment details. */
function documentFields(view: RenderedInvoice): TemplateObject {
  const { facts, taxes, pageLines, totals, paymentDetails, formats } = view;
  const { servicePeriod, dueDate, currency } = facts;
  const isStressed = view.creditNote !== null || view.invoice.status === 'COMMITTED';
  return {
    issueDate: formatLocalDate(facts.issueDate),
    formattedIssueDate: view.formattedIssueDate,
    dueDate: day(dueDate),
    formattedDueDate: view.formattedDueDate,
    formattedServicePeriod: servicePeriod === null ? null : formattedServicePeriod(servicePeriod, formats),
    net: formatDecimal(facts.net),
    formattedNet: formats.amount(facts.net, currency),
    tax: formatDecimal(facts.tax),
    formattedTax: formats.amount(facts.tax, currency),
    taxRounding: facts.roundingDifference.isZero() ? null : formatDecimal(facts.roundingDifference),
    formattedTaxRounding: facts.roundingDifference.isZero()
      ? null
      : formats.amount(facts.roundingDifference, currency),
    taxes: new TemplateList(taxes.length, () => taxes.values().map(taxData)),
    taxColumn: view.taxColumn,
    sellerNote: facts.sellerNote,
    facts: dataOfFacts(view.headFacts, false),
    leadingLines: dataOfLines(pageLines.slice(0, -CLOSING_LINES)),
    closingLines: dataOfLines(pageLines.slice(-CLOSING_LINES)),
    totals: dataOfFacts(totals, isStressed),
    paymentDetails: dataOfFacts(paymentDetails, false),
    hasPaymentDetails: paymentDetails.length > 0,
    isPaidByParent: view.isPaidByParent,
  };
}

function taxData({ group, ...shown }: RenderedTax): TemplateObject {
  const { category, rate, exemption, net, tax, computed } = group;
  return {
    category,
    rate: plain(rate),
    exemption,
    net: formatDecimal(net),
    tax: formatDecimal(tax),
    computed: formatDecimal(computed),
    ...shown,
  };
}

/** @param isLastStressed If true, emphasizes the last fact, which is the final amount. */
function dataOfFacts(facts: readonly PrintableFact[], isLastStressed: boolean): TemplateList {
  return new TemplateList(facts.length, () =>
    facts.values().map(({ label, value, details = [] }, index) => ({
      label,
      value,
      details: listOf(details),
      isFirst: index === 0,
      isStressed: isLastStressed && index === facts.length - 1,
    })),
  );
}

function dataOfLines(lines: readonly RenderedLine[]): TemplateList {
  return new TemplateList(lines.length, () => lines.values().map(lineData));
}

function listOf(texts: readonly string[]): TemplateList {
  return new TemplateList(texts.length, () => texts);
}

function lineData({
  item,
  lastDay,
  quantity,
  unitPrice,
  listAmount,
  discounts,
  usage,
  notes,
  ...shown
}: RenderedLine): TemplateObject {
  return {
    ...itemFields(item),
    ...shown,
    lastDay: day(lastDay),
    quantity: plain(quantity),
    unitPrice: plain(unitPrice),
    listAmount: plain(listAmount),
    discounts: new TemplateList(discounts.length, () =>
      discounts.values().map((each) => ({ ...each, amount: formatDecimal(each.amount) })),
    ),
    usage: new TemplateList(usage.length, () => usage.values().map(usageData)),
    notes: listOf(notes),
    isNegative: item.amount.lessThan(0),
  };
}

function usageData({ used, tiers, ...shown }: RenderedUsage): TemplateObject {
  return {
    ...shown,
    name: used.name,
    quantity: formatDecimal(used.quantity),
    tiers: new TemplateList(tiers.length, () =>
      tiers.values().map(({ used: { tier, price, blockSize, quantity, amount }, ...formatted }) => ({
        ...formatted,
        tier: String(tier),
        price: formatDecimal(price),
        blockSize: plain(blockSize),
        quantity: formatDecimal(quantity),
        amount: plain(amount),
      })),
    ),
  };
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
    listRate: plain(item.listRate),
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
