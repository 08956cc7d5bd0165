import { aliasHeaders, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { createdId, expectStatus, serveEach } from '../support/http/serving.ts';

type ItemJson = Readonly<Record<string, unknown>>;

const facts = { taxRate: 0, taxCategory: 'AE', taxExemption: 'Reverse charge' };

eachDatabaseByTurns.describe('tax facts over HTTP (invoicing §14 rule 9)', (open) => {
  const { call } = serveEach(open);
  let accountId: string;
  let linkedInvoiceItemId: unknown;

  const add = (kind: string, item: object, headers = {}) =>
    call('POST', `/1.0/kb/invoices/${kind}/${accountId}`, { body: [item], headers });

  async function added(kind: string, item: object, headers = {}): Promise<ItemJson> {
    const [first = {}] = expectStatus(await add(kind, item, headers), 201).json as readonly ItemJson[];
    return first;
  }

  beforeEach(async () => {
    accountId = createdId(await call('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } }));
    ({ invoiceItemId: linkedInvoiceItemId } = await added('charges', { amount: 20 }));
  });

  it('are stored with the taxed charge in dialect D', async () => {
    const tax = await added('taxes', { amount: 0, linkedInvoiceItemId, ...facts });
    expect(tax).to.deep.include({ itemType: 'TAX', amount: 0, linkedInvoiceItemId, ...facts });
  });

  it('are ignored, like the taxed charge, in dialect K', async () => {
    const tax = await added('taxes', { amount: 0, linkedInvoiceItemId, ...facts }, aliasHeaders);
    expect(tax.linkedInvoiceItemId).to.equal(null);
    expect(tax).to.not.have.any.keys('taxRate', 'taxCategory', 'taxExemption');
    const stored = expectStatus(await call('GET', `/1.0/kb/invoices/${tax.invoiceId}`), 200).json;
    const { items } = stored as { readonly items: readonly ItemJson[] };
    expect(items[0]).to.deep.include({ taxRate: null, taxCategory: null, taxExemption: null });
  });

  for (const [dialect, headers, adjusted] of [
    ['D', {}, [-10, -1.9]],
    ['K', aliasHeaders, [-10]],
  ] as const)
    it(`determine whether a tax added in dialect ${dialect} follows an adjustment`, async () => {
      const charge = await added('charges', { amount: 20 });
      const { invoiceId, invoiceItemId } = charge;
      const tax = {
        invoiceId,
        amount: 3.8,
        linkedInvoiceItemId: invoiceItemId,
        taxRate: 19,
        taxCategory: 'S',
      };
      await added('taxes', tax, headers);
      const body = { accountId, invoiceItemId, amount: 10 };
      expectStatus(await call('POST', `/1.0/kb/invoices/${invoiceId}`, { body, headers }), 201);
      const stored = expectStatus(await call('GET', `/1.0/kb/invoices/${invoiceId}`), 200).json;
      const { items } = stored as { readonly items: readonly ItemJson[] };
      const adjustments = items.filter(({ itemType }) => itemType === 'ITEM_ADJ');
      expect(adjustments.map(({ amount }) => amount)).to.eql(adjusted);
    });

  it('are rejected with the expected amount if the amount does not match the rate', async () => {
    const tax = { amount: 10, linkedInvoiceItemId, taxRate: 19, taxCategory: 'S' };
    const refused = await add('taxes', tax);
    expect(refused.status).to.equal(400);
    expect(refused.json).to.deep.include({
      code: 60003,
      message: 'Invoice item has the amount 10 with the taxRate 19 on an amount of 20: expected 3.8',
    });
    expect(await added('taxes', { ...tax, amount: 3.8 })).to.deep.include({ amount: 3.8, taxRate: 19 });
  });

  it('are rejected if they are sent for a charge, contain an invalid value or refer to an unknown item', async () => {
    for (const [kind, item, status, code] of [
      ['charges', { amount: 1, taxRate: 19 }, 400, 60003],
      ['taxes', { amount: 1, taxCategory: 'S' }, 400, 60003],
      ['taxes', { amount: 1, taxCategory: 'VAT' }, 400, 60001],
      ['taxes', { amount: 1, taxRate: 1e3 }, 400, 60003],
      ['taxes', { amount: 1, taxExemption: 'x'.repeat(100_000) }, 400, 60003],
      ['taxes', { amount: 1, linkedInvoiceItemId: accountId }, 404, 4011],
    ] as const) {
      const refused = await add(kind, item);
      expect([refused.status, (refused.json as { readonly code: number }).code]).to.eql([status, code]);
    }
  });
});
