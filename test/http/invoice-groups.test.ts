import type { InvoicePlugin } from '../../lib/index.ts';
import { aliasHeaders, createAccount, createdId, exampleCatalog, outcomeOf } from '../support/http/index.ts';
import { expectRefusal, expectStatus, plainType, serveEach, xmlType } from '../support/http/serving.ts';
import { anyDatabase, expect } from '../support/index.ts';

interface InvoiceJson {
  readonly invoiceId: string;
  readonly accountId: string;
  readonly invoiceNumber: number | string;
  readonly items: readonly {
    readonly invoiceItemId: string;
    readonly itemType: string;
    readonly amount: number;
  }[];
}

anyDatabase.describe('invoice run API with invoice plugins', (open) => {
  let seen: readonly string[] = [];
  let aborts = false;
  const plugin: InvoicePlugin = {
    name: 'splitter',
    priorCall: async (_context, properties) => {
      seen = properties.map(({ key, value }) => `${key}=${value}`);
      return { aborted: aborts };
    },
    getAdditionalInvoiceItems: async () => ({
      items: [{ itemType: 'TAX', amount: '1', description: 'the rate of today' }],
    }),
    getInvoiceGrouping: async ({ items }) => ({ groups: items.map(({ id }) => ({ itemIds: [id] })) }),
  };

  const serving = serveEach(open, { invoicePlugins: [plugin] });
  beforeEach(async () => {
    aborts = false;
    const body = await exampleCatalog();
    await serving.post('/catalog', body, xmlType);
  });

  async function subscriber(): Promise<string> {
    const accountId = await createAccount(serving);
    const body = { accountId, planName: 'sprout-monthly-direct' };
    await serving.post('/subscriptions', body);
    return accountId;
  }

  for (const dialect of ['D', 'K'] as const)
    it(`splits a run with POST /invoices/group, whose Location lists the invoices of the group (dialect ${dialect})`, async () => {
      const headers = dialect === 'K' ? aliasHeaders : {};
      const accountId = await subscriber();
      const path = `/1.0/kb/invoices/group?accountId=${accountId}&pluginProperty=a%3Db`;
      const reply = await serving.call('POST', path, { headers });
      expect([reply.status, reply.text]).to.eql([201, '']);
      expect(seen).to.eql(['a=b']);
      const location = reply.headers.get('location') ?? '';
      expect(location).to.match(/\/1\.0\/kb\/invoices\/[-0-9a-f]{36}\/group\?accountId=[-0-9a-f]{36}$/);
      const { pathname, search } = new URL(location, 'http://localhost');
      const listed = expectStatus(await serving.call('GET', `${pathname}${search}`, { headers }), 200);
      const invoices = listed.json as readonly InvoiceJson[];
      expect(invoices.map(({ items }) => items.map(({ itemType }) => itemType))).to.eql([
        ['RECURRING'],
        ['TAX'],
      ]);
      expect(pathname).to.contain(invoices[0]?.invoiceId);
      expect(typeof invoices[0]?.invoiceNumber).to.equal(dialect === 'K' ? 'string' : 'number');
      expectRefusal(await serving.call('POST', path, { headers }), 404, 4007);
    });

  it('never splits a run into several invoices with POST /invoices', async () => {
    const accountId = await subscriber();
    const reply = await serving.post(`/invoices?accountId=${accountId}`);
    const { json } = await serving.get(`/invoices/${createdId(reply)}`);
    expect((json as InvoiceJson).items.map(({ itemType }) => itemType)).to.eql(['RECURRING', 'TAX']);
  });

  it('returns 404 for a group of another account and for a missing group', async () => {
    const [accountId, otherId] = [await subscriber(), await subscriber()];
    const reply = await serving.post(`/invoices/group?accountId=${accountId}`);
    const [, groupId] = /invoices\/([^/]+)\/group/.exec(reply.headers.get('location') ?? '') ?? [];
    for (const path of [
      `/1.0/kb/invoices/${groupId}/group?accountId=${otherId}`,
      `/1.0/kb/invoices/${accountId}/group?accountId=${accountId}`,
    ]) {
      const { status, json } = await serving.call('GET', path);
      expect(outcomeOf({ status, json }), path).to.eql([404, 4006]);
    }
  });

  it('returns 404 both for an aborted run and for an empty run', async () => {
    const accountId = await subscriber();
    aborts = true;
    for (const path of ['invoices', 'invoices/group']) {
      const { status, json } = await serving.post(`/${path}?accountId=${accountId}`);
      expectRefusal({ status, json }, 404, 4007);
    }
  });

  it('names the plugin in the explanation of an item that the plugin added', async () => {
    const accountId = await subscriber();
    const reply = await serving.post(`/invoices?accountId=${accountId}`);
    const { json } = await serving.get(`/invoices/${createdId(reply)}`);
    const tax = (json as InvoiceJson).items.find(({ itemType }) => itemType === 'TAX');
    const explained = await serving.get(`/invoiceItems/${tax?.invoiceItemId}/explanation`);
    expect(explained.json).to.include({
      pluginName: 'splitter',
      text: '1.00 USD, added by the invoice plugin "splitter": the rate of today.',
    });
  });

  it('bills a page of parked accounts with POST /admin/invoices and unparks accounts on success (platform §18 P15)', async () => {
    const [first, second] = [await subscriber(), await subscriber()];
    const park = '00000000-0000-0001-0000-000000000001';
    await serving.post(
      '/tenants/uploadPerTenantConfig',
      '{"org.service.invoice.enabled":"false"}',
      plainType,
    );
    await serving.billing.settle();
    const page = await serving.post('/admin/invoices?limit=1');
    const [outcome] = Object.entries(page.json as Readonly<Record<string, string>>);
    expect(outcome?.[1]).to.equal('OK');
    expect(page.headers.get('x-service-pagination-currentoffset')).to.equal('0');
    expect(page.headers.get('x-service-pagination-nextoffset')).to.equal('1');
    expect(page.headers.get('x-service-pagination-totalnbrecords')).to.equal('2');
    const isParked = async (id: string): Promise<boolean> => {
      const { json } = await serving.get(`/accounts/${id}/tags`);
      return (json as readonly { tagDefinitionId: string }[]).some((tag) => tag.tagDefinitionId === park);
    };
    expect(await isParked(outcome?.[0] ?? '')).to.equal(false);
    expect([await isParked(first), await isParked(second)]).to.include(true);
    await serving.post('/admin/invoices');
    expect([await isParked(first), await isParked(second)]).to.eql([false, false]);
  });
});
