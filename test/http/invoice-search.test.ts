import { eachDatabase, expect, populateOnce } from '../support/http/index.ts';

interface Body {
  readonly invoiceId: string;
  readonly invoiceNumber: number;
  readonly accountId: string;
  readonly amount: number;
  readonly balance: number;
  readonly items: readonly { readonly invoiceItemId: string }[];
}

const invoices = '/1.0/kb/invoices';

eachDatabase.describe('invoice lookup over HTTP (invoicing §15)', (open) => {
  const world = populateOnce(open);
  const { serving } = world;
  let unpaid: Body;
  before(async () => {
    const charged = await serving.call('POST', `${invoices}/charges/${world.accountId}?autoCommit=true`, {
      body: [{ amount: 7.25, description: 'unpaid' }],
      headers: { 'x-service-createdby': 'clerk' },
    });
    const [item] = charged.json as readonly { readonly invoiceId: string }[];
    unpaid = (await serving.call('GET', `${invoices}/${item?.invoiceId}`)).json as Body;
  });

  const codeOf = async (path: string) => {
    const { status, json } = await serving.call('GET', `${invoices}/${path}`);
    return [status, (json as { readonly code?: number }).code];
  };
  const found = async (key: string, query = '') => {
    const { status, text, json, headers } = await serving.call(
      'GET',
      `${invoices}/search/${encodeURIComponent(key)}${query}`,
    );
    expect(status, text).to.equal(200);
    const bodies = json as readonly Body[];
    return {
      ids: bodies.map(({ invoiceId }) => invoiceId),
      bodies,
      total: headers.get('x-service-pagination-totalnbrecords'),
      max: headers.get('x-service-pagination-maxnbrecords'),
    };
  };

  it('finds an invoice with its items by invoice number and by item id', async () => {
    const { invoiceId, invoiceNumber, items } = unpaid;
    const read = (await serving.call('GET', `${invoices}/${invoiceId}`)).json;
    const byNumber = await serving.call('GET', `${invoices}/byNumber/${invoiceNumber}`);
    expect(byNumber.json).to.eql(read);
    expect((await serving.call('GET', `${invoices}/byItemId/${items[0]?.invoiceItemId}`)).json).to.eql(read);
    expect(await codeOf('byNumber/77')).to.eql([404, 4018]);
    for (const number of ['none', '0', '-1', '1.5', '99999999999999999999'])
      expect(await codeOf(`byNumber/${number}`), number).to.eql([400, 4019]);
    expect(await codeOf(`byItemId/${world.unknownId}`)).to.eql([404, 4011]);
    expect(await codeOf('byItemId/none')).to.eql([404, 60008]);
  });

  it('returns the number of results, and the matching invoices with amounts but without items', async () => {
    const { invoiceId, invoiceNumber, amount, balance, accountId } = unpaid;
    expect(amount).to.equal(7.25);
    const { bodies, total, max } = await found(String(invoiceNumber));
    expect(bodies).to.have.length(1);
    expect(bodies[0]).to.include({ invoiceId, amount, balance });
    expect(bodies[0]?.items).to.eql([]);
    expect([total, max]).to.eql(['1', '2']);
    for (const key of [
      invoiceId,
      '_q=1&created_by=clerk',
      '_q=1&balance[gt]=0',
      '_q=1&balance=7.25',
      `_q=1&invoiceId=${invoiceId}&status=COMMITTED`,
    ])
      expect((await found(key)).ids, key).to.eql([invoiceId]);
    const all = [world.invoiceId, invoiceId];
    for (const key of [accountId, 'USD', '', '_q=1&invoice_date[lte]=2024-12-31', '_q=1&migrated=false'])
      expect((await found(key)).ids, key).to.eql(all);
    expect((await found('USD', '?limit=-1')).ids).to.eql([invoiceId]);
    expect((await found('nobody knows this')).total).to.equal('0');
  });

  it('rejects an unreadable key', async () => {
    for (const key of ['_q=1&nonsense=1', '_q=1&balance[gt]=1&currency=USD', '_q=1&invoice_date=x'])
      expect(await codeOf(`search/${encodeURIComponent(key)}`), key).to.eql([400, 60002]);
  });
});
