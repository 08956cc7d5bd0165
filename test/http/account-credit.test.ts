import { aliasHeaders, basic, createdId, eve, exampleCatalog, expectRefusal } from '../support/http/index.ts';
import { expectStatus, outcomeOf, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, rowsOf } from '../support/index.ts';

const core = '/1.0/kb';
const WRITTEN_OFF = '00000000-0000-0000-0000-000000000004';

interface Item {
  readonly invoiceItemId: string;
  readonly invoiceId: string;
  readonly itemType: string;
  readonly amount: number;
}
interface Shown {
  readonly items: readonly Item[];
  readonly balance: number;
  readonly parentInvoiceId: string | null;
  readonly parentAccountId: string | null;
}

eachDatabaseByTurns.describe('account credit API', (open) => {
  const serving = serveOnce(open);
  const { call, post, remove } = serving;

  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    call(method, `${core}${path}`, body === undefined ? {} : { body });
  const newAccount = async (body: object = {}): Promise<string> =>
    createdId(await send('POST', '/accounts', { currency: 'EUR', ...body }));
  const add = async (path: string, items: readonly object[]): Promise<readonly Item[]> => {
    return expectStatus(await send('POST', path, items), 201).json as readonly Item[];
  };
  const charge = (id: string, amount: number, query = 'autoCommit=true') =>
    add(`/invoices/charges/${id}?${query}`, [{ amount }]);
  const credit = (accountId: string, amount: number) =>
    add('/credits?autoCommit=true', [{ accountId, amount }]);
  const invoicesOf = async (id: string) =>
    (await send('GET', `/accounts/${id}/invoices?includeInvoiceComponents=true`)).json as readonly Shown[];
  const linesOf = async (id: string) =>
    (await invoicesOf(id)).map(({ items }) => items.map(({ itemType, amount }) => `${itemType} ${amount}`));
  async function balancesOf(id: string): Promise<readonly unknown[]> {
    const { json } = await send('GET', `/accounts/${id}?accountWithBalanceAndCBA=true`);
    const { accountBalance, accountCBA } = json as Record<string, unknown>;
    return [accountBalance, accountCBA];
  }

  it('returns charges, credits, a credit by its id, and a draft (accounts E6 "Balance and credit")', async () => {
    const id = await newAccount();
    const [given] = await credit(id, 10);
    expect(given).to.include({ itemType: 'CREDIT_ADJ', amount: 10, description: 'Invoice adjustment' });
    expect(await balancesOf(id)).to.eql([-10, 10]);
    expect((await send('GET', `/credits/${given?.invoiceItemId}`)).json).to.eql(given);
    const [item] = await charge(id, 25);
    expect(item).to.include({ itemType: 'EXTERNAL_CHARGE', amount: 25, accountId: id, currency: 'EUR' });
    expectRefusal(await send('GET', `/credits/${item?.invoiceItemId}`), 404, 4008);
    expect(await balancesOf(id)).to.eql([15, 0]);
    await send('POST', `/invoices/${item?.invoiceId}/tags`, [WRITTEN_OFF]);
    expect(await balancesOf(id)).to.eql([0, 0]);
    await send('DELETE', `/invoices/${item?.invoiceId}/tags?tagDef=${WRITTEN_OFF}`);
    expect(await balancesOf(id)).to.eql([15, 0]);
    await charge(id, 40, '');
    expect(await balancesOf(id)).to.eql([15, 0]);
    expect(await linesOf(id)).to.eql([
      ['CREDIT_ADJ -10', 'CBA_ADJ 10'],
      ['EXTERNAL_CHARGE 25', 'CBA_ADJ -10'],
      ['EXTERNAL_CHARGE 40'],
    ]);
  });

  it('transfers credit to the parent, and rejects a transfer without credit or parent (accounts E8 "Transfer credit")', async () => {
    const parent = await newAccount();
    const child = await newAccount({ parentAccountId: parent });
    await credit(child, 18.5);
    expect((await send('PUT', `/accounts/${child}/transferCredit`)).status).to.equal(204);
    expect(await balancesOf(child)).to.eql([0, 0]);
    expect(await balancesOf(parent)).to.eql([-18.5, 18.5]);
    expect((await linesOf(child)).at(-1)).to.eql(['EXTERNAL_CHARGE 18.5', 'CBA_ADJ -18.5']);
    expect(await linesOf(parent)).to.eql([['CREDIT_ADJ -18.5', 'CBA_ADJ 18.5']]);
    expect((await invoicesOf(child)).at(-1)).to.include({ parentAccountId: parent, balance: 0 });
    expectRefusal(await send('PUT', `/accounts/${child}/transferCredit`), 400, 4027);
    expectRefusal(await send('PUT', `/accounts/${parent}/transferCredit`), 400, 3009);
  });

  it('adjusts the remaining amount of an item by default and rejects a further adjustment', async () => {
    const id = await newAccount();
    const [item] = await charge(id, 10);
    const path = `/invoices/${item?.invoiceId}`;
    const body = { accountId: id, invoiceItemId: item?.invoiceItemId };
    const adjusted = expectStatus(await send('POST', `${path}?requestedDate=2024-02-12`, body), 201);
    expect(adjusted.headers.get('location')).to.match(new RegExp(`${core}${path}$`));
    expect(await linesOf(id)).to.eql([['EXTERNAL_CHARGE 10', 'ITEM_ADJ -10']]);
    expectRefusal(await send('POST', path, body), 404, 4007);
    expectRefusal(await send('POST', path, { ...body, amount: 0 }), 400, 4010);
    expectRefusal(await send('POST', path, { ...body, accountId: null }), 400, 60003);
    expectRefusal(await send('POST', path, { accountId: id }), 400, 60003);
  });

  it('stores an invoice from another system and lists it on request', async () => {
    const id = await newAccount();
    const items = [
      { itemType: 'RECURRING', amount: 20, usageName: 'calls', startDate: '2023-11-01', rate: 7 },
      { itemType: 'CREDIT_ADJ', amount: '-5.50' },
    ];
    const made = await send('POST', `/invoices/migration/${id}?targetDate=2023-12-01`, items);
    expect(made.status, made.text).to.equal(201);
    expect(made.text).to.equal('');
    const path = made.headers.get('location')?.replace(/^.*(?=\/invoices\/)/, '') ?? '';
    const { json } = await send('GET', path);
    expect(json).to.include({ status: 'COMMITTED', targetDate: '2023-12-01', amount: 14.5, balance: 0 });
    const [first] = (json as Shown).items;
    expect(first).to.include({ itemType: 'RECURRING', amount: 20, usageName: 'calls', rate: 7 });
    const shown = async (query: string) =>
      (await send('GET', `/accounts/${id}/invoices?${query}`)).json as readonly unknown[];
    expect(await shown('')).to.have.length(0);
    expect(await shown('withMigrationInvoices=true')).to.have.length(1);
    expect(await balancesOf(id)).to.eql([0, 0]);
    for (const [body, code] of [
      [[], 60003],
      [undefined, 60003],
      [[{ amount: 1 }], 60003],
      [[{ itemType: 'TAX' }], 60003],
      [[{ itemType: 'FEE', amount: 1 }], 60001],
      [[{ itemType: 'TAX', amount: 1, currency: 'USD' }], 3],
    ] as const) {
      const reply = await send('POST', `/invoices/migration/${id}`, body);
      expect(outcomeOf(reply), JSON.stringify(body)).to.eql([400, code]);
    }
    expect(await shown('withMigrationInvoices=true')).to.have.length(1);
  });

  it('returns used credit, removes granted credit and keeps paid amounts when credit is deleted', async () => {
    const id = await newAccount();
    const [given] = await credit(id, 10);
    const [charged] = await charge(id, 4);
    const cbaOf = async (invoiceId = '') =>
      ((await send('GET', `/invoices/${invoiceId}`)).json as Shown).items.find(
        ({ itemType }) => itemType === 'CBA_ADJ',
      )?.invoiceItemId ?? '';
    const path = async (of: Item | undefined) =>
      `/invoices/${of?.invoiceId}/${await cbaOf(of?.invoiceId)}/cba`;
    expectRefusal(await send('DELETE', await path(charged)), 400, 60003);
    expect((await send('DELETE', `${await path(charged)}?accountId=${id}`)).status).to.equal(204);
    expect(await balancesOf(id)).to.eql([-6, 10]);
    expect((await send('DELETE', `${await path(given)}?accountId=${id}`)).status).to.equal(204);
    expect(await balancesOf(id)).to.eql([4, 0]);
    const item = `/invoices/${charged?.invoiceId}/${charged?.invoiceItemId}/cba?accountId=${id}`;
    expectRefusal(await send('DELETE', item), 400, 4022);
    const other = await newAccount();
    expectRefusal(await send('DELETE', `${await path(given)}?accountId=${other}`), 404, 4006);
  });

  it('rejects invalid items and stores nothing', async () => {
    const id = await newAccount();
    const other = await newAccount();
    for (const [path, body, code] of [
      [`/invoices/charges/${id}`, [], 60003],
      [`/invoices/charges/${id}`, undefined, 60003],
      [`/invoices/charges/${id}`, [{}], 4015],
      [`/invoices/taxes/${id}`, [{ amount: -1 }], 4015],
      [`/invoices/charges/${id}`, [{ amount: 'a lot' }], 60001],
      [`/invoices/charges/${id}`, [{ amount: 1, currency: 'USD' }], 3],
      [`/invoices/charges/${id}?requestedDate=soon`, [{ amount: 1 }], 60002],
      ['/credits', [{ amount: 1 }], 60003],
      ['/credits', [{ accountId: id, amount: -1 }], 4009],
      [
        '/credits',
        [
          { accountId: id, amount: 1 },
          { accountId: other, amount: 1 },
        ],
        60003,
      ],
    ] as const) {
      const what = `${path} ${JSON.stringify(body)}`;
      expect(outcomeOf(await send('POST', path, body)), what).to.eql([400, code]);
    }
    expect(await linesOf(id)).to.eql([]);
    expect(await linesOf(other)).to.eql([]);
  });

  it('returns the same response for another tenant’s id as for an unknown id', async () => {
    const id = await newAccount();
    const [item] = await charge(id, 10);
    const own = createdId(await post('/accounts', { currency: 'EUR' }, eve));
    for (const [method, path, body, code] of [
      ['POST', `/invoices/charges/${own}`, [{ amount: 1, invoiceId: item?.invoiceId }], 4006],
      ['POST', `/invoices/${item?.invoiceId}`, { accountId: own, invoiceItemId: item?.invoiceItemId }, 4006],
      ['POST', '/credits', [{ accountId: id, amount: 1 }], 3002],
      ['POST', `/invoices/migration/${id}`, [{ itemType: 'TAX', amount: 1 }], 3002],
      ['DELETE', `/invoices/${item?.invoiceId}/${item?.invoiceItemId}/cba?accountId=${own}`, undefined, 4006],
      ['PUT', `/accounts/${id}/cbaRebalancing`, undefined, 3002],
      ['PUT', `/accounts/${id}/transferCredit`, undefined, 3002],
      ['DELETE', `/accounts/${id}`, undefined, 3002],
    ] as const) {
      const request = body === undefined ? { headers: eve } : { headers: eve, body };
      expect(outcomeOf(await call(method, `${core}${path}`, request)), path).to.eql([404, code]);
    }
    expect(await linesOf(id)).to.eql([['EXTERNAL_CHARGE 10']]);
  });

  async function partlyPaid(): Promise<string> {
    const action = { CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 0 } as const;
    serving.gateway.configure({ ...action, PROCESSED_AMOUNT: '40' });
    const id = await newAccount();
    await send('POST', `/accounts/${id}/paymentMethods?isDefault=true`, {
      pluginName: 'killbill-payment-test',
    });
    await charge(id, 100);
    await serving.billing.settle();
    expect(await balancesOf(id)).to.eql([60, 0]);
    return id;
  }

  it('closes an account with item adjustments after partial payment, or with a write-off (accounts E9)', async () => {
    const adjusted = await partlyPaid();
    const written = await partlyPaid();
    expectStatus(await send('DELETE', `/accounts/${adjusted}?itemAdjustUnpaidInvoices=true`), 204);
    expect(await linesOf(adjusted)).to.eql([['EXTERNAL_CHARGE 100', 'ITEM_ADJ -100', 'CBA_ADJ 40']]);
    expect(await balancesOf(adjusted)).to.eql([-40, 40]);
    const both = 'itemAdjustUnpaidInvoices=true&writeOffUnpaidInvoices=true';
    expect((await send('DELETE', `/accounts/${written}?${both}`)).status).to.equal(204);
    expect(await linesOf(written)).to.eql([['EXTERNAL_CHARGE 100']]);
    expect(await balancesOf(written)).to.eql([0, 0]);
    await post('/catalog', await exampleCatalog(), xmlType);
    for (const accountId of [adjusted, written]) {
      const refused = await send('POST', '/subscriptions', { accountId, planName: 'canopy-monthly' });
      expectRefusal(refused, 400, 6000);
      const { json } = await send('GET', `/accounts/${accountId}/tags`);
      expect(
        (json as readonly { readonly tagDefinitionName: string }[]).map((tag) => tag.tagDefinitionName),
      ).to.eql(['AUTO_INVOICING_OFF']);
    }
  });

  it('checks all permissions needed to close an account before it writes anything', async () => {
    const id = await newAccount();
    await charge(id, 10);
    const permissions = ['tag:add', 'entitlement:pause_resume'];
    await send('PUT', '/security/roles', { role: 'closer', permissions });
    await send('POST', '/security/users', { username: 'cleo', password: 'password', roles: ['closer'] });
    const headers = { authorization: basic('cleo', 'password') };
    const close = (query: string) => remove(`/accounts/${id}${query}`, headers);
    for (const flag of ['cancelAllSubscriptions', 'writeOffUnpaidInvoices', 'itemAdjustUnpaidInvoices'])
      expect(outcomeOf(await close(`?${flag}=true`)), flag).to.eql([403, 40000]);
    expect((await send('GET', `/accounts/${id}/tags`)).json).to.eql([]);
    expect((await close('?removeFutureNotifications=true')).status).to.equal(204);
    expectRefusal(await close('?writeOffUnpaidInvoices=perhaps'), 400, 60002);
  });

  it('removes planned work by default in dialect K only (http-api §4 line 4)', async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    for (const [headers, removed] of [
      [{}, 0],
      [aliasHeaders, 1],
    ] as const) {
      const accountId = await newAccount({ currency: 'USD' });
      const later = 'entitlementDate=2024-03-10&billingDate=2024-03-10';
      await send('POST', `/subscriptions?${later}`, { accountId, planName: 'canopy-monthly' });
      await serving.billing.settle();
      const before = await planned();
      expectStatus(await remove(`/accounts/${accountId}`, headers), 204);
      expect(Math.sign(before - (await planned()))).to.equal(removed);
    }
  });

  async function planned(): Promise<number> {
    const rows = await rowsOf(
      serving.database,
      `select record_id from bw_queue_entries where kind = 'NOTIFICATION' and processing_state = 'AVAILABLE'`,
    );
    return rows.length;
  }
});
