import { documentFormats } from '../../../lib/invoicing/documents/document-formats.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import type { InvoiceToRender } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import { balanceOf, invoiceAmounts } from '../../../lib/invoicing/invoices/invoice-amounts.ts';
import type { InvoiceItemView, InvoiceView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { billedQuantity, unitPriceOf } from '../../../lib/invoicing/invoices/used-units.ts';
import { type Account, type Invoice, type InvoiceItem, InvoiceItemType } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { at, invoice } from '../payments/payment-records.ts';
import { account, nextId } from '../subscriptions/example.ts';

/** An item as a view: by default a month of the plan Gold. */
export function viewedItem(
  itemType: InvoiceItemType,
  amount: string,
  members: Partial<InvoiceItemView> = {},
): InvoiceItemView {
  const { FIXED, RECURRING, USAGE } = InvoiceItemType;
  const isOfPlan = itemType === FIXED || itemType === RECURRING || itemType === USAGE;
  const item: InvoiceItem = {
    recordId: 1,
    id: nextId(),
    invoiceId: nextId(),
    accountId: nextId(),
    accountRecordId: 1,
    itemType,
    childAccountId: null,
    bundleId: null,
    subscriptionId: null,
    productName: isOfPlan ? 'Gold' : null,
    planName: isOfPlan ? 'gold-monthly' : null,
    phaseName: isOfPlan ? 'gold-monthly-evergreen' : null,
    usageName: null,
    description: isOfPlan ? 'gold-monthly-evergreen' : null,
    startDate: localDate(2026, 11, 1),
    endDate: isOfPlan ? localDate(2026, 12, 1) : null,
    amount: decimal(amount),
    rate: null,
    currency: 'USD',
    quantity: null,
    linkedItemId: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    taxRate: null,
    taxCategory: null,
    taxExemption: null,
    repairable: decimal(amount),
    createdDate: at('2026-11-01T00:00:00Z'),
  };
  const billed = { ...item, ...members };
  return {
    ...item,
    quantity: billedQuantity(billed),
    unitPrice: unitPriceOf(billed),
    usage: [],
    prettyProductName: null,
    prettyPlanName: isOfPlan ? 'Gold, monthly' : null,
    prettyPhaseName: isOfPlan ? 'gold-monthly-evergreen' : null,
    prettyUsageName: null,
    childItems: null,
    ...members,
  };
}

/** An invoice with these items and matching sums. */
export function viewedInvoice(
  items: readonly InvoiceItemView[],
  { paid = '0', ...members }: Partial<Invoice> & { readonly paid?: string } = {},
): InvoiceView {
  const payment = { type: 'ATTEMPT', status: 'SUCCESS', amount: decimal(paid) } as const;
  const record = invoice({
    invoiceNumber: 17,
    invoiceDate: localDate(2026, 11, 23),
    targetDate: localDate(2026, 11, 23),
    ...invoiceAmounts(items, [payment]),
    ...members,
  });
  return { ...record, formattedNumber: null, balance: balanceOf(record), items, trackingIds: [] };
}

/** The input of a document for a customer without a locale. */
export function toRender(
  items: readonly InvoiceItemView[],
  {
    of,
    invoice: members,
    ...given
  }: Partial<Omit<InvoiceToRender, 'account' | 'invoice'>> & {
    readonly of?: Partial<Account>;
    readonly invoice?: Parameters<typeof viewedInvoice>[1];
  } = {},
): InvoiceToRender {
  return {
    invoice: viewedInvoice(items, members),
    account: { ...account(), ...of },
    isManualPay: false,
    processedCurrency: null,
    defaultLocale: 'en_US' as Locale,
    formatsOf: documentFormats,
    translations: new Map(),
    catalogTranslations: new Map(),
    ...given,
  };
}
