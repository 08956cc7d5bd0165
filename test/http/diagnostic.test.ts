import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { openApi } from '../../adapters/koa/index.ts';
import { PLUGIN } from '../../adapters/koa/routing/path.ts';
import { BusEventType, QueueKind } from '../../lib/records/index.ts';
import { bearer, configure, createAccount, documentHeaders } from '../support/http/index.ts';
import { eve, exampleCatalog, type Served, serve, xmlType } from '../support/http/serving.ts';
import { anyDatabase, expect, migrated } from '../support/index.ts';
import { claimedByDeadNode } from '../support/monitoring/stuck-entry.ts';

type Paths = Readonly<
  Record<string, { readonly get?: { readonly responses: Record<number, { readonly content: object }> } }>
>;

const root = `${PLUGIN}/health/diagnostic`;

anyDatabase.describe('diagnostic endpoint over HTTP (platform §12.6)', (open) => {
  let serving: Served;
  let authorization: string;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-logs-'));
    await writeFile(join(directory, 'former.log'), 'an old line\n');
    await writeFile(join(directory, 'leaky.log'), 'GET https://bob:hush-3@example.com/?apiKey=hush-4\n');
    await writeFile(join(directory, 'billwright.log'), `${'x'.repeat(6 * 1_048_576)}\nthe last line\n`);
    await symlink('/etc/hostname', join(directory, 'led-out.log'));
    const configuration = { 'org.service.health.diagnostic.logDirs': directory };
    const http = { limits: { list: 7 }, rates: { tenant: 9_000 }, properties: { 'server.nodeName': 'n7' } };
    serving = await serve(await open(migrated), { configuration, http });
    authorization = await bearer(serving, 'admin');
    await serving.post('/tenants/registerNotificationCallback?cb=https%3A%2F%2Fexample.com%2Fu1');
  });
  after(async () => {
    await serving.close();
    await rm(directory, { recursive: true });
  });

  const get = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    serving.call('GET', `${root}${query}`, { headers: { authorization, ...headers } });
  const unzipped = async (query: string): Promise<Readonly<Record<string, string>>> => {
    const answer = await fetch(`${serving.url}${root}${query}`, {
      headers: { ...documentHeaders, authorization, accept: 'application/zip' },
    });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('application/zip');
    expect(answer.headers.get('content-disposition')).to.match(
      /^attachment; filename="diagnostic-\d{14}\.zip"$/,
    );
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
  };

  it('returns the requested parts as JSON, an empty text without parameters, and logs only in a ZIP archive (platform P14)', async () => {
    const none = await get('');
    expect([none.status, none.text]).to.eql([200, '']);
    expect(none.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const { paths } = (await openApi()) as { readonly paths: Paths };
    expect(paths[root]?.get?.responses[200]?.content).to.deep.include({
      'text/plain': {
        schema: { type: 'string', const: '', description: 'Returned without query parameters' },
      },
    });
    const catalog = await exampleCatalog();
    await serving.post('/catalog', catalog, { ...xmlType, ...eve });
    await serving.call(
      'POST',
      '/1.0/kb/tenants/registerNotificationCallback?cb=https%3A%2F%2Fexample.com%2Fu1',
      { headers: eve },
    );
    expect((await get('?withTenantConfig=true', eve)).json).to.eql({
      'tenant_config.data': [
        { key: 'CATALOG', values: [String(catalog)] },
        { key: 'PUSH_NOTIFICATION_CB', values: ['https://example.com/u1'] },
      ],
    });
    expect((await get('?withLogs=true')).json).to.eql({});
    expect(Object.keys(await unzipped('?withLogs=true')).sort()).to.eql([
      'health.data',
      'logs/billwright.log',
    ]);
    expect((await get('?logsFilenames=..%2Fpasswd')).status).to.equal(400);
  });

  it('limits a log file to its last 5 MiB, skips a missing file, and reads nothing outside the log directory', async () => {
    const files = await unzipped(
      '?withLogs=true&logsFilenames=former.log&logsFilenames=none.log&logsFilenames=billwright.log&logsFilenames=led-out.log',
    );
    expect(Object.keys(files).sort()).to.eql(['health.data', 'logs/billwright.log', 'logs/former.log']);
    expect(files['logs/former.log']).to.equal('an old line\n');
    expect(files['logs/billwright.log']).to.have.length(5 * 1_048_576);
    expect(files['logs/billwright.log']?.endsWith('\nthe last line\n')).to.equal(true);
    for (const query of [
      'logsFilenames=%2Fetc%2Fpasswd',
      'logsFilenames=..',
      'logsFilenames=a%5Cb',
      'logsDir=%2Fetc',
      `logsDir=${encodeURIComponent(`${directory}/..`)}`,
      `logsDir=${encodeURIComponent(`${directory}-other`)}`,
    ])
      for (const withLogs of [true, false])
        expect((await get(`?withLogs=${withLogs}&${query}`)).status, query).to.equal(400);
  });

  it('archives the account, its invoices, late queue entries, and the settings without secrets', async () => {
    const { call, billing, storage, clock, nextId, post } = serving;
    const accountId = await createAccount({ call }, { name: 'Ada', currency: 'USD' });
    const charge = [{ accountId, amount: 12.5, description: 'a lamp' }];
    await post(`/invoices/charges/${accountId}?autoCommit=true`, charge);
    const entry = await claimedByDeadNode(storage, {
      topics: [BusEventType.INVOICE_CREATION],
      kind: QueueKind.BUS,
      businessNow: clock.now(),
      failures: 3,
      claimId: nextId,
      leaseEndsAtMs: Date.now() - 1,
    });
    clock.advance({ days: 1 });
    await post(
      '/tenants/uploadPluginConfig/stripe',
      'url=https://bob:hush-5@example.com/a?x=hush-6\napiKey=sk_live_1',
    );
    await post('/tenants/registerNotificationCallback?cb=https%3A%2F%2Fexample.com%2Fu1%3Fx%3Dhush-7');
    await call(
      'GET',
      `/1.0/kb/accounts/${accountId}?pluginProperty=token%3Dhush-8&pluginProperty=x%3Dhush-9`,
    );
    await configure({ call }, { 'org.service.payment.retry.days': '1,2', 'my.plugin.secret': 'hush' });
    await post('/tenants/userKeyValue/access_token', 'hush-too');
    const query = `?accountId=${accountId}&withTenantConfig=true&withServiceConfig=true`;
    const logs = (await unzipped('?withLogs=true&logsFilenames=leaky.log'))['logs/leaky.log'];
    expect(logs).to.equal('GET https://bob:*****@example.com/?apiKey=*****\n');
    const files = await unzipped(query);
    const names = ['account.data', 'health.data', 'service_configuration.data', 'tenant_config.data'];
    expect(Object.keys(files).sort()).to.eql(names);
    expect(files['account.data']).to.include('-- accounts ').and.to.include('Ada').and.to.include('a lamp');
    const { lateBusEvents } = JSON.parse(files['health.data'] ?? '');
    expect(
      lateBusEvents.find(({ recordId }: { recordId: number }) => recordId === entry.recordId),
    ).to.include({ className: 'INVOICE_CREATION', errorCount: 3, processingOwner: 'dead' });
    const settings = JSON.parse(files['service_configuration.data'] ?? '');
    expect(settings).to.include({
      ...{ 'queue.history.retention': 90 * 86_400_000, 'server.nodeName': 'n7', 'server.test.mode': true },
      ...{ 'server.limits.json': 1_048_576, 'server.limits.list': 7, 'server.limits.rate.tenant': 9_000 },
      ...{ 'security.lockout': false, 'security.token.lifetime': '*****' },
    });
    const whole = Object.values(files).join('\n');
    expect(whole).to.include('?pluginProperty=token%3D*****&pluginProperty=x%3D*****');
    expect(whole).to.include('?cb=https%3A%2F%2Fexample.com%2Fu1%3Fx%3D*****');
    for (const secret of ['sk_live_1', 'hush']) expect(whole).not.to.include(secret);
    expect(JSON.parse(files['tenant_config.data'] ?? '')).to.eql([
      {
        key: 'PER_TENANT_CONFIG',
        values: ['{"org.service.payment.retry.days":"1,2","my.plugin.secret":"*****"}'],
      },
      { key: 'PLUGIN_CONFIG_stripe', values: ['url=https://bob:*****@example.com/a?x=*****\napiKey=*****'] },
      { key: 'PUSH_NOTIFICATION_CB', values: ['https://example.com/u1?x=*****'] },
      { key: 'access_token', values: ['*****'] },
    ]);
    const json = (await get(query)).json as Readonly<Record<string, unknown>>;
    const withoutTheNewer = (text: unknown) =>
      String(text)
        .split('\n')
        .filter((line) => line.includes('Ada'));
    expect(withoutTheNewer(json['account.data'])).to.eql(withoutTheNewer(files['account.data']));
    expect(json['tenant_config.data']).to.eql(JSON.parse(files['tenant_config.data'] ?? ''));
    await billing.settle();
  });

  it('requires admin:export for an account and returns 404 for an unknown or foreign account', async () => {
    expect((await get(`?accountId=${serving.nextId()}`)).status).to.equal(404);
    const accountId = await createAccount(serving);
    expect((await get(`?accountId=${accountId}`, eve)).status).to.equal(404);
    await serving.post('/security/roles', { role: 'looker', permissions: ['admin:health'] });
    await serving.post('/security/users', { username: 'leo', password: 'password', roles: ['looker'] });
    const leo = { authorization: await bearer(serving, 'leo') };
    expect((await get(`?accountId=${accountId}`, leo)).status).to.equal(403);
    expect((await get('?withServiceConfig=true', leo)).status).to.equal(200);
  });
});
