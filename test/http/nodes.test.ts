import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { anyDatabase, basic, bearer, expect, expectStatus, serveOnce } from '../support/http/index.ts';

const withoutTenant = { 'x-service-apikey': undefined, 'x-service-apisecret': undefined };

anyDatabase.describe('node API over HTTP (platform §11)', (open) => {
  const serving = serveOnce(open);

  it('shows this node and the test-mode gateway in nodesInfo, even to users without a tenant', async () => {
    const { status, json } = await serving.get('/nodesInfo', withoutTenant);
    expect(status).to.equal(200);
    const [node, ...others] = json as readonly Record<string, unknown>[];
    expect(others).to.eql([]);
    const { nodeName, bootTime, lastUpdatedDate, kbVersion, pluginsInfo, ...versions } = node ?? {};
    expect(nodeName).to.equal((await serving.billing.nodes.local()).nodeName);
    for (const date of [bootTime, lastUpdatedDate])
      expect(date).to.match(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(kbVersion).to.match(/^\d+\.\d+\.\d+/);
    expect(versions).to.eql({
      apiVersion: kbVersion,
      pluginApiVersion: kbVersion,
      commonVersion: kbVersion,
      platformVersion: kbVersion,
    });
    const name = 'killbill-payment-test';
    expect(pluginsInfo).to.deep.include({
      bundleSymbolicName: name,
      pluginKey: 'payment-test',
      pluginName: name,
      version: '1.0.0',
      state: 'RUNNING',
      isSelectedForStart: true,
      services: [{ serviceTypeName: 'PaymentPluginApi', registrationName: name }],
    });
    const names = (pluginsInfo as readonly { readonly pluginName: string }[]).map(
      ({ pluginName }) => pluginName,
    );
    expect(names).to.include('sandbox');
  });

  it('shows the plugins of this node in pluginsInfo and requires a tenant', async () => {
    const nodes = (await serving.get('/nodesInfo')).json as readonly {
      readonly pluginsInfo: unknown;
    }[];
    expect((await serving.get('/pluginsInfo')).json).to.eql(nodes[0]?.pluginsInfo);
    const { status } = await serving.get('/pluginsInfo', withoutTenant);
    expect(status).to.equal(401);
  });

  it('accepts plugin commands with 202, but rejects unknown plugins and callers without the permission', async () => {
    const command = (type: string, pluginKey: string) => ({
      nodeCommandType: type,
      isSystemCommandType: true,
      nodeCommandProperties: [{ key: 'pluginKey', value: pluginKey }],
    });
    const send = (body: unknown, headers = {}) =>
      serving.post('/nodesInfo', body, { ...withoutTenant, ...headers });
    const state = async () => {
      const { json } = await serving.get('/pluginsInfo');
      return (json as readonly { readonly pluginKey: string | null; readonly state: string }[]).find(
        ({ pluginKey }) => pluginKey === 'payment-test',
      )?.state;
    };
    expect((await send(command('STOP_PLUGIN', 'payment-test'))).status).to.equal(202);
    expect(await state()).to.equal('STOPPED');
    await serving.billing.security.users.create(
      { userName: 'admin' },
      { name: 'reader', password: 'password', roles: [] },
      { allowShort: true },
    );
    const reader = { authorization: basic('reader', 'password') };
    expect((await send(command('START_PLUGIN', 'payment-test'), reader)).status).to.equal(403);
    expect(await state()).to.equal('STOPPED');
    const unknown = expectStatus(await send(command('INSTALL_PLUGIN', 'stripe')), 400);
    expect(unknown.text).to.contain('No node has a plugin stripe');
    expect((await send(command('START_PLUGIN', 'payment-test'))).status).to.equal(202);
    expect(await state()).to.equal('RUNNING');
  });

  it('fails the health check and rejects changes while a node is out of rotation', async () => {
    const rotation = (method: string) =>
      serving.call(method, '/1.0/kb/admin/healthcheck', { headers: { 'x-service-createdby': undefined } });
    const health = async () => (await serving.call('GET', '/1.0/healthcheck')).json as { rotation: unknown };
    const create = () => serving.post('/accounts', { currency: 'USD' });
    expect((await rotation('DELETE')).status).to.equal(204);
    expect((await serving.call('GET', '/1.0/healthcheck')).status).to.equal(503);
    expect((await health()).rotation).to.eql({ healthy: false, message: 'This node is out of rotation' });
    const before = serving.log.lines.length;
    const refused = await create();
    const logged = serving.log.lines.slice(before).filter(({ level }) => level !== 'debug');
    expect(logged.map(({ level, message }) => [level, message])).to.eql([
      ['info', 'request rejected while out of rotation'],
    ]);
    expect([refused.status, refused.headers.get('retry-after')]).to.eql([503, '1']);
    expect(refused.json).to.include({ code: 60018 });
    expect((await serving.get('/accounts/pagination')).json).to.eql([]);
    const authorization = await bearer(serving, 'admin');
    const outcomes = routeTable({ testMode: true })
      .filter(({ method, operationId }) => method !== 'GET' && operationId !== 'putInRotation')
      .map(async ({ method, path, operationId, credentials }) => {
        const filled = path.replace('{tenantApiKey}', 'bob').replaceAll(/\{\w+\}/g, serving.nextId);
        const headers = credentials === 'PLUGIN' ? { authorization } : {};
        const { status, json } = await serving.call(method, filled, { body: '[', headers });
        const isRefused = status === 503 && (json as { code: number }).code === 60018;
        return isRefused ? [] : [operationId];
      });
    expect((await Promise.all(outcomes)).flat(), 'served out of rotation').to.have.members([
      ...['putOutOfRotation', 'invalidatesCache', 'invalidatesCacheByAccount', 'invalidatesCacheByTenant'],
      ...['createSession', 'endCurrentSession', 'issueToken', 'issuePluginToken', 'queryOperation'],
      ...[
        'setTestClockTime',
        'updateTestClockTime',
        'writeLogInvoiceLogEntriesForAccount',
        'configureSandbox',
        'configureSandboxAlias',
      ],
    ]);
    expect((await rotation('PUT')).status).to.equal(204);
    expect((await create()).status).to.equal(201);
    expect((await serving.call('GET', '/1.0/healthcheck')).status).to.equal(200);
  });

  it('returns 204 for cache calls, 400 for an unknown cache and 404 for an unknown account', async () => {
    const drop = async (path: string) => (await serving.remove(`/admin/cache${path}`)).status;
    expect(await drop('')).to.equal(204);
    expect(await drop('?cacheName=overridden-plan')).to.equal(204);
    expect(await drop('?cacheName=nothing')).to.equal(400);
    expect(await drop('/tenants')).to.equal(204);
    expect(await drop(`/accounts/${serving.nextId()}`)).to.equal(404);
  });
});
