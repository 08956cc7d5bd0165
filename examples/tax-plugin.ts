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
  type InvoicePlugin,
  type InvoicePluginContext,
  type InvoiceView,
  minorUnits,
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

/** The host's data about a buyer. */
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
      const links = linksOf([...invoice.items, ...(await earlierItems(invoice, context))]);
      const repairs = invoice.items.flatMap((item) => repairLine(item, links));
      const charges = invoice.items.flatMap((item) => chargeLine(item, { links, buyer }));
      const taxed = [...withRepairTaxes(repairs, links), ...withReturnedTaxes(charges, links)];
      const rates = Map.groupBy(taxed, ({ tax }) => `${tax.taxCategory} ${Number(tax.taxRate)}`);
      const lines = [...rates.values()].flatMap((group) => withChargeTaxes(group, invoice.currency));
      const isReversed = lines.some(({ tax }) => tax.taxCategory === 'AE');
      return {
        items: lines.flatMap(({ added }) => added ?? []),
        note: isReversed ? (reverseCharge.taxExemption ?? null) : null,
      };
    },
  };
}

type Item = InvoiceItemForPlugins;

/** Items by their ids, and by the ids of the items that they reduce or tax. */
interface Links {
  readonly byId: ReadonlyMap<string, Item>;
  readonly linkedTo: ReadonlyMap<string | null, readonly Item[]>;
}

function linksOf(items: readonly Item[]): Links {
  const byId = new Map(items.map((item) => [item.id, item]));
  return { byId, linkedTo: Map.groupBy(byId.values(), ({ linkedItemId }) => linkedItemId) };
}

function linkedTo({ id }: Item, type: Item['itemType'], links: Links): readonly Item[] {
  return (links.linkedTo.get(id) ?? []).filter(({ itemType }) => itemType === type);
}

/** A charge or repair of the invoice with its tax. */
interface Line {
  readonly item: Item;
  readonly tax: Tax;
  /** The amount of the item after its adjustments. */
  readonly net: Decimal;
  /** The stored tax after its adjustments and `added`; null: it has none yet. */
  readonly taxed: Decimal | null;
  readonly added: AdditionalItem | null;
}

function chargeLine(
  item: Item,
  { links, buyer }: { readonly links: Links; readonly buyer: Buyer },
): readonly Line[] {
  if (!taxable.has(item.itemType)) return [];
  const [known] = linkedTo(item, 'TAX', links);
  const tax = known ? factsOf(known) : taxOf(buyer, item.productName);
  return [lineOf(item, tax, links)];
}

/** A repair returns the tax of its charge, by the rate of that day. */
function repairLine(item: Item, links: Links): readonly Line[] {
  const charge = item.itemType === 'REPAIR_ADJ' ? links.byId.get(item.linkedItemId ?? '') : undefined;
  const [charged] = charge ? linkedTo(charge, 'TAX', links) : [];
  return charged ? [lineOf(item, factsOf(charged), links)] : [];
}

function lineOf(item: Item, tax: Tax, links: Links): Line {
  const [known] = linkedTo(item, 'TAX', links);
  return {
    item,
    tax,
    net: afterAdjustments(item, links),
    taxed: known ? afterAdjustments(known, links) : null,
    added: null,
  };
}

/**
 * The tax of a new repair is the difference between the tax that is left of the charge and the tax on the net amount
 * that is left. Many small repairs therefore return exactly the tax of the charge, and not a cent more or less.
 */
function withRepairTaxes(repairs: readonly Line[], links: Links): readonly Line[] {
  const open = repairs.filter(({ taxed }) => taxed === null);
  const byCharge = Map.groupBy(open, ({ item }) => item.linkedItemId);
  const added = [...byCharge].flatMap(([chargeId, lines]) => {
    const charge = links.byId.get(chargeId ?? '');
    const [tax] = charge ? linkedTo(charge, 'TAX', links) : [];
    if (!charge || !tax) return [];
    const left = { net: netLeft(charge, links), tax: taxLeft(charge, tax, links) };
    let net = left.net.minus(sumOf(lines.map((line) => line.net)));
    return lines.map((line) => {
      net = net.plus(line.net);
      const owed = Decimal.min(taxOwed(charge, tax, net), left.tax);
      const taxed = owed.minus(left.tax);
      left.tax = owed;
      return { ...line, taxed, added: taxItem(line, taxed) };
    });
  });
  return [...repairs.filter(({ taxed }) => taxed !== null), ...added];
}

/** Adjusts the tax of each adjusted charge to the tax on the net amount that is left. */
function withReturnedTaxes(charges: readonly Line[], links: Links): readonly Line[] {
  return charges.map((line) => {
    const [tax] = linkedTo(line.item, 'TAX', links);
    if (!tax || line.taxed === null || linkedTo(line.item, 'ITEM_ADJ', links).length === 0) return line;
    const amount = taxOwed(line.item, tax, netLeft(line.item, links)).minus(taxLeft(line.item, tax, links));
    if (!amount.lessThan(0)) return line;
    const added = {
      itemType: 'ITEM_ADJ',
      amount,
      linkedItemId: tax.id,
      description: 'Tax returned',
    } as const;
    return { ...line, taxed: line.taxed.plus(amount), added };
  });
}

/**
 * Taxes the new charges of one rate. The sum of the taxes is the rounded tax on the sum of the lines (EN 16931,
 * BR-CO-17): the last new tax contains the difference that rounding each line makes. A tax that a person has changed
 * is not compensated.
 */
function withChargeTaxes(lines: readonly Line[], currency: Currency): readonly Line[] {
  const [first] = lines;
  if (first === undefined) return [];
  const taxOn = (net: Decimal) => rounded(net, first.tax, currency);
  const last = lines.findLast(({ taxed }) => taxed === null);
  const most = new Decimal(10).pow(-minorUnits(currency)).times(lines.length);
  const differences = lines
    .flatMap(({ net, taxed }) => taxed?.minus(taxOn(net)) ?? [])
    .filter((difference) => difference.abs().lessThanOrEqualTo(most));
  const exact = taxOn(sumOf(lines.map(({ net }) => net)));
  const residue = exact.minus(sumOf([...lines.map(({ net }) => taxOn(net)), ...differences]));
  return lines.map((line) => {
    if (line.taxed !== null) return line;
    const own = taxOn(line.net);
    const amount = Decimal.max(line === last ? own.plus(residue) : own, 0);
    return { ...line, taxed: amount, added: taxItem(line, amount) };
  });
}

function taxItem({ item, tax }: Pick<Line, 'item' | 'tax'>, amount: Decimal): AdditionalItem {
  const { id: linkedItemId, startDate, endDate, planName } = item;
  return { itemType: 'TAX', amount, linkedItemId, startDate, endDate, planName, ...tax };
}

/** The items of the account's other invoices, read only if something is repaired or adjusted. */
async function earlierItems({ id, items }: InvoiceForPlugins, { existingInvoices }: InvoicePluginContext) {
  const found: Item[] = [];
  if (!items.some(({ itemType }) => itemType === 'REPAIR_ADJ' || itemType === 'ITEM_ADJ')) return found;
  for await (const invoice of existingInvoices()) {
    if (invoice.id !== id && invoice.status !== 'VOID') found.push(...invoice.items);
  }
  return found;
}

function factsOf({ description, taxRate, taxCategory, taxExemption }: Item): Tax {
  return {
    description: description ?? 'Tax',
    taxRate: formatDecimal(taxRate ?? new Decimal(0)),
    taxCategory: taxCategory as Tax['taxCategory'],
    ...(taxExemption === null ? {} : { taxExemption }),
  };
}

/** The part of the tax that belongs to this net amount of the charge. */
function taxOwed(
  charge: Pick<Item, 'amount'>,
  tax: Pick<Item, 'amount' | 'currency'>,
  net: Decimal,
): Decimal {
  if (charge.amount.isZero()) return new Decimal(0);
  return roundToCurrency(tax.amount.times(net).dividedBy(charge.amount), tax.currency);
}

/** The amount of a charge that adjustments and repairs leave. */
function netLeft(charge: Item, links: Links): Decimal {
  const repairs = linkedTo(charge, 'REPAIR_ADJ', links);
  return afterAdjustments(charge, links).plus(sumOf(repairs.map(({ amount }) => amount)));
}

/** The tax of a charge that its adjustments and the taxes of repairs leave. */
function taxLeft(charge: Item, tax: Item, links: Links): Decimal {
  const repairs = linkedTo(charge, 'REPAIR_ADJ', links);
  const returned = repairs.flatMap((repair) => linkedTo(repair, 'TAX', links));
  return afterAdjustments(tax, links).plus(sumOf(returned.map(({ amount }) => amount)));
}

function afterAdjustments(item: Item, links: Links): Decimal {
  return item.amount.plus(sumOf(linkedTo(item, 'ITEM_ADJ', links).map(({ amount }) => amount)));
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
