import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { aliasHeaders, createdId, expectStatus, serveOnce } from '../support/http/serving.ts';

const business = { legalName: 'Ada Meadow e.U.', taxId: 'ATU 123 456 75' };

eachDatabaseByTurns.describe('tax ids and legal names of accounts', (open) => {
  const serving = serveOnce(open);
  const { call } = serving;

  const create = (body: object, headers = {}) => call('POST', '/1.0/kb/accounts', { body, headers });
  const read = async (id: string, headers = {}) =>
    expectStatus(await call('GET', `/1.0/kb/accounts/${id}`, { headers }), 200).json as Readonly<
      Record<string, unknown>
    >;
  const update = async (id: string, body: object, { query = '', headers = {} } = {}) =>
    call('PUT', `/1.0/kb/accounts/${id}${query}`, { body, headers });
  const history = async (id: string, headers = {}) => {
    const reply = await call('GET', `/1.0/kb/accounts/${id}/auditLogsWithHistory`, { headers });
    const rows = expectStatus(reply, 200).json as readonly { readonly history: object }[];
    return rows.map((row) => row.history);
  };

  it('are created, updated and reset in dialect D (accounts §1.1 rule 7)', async () => {
    const id = createdId(await create({ name: 'Ada', ...business, taxId: `  ${business.taxId}\n` }));
    expect(await read(id)).to.include(business);
    expectStatus(await update(id, { name: 'Ada M.' }), 204);
    expect(await read(id)).to.include(business);
    expectStatus(await update(id, { taxId: null, legalName: null }), 204);
    expect(await read(id)).to.include(business);
    const changed = { legalName: 'Meadow GmbH', taxId: 'DE123456788' };
    expectStatus(await update(id, changed), 204);
    expect(await read(id)).to.include(changed);
    const reset = { taxId: null, legalName: null };
    expectStatus(await update(id, reset, { query: '?treatNullAsReset=true' }), 204);
    expect(await read(id)).to.include({ name: 'Ada M.', ...reset });
  });

  it('are rejected with the country and an example if the format is wrong (accounts §1.1 rule 7)', async () => {
    const id = createdId(await create(business));
    const fault =
      /^Account taxId "DE 12345" does not have the format of VAT ids in Germany, such as DE123456788$/;
    for (const reply of [
      await create({ taxId: 'DE 12345' }),
      await update(id, { taxId: 'DE 12345', name: 'x' }),
    ]) {
      const { code, message } = expectStatus(reply, 400).json as { code: number; message: string };
      expect(code).to.equal(60003);
      expect(message).to.match(fault);
    }
    expect(await read(id)).to.include({ ...business, name: null });
  });

  it('cannot be read or changed in dialect K (accounts §1.1 rule 8)', async () => {
    const id = createdId(await create({ name: 'Ada', currency: 'USD', timeZone: 'UTC', ...business }));
    const inK = { headers: aliasHeaders };
    expect(await read(id, aliasHeaders)).to.not.have.any.keys('taxId', 'legalName');
    const { externalKey } = await read(id);
    const whole = { externalKey, currency: 'USD', timeZone: 'UTC', name: 'Bo' };
    for (const sent of [{}, { taxId: 'other', legalName: 'other' }, { taxId: 'DE1', legalName: null }])
      for (const query of ['', '?treatNullAsReset=true', '?treatNullAsReset=false']) {
        expectStatus(await update(id, { ...whole, ...sent }, { query, ...inK }), 204);
        expect(await read(id)).to.include({ name: 'Bo', ...business });
      }
    const made = createdId(await create({ taxId: 'other', legalName: 'other' }, aliasHeaders));
    expect(await read(made)).to.include({ taxId: null, legalName: null });
  });

  it('appear in the history only in dialect D (accounts §14.1)', async () => {
    const id = createdId(await create({ name: 'Ada', ...business }));
    expectStatus(await update(id, { taxId: 'FR12345678901' }), 204);
    const [first, second] = await history(id);
    expect(first).to.include(business);
    expect(second).to.include({ ...business, taxId: 'FR12345678901' });
    for (const row of await history(id, aliasHeaders)) {
      expect(row).to.include({ name: 'Ada' });
      expect(row).to.not.have.any.keys('taxId', 'legalName');
    }
  });

  it('are found by operator searches (accounts §6.2)', async () => {
    const id = createdId(await create({ legalName: 'Sought & Found SE', taxId: 'SE123456789701' }));
    const found = async (clause: string) => {
      const key = encodeURIComponent(`_q=1&${clause}`);
      const reply = expectStatus(await call('GET', `/1.0/kb/accounts/search/${key}`), 200);
      return (reply.json as readonly { readonly accountId: string }[]).map(({ accountId }) => accountId);
    };
    expect(await found('tax_id=SE123456789701')).to.eql([id]);
    expect(await found('taxId[like]=se1234567897%25')).to.eql([id]);
    expect(await found('legal_name[like]=sought%')).to.eql([id]);
  });

  for (const [kind, text] of [
    ['markup', '<script>alert(1)</script>&amp;{{{name}}}'],
    ['control characters', 'a\u0001\u001b[31m\u0085b\r\n\tc'],
    ['a right-to-left override', 'abc\u202edcba\u2066x'],
    ['emoji', '👩‍👩‍👧‍👦🇦🇹'],
  ] as const)
    it(`are returned unchanged if they contain ${kind} (accounts §1.1)`, async () => {
      const sent = { legalName: text, taxId: text };
      const id = createdId(await create(sent));
      expect(await read(id)).to.include(sent);
      expectStatus(await update(id, { legalName: `${text}${text}` }), 204);
      expect(await read(id)).to.include({ taxId: text, legalName: `${text}${text}` });
    });

  for (const [kind, text, expected] of [
    ['100,000 characters', 'x'.repeat(100_000), 60003],
    ['a NUL character', 'a\u0000b', 60001],
    ['half of a surrogate pair', 'a\ud800b', 60001],
  ] as const)
    for (const field of ['legalName', 'taxId'])
      it(`are rejected if ${field} contains ${kind} (accounts §1.1)`, async () => {
        const { code, message } = expectStatus(await create({ [field]: text }), 400).json as {
          code: number;
          message: string;
        };
        expect(code).to.equal(expected);
        expect(message).to.include(field);
        expect(message.length).to.be.below(300);
      });
});
