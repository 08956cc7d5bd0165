import { anyDatabase, expect, list, plainType, populateOnce } from '../support/http/index.ts';

interface Body {
  readonly invoiceId: string;
  readonly invoiceNumber: number;
  readonly formattedNumber?: string;
}

const config = '/1.0/kb/tenants/uploadPerTenantConfig';

anyDatabase.describe('invoice number patterns over HTTP (invoicing §1.7)', (open) => {
  const world = populateOnce(open);
  const { serving } = world;

  const upload = (pattern: string) =>
    serving.call('POST', config, {
      body: JSON.stringify({ 'org.service.invoice.numberPattern': pattern }),
      headers: plainType,
    });
  const read = async (path: string): Promise<Body> => (await serving.call('GET', path)).json as Body;
  const everywhere = async (): Promise<readonly Body[]> => {
    const { accountId, invoiceId, invoiceItemId } = world;
    const timeline = (await serving.get(`/accounts/${accountId}/timeline`)).json;
    return [
      await read(`/1.0/kb/invoices/${invoiceId}`),
      await read('/1.0/kb/invoices/byNumber/1'),
      await read(`/1.0/kb/invoices/byItemId/${invoiceItemId}`),
      ...((await list(serving, `/1.0/kb/accounts/${accountId}/invoices`)) as readonly Body[]),
      ...((await list(
        serving,
        `/1.0/kb/accounts/${accountId}/invoices?includeInvoiceComponents=true`,
      )) as readonly Body[]),
      ...((await list(serving, '/1.0/kb/invoices/pagination')) as readonly Body[]),
      ...((await list(serving, '/1.0/kb/invoices/search/1')) as readonly Body[]),
      ...(timeline as { readonly invoices: readonly Body[] }).invoices,
    ];
  };

  it('are not applied by default, so responses contain only the integer', async () => {
    const shown = await everywhere();
    expect(shown).to.have.length(8);
    for (const each of shown) expect(each).not.to.have.property('formattedNumber');
  });

  it('add the formatted number to every response and to the invoice page', async () => {
    const { status, text } = await upload('INV-{yyyy}-{n:6}');
    expect(status, text).to.equal(201);
    for (const each of await everywhere())
      expect(each).to.include({ invoiceNumber: 1, formattedNumber: 'INV-2024-000001' });
    const page = await serving.get(`/invoices/${world.invoiceId}/html`);
    expect(page.text).to.contain('INV-2024-000001');
  });

  it('leave earlier numbers unchanged when a dated pattern is added', async () => {
    expect((await upload('INV-{yyyy}-{n:6}, 2030-01-01 B{n}')).status).to.equal(201);
    for (const each of await everywhere()) expect(each.formattedNumber).to.equal('INV-2024-000001');
    expect((await upload('2030-01-01 B{n}')).status).to.equal(201);
    for (const each of await everywhere()) expect(each).not.to.have.property('formattedNumber');
  });

  it('are rejected and not stored if the number placeholder is missing', async () => {
    const { status, text } = await upload('INV-{yyyy}');
    expect(status).to.equal(400);
    expect(text).to.contain('org.service.invoice.numberPattern');
    expect((await serving.call('GET', config)).text).not.to.contain('INV-{yyyy}');
  });
});
