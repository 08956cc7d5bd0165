import { aliasHeaders, eachDatabaseByTurns, expect, populateOnce } from '../support/http/index.ts';
import { createAccount, expectRefusal, outcomeOf } from '../support/http/serving.ts';

interface InvoiceBody {
  readonly invoiceId: string;
  readonly status: string;
  readonly items: readonly { readonly itemType: string; readonly childItems: readonly object[] | null }[];
}

eachDatabaseByTurns.describe('draft, void and summary invoices over HTTP', (open) => {
  const world = populateOnce(open);
  const { serving } = world;

  const put = (invoiceId: string, operation: string) => serving.put(`/invoices/${invoiceId}/${operation}`);
  async function draft(accountId: string, autoCommit = false): Promise<string> {
    const path = `/1.0/kb/invoices/charges/${accountId}?autoCommit=${autoCommit}`;
    const { json } = await serving.call('POST', path, { body: [{ amount: 3 }] });
    return (json as readonly { invoiceId: string }[])[0]?.invoiceId ?? '';
  }

  async function read(invoiceId: string, query = ''): Promise<InvoiceBody> {
    return (await serving.get(`/invoices/${invoiceId}${query}`)).json as InvoiceBody;
  }

  it('cause errors with the codes of http-api §12 if they are committed or voided twice', async () => {
    const id = await draft(world.accountId);
    expect((await read(id)).status).to.equal('DRAFT');
    expect((await put(id, 'commitInvoice')).status).to.equal(204);
    expectRefusal(await put(id, 'commitInvoice'), 400, 4023);
    expectRefusal(await put(world.unknownId, 'commitInvoice'), 404, 4006);
    const other = await draft(world.accountId);
    expect((await put(other, 'voidInvoice')).status).to.equal(204);
    expectRefusal(await put(other, 'voidInvoice'), 400, 4023);
    expectRefusal(await put(world.unknownId, 'voidInvoice'), 404, 4006);
  });

  it('show an issue date only after they are committed, and only in dialect D', async () => {
    const id = await draft(world.accountId);
    const shown = async (headers = {}) => {
      const { json } = await serving.call('GET', `/1.0/kb/invoices/${id}`, { headers });
      return json as Readonly<Record<string, unknown>>;
    };
    expect((await shown()).issuedDate).to.equal(null);
    await put(id, 'commitInvoice');
    const { issuedDate, invoiceDate } = await shown();
    expect(issuedDate).to.equal(invoiceDate);
    expect(await shown(aliasHeaders)).to.not.have.any.keys('issuedDate');
  });

  it('are rejected with a 422 error that names the safety bound if they exceed it without acceptBounds=true', async () => {
    const { accountId } = world;
    const { subscriptions } = { subscriptions: '/1.0/kb/subscriptions' };
    await serving.call('POST', subscriptions, { body: { accountId, planName: 'sprout-monthly-direct' } });
    const path = `/1.0/kb/invoices?accountId=${accountId}&targetDate=2026-10-01`;
    const refused = await serving.call('POST', path);
    expectRefusal(refused, 422, 4040);
    expect((refused.json as { message: string }).message)
      .to.contain('org.service.invoice.maxDailyNumberOfItemsSafetyBound')
      .and.contain('acceptBounds=true');
    const dryRun = path.replace('invoices?', 'invoices/dryRun?');
    expect(outcomeOf(await serving.call('POST', dryRun)), 'walks month by month').to.eql([200, undefined]);
    expect((await serving.call('POST', `${path}&acceptBounds=true`)).status).to.equal(201);
  });

  it('cannot be reused by a run if they are missing or already committed', async () => {
    const account = await createAccount(serving);
    const run = (property: string) =>
      serving.post(`/invoices?accountId=${account}&pluginProperty=${property}`);
    expectRefusal(await run('KB_REUSE_DRAFT_INVOICING_ID%3Dnone'), 400, 60002);
    expectRefusal(await run(`KB_REUSE_DRAFT_INVOICING_ID%3D${world.unknownId}`), 404, 4006);
    const committed = await run(`KB_REUSE_DRAFT_INVOICING_ID%3D${await draft(account, true)}`);
    expectRefusal(committed, 400, 4024);
    const { message } = committed.json as { readonly message: string };
    expect(message).to.match(
      /^Cannot add credit or external charge for invoice id [0-9a-f-]{36} because it is already in COMMITTED status$/,
    );
    // The account has no recurring charge.
    expectRefusal(await run('KB_AUTO_INVOICING_REUSE_DRAFT%3Dtrue'), 404, 4007);
  });

  it('show the summarized items only with withChildrenItems', async () => {
    const parent = await createAccount(serving);
    const body = { currency: 'USD', parentAccountId: parent, isPaymentDelegatedToParent: true };
    const invoiceId = await draft(await createAccount(serving, body), true);
    await serving.billing.settle();
    const { json } = await serving.get(`/accounts/${parent}/invoices`);
    const [summary] = json as readonly InvoiceBody[];
    const id = summary?.invoiceId ?? '';
    expect(summary).to.include({ status: 'DRAFT', isParentInvoice: true, amount: 3, balance: 0 });
    expect((await read(id)).items.map(({ childItems }) => childItems)).to.eql([null]);
    const [item] = (await read(id, '?withChildrenItems=true&audit=FULL')).items;
    expect(item?.itemType).to.equal('PARENT_SUMMARY');
    expect(item?.childItems).to.have.length(1);
    expect(item?.childItems?.[0]).to.include({ invoiceId, itemType: 'EXTERNAL_CHARGE', amount: 3 });
    expect(await read(invoiceId)).to.include({ parentInvoiceId: id, parentAccountId: parent, balance: 0 });
  });
});
