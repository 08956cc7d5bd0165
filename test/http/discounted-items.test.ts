import { defineCatalog, type Uuid } from '../../lib/index.ts';
import { aliasHeaders, eachDatabaseByTurns, expect, expectStatus, serveEach } from '../support/http/index.ts';
import { redeemOnAccount } from '../support/redeemed-coupons.ts';

const catalog = defineCatalog({
  name: 'Coupons',
  effectiveDate: '2025-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Gold: { category: 'BASE' } },
  plans: {
    'gold-monthly': {
      product: 'Gold',
      finalPhase: {
        type: 'EVERGREEN',
        recurring: { billingPeriod: 'MONTHLY', price: { USD: '30.00' } },
      },
    },
  },
  priceLists: { DEFAULT: ['gold-monthly'] },
});

type ItemJson = Readonly<Record<string, unknown>>;

eachDatabaseByTurns.describe('discounted items over HTTP (coupons §4)', (open) => {
  const serving = serveEach(open);
  let accountId: Uuid;

  beforeEach(async () => {
    const { billing, clock, storage } = serving;
    clock.set('2026-01-01T00:00:00Z');
    const tenant = await billing.tenants.getByApiKey('bob');
    const acme = billing.as({ tenant, user: 'test' });
    await acme.uploadCatalog(catalog);
    accountId = (await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    await redeemOnAccount({ storage, tenant }, accountId, { redeemed: '2026-01-01' });
    await acme.createSubscription({ accountId, planName: 'gold-monthly' });
    await billing.settle();
  });

  const get = async (path: string, headers = {}) => expectStatus(await serving.get(path, headers), 200).json;

  async function discountedItem(headers = {}): Promise<ItemJson> {
    const path = `/accounts/${accountId}/invoices?includeInvoiceComponents=true`;
    const invoices = (await get(path, headers)) as readonly { readonly items: readonly ItemJson[] }[];
    const item = invoices.flatMap(({ items }) => items).find(({ itemType }) => itemType === 'RECURRING');
    return item ?? {};
  }

  it('include the list rate and the discounts', async () => {
    const item = await discountedItem();
    expect(item).to.deep.include({
      rate: 24,
      listRate: 30,
      discounts: [{ code: 'SPRING', name: 'Spring sale', amount: 6 }],
    });
    const [row] = (await get(
      `/invoiceItems/${item.invoiceItemId}/auditLogsWithHistory`,
    )) as readonly ItemJson[];
    expect(row?.history).to.deep.include({ listRate: 30 });
    const explanation = await get(`/invoiceItems/${item.invoiceItemId}/explanation`);
    expect(explanation).to.deep.include({
      price: 30,
      discounts: [
        {
          code: 'SPRING',
          name: 'Spring sale',
          percentOff: 20,
          amountOff: null,
          perQuantity: false,
          amountTaken: 6,
          until: null,
        },
      ],
    });
  });

  it('include only the lower rate in dialect K, on invoices and in their history', async () => {
    const item = await discountedItem(aliasHeaders);
    expect(item).to.include({ rate: 24 }).and.not.have.any.keys('listRate', 'discounts');
    const rows = await get(`/invoiceItems/${item.invoiceItemId}/auditLogsWithHistory`, aliasHeaders);
    const [row] = rows as readonly { readonly history: ItemJson }[];
    expect(row?.history).to.include({ rate: 24 }).and.not.have.any.keys('listRate', 'discounts');
  });
});
