import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { aliasHeaders, createdId, expectStatus, serveEach } from '../support/http/serving.ts';
import { png, seller, svg } from '../support/tenants/sellers.ts';

type Json = Readonly<Record<string, unknown>>;

eachDatabaseByTurns.describe('seller records over HTTP', (open) => {
  const serving = serveEach(open);
  const { call } = serving;
  const sellers = '/1.0/kb/sellers';
  const upload = (body: object) => call('POST', sellers, { body });
  const get = (path = '', headers = {}) => call('GET', `${sellers}${path}`, { headers });

  it('can be uploaded, listed and read by version (invoicing §14 rule 7)', async () => {
    expectStatus(await get('/current'), 404);
    expect(expectStatus(await get(), 200).json).to.eql([]);
    const logo = { mediaType: 'image/png', data: Buffer.from(png).toString('base64') };
    const first = expectStatus(await upload({ ...seller, logo }), 201).json as Json;
    expect(first).to.deep.include({ ...seller, legalName: null, logoMediaType: 'image/png' });
    expect(first).to.not.have.any.keys('logo');
    serving.clock.advance({ days: 1 });
    const second = expectStatus(await upload({ name: 'Orchard AG' }), 201).json as Json;
    expect(expectStatus(await get(), 200).json).to.eql([second, first]);
    expect(expectStatus(await get('/current'), 200).json).to.eql(second);
    expect(expectStatus(await get('/current', aliasHeaders), 200).json).to.eql(second);
  });

  it('include the logo of each version, which is served with a sandbox policy (invoicing §14 rule 7)', async () => {
    const logo = { mediaType: 'image/svg+xml', data: Buffer.from(svg).toString('base64') };
    const { sellerId } = expectStatus(await upload({ name: 'Orchard', logo }), 201).json as Json;
    const shown = expectStatus(await get(`/${sellerId}/logo`), 200);
    expect(shown.text).to.equal(new TextDecoder().decode(svg));
    expect(shown.headers.get('content-type')).to.equal('image/svg+xml');
    expect(shown.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(shown.headers.get('content-security-policy')).to.match(/^sandbox;/);
    const plain = expectStatus(await upload({ name: 'Orchard' }), 201).json as Json;
    expect(expectStatus(await get(`/${plain.sellerId}/logo`), 404).json).to.include({ code: 60007 });
    expectStatus(await get('/11111111-1111-4111-8111-111111111111/logo'), 404);
  });

  for (const [kind, body, status, code, message] of [
    ['a missing name', { city: 'Graz' }, 400, 60003, /name needs to be set/],
    ['an invalid IBAN', { name: 'A', iban: 'DE00' }, 400, 60003, /^Seller iban "DE00" is not an IBAN/],
    ['an invalid VAT id', { name: 'A', taxId: 'ATU1' }, 400, 60003, /format of VAT ids in Austria, such as/],
    [
      'invalid notes',
      { name: 'A', notes: { Germany: 'x' } },
      400,
      60003,
      /^Seller notes has the key "Germany"/,
    ],
    ['a number as a note', { name: 'A', notes: { DE: 1 } }, 400, 60003, /^Seller notes.DE is not text/],
    ['100,000 characters', { name: 'x'.repeat(100_000) }, 400, 60003, /name is 100000 characters long/],
    ['half of a surrogate pair', { name: '\ud800' }, 400, 60001, /name contains/],
    [
      'a logo without data',
      { name: 'A', logo: { mediaType: 'image/png' } },
      400,
      60003,
      /data needs to be set/,
    ],
    [
      'a script as a logo',
      { name: 'A', logo: { mediaType: 'image/svg+xml', data: btoa('<script/>') } },
      400,
      60003,
      /^Seller logo does not begin with an svg element/,
    ],
    [
      'a logo of 300 kB',
      { name: 'A', logo: { mediaType: 'image/png', data: 'A'.repeat(400_000) } },
      413,
      60012,
      /^Seller logo has 300000 bytes; at most 262144 are allowed/,
    ],
  ] as const)
    it(`are rejected with ${kind} (invoicing §14 rule 7)`, async () => {
      const shown = expectStatus(await upload(body), status).json as { code: number; message: string };
      expect(shown.code).to.equal(code);
      expect(shown.message).to.match(message);
      expect(expectStatus(await get(), 200).json).to.eql([]);
    });

  it('are rejected with all invalid and unknown fields in one error (invoicing §14 rule 7)', async () => {
    const body = { city: 'x'.repeat(101), iban: 'DE00', vatId: 'DE123456788' };
    const refused = expectStatus(await upload(body), 400).json as { code: number; message: string };
    expect(refused.code).to.equal(60003);
    expect(refused.message).to.match(
      /^Seller name needs to be set; Seller city is 101 characters long.*; Seller iban "DE00" .*; Seller vatId is not a valid member\. Use name, /,
    );
    expect(expectStatus(await get(), 200).json).to.eql([]);
    const stored = expectStatus(await upload(seller), 201).json as Json;
    expectStatus(await upload({ ...stored, city: 'Graz' }), 201);
  });

  it('require the permission for tenant values on upload (invoicing §14 rule 7)', async () => {
    const headers = { authorization: `Basic ${btoa('reader:reader')}` };
    const role = { role: 'reading', permissions: ['account:create'] };
    expectStatus(await call('POST', '/1.0/kb/security/roles', { body: role }), 201);
    const user = { username: 'reader', password: 'reader', roles: ['reading'] };
    expectStatus(await call('POST', '/1.0/kb/security/users', { body: user }), 201);
    expectStatus(await call('POST', sellers, { body: seller, headers }), 403);
    expectStatus(await upload(seller), 201);
    expectStatus(await get('/current', headers), 200);
  });

  it('are reported as missing in dialect D when a document needs them (invoicing §14 rule 7)', async () => {
    const account = await call('POST', '/1.0/kb/accounts', { body: { currency: 'EUR' } });
    const body = [{ amount: 10 }];
    const charges = `/1.0/kb/invoices/charges/${createdId(account)}?autoCommit=true`;
    const charge = async () => {
      const [item] = expectStatus(await call('POST', charges, { body }), 201).json as readonly Json[];
      return `/1.0/kb/invoices/${item?.invoiceId}`;
    };
    const header = async (path: string, headers = {}) =>
      expectStatus(await call('GET', path, { headers }), 200).headers.get('x-service-missing-seller');
    const before = await charge();
    for (const format of ['html', 'pdf']) {
      expect(await header(`${before}/${format}`)).to.equal('true');
      expect(await header(`${before}/${format}`, aliasHeaders)).to.equal(null);
    }
    serving.clock.advance({ days: 1 });
    expectStatus(await upload(seller), 201);
    const after = await charge();
    for (const format of ['html', 'pdf']) expect(await header(`${after}/${format}`)).to.equal(null);
  });
});
