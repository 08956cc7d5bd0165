import { addUser, aliasHeaders, basic, createdId } from '../support/http/index.ts';
import { eve, expectRefusal, expectStatus, outcomeOf, serveEach } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const invoices = '/1.0/kb/invoices';
const html = { 'content-type': 'text/html' };

eachDatabaseByTurns.describe('invoice page API (invoicing §14 and §15)', (open) => {
  const serving = serveEach(open);

  const get = (path: string, headers = {}) => serving.call('GET', `${invoices}${path}`, { headers });
  const post = (path: string, body: string, headers: Record<string, string | undefined> = {}) =>
    serving.call('POST', `${invoices}${path}`, { body, headers });
  /** Creates a user of the tenant with only these permissions. */
  async function as(name: string, permissions: readonly string[]) {
    const { id } = await serving.billing.tenants.getByApiKey('bob');
    await addUser(serving, name, { permissions, allTenants: false, tenantIds: [id] });
    return { authorization: basic(name, 'password') };
  }

  async function newInvoice(locale: string): Promise<string> {
    const account = await serving.call('POST', '/1.0/kb/accounts', {
      body: { currency: 'EUR', locale, name: 'Zoë <b>Bold</b>' },
    });
    const made = await serving.call('POST', `${invoices}/migration/${createdId(account)}`, {
      body: [{ itemType: 'EXTERNAL_CHARGE', amount: 1234.5, description: '<i>Work</i>' }],
    });
    expect(made.status, made.text).to.equal(201);
    return createdId(made);
  }

  it('renders HTML without scripts or access to this server, in the account’s language', async () => {
    const id = await newInvoice('de_DE');
    for (const headers of [{}, aliasHeaders, { accept: 'text/html' }, { accept: 'application/json' }]) {
      const page = expectStatus(await get(`/${id}/html`, headers), 200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).to.match(
        /^sandbox allow-popups; default-src 'none'/,
      );
      expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(page.text).to.contain('<html lang="de-DE" dir="ltr">').and.contain('1.234,50\u00a0€');
      expect(page.text).to.contain('&lt;i&gt;Work').and.contain('Zoë &lt;b&gt;Bold');
    }
    expectRefusal(await get(`/${id}/html`, { accept: 'image/png' }), 406, 60_011);
  });

  it('returns 404 for a missing invoice and for an invoice of another tenant', async () => {
    const id = await newInvoice('de_DE');
    expectRefusal(await get(`/${id}/html`, eve), 404, 4006);
    expectRefusal(await get('/00000000-0000-4000-8000-000000000000/html'), 404, 4006);
    expectRefusal(await get('/template/html'), 404, 60_008);
  });

  it('uses uploaded templates and translations, returns them unchanged and replaces them only on request', async () => {
    const id = await newInvoice('de_DE');
    for (const [path, type, body, replacement, at] of [
      [
        '/template',
        'text/html',
        '<h1>{{text.invoiceTitle}}</h1>',
        '<p>2 {{text.invoiceTitle}}</p>',
        '/template',
      ],
      ['/manualPayTemplate', 'text/html', '<h1>é</h1>', '<h2>ö</h2>', '/manualPayTemplate/en_US'],
      ['/translation/de_DE', 'text/plain', 'invoiceTitle=Beleg', 'invoiceTitle=Bon', '/translation/de_DE'],
      ['/catalogTranslation/de_DE', 'text/plain', 'a=b', 'a=c', '/catalogTranslation/de_DE'],
    ] as const) {
      expect(outcomeOf(await get(at)), at).to.eql([404, 60_007]);
      const made = expectStatus(await post(path, body, { 'content-type': type }), 201);
      expect(made.text).to.equal('');
      expect(made.headers.get('location')).to.equal(`${serving.url}${invoices}${at}`);
      const read = await get(at);
      expect([read.status, read.text]).to.eql([200, body]);
      expect(read.headers.get('content-type')).to.equal(`${type}; charset=utf-8`);
      expect(read.headers.has('content-security-policy')).to.equal(type === 'text/html');
      expectRefusal(await post(path, replacement, { 'content-type': type }), 400, 60_002);
      expect((await get(at)).text).to.equal(body);
      expectStatus(await post(`${path}?deleteIfExists=true`, replacement, { 'content-type': type }), 201);
      expect((await get(at)).text).to.equal(replacement);
    }
    expect((await get('/manualPayTemplate')).text).to.equal('<h2>ö</h2>');
    expect((await get('/manualPayTemplate/zz')).text).to.equal('<h2>ö</h2>');
    expect((await get(`/${id}/html`)).text).to.equal('<p>2 Bon</p>');
    const kept = await serving.call('GET', '/1.0/kb/tenants/userKeyValue/INVOICE_TRANSLATION_de_DE');
    expect(kept.json).to.deep.include({ key: 'INVOICE_TRANSLATION_de_DE', values: ['invoiceTitle=Bon'] });
  });

  it('accepts a locale in any spelling in a path', async () => {
    expect((await post('/translation/PT-br', 'a=b')).status).to.equal(201);
    expect((await get('/translation/pt_BR')).text).to.equal('a=b');
  });

  it('uses only the texts of the invoice’s tenant', async () => {
    await post('/template', 'ours', html);
    expectRefusal(await get('/template', eve), 404, 60_007);
    expect((await post('/template', 'theirs', { ...html, ...eve })).status).to.equal(201);
    expect([(await get('/template')).text, (await get('/template', eve)).text]).to.eql(['ours', 'theirs']);
  });

  it('requires the add permission to upload texts and the delete permission to replace texts, and lets every user read them', async () => {
    const adds = await as('adds', ['tenant_kvs:add']);
    const both = await as('both', ['tenant_kvs:add', 'tenant_kvs:delete']);
    const reads = await as('reads', []);
    const id = await newInvoice('de_DE');
    for (const path of ['/template', '/manualPayTemplate', '/translation/de', '/catalogTranslation/de']) {
      const replace = `${path}?deleteIfExists=true`;
      expect(outcomeOf(await post(path, 'a', reads)), path).to.eql([403, 40_000]);
      expectRefusal(await post(replace, 'a', adds), 403, 40_000);
      expectRefusal(await get(path, reads), 404, 60_007);
      expect((await post(path, 'a', adds)).status).to.equal(201);
      expectRefusal(await post(replace, 'b', adds), 403, 40_000);
      expect((await get(path, reads)).text).to.equal('a');
      expect((await post(replace, 'c', both)).status).to.equal(201);
      expect((await get(path, reads)).text).to.equal('c');
    }
    expect((await get(`/${id}/html`, reads)).status).to.equal(200);
  });

  for (const [what, path, body, status, code] of [
    ['an unbalanced template', '/template', '{{#a}}', 400, 60_003],
    ['a template with a partial', '/template', '{{> /etc/passwd}}', 400, 60_003],
    ['an unclosed raw value', '/manualPayTemplate', '{{{a', 400, 60_003],
    ['deeply nested sections', '/template', '{{#a}}'.repeat(5_000) + '{{/a}}'.repeat(5_000), 400, 60_003],
    ['a template of 10 MB', '/template', '<p>{{a}}</p>'.repeat(800_000), 400, 60_003],
    ['a body above 10 MB', '/template', 'x'.repeat(11_000_000), 413, 60_012],
    ['unreadable properties', '/translation/de', 'a=\\uXX', 400, 60_003],
    ['10 MB of properties', '/catalogTranslation/de', 'a=b\n'.repeat(2_500_000), 400, 60_003],
    ['an empty body', '/translation/de', '', 400, 60_003],
    ['an invalid locale', '/translation/no%20locale', 'a=b', 400, 60_002],
    ['a path as a locale', '/translation/..%2F..%2Fetc', 'a=b', 400, 60_002],
  ] as const)
    it(`rejects ${what} and stores nothing`, async () => {
      expectRefusal(await post(path, body), status, code);
      const search = await serving.call('GET', '/1.0/kb/tenants/uploadPerTenantConfig/INVOICE_/search');
      expect(search.json).to.eql([]);
      expect((await get('/template')).status).to.equal(404);
    });

  it('reports a template with excessive output as an error of that page only', async () => {
    const id = await newInvoice('en_US');
    const items = await serving.call('POST', `${invoices}/migration/${await accountOf(id)}`, {
      body: Array.from({ length: 1_000 }, () => ({ itemType: 'TAX', amount: 1 })),
    });
    const many = createdId(items);
    const [opening, closing] = ['{{#invoice.invoiceItems}}', '{{/invoice.invoiceItems}}'];
    await post('/template', opening.repeat(4) + closing.repeat(4), html);
    expectRefusal(await get(`/${many}/html`), 422, 60_020);
    expect((await get(`/${id}/html`)).status).to.equal(200);
  });

  async function accountOf(invoiceId: string): Promise<string> {
    const { json } = await get(`/${invoiceId}`);
    return (json as { accountId: string }).accountId;
  }
});
