import { documentFormats } from '../../../lib/invoicing/documents/document-formats.ts';
import type { Locale } from '../../../lib/invoicing/documents/locale.ts';
import type { InvoiceToRender } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import { balanceOf, invoiceAmounts } from '../../../lib/invoicing/invoices/invoice-amounts.ts';
import type { InvoiceItemView, InvoiceView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { billedQuantity, unitPriceOf } from '../../../lib/invoicing/invoices/used-units.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  type Seller,
} from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { localDate } from '../../../lib/values/time/index.ts';
import { at, invoice } from '../payments/payment-records.ts';
import { account, nextId } from '../subscriptions/example.ts';

/** A month of a plan at a discount. The list price of one is 30, and the coupons take off these amounts. */
export function discountedItem(
  amount: string,
  taken: readonly (readonly [name: string, off: string])[],
  { quantity = 1, rate = 24 }: { readonly quantity?: number; readonly rate?: number } = {},
): InvoiceItemView {
  return viewedItem('RECURRING', amount, {
    quantity: decimal(quantity),
    rate: decimal(rate * quantity),
    unitPrice: decimal(rate),
    listRate: decimal(30 * quantity),
    discounts: taken.map(([name, off]) => ({ code: name.toUpperCase(), name, amount: decimal(off) })),
  });
}

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
    listRate: null,
    discounts: null,
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
    commitDate: localDate(2026, 11, 23),
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
    seller: null,
    isManualPay: false,
    processedCurrency: null,
    defaultLocale: 'en_US' as Locale,
    formatsOf: documentFormats,
    translations: new Map(),
    catalogTranslations: new Map(),
    ...given,
  };
}

/** Two charges, taxed with 19 % and 7 %. */
export function taxedItems(): readonly InvoiceItemView[] {
  const [full, reduced] = [viewedItem('RECURRING', '100'), viewedItem('EXTERNAL_CHARGE', '40')];
  return [full, reduced, taxOf(full, '19'), taxOf(reduced, '7')];
}

/** The tax of an item at a rate in percent, rounded to cents. */
export function taxOf(
  { id, amount }: InvoiceItemView,
  rate: string,
  members: Partial<InvoiceItemView> = {},
): InvoiceItemView {
  const tax = amount.times(rate).dividedBy(100).toDecimalPlaces(2);
  const facts = { taxRate: decimal(rate), taxCategory: 'S' } as const;
  return viewedItem('TAX', tax.toFixed(), { description: 'Tax', linkedItemId: id, ...facts, ...members });
}

/** Returns a charge for API calls: the first 10,000 cost $0.01 each, the others $5.00 per thousand. */
export function usageOf(calls: string): InvoiceItemView {
  const quantity = decimal(calls);
  const cheap = quantity.minus(10_000).dividedBy(1_000).ceil();
  const tiers = [
    {
      tier: 1,
      price: decimal('0.01'),
      blockSize: decimal(1),
      quantity: decimal(10_000),
      amount: decimal(100),
    },
    { tier: 2, price: decimal(5), blockSize: decimal(1_000), quantity: cheap, amount: cheap.times(5) },
  ];
  const usage = [{ unit: 'API calls', name: 'calls', quantity, tiers }];
  const amount = cheap.times(5).plus(100).toFixed();
  return viewedItem('USAGE', amount, { usageName: 'api-calls', prettyUsageName: null, usage });
}

export function seller(members: Partial<Seller> = {}): Seller {
  return {
    recordId: 1,
    id: nextId(),
    name: 'Obstgarten',
    legalName: 'Obstgarten Software GmbH',
    address1: 'Am Hang 1',
    address2: null,
    city: 'Berlin',
    state: null,
    postalCode: '10115',
    country: 'DE',
    taxId: 'DE136695976',
    registrationNumber: 'HRB 12345 B',
    email: 'rechnung@obst.example',
    phone: '+49 30 123456',
    bankName: 'Musterbank',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    paymentTermsDays: 14,
    notes: { '*': 'Thank you' },
    accentColor: '#0a5cff',
    createdDate: at('2026-01-01T00:00:00Z'),
    logo: null,
    ...members,
  };
}
