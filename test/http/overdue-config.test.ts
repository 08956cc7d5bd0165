import { addUser, aliasHeaders, anyDatabase, basic, expect, expectRefusal } from '../support/http/index.ts';
import { expectStatus, jsonType, outcomeOf, plainType, serveEach, xmlType } from '../support/http/serving.ts';
import { clearOnly, exampleJson, exampleXml } from '../support/overdue/example-config.ts';

const path = '/1.0/kb/overdue';
const xmlPath = `${path}/xml`;
const keyPath = '/1.0/kb/tenants/userKeyValue/OVERDUE_CONFIG';
const faulty = exampleXml
  .replace('<unit>DAYS</unit><number>8</number>', '<unit>FORTNIGHTS</unit><number>8</number>')
  .replace('PARTNER', 'FRIEND')
  .replace('name="WARNED"', 'name="BLOCKED"');

anyDatabase.describe('overdue configuration API', (open) => {
  const serving = serveEach(open);
  const { call } = serving;

  const post = (to: string, body: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
    call('POST', to, { body, headers: { 'content-type': undefined, ...headers } });
  const get = (from: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
    call('GET', from, { headers });
  it('accepts XML and JSON uploads on both routes and returns Location and no body (overdue §10)', async () => {
    for (const [to, body, type] of [
      [path, exampleXml, 'text/xml'],
      [path, exampleXml, 'application/xml; charset=UTF-8'],
      [xmlPath, exampleXml, 'text/xml'],
      [path, JSON.stringify(exampleJson), 'application/json'],
      [path, JSON.stringify(exampleJson), 'application/json; charset=utf-8'],
    ] as const) {
      await call('DELETE', keyPath);
      expect((await get(path)).json).to.eql(clearOnly);
      const made = await post(to, body, { 'content-type': type });
      expect([made.status, made.text], made.text).to.eql([201, '']);
      expect(made.headers.get('location')).to.match(/\/1\.0\/kb\/overdue$/);
      expect((await get(path)).json).to.eql(exampleJson);
    }
  });

  it('returns the uploaded XML unchanged if Accept requests XML, otherwise JSON (overdue §10)', async () => {
    const odd = exampleXml.replace('<condition>', '<!-- warum nicht: ü😀 -->\r\n<condition>');
    await post(xmlPath, odd, xmlType);
    for (const accept of ['text/xml', 'application/xml', 'text/xml, */*;q=0.1']) {
      const shown = await get(path, { accept });
      expect(shown.text).to.equal(odd);
      expect(shown.headers.get('content-type')).to.match(/^(text|application)\/xml/);
    }
    for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/xml;q=0.5']) {
      const shown = await get(path, { accept });
      expect(shown.json, accept).to.eql(exampleJson);
      expect(shown.headers.get('content-type')).to.match(/^application\/json/);
    }
    expect((await get(xmlPath)).text).to.equal(odd);
    expect((await get(path, { accept: 'text/html' })).status).to.equal(406);
  });

  it('returns a JSON upload as XML that can be uploaded again (overdue §1.2 rule 3)', async () => {
    await post(path, JSON.stringify(exampleJson), jsonType);
    const { text } = await get(xmlPath);
    await post(path, JSON.stringify({ overdueStates: clearOnly.overdueStates }), jsonType);
    expect((await post(xmlPath, text, xmlType)).status).to.equal(201);
    expect((await get(path)).json).to.eql(exampleJson);
  });

  it('returns every configuration, including the default, as JSON that can be uploaded again', async () => {
    for (const shown of [clearOnly, exampleJson]) {
      expect((await post(path, JSON.stringify(shown), jsonType)).status).to.equal(201);
      const { text } = await get(path);
      expect((await post(path, text, jsonType)).status).to.equal(201);
      expect((await get(path)).json).to.eql(shown);
    }
  });

  it('rejects an invalid upload with the position of every error and keeps the old configuration (overdue §1.3)', async () => {
    await post(xmlPath, exampleXml, xmlType);
    for (const to of [path, xmlPath]) {
      const refused = await post(to, faulty, xmlType);
      expectRefusal(refused, 400, 5_010);
      const { message } = refused.json as { readonly message: string };
      for (const place of [
        'line 3, column 34: Element "unit": "FORTNIGHTS"',
        'line 7, column 9: State "BLOCKED": Element "controlTagExclusion": "FRIEND"',
        'line 12, column 5: ',
      ])
        expect(message).to.contain(place);
    }
    const json = JSON.stringify({ ...exampleJson, overdueStates: [{ nam: 'x' }] }, null, 2);
    const refused = await post(path, json, jsonType);
    expectRefusal(refused, 400, 5_010);
    expect((refused.json as { readonly message: string }).message).to.match(/line 5, column \d+: .*"nam"/);
    expect((await get(xmlPath)).text).to.equal(exampleXml);
  });

  it('detects the format from Content-Type, or from the body if the header is missing', async () => {
    expectRefusal(await post(path, exampleXml, jsonType), 400, 5_010);
    expectRefusal(await post(path, JSON.stringify(exampleJson), xmlType), 400, 5_010);
    expectRefusal(await post(xmlPath, JSON.stringify(exampleJson), xmlType), 400, 5_010);
    for (const body of [exampleXml, JSON.stringify(exampleJson)]) {
      await call('DELETE', keyPath);
      // As bytes, for which `fetch` sets no content type.
      const headers = { 'content-type': undefined };
      const made = await call('POST', path, { body: Buffer.from(body), headers });
      expect(made.status, made.text).to.equal(201);
      expect((await get(path)).json).to.eql(exampleJson);
    }
  });

  it('rejects other media types, empty or oversized bodies, and calls without an author (overdue §10)', async () => {
    for (const to of [path, xmlPath]) {
      expectRefusal(await post(to, 'x', plainType), 415, 60_010);
      expectRefusal(await post(to, '', xmlType), 400, 60_003);
      expectRefusal(await post(to, ' '.repeat(300_000), xmlType), 413, 60_012);
      const refused = await post(to, exampleXml, { ...xmlType, 'x-service-createdby': undefined });
      expectRefusal(refused, 400, 60_003);
    }
    expectRefusal(await post(xmlPath, '{}', jsonType), 415, 60_010);
    expectRefusal(await post(path, '', jsonType), 400, 60_003);
    expect((await get(path)).json).to.eql(clearOnly);
  });

  it('rejects hostile XML with one error and does not resolve external entities', async () => {
    const state = '<state name="&a;"><isClearState>true</isClearState></state>';
    const whole = `<overdueConfig><accountOverdueStates>${state}</accountOverdueStates></overdueConfig>`;
    for (const document of [
      `<!DOCTYPE o [<!ENTITY a SYSTEM "file:///etc/passwd">]>${whole}`,
      `<!DOCTYPE o [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${whole}`,
      whole,
      '<a>'.repeat(60_000),
      `<overdueConfig ${Array.from({ length: 5_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`,
    ]) {
      const refused = await post(xmlPath, document, xmlType);
      expectRefusal(refused, 400, 5_010);
      expect(refused.text).to.not.contain('root:');
      expect(refused.text.length).to.be.below(20_000);
    }
    expect((await get(path)).json).to.eql(clearOnly);
  });

  it('requires the upload permission on both routes and lets every user read', async () => {
    await addUser(serving, 'clerk', { permissions: ['tenant_kvs:*', 'catalog:config_upload'] });
    await addUser(serving, 'dunner', { permissions: ['overdue:config_upload', 'tenant_kvs:add'] });
    const as = (name: string) => ({ authorization: basic(name, 'password') });
    for (const [to, type] of [
      [path, xmlType],
      [xmlPath, xmlType],
      [keyPath, plainType],
    ] as const) {
      expect(outcomeOf(await post(to, exampleXml, { ...type, ...as('clerk') })), to).to.eql([403, 40_000]);
      expect((await post(to, exampleXml, { ...type, ...as('dunner') })).status, to).to.equal(201);
    }
    expect((await call('DELETE', keyPath, { headers: as('clerk') })).status).to.equal(403);
    expect((await get(path, as('clerk'))).json).to.eql(exampleJson);
  });

  it('validates values of the key OVERDUE_CONFIG with the same rules as uploads', async () => {
    await post(xmlPath, exampleXml, xmlType);
    expect((await get(keyPath)).json).to.eql({ key: 'OVERDUE_CONFIG', values: [exampleXml], auditLogs: [] });
    expectRefusal(await post(keyPath, faulty, plainType), 400, 5_010);
    expect((await get(xmlPath)).text).to.equal(exampleXml);
    expect((await post(keyPath, JSON.stringify(clearOnly), plainType)).status).to.equal(201);
    expect((await get(path)).json).to.eql(clearOnly);
    expect((await call('DELETE', keyPath)).status).to.equal(204);
    expect((await get(path)).json).to.eql(clearOnly);
  });

  it('behaves the same in dialect K as in dialect D', async () => {
    expectStatus(await post(path, exampleXml, { ...aliasHeaders, ...xmlType }), 201);
    expect((await get(path, aliasHeaders)).json).to.eql(exampleJson);
    const anonymous = await post(path, exampleXml, {
      ...aliasHeaders,
      ...xmlType,
      'x-killbill-createdby': undefined,
    });
    expect(anonymous.json).to.include({ message: 'Header X-Killbill-CreatedBy needs to be set' });
  });
});
