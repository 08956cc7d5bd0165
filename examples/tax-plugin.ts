// Taxes by country: an invoice plugin adds them to every invoice, and returns them with what is credited.
//   node examples/tax-plugin.ts
import { pathToFileURL } from 'node:url';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  type AdditionalItem,
  Billing,
  type Currency,
  Decimal,
  defineCatalog,
  formatDecimal,
  type InvoiceForPlugins,
  type InvoiceItemForPlugins,
  type InvoiceItemView,
  type InvoicePlugin,
  type InvoicePluginContext,
  type InvoiceView,
  type Plain,
  roundToCurrency,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

/** The tax on a charge: the facts that documents show, and a description. */
interface Tax {
  readonly description: string;
  /** Percent. */
  readonly taxRate: string;
  readonly taxCategory: 'S' | 'AE' | 'G';
  readonly taxExemption?: string;
}

/** What the host knows of a buyer. */
export interface Buyer {
  readonly country: string;
  /** VAT id of a business. */
  readonly taxId?: string;
}

/** The standard rates of the countries that the host sells to from Germany; books have a lower rate there. */
const rates: Readonly<Record<string, { readonly name: string; readonly rate: string }>> = {
  DE: { name: 'MwSt.', rate: '19' },
  FR: { name: 'TVA', rate: '20' },
};
const HOME = 'DE';
const books: ReadonlySet<string | null> = new Set(['Book']);
const reverseCharge: Tax = {
  description: 'Reverse charge',
  taxRate: '0',
  taxCategory: 'AE',
  taxExemption: 'Reverse charge: the buyer owes the VAT',
};
const exported: Tax = { description: 'Export', taxRate: '0', taxCategory: 'G', taxExemption: 'Export' };

function taxOf({ country, taxId }: Buyer, productName: string | null): Tax {
  const known = rates[country];
  if (known === undefined) return exported;
  if (country !== HOME && taxId !== undefined) return reverseCharge;
  const rate = country === HOME && books.has(productName) ? '7' : known.rate;
  return { description: `${known.name} ${rate} %`, taxRate: rate, taxCategory: 'S' };
}

const taxable: ReadonlySet<string> = new Set(['RECURRING', 'FIXED', 'USAGE', 'EXTERNAL_CHARGE']);

/** @param buyerOf the buyer of an account, from the host's own books; null: not taxed. */
export function taxPlugin(buyerOf: (accountId: string) => Promise<Buyer | null>): InvoicePlugin {
  return {
    name: 'vat',
    async getAdditionalInvoiceItems(...[invoice, , , context]) {
      const buyer = await buyerOf(invoice.accountId);
      if (buyer === null) return null;
      const earlier = await earlierTaxes(invoice, context);
      const lines = invoice.items.flatMap((item) => taxedLine(item, { invoice, earlier, buyer }));
      const groups = Map.groupBy(lines, ({ tax }) => `${tax.taxCategory} ${Number(tax.taxRate)}`);
      const items = [...groups.values()].flatMap((group) => taxItems(group, invoice));
      const isReversed = lines.some(({ tax }) => tax.taxCategory === 'AE');
      return { items, note: isReversed ? (reverseCharge.taxExemption ?? null) : null };
    },
  };
}

/** A charge or repair of the invoice with its tax; adjustments of the charge are included in `net`. */
interface TaxedLine {
  readonly item: InvoiceItemForPlugins;
  readonly tax: Tax;
  readonly net: Decimal;
  /** Its TAX item; undefined: it has none yet. */
  readonly known: InvoiceItemForPlugins | undefined;
}

interface LineFacts {
  readonly invoice: InvoiceForPlugins;
  /** The TAX items of earlier invoices, by charge. */
  readonly earlier: ReadonlyMap<string, InvoiceItemForPlugins>;
  readonly buyer: Buyer;
}

function taxedLine(
  item: InvoiceItemForPlugins,
  { invoice, earlier, buyer }: LineFacts,
): readonly TaxedLine[] {
  const known = taxesOn(invoice).get(item.id);
  const net = item.amount.plus(adjustmentsOf(item, invoice));
  if (taxable.has(item.itemType)) {
    return [{ item, net, known, tax: known ? factsOf(known) : taxOf(buyer, item.productName) }];
  }
  if (item.itemType !== 'REPAIR_ADJ' || item.linkedItemId === null) return [];
  // A repair takes back the tax of its charge, by the rate of that day.
  const charged = taxesOn(invoice).get(item.linkedItemId) ?? earlier.get(item.linkedItemId);
  return charged === undefined ? [] : [{ item, net, known, tax: factsOf(charged) }];
}

/**
 * The missing taxes of all lines with the same tax. Their sum is the rounded tax on the sum of the lines (EN 16931, BR-CO-17): the
 * last new item takes the difference that rounding each line makes.
 */
function taxItems(lines: readonly TaxedLine[], invoice: InvoiceForPlugins): readonly AdditionalItem[] {
  const [first] = lines;
  if (first === undefined) return [];
  const { currency } = invoice;
  const due = rounded(sumOf(lines.map(({ net }) => net)), first.tax, currency);
  const taxed = sumOf(lines.map(({ known }) => (known ? taxLeft(known, invoice) : new Decimal(0))));
  const open = lines.filter((line) => line.known === undefined || isAdjusted(line, line.known, invoice));
  let left = due.minus(taxed);
  return open.flatMap((line, index): readonly AdditionalItem[] => {
    const before = line.known ? taxLeft(line.known, invoice) : new Decimal(0);
    const isLast = index === open.length - 1;
    const amount = isLast ? left : rounded(line.net, line.tax, currency).minus(before);
    left = left.minus(amount);
    if (line.known === undefined) return [taxItem(line, amount)];
    if (!amount.isNegative() || amount.isZero()) return [];
    return [{ itemType: 'ITEM_ADJ', amount, linkedItemId: line.known.id, description: 'Tax returned' }];
  });
}

function taxItem({ item, tax }: TaxedLine, amount: Decimal): AdditionalItem {
  const { id: linkedItemId, startDate, endDate, planName } = item;
  const isRepair = item.itemType === 'REPAIR_ADJ';
  const limited = isRepair ? Decimal.min(amount, 0) : Decimal.max(amount, 0);
  return { itemType: 'TAX', amount: limited, linkedItemId, startDate, endDate, planName, ...tax };
}

/** True if more was taken off the charge than off its tax. */
function isAdjusted({ net, tax }: TaxedLine, known: InvoiceItemForPlugins, invoice: InvoiceForPlugins) {
  const hasAdjustment = invoice.items.some(({ itemType, linkedItemId }) => {
    return itemType === 'ITEM_ADJ' && linkedItemId === known.linkedItemId;
  });
  return hasAdjustment && taxLeft(known, invoice).greaterThan(rounded(net, tax, invoice.currency));
}

/**
 * A refund with adjustments adjusts only the items that it names: this adds the taxes on them.
 * @example const adjustments = withTaxes(invoice.items, [{ invoiceItemId, amount: '50' }]);
 *   await acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments });
 */
export function withTaxes(
  items: readonly Plain<InvoiceItemView>[],
  adjustments: readonly { readonly invoiceItemId: string; readonly amount: string }[],
) {
  const taxes = adjustments.flatMap(({ invoiceItemId, amount }) => {
    const tax = items.find((item) => item.itemType === 'TAX' && item.linkedItemId === invoiceItemId);
    const share = tax?.taxRate
      ? rounded(new Decimal(amount), { taxRate: `${tax.taxRate}` }, tax.currency)
      : null;
    if (!tax || !share || share.isZero()) return [];
    return [{ invoiceItemId: tax.id, amount: Decimal.min(share, tax.repairable).toFixed() }];
  });
  return [...adjustments, ...taxes];
}

function taxesOn({ items }: Pick<InvoiceForPlugins, 'items'>) {
  const taxes = items.filter(({ itemType }) => itemType === 'TAX');
  return new Map(
    taxes.flatMap((tax) => (tax.linkedItemId === null ? [] : [[tax.linkedItemId, tax] as const])),
  );
}

/** The TAX items of other invoices, read only if something is repaired. */
async function earlierTaxes({ id, items }: InvoiceForPlugins, { existingInvoices }: InvoicePluginContext) {
  const found = new Map<string, InvoiceItemForPlugins>();
  if (!items.some(({ itemType }) => itemType === 'REPAIR_ADJ')) return found;
  for await (const invoice of existingInvoices()) {
    if (invoice.id === id) continue;
    for (const [chargeId, tax] of taxesOn(invoice)) found.set(chargeId, tax);
  }
  return found;
}

function factsOf({ description, taxRate, taxCategory, taxExemption }: InvoiceItemForPlugins): Tax {
  return {
    description: description ?? 'Tax',
    taxRate: formatDecimal(taxRate ?? new Decimal(0)),
    taxCategory: taxCategory as Tax['taxCategory'],
    ...(taxExemption === null ? {} : { taxExemption }),
  };
}

function taxLeft(tax: InvoiceItemForPlugins, invoice: InvoiceForPlugins): Decimal {
  return tax.amount.plus(adjustmentsOf(tax, invoice));
}

function adjustmentsOf({ id }: InvoiceItemForPlugins, { items }: InvoiceForPlugins): Decimal {
  const own = items.filter(({ itemType, linkedItemId }) => itemType === 'ITEM_ADJ' && linkedItemId === id);
  return sumOf(own.map(({ amount }) => amount));
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));
}

/** The tax on an amount, in whole minor units of the currency. */
function rounded(net: Decimal, { taxRate }: Pick<Tax, 'taxRate'>, currency: Currency): Decimal {
  return roundToCurrency(net.times(taxRate).dividedBy(100), currency);
}

const catalog = defineCatalog({
  name: 'Atelier',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR'],
  products: { Desk: { category: 'BASE' } },
  plans: {
    'desk-monthly': {
      product: 'Desk',
      finalPhase: { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { EUR: '100.00' } } },
    },
  },
  priceLists: { DEFAULT: ['desk-monthly'] },
});

/** Sells a desk to three countries, takes one back after half a month, and returns what was billed and why. */
export async function sellWithTax(): Promise<readonly string[]> {
  const buyers = new Map<string, Buyer>();
  const clock = fakeClock('2024-01-01T12:00:00Z');
  const billing = await Billing.open({
    storage: sqlite(':memory:'),
    clock,
    invoicePlugins: [taxPlugin(async (accountId) => buyers.get(accountId) ?? null)],
  });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'shop', apiSecret: 'secret' },
    );
    const shop = billing.as({ tenant: tenant.id, user: 'host' });
    await shop.uploadCatalog(catalog);
    const told: string[] = [];
    const people = {
      Ada: { country: 'DE' },
      Chantal: { country: 'FR', taxId: 'FR83404833048' },
      Ed: { country: 'US' },
    };
    for (const [name, buyer] of Object.entries(people)) {
      const { id: accountId } = await shop.createAccount({ name, currency: 'EUR' });
      buyers.set(accountId, buyer);
      const { subscriptionId } = await shop.createSubscription({ accountId, planName: 'desk-monthly' });
      await billing.settle();
      if (name === 'Ada') {
        clock.set('2024-01-16T12:00:00Z');
        await shop.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
        await billing.settle();
      }
      const invoices = await shop.invoices.ofAccount({ accountId, withItems: true });
      told.push(...invoices.map((invoice) => `${name}: ${linesOf(invoice)}`));
      const tax = invoices[0]?.items.find(({ itemType }) => itemType === 'TAX');
      if (name === 'Ada' && tax) told.push((await shop.invoices.explain(tax.id)).text);
    }
    return told;
  } finally {
    await billing.close();
  }
}

function linesOf({ items, balance }: Plain<InvoiceView>): string {
  const lines = items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
  return `${lines.join(', ')}; owed EUR ${formatDecimal(balance)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${(await sellWithTax()).join('\n')}\n`);
}
