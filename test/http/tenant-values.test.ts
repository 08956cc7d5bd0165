import { addUser, aliasHeaders, basic, eve, exampleCatalog, expectRefusal } from '../support/http/index.ts';
import {
  expectStatus,
  jsonType,
  outcomeOf,
  plainType,
  type Reply,
  serveEach,
  xmlType,
} from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, newEvents } from '../support/index.ts';

const tenants = '/1.0/kb/tenants';
const changedAndDeleted = ['TENANT_CONFIG_CHANGE', 'TENANT_CONFIG_CHANGE', 'TENANT_CONFIG_DELETION'];
const userKey = (key: string) => `${tenants}/userKeyValue/${encodeURIComponent(key)}`;

eachDatabaseByTurns.describe('tenant value API', (open) => {
  const serving = serveEach(open);
  const { call } = serving;
  let newTypes: () => Promise<readonly string[]>;

  beforeEach(async () => {
    newTypes = newEvents(serving.database);
    await addUser(serving, 'reader');
    await addUser(serving, 'writer', { permissions: ['tenant_kvs:*'] });
  });

  const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Reply> =>
    call('POST', path, { body, headers: { ...plainType, ...headers } });
  const get = (path: string, headers: Record<string, string | undefined> = {}): Promise<Reply> =>
    call('GET', path, { headers });
  const as = (name: string) => ({ authorization: basic(name, 'password') });
  const valuesAt = async (path: string, headers: Record<string, string> = {}): Promise<unknown> =>
    ((await get(path, headers)).json as { values: unknown }).values;

  it('appends values to a user key, and returns no values for a deleted or unknown key (platform P2 "Key-values")', async () => {
    const first = await post(userKey('color'), 'red');
    expect([first.status, first.text]).to.eql([201, '']);
    expect(first.headers.get('location')).to.match(/\/1\.0\/kb\/tenants\/userKeyValue\/color$/);
    await post(userKey('color'), 'blue');
    await post(userKey('color'), 'red');
    const read = await get(userKey('color'));
    expect(read.json).to.eql({ key: 'color', values: ['red', 'blue', 'red'], auditLogs: [] });
    expect((await call('DELETE', userKey('color'))).status).to.equal(204);
    expect((await call('DELETE', userKey('color'))).status).to.equal(204);
    expect((await get(userKey('color'))).json).to.eql({ key: 'color', values: [], auditLogs: [] });
    expect(await newTypes()).to.eql([]);
  });

  it('replaces the previous callback when another one is registered (platform P2 "Key-values")', async () => {
    const path = `${tenants}/registerNotificationCallback`;
    await newTypes();
    for (const url of ['https://example.com/u1', 'https://example.com/u2']) {
      const made = expectStatus(await call('POST', `${path}?cb=${encodeURIComponent(url)}`), 201);
      expect(made.headers.get('location')).to.match(/\/tenants\/registerNotificationCallback$/);
    }
    const expected = { key: 'PUSH_NOTIFICATION_CB', values: ['https://example.com/u2'], auditLogs: [] };
    expect((await get(path)).json).to.eql(expected);
    expect((await get(userKey('PUSH_NOTIFICATION_CB'))).json).to.eql(expected);
    expect((await call('DELETE', path)).status).to.equal(204);
    expect((await call('DELETE', path)).status).to.equal(204);
    expect(await valuesAt(path)).to.eql([]);
    expect(await newTypes()).to.eql(changedAndDeleted);
  });

  it('rejects an invalid callback on either route and stores nothing', async () => {
    const path = `${tenants}/registerNotificationCallback`;
    for (const url of [
      'ftp://example.com',
      'http://169.254.169.254/',
      'http://u:p@example.com',
      'http://localhost:3000/events',
      'http://10.0.0.1/events',
      'nonsense',
    ]) {
      expectRefusal(await call('POST', `${path}?cb=${encodeURIComponent(url)}`), 400, 60_002);
      expect((await post(userKey('PUSH_NOTIFICATION_CB'), url)).status).to.equal(400);
    }
    expect((await call('POST', path)).status).to.equal(400);
    expect(await valuesAt(path)).to.eql([]);
  });

  it('keeps the old configuration if the new one is invalid (platform P2 "Key-values")', async () => {
    const path = `${tenants}/uploadPerTenantConfig`;
    const good = '{"org.killbill.payment.retry.days": "1,1"}';
    expect((await post(path, good)).status).to.equal(201);
    const bad = await post(path, '{"org.service.payment.retry.days":"1,x"}');
    expectRefusal(bad, 400, 60_003);
    expect((bad.json as { message: string }).message).to.contain('payment.retry.days');
    expect((await post(userKey('PER_TENANT_CONFIG'), '[]')).status).to.equal(400);
    expect((await post(path, 'x', jsonType)).json).to.include({ code: 60_001 });
    expect((await get(path)).json).to.eql({ key: 'PER_TENANT_CONFIG', values: [good], auditLogs: [] });
    expect((await call('DELETE', path)).status).to.equal(204);
    expect(await valuesAt(path)).to.eql([]);
  });

  it('limits configurations and usage terms to 262,144 characters (platform P2 "Key-values")', async () => {
    const padded = (characters: number) => `{}${' '.repeat(characters - 2)}`;
    for (const path of [
      `${tenants}/uploadPerTenantConfig`,
      userKey('PER_TENANT_CONFIG'),
      userKey('USAGE_TERMS'),
    ]) {
      const refused = await post(path, padded(262_145));
      expect(outcomeOf(refused), path).to.eql([413, 60_012]);
      expect(refused.text).to.contain('has 262145 characters; at most 262144 are accepted');
      expect((await post(path, padded(262_144))).status, path).to.equal(201);
    }
  });

  it('finds values by literal key prefix, sorted (platform P2 "Key-values")', async () => {
    for (const key of [
      'PLUGIN_CONFIG_b',
      'PLUGIN_CONFIG_a',
      'PLUGINXCONFIG_c',
      'plugin_config_d',
      '100%',
      '100x',
    ])
      await post(userKey(key), `value of ${key}`);
    await post(userKey('100%'), 'second');
    const found = await get(`${tenants}/uploadPerTenantConfig/PLUGIN_CONFIG_/search`);
    expect(found.json).to.eql([
      { key: 'PLUGIN_CONFIG_a', values: ['value of PLUGIN_CONFIG_a'], auditLogs: [] },
      { key: 'PLUGIN_CONFIG_b', values: ['value of PLUGIN_CONFIG_b'], auditLogs: [] },
    ]);
    const percent = await get(`${tenants}/uploadPerTenantConfig/100%25/search`);
    expect(percent.json).to.eql([{ key: '100%', values: ['value of 100%', 'second'], auditLogs: [] }]);
    expect((await get(`${tenants}/uploadPerTenantConfig/nothing/search`)).json).to.eql([]);
  });

  it('returns plugin configurations and state machines under their full keys', async () => {
    for (const [path, key] of [
      ['uploadPluginConfig', 'PLUGIN_CONFIG_foo'],
      ['uploadPluginPaymentStateMachineConfig', 'PLUGIN_PAYMENT_STATE_MACHINE_foo'],
    ] as const) {
      await newTypes();
      await post(`${tenants}/${path}/foo`, '<one/>');
      const made = await post(`${tenants}/${path}/foo`, '<two/>', aliasHeaders as never);
      expect(made.headers.get('location')).to.match(new RegExp(`/tenants/${path}/foo$`));
      expect((await get(`${tenants}/${path}/foo`)).json).to.eql({ key, values: ['<two/>'], auditLogs: [] });
      expect(await valuesAt(userKey(key))).to.eql(['<two/>']);
      expect((await call('DELETE', `${tenants}/${path}/foo`)).status).to.equal(204);
      expect(await valuesAt(`${tenants}/${path}/foo`)).to.eql([]);
      expect(await newTypes()).to.eql(changedAndDeleted);
    }
  });

  it('accepts any characters in keys and values, and includes the limits in its errors', async () => {
    const key = 'a/b c?d%e😀';
    const made = await post(userKey(key), ' ünï\n😀 ');
    expect(made.headers.get('location')?.endsWith(userKey(key)), made.text).to.equal(true);
    expect((await get(userKey(key))).json).to.eql({ key, values: [' ünï\n😀 '], auditLogs: [] });
    expect((await post(userKey('k'.repeat(255)), 'x')).status).to.equal(201);
    for (const refused of [
      await post(userKey('k'.repeat(256)), 'x'),
      await get(userKey('k'.repeat(256))),
      await post(userKey('k'), ''),
      await post(userKey('k'), 'a\u0000b'),
    ])
      expectRefusal(refused, 400, 60_003);
    expect(await valuesAt(userKey('k'))).to.eql([]);
  });

  it('rejects an unreadable payment state machine on every route', async () => {
    const path = `${tenants}/uploadPluginPaymentStateMachineConfig/bar`;
    const key = 'PLUGIN_PAYMENT_STATE_MACHINE_bar';
    await post(path, '<kept/>');
    for (const document of ['two', '<a>', '<!DOCTYPE a><a/>', '<a>'.repeat(100_000)]) {
      for (const to of [path, userKey(key)]) {
        const refused = await post(to, document);
        expectRefusal(refused, 400, 60_003);
        expect(refused.text.length).to.be.below(1_000);
      }
    }
    expect(await valuesAt(path)).to.eql(['<kept/>']);
  });

  it('preserves every character, even in texts that the server parses', async () => {
    const config =
      '\ufeff{\r\n\t"org.killbill.invoice.enabled" : "true",\r\n  "org.service.my.own": 1.50, "h\\u00e9": "\u00e9" }\r\n';
    const catalog = (await exampleCatalog()).toString();
    const document = `\ufeff${catalog.replaceAll('\n', '\r\n')}\r\n<!-- \u00e9 -->\r\n`;
    for (const [path, text] of [
      [`${tenants}/uploadPerTenantConfig`, config],
      [`${tenants}/uploadPluginConfig/foo`, config],
      [`${tenants}/uploadPluginPaymentStateMachineConfig/foo`, document],
      [userKey('own'), document],
    ] as const) {
      expect((await post(path, text)).status, path).to.equal(201);
      expect(await valuesAt(path), path).to.eql([text]);
    }
    expectStatus(await call('POST', '/1.0/kb/catalog', { body: document, headers: xmlType }), 201);
    // A byte order mark determines the encoding.
    expect(await valuesAt(userKey('CATALOG'))).to.eql([document.slice(1)]);
  });

  it('prevents other tenants from reading or changing values', async () => {
    await post(userKey('color'), 'red');
    await post(`${tenants}/uploadPerTenantConfig`, '{"org.service.invoice.enabled":"false"}');
    expect(await valuesAt(userKey('color'), eve)).to.eql([]);
    expect((await get(`${tenants}/uploadPerTenantConfig/c/search`, eve)).json).to.eql([]);
    expect(await valuesAt(`${tenants}/uploadPerTenantConfig`, eve)).to.eql([]);
    expect((await call('DELETE', userKey('color'), { headers: eve })).status).to.equal(204);
    await post(`${tenants}/uploadPerTenantConfig`, '{"org.service.invoice.enabled":"true"}', eve);
    expect(await valuesAt(userKey('color'))).to.eql(['red']);
    expect(await valuesAt(`${tenants}/uploadPerTenantConfig`)).to.eql([
      '{"org.service.invoice.enabled":"false"}',
    ]);
  });

  it('masks plugin secrets for users without the write permission', async () => {
    await post(`${tenants}/uploadPluginConfig/foo`, 'url=u\napiKey=k');
    for (const path of [`${tenants}/uploadPluginConfig/foo`, userKey('PLUGIN_CONFIG_foo')]) {
      expect(await valuesAt(path, as('reader'))).to.eql(['url=u\napiKey=*****']);
      expect(await valuesAt(path, as('writer'))).to.eql(['url=u\napiKey=k']);
    }
    const found = await get(`${tenants}/uploadPerTenantConfig/PLUGIN/search`, as('reader'));
    expect(found.text).to.contain('*****').and.not.to.contain('apiKey=k');
  });

  it('masks callback and property tokens for users without the write permission', async () => {
    const callback = `${tenants}/registerNotificationCallback`;
    await post(`${callback}?cb=https%3A%2F%2Fexample.com%2Fhook%3Fx%3Dsesame`, '');
    await post(`${tenants}/uploadPerTenantConfig`, '{"my.plugin.token":"sesame","my.limit":"5"}');
    for (const path of [callback, userKey('PUSH_NOTIFICATION_CB')]) {
      expect(await valuesAt(path, as('reader'))).to.eql(['https://example.com/hook?x=*****']);
      expect(await valuesAt(path, as('writer'))).to.eql(['https://example.com/hook?x=sesame']);
    }
    expect(await valuesAt(`${tenants}/uploadPerTenantConfig`, as('reader'))).to.eql([
      '{"my.plugin.token":"*****","my.limit":"5"}',
    ]);
  });

  it('requires the catalog permission for the catalog key', async () => {
    const catalog = (await exampleCatalog()).toString();
    expectRefusal(await post(userKey('CATALOG'), catalog, as('writer')), 403, 40_000);
    const deleted = await call('DELETE', userKey('CATALOG'), { headers: as('writer') });
    expect(deleted.status).to.equal(403);
  });

  it('returns the uploaded catalogs under CATALOG, in upload order, from every route', async () => {
    const january = (await exampleCatalog()).toString();
    const february = january.replace('2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z');
    expectStatus(await call('POST', '/1.0/kb/catalog/xml', { body: february, headers: xmlType }), 201);
    const made = expectStatus(await post(userKey('CATALOG'), january), 201);
    expect(made.headers.get('location')).to.match(/\/tenants\/userKeyValue\/CATALOG$/);
    expect(await valuesAt(userKey('CATALOG'))).to.eql([february, january]);
    expect((await get(`${tenants}/uploadPerTenantConfig/CAT/search`)).json).to.eql([
      { key: 'CATALOG', values: [february, january], auditLogs: [] },
    ]);
    expectRefusal(await post(userKey('CATALOG'), january), 400, 2_080);
    expectRefusal(await post(userKey('CATALOG'), '<catalog/>'), 400, 2_080);
    await newTypes();
    expect((await call('DELETE', userKey('CATALOG'))).status).to.equal(204);
    expect(await valuesAt(userKey('CATALOG'))).to.eql([]);
    expect((await get('/1.0/kb/catalog')).json).to.eql([]);
    expect((await get(`${tenants}/uploadPerTenantConfig/CAT/search`)).json).to.eql([]);
    expect(await newTypes()).to.eql(['TENANT_CONFIG_DELETION', 'TENANT_CONFIG_CHANGE']);
    expect(await valuesAt(userKey('CATALOG'), eve)).to.eql([]);
  });

  it('rejects keys of unsupported features', async () => {
    const refused = await post(userKey('USAGE_METERS'), 'x');
    expectRefusal(refused, 501, 1);
    expect(refused.text).to.include('USAGE_METERS is not supported: a value of this key has no effect');
    expect(await valuesAt(userKey('USAGE_METERS'))).to.eql([]);
  });

  it('accepts valid usage terms, and reports every error in invalid terms (usage §12)', async () => {
    const key = userKey('USAGE_TERMS');
    const refused = await post(key, '{"calls":{"percentOff":"half","free":1}}');
    const { code, message } = refused.json as { code: number; message: string };
    expect([refused.status, code]).to.eql([400, 60_002]);
    expect(message)
      .to.contain('"calls".free is not a known term')
      .and.to.contain('"calls".percentOff is not a decimal');
    expect(await valuesAt(key)).to.eql([]);
    const terms = ['{"calls":{"percentOff":5}}', '{"calls":{"percentOff":6}}'];
    for (const text of terms) expect((await post(key, text)).status).to.equal(201);
    expect(await valuesAt(key)).to.eql(terms.slice(1));
    expect((await call('DELETE', key)).status).to.equal(204);
  });

  it('shows values only to users who have access to the tenant', async () => {
    const { billing } = serving;
    const bob = await billing.tenants.getByApiKey('bob');
    const other = await billing.tenants.getByApiKey('eve');
    await addUser(serving, 'bobs', { allTenants: false, tenantIds: [bob.id] });
    expect((await get(`${tenants}/${bob.id}`, as('bobs'))).status).to.equal(200);
    expect((await get(`${tenants}?apiKey=bob`, as('bobs'))).status).to.equal(200);
    expectRefusal(await get(`${tenants}/${other.id}`, as('bobs')), 404, 20_001);
    expectRefusal(await get(`${tenants}?apiKey=eve`, as('bobs')), 404, 20_003);
  });
});
