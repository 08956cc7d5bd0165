import type { EntitlementPlugin, EntitlementRules, PluginProperty } from '../../lib/index.ts';
import { EntitlementOperation } from '../../lib/index.ts';
import { eachDatabase, expect } from '../support/http/index.ts';
import { createAccount, createdId, exampleCatalog, serveOnce, xmlType } from '../support/http/serving.ts';

eachDatabase.describe('entitlement plugins over HTTP', (open) => {
  const asked: { readonly operation: string; readonly properties: readonly PluginProperty[] }[] = [];
  let aborts = false;
  const rules = Object.values(EntitlementOperation).map((operation) => [
    operation,
    async (_call: unknown, { properties }: { readonly properties: readonly PluginProperty[] }) => {
      asked.push({ operation, properties });
      return aborts ? { abort: 'the contract forbids it' } : null;
    },
  ]);
  const plugin: EntitlementPlugin = {
    name: 'contracts',
    before: Object.fromEntries(rules) as EntitlementRules,
  };
  const ids = { accountId: '', targetId: '', bundleId: '', subscriptionId: '' };

  const serving = serveOnce(open, { entitlementPlugins: [plugin] });
  const { call } = serving;
  before(async () => {
    await call('POST', '/1.0/kb/catalog', { body: await exampleCatalog(), headers: xmlType });
    ids.accountId = await createAccount({ call });
    ids.targetId = await createAccount({ call });
    const body = { accountId: ids.accountId, planName: 'canopy-monthly' };
    ids.subscriptionId = createdId(await call('POST', '/1.0/kb/subscriptions', { body }));
    const { json } = await call('GET', `/1.0/kb/subscriptions/${ids.subscriptionId}`);
    ids.bundleId = (json as { readonly bundleId: string }).bundleId;
    aborts = true;
  });
  beforeEach(() => asked.splice(0));

  const plan = () => ({ accountId: ids.accountId, planName: 'sprout-monthly' });
  const state = { service: 'fraud', stateName: 'HELD' };
  const calls: readonly (readonly [
    operation: EntitlementOperation,
    method: string,
    path: (of: typeof ids) => string,
    body?: () => unknown,
  ])[] = [
    ['CREATE', 'POST', () => 'subscriptions', plan],
    ['CREATE', 'POST', () => 'subscriptions/createSubscriptionWithAddOns', () => [plan()]],
    [
      'CREATE',
      'POST',
      () => 'subscriptions/createSubscriptionsWithAddOns',
      () => [{ baseEntitlementAndAddOns: [plan()] }],
    ],
    [
      'CHANGE_PLAN',
      'PUT',
      (of) => `subscriptions/${of.subscriptionId}`,
      () => ({ planName: 'sprout-monthly' }),
    ],
    ['UNDO_CHANGE_PLAN', 'PUT', (of) => `subscriptions/${of.subscriptionId}/undoChangePlan`],
    ['CANCEL', 'DELETE', (of) => `subscriptions/${of.subscriptionId}`],
    ['UNCANCEL', 'PUT', (of) => `subscriptions/${of.subscriptionId}/uncancel`],
    ['PAUSE', 'PUT', (of) => `bundles/${of.bundleId}/pause`],
    ['RESUME', 'PUT', (of) => `bundles/${of.bundleId}/resume`],
    ['TRANSFER', 'POST', (of) => `bundles/${of.bundleId}`, () => ({ accountId: ids.targetId })],
    ['RENAME_KEY', 'PUT', (of) => `bundles/${of.bundleId}/renameKey`, () => ({ externalKey: 'other' })],
    ['ADD_BLOCKING_STATE', 'POST', (of) => `accounts/${of.accountId}/block`, () => state],
    ['ADD_BLOCKING_STATE', 'POST', (of) => `bundles/${of.bundleId}/block`, () => state],
    ['ADD_BLOCKING_STATE', 'POST', (of) => `subscriptions/${of.subscriptionId}/block`, () => state],
  ];
  for (const [operation, method, path, body] of calls)
    it(`${method} ${path({ ...ids, accountId: '{id}', bundleId: '{id}', subscriptionId: '{id}' })}: receive the properties and abort with 400 and code 8003`, async () => {
      const read = () => call('GET', `/1.0/kb/accounts/${ids.accountId}/bundles`);
      const before = await read();
      const query = 'pluginProperty=token%3Da%3Db&pluginProperty=flag&pluginProperty=k%3D1';
      const reply = await call(method, `/1.0/kb/${path(ids)}?${query}`, body ? { body: body() } : {});
      expect(reply.status, reply.text).to.equal(400);
      expect(reply.json).to.include({
        code: 8003,
        message: 'The entitlement plugin "contracts" aborted the operation: the contract forbids it',
      });
      const properties = [
        { key: 'token', value: 'a=b' },
        { key: 'k', value: '1' },
      ];
      expect(asked).to.eql([{ operation, properties }]);
      expect((await read()).json).to.eql(before.json);
    });
});
