import { defineCatalog, type TenantBilling } from '../../adapters/node/billwright.ts';
import { formatDecimal } from '../../lib/index.ts';
import { aliasHeaders, eachDatabaseByTurns, expect, expectStatus, serveEach } from '../support/http/index.ts';
import type { InvoiceItemView } from '../support/plain-views.ts';

const seats = defineCatalog({
  name: 'Seats',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  units: { call: { prettyName: 'API calls' } },
  products: { Team: { category: 'BASE' } },
  plans: {
    'team-monthly': {
      product: 'Team',
      finalPhase: {
        type: 'EVERGREEN',
        fixed: { USD: '10' },
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '25' } },
        usages: {
          'team-calls': {
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              { blocks: [{ unit: 'call', size: 100, prices: { USD: '1' }, max: 100 }] },
              { blocks: [{ unit: 'call', size: 100, prices: { USD: '0.5' } }] },
            ],
          },
        },
      },
    },
  },
  priceLists: { DEFAULT: ['team-monthly'] },
});

const tiers = [
  { tier: 1, price: 1, blockSize: 100, quantity: 100, amount: 100 },
  { tier: 2, price: 0.5, blockSize: 100, quantity: 24, amount: 12 },
];
const usage = [{ unitType: 'call', prettyUnitName: 'API calls', quantity: 12400, tiers }];

type ItemJson = Readonly<Record<string, unknown>>;

eachDatabaseByTurns.describe('billed quantities (invoicing §14 rule 8)', (open) => {
  const serving = serveEach(open);
  let acme: TenantBilling;
  let accountId: string;
  let subscriptionId: string;

  beforeEach(async () => {
    const { billing, clock } = serving;
    clock.set('2026-04-16T00:00:00Z');
    acme = billing.as({ tenant: await billing.tenants.getByApiKey('bob'), user: 'test' });
    await acme.uploadCatalog(seats);
    const account = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    accountId = account.id;
    ({ subscriptionId } = await acme.createSubscription({
      accountId: account.id,
      planName: 'team-monthly',
      quantity: 5,
    }));
    await billing.settle();
  });

  async function get(path: string, headers = {}): Promise<unknown> {
    return expectStatus(await serving.get(path, headers), 200).json;
  }

  async function use(amount: string): Promise<void> {
    const unitUsageRecords = [{ unitType: 'call', usageRecords: [{ recordDate: '2026-04-20', amount }] }];
    await acme.recordUsage({ subscriptionId, trackingId: amount, unitUsageRecords });
    serving.clock.set('2026-05-01T00:00:00Z');
  }

  const shownIn = (items: readonly ItemJson[]) =>
    items.map(({ itemType, amount, rate, quantity, unitPrice, usage: units }) => {
      return { itemType, amount, rate, quantity, unitPrice, usage: units };
    });

  async function itemsOf(path: string, headers = {}): Promise<readonly ItemJson[]> {
    const invoices = (await get(path, headers)) as readonly { readonly items: readonly ItemJson[] }[];
    return invoices.flatMap(({ items }) => items);
  }

  const billed = [
    { itemType: 'FIXED', amount: 50, rate: null, quantity: 5, unitPrice: 10, usage: [] },
    // Half of April: the quantity and the unit price are those of the full month.
    { itemType: 'RECURRING', amount: 62.5, rate: 125, quantity: 5, unitPrice: 25, usage: [] },
    { itemType: 'RECURRING', amount: 125, rate: 125, quantity: 5, unitPrice: 25, usage: [] },
    { itemType: 'USAGE', amount: 112, rate: null, quantity: null, unitPrice: null, usage },
  ];

  it('appear on invoices and on the timeline in dialect D', async () => {
    await use('12400');
    await serving.billing.settle();
    const path = `/accounts/${accountId}/invoices?includeInvoiceComponents=true`;
    expect(shownIn(await itemsOf(path))).to.have.deep.members(billed);
    const [, last] = (await get(path)) as readonly { readonly invoiceId: string }[];
    const one = (await get(`/invoices/${last?.invoiceId}`)) as { readonly items: readonly ItemJson[] };
    expect(shownIn(one.items)).to.have.deep.members(billed.slice(2));
    const timeline = (await get(`/accounts/${accountId}/timeline`)) as {
      readonly invoices: readonly { readonly items: readonly ItemJson[] }[];
    };
    expect(shownIn(timeline.invoices.flatMap(({ items }) => items))).to.have.deep.members(billed);
  });

  it('appear in dry runs, rated usage and previews before any item is stored', async () => {
    await use('12400');
    const body = { dryRunType: 'TARGET_DATE' };
    const path = `/1.0/kb/invoices/dryRun?accountId=${accountId}&targetDate=2026-05-01`;
    const foreseen = expectStatus(await serving.call('POST', path, { body }), 200).json as {
      readonly items: readonly ItemJson[];
    };
    expect(shownIn(foreseen.items)).to.have.deep.members(billed.slice(2));
    const rated = (await get(`/usages/${subscriptionId}/rated?targetDate=2026-05-01`)) as readonly ItemJson[];
    expect(shownIn(rated)).to.eql(billed.slice(3));
    const preview = await acme.subscriptions.preview({
      change: 'CREATE',
      accountId,
      planName: 'team-monthly',
      quantity: 3,
    });
    const items: readonly InvoiceItemView[] = preview.dueNow?.items ?? [];
    expect(items.map(textOf)).to.include.members(['FIXED 3 × 10', 'RECURRING 3 × 25']);
  });

  it('are null in dialect K, both in invoices and in their history', async () => {
    const path = `/accounts/${accountId}/invoices?includeInvoiceComponents=true`;
    for (const item of await itemsOf(path, aliasHeaders)) {
      expect(item.quantity).to.equal(null);
      expect(item).to.not.have.any.keys('unitPrice', 'usage', 'taxRate', 'taxCategory', 'taxExemption');
      const rows = await get(`/invoiceItems/${item.invoiceItemId}/auditLogsWithHistory`, aliasHeaders);
      const [row] = rows as readonly { readonly history: ItemJson }[];
      expect(row?.history.quantity).to.equal(null);
      expect(row?.history).to.not.have.any.keys('taxRate', 'taxCategory', 'taxExemption');
    }
  });

  it('are 1 if the subscription has no other quantity', async () => {
    await acme.createSubscription({ accountId, planName: 'team-monthly' });
    await serving.billing.settle();
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.at(-1)?.items.map(textOf)).to.have.members(['FIXED 1 × 10', 'RECURRING 1 × 25']);
  });
});

function textOf({ itemType, quantity, unitPrice }: InvoiceItemView): string {
  return `${itemType} ${quantity && formatDecimal(quantity)} × ${unitPrice && formatDecimal(unitPrice)}`;
}
