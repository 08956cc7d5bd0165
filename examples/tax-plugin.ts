// Taxes by country: an invoice plugin adds them to every invoice, and gives them back with what is credited.
//   node examples/tax-plugin.ts
import { pathToFileURL } from 'node:url';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  type AdditionalItem,
  Billing,
  Decimal,
  defineCatalog,
  formatDecimal,
  type InvoiceForPlugins,
  type InvoiceItemForPlugins,
  type InvoicePlugin,
  type InvoicePluginContext,
  type InvoiceView,
  type Plain,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

/** The tax rates of the countries that the host sells to; elsewhere it charges none. */
const rates: Readonly<Record<string, { readonly name: string; readonly rate: string }>> = {
  DE: { name: 'MwSt. 19 %', rate: '0.19' },
  FR: { name: 'TVA 20 %', rate: '0.20' },
  CH: { name: 'MWST 8.1 %', rate: '0.081' },
};

const taxed: ReadonlySet<string> = new Set(['RECURRING', 'FIXED', 'USAGE', 'EXTERNAL_CHARGE']);

/** @param countryOf the country of an account's buyer, from the host's own books. */
export function taxPlugin(countryOf: (accountId: string) => Promise<string | null>): InvoicePlugin {
  return {
    name: 'vat',
    async getAdditionalInvoiceItems(...[invoice, , , context]) {
      const country = await countryOf(invoice.accountId);
      const tax = country === null ? undefined : rates[country];
      if (tax === undefined) return null;
      return { items: [...taxesOf(invoice, tax), ...(await returnedTaxes(invoice, tax.rate, context))] };
    },
  };
}

/** A tax for each charge that has none yet: a draft that gets further items comes again. */
function taxesOf(
  { items }: InvoiceForPlugins,
  { name, rate }: (typeof rates)[string],
): readonly AdditionalItem[] {
  const done = new Set(
    items.flatMap(({ itemType, linkedItemId }) => (itemType === 'TAX' ? linkedItemId : [])),
  );
  const due = items.filter(({ id, itemType }) => taxed.has(itemType) && !done.has(id));
  return due.map(({ id, amount, startDate, endDate, planName }) => ({
    itemType: 'TAX',
    amount: amount.times(rate), // the engine rounds it to the currency
    description: name,
    linkedItemId: id,
    startDate,
    endDate,
    planName,
  }));
}

/** For what is credited of earlier charges, the tax that was taken on it: an adjustment of the tax item, on its invoice. */
async function returnedTaxes(
  { items }: InvoiceForPlugins,
  rate: string,
  { existingInvoices }: InvoicePluginContext,
): Promise<readonly AdditionalItem[]> {
  const repairs = items.filter(({ itemType }) => itemType === 'REPAIR_ADJ');
  if (repairs.length === 0) return [];
  const taxOf = new Map<string, InvoiceItemForPlugins>();
  for await (const invoice of existingInvoices()) {
    for (const item of invoice.items) {
      if (item.itemType === 'TAX' && item.linkedItemId !== null) taxOf.set(item.linkedItemId, item);
    }
  }
  return repairs.flatMap(({ amount, linkedItemId }): readonly AdditionalItem[] => {
    const tax = linkedItemId === null ? undefined : taxOf.get(linkedItemId);
    if (tax === undefined) return [];
    const returned = Decimal.min(amount.negated().times(rate).toDecimalPlaces(2), tax.repairable);
    if (returned.isZero()) return [];
    return [
      { itemType: 'ITEM_ADJ', amount: returned.negated(), linkedItemId: tax.id, description: 'Tax returned' },
    ];
  });
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

/** Sells a desk to three countries, takes one back after half a month, and tells what was billed and why. */
export async function sellWithTax(): Promise<readonly string[]> {
  const countries = new Map<string, string>();
  const clock = fakeClock('2024-01-01T12:00:00Z');
  const billing = await Billing.open({
    storage: sqlite(':memory:'),
    clock,
    invoicePlugins: [taxPlugin(async (accountId) => countries.get(accountId) ?? null)],
  });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'shop', apiSecret: 'secret' },
    );
    const shop = billing.as({ tenant: tenant.id, user: 'host' });
    await shop.uploadCatalog(catalog);
    const told: string[] = [];
    for (const [name, country] of Object.entries({ Ada: 'DE', Chantal: 'FR', Ed: 'US' })) {
      const { id: accountId } = await shop.createAccount({ name, currency: 'EUR' });
      countries.set(accountId, country);
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
