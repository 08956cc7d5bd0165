import type { EntitlementPlugin, EntitlementRules, PluginProperty } from '../../lib/index.ts';
import { EntitlementOperation } from '../../lib/index.ts';
import { anyDatabase, eachDatabase, expect } from '../support/http/index.ts';
import {
  createAccount,
  createdId,
  exampleCatalog,
  type Request,
  serveOnce,
  xmlType,
} from '../support/http/serving.ts';

const planTerms = { planName: 'sprout-monthly' };

eachDatabase.describe('entitlement plugins over HTTP', (open) => {
  const pluginCalls: {
    readonly operation: string;
    readonly properties: readonly PluginProperty[];
    readonly terms: unknown;
  }[] = [];
  let aborts = false;
  const rules = Object.values(EntitlementOperation).map((operation) => [
    operation,
    async (
      { terms }: { readonly terms: object },
      { properties }: { readonly properties: readonly PluginProperty[] },
    ) => {
      pluginCalls.push({ operation, properties, terms: statedOf(terms) });
      return aborts ? { abort: 'the contract forbids it' } : null;
    },
  ]);
  const plugin: EntitlementPlugin = {
    name: 'contracts',
    before: Object.fromEntries(rules) as EntitlementRules,
  };
  const ids = { accountId: '', targetId: '', bundleId: '', subscriptionId: '' };

  const serving = serveOnce(open, { entitlementPlugins: [plugin] });
  const { call, post, get } = serving;
  before(async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    ids.accountId = await createAccount({ call });
    ids.targetId = await createAccount({ call });
    const body = { accountId: ids.accountId, planName: 'canopy-monthly' };
    ids.subscriptionId = createdId(await post('/subscriptions', body));
    const { json } = await get(`/subscriptions/${ids.subscriptionId}`);
    ids.bundleId = (json as { readonly bundleId: string }).bundleId;
    aborts = true;
  });
  beforeEach(() => pluginCalls.splice(0));

  const plan = () => ({ accountId: ids.accountId, ...planTerms });
  const statedTerms: Partial<Record<EntitlementOperation, object>> = {
    CREATE: { subscriptions: [planTerms] },
    CHANGE_PLAN: planTerms,
  };
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
    ['CHANGE_PLAN', 'PUT', (of) => `subscriptions/${of.subscriptionId}`, () => planTerms],
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
    it(`receive the properties and given terms in ${method} ${path({ ...ids, accountId: '{id}', bundleId: '{id}', subscriptionId: '{id}' })}, and can abort with 400 and code 8003`, async () => {
      const read = () => get(`/accounts/${ids.accountId}/bundles`);
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
      expect(pluginCalls).to.eql([{ operation, properties, terms: statedTerms[operation] ?? {} }]);
      expect((await read()).json).to.eql(before.json);
    });
});

/** Returns the terms of a request without null and without flags that are not set. */
function statedOf(terms: object): object {
  const stated = Object.entries(terms).filter(
    ([, value]) => value !== null && value !== undefined && value !== false,
  );
  return Object.fromEntries(
    stated.map(([name, value]) => [name, Array.isArray(value) ? value.map(statedOf) : value]),
  );
}

anyDatabase.describe('HTTP interface with entitlement plugins that set dates and policies', (open) => {
  let replace: object | null = null;
  const replacing = async () => replace && { replace };
  const serving = serveOnce(open, {
    entitlementPlugins: [
      {
        name: 'contracts',
        before: {
          CREATE: replacing,
          CHANGE_PLAN: replacing,
          CANCEL: replacing,
          PAUSE: replacing,
          RESUME: replacing,
          TRANSFER: replacing,
          ADD_BLOCKING_STATE: replacing,
        },
      },
    ],
  });
  const { call, post } = serving;
  let account = '';
  let bundle = '';
  let path = '';

  before(async () => {
    const headers = xmlType;
    await post('/catalog', await exampleCatalog(), headers);
  });
  beforeEach(async () => {
    replace = null;
    account = await createAccount({ call });
    path = `/1.0/kb/subscriptions/${createdId(await post('/subscriptions', order()))}`;
    ({ bundleId: bundle } = await subscription());
  });

  const order = () => ({ accountId: account, planName: 'canopy-monthly' });

  async function subscription(at = path) {
    const { json } = await call('GET', at);
    return json as {
      readonly bundleId: string;
      readonly cancelledDate: string | null;
      readonly billingStartDate: string;
      readonly billingEndDate: string | null;
      readonly events: readonly { readonly eventType: string; readonly effectiveDate: string }[];
    };
  }

  /** Calls an endpoint, such as `PUT /1.0/kb/…`, while the plugin replaces terms. */
  async function controlled(endpoint: string, terms: object, request: Request = {}) {
    const [method = '', target = ''] = endpoint.split(' ');
    replace = terms;
    const reply = await call(method, target, request);
    replace = null;
    expect(reply.status, reply.text).to.be.within(200, 204);
    return reply;
  }

  const datesOf = async (eventType: string) =>
    (await subscription()).events
      .filter((event) => event.eventType === eventType)
      .map(({ effectiveDate }) => effectiveDate.slice(0, 'YYYY-MM-DD'.length));

  const cancellations: readonly (readonly [title: string, query: string, terms: object, end: string])[] = [
    ['ends the service now by default', '', {}, '2024-02-10'],
    ["uses a plugin's date instead of the default", '', { requestedDate: '2024-03-01' }, '2024-03-01'],
    [
      "keeps the caller's policy when a plugin sets a date",
      '?entitlementPolicy=IMMEDIATE',
      { requestedDate: '2024-03-01' },
      '2024-02-10',
    ],
    [
      "replaces the caller's date with a plugin's date",
      '?requestedDate=2024-02-20',
      { requestedDate: '2024-03-01' },
      '2024-03-01',
    ],
    [
      'keeps the default when a plugin sets only the end of billing',
      '',
      { billingPolicy: 'END_OF_TERM' },
      '2024-02-10',
    ],
  ];
  for (const [title, query, terms, end] of cancellations)
    it(`${title} in DELETE /subscriptions/{id}`, async () => {
      await controlled(`DELETE ${path}${query}`, terms);
      expect((await subscription()).cancelledDate).to.equal(end);
    });

  it("can end billing at a plugin's date in DELETE /subscriptions/{id} with useRequestedDateForBilling", async () => {
    await controlled(`DELETE ${path}`, { requestedDate: '2024-03-01', useRequestedDateForBilling: true });
    expect(await subscription()).to.include({ cancelledDate: '2024-03-01', billingEndDate: '2024-03-01' });
  });

  it("can start billing at a plugin's date in POST /subscriptions", async () => {
    const reply = await controlled(
      'POST /1.0/kb/subscriptions',
      { billingDate: '2024-04-05' },
      { body: order() },
    );
    const created = await subscription(`/1.0/kb/subscriptions/${createdId(reply)}`);
    expect(created.billingStartDate).to.equal('2024-04-05');
  });

  it("can change the plan at a plugin's date in PUT /subscriptions/{id}", async () => {
    await controlled(`PUT ${path}`, { requestedDate: '2024-04-05' }, { body: planTerms });
    expect(await datesOf('CHANGE')).to.eql(['2024-04-05']);
  });

  it("can use a plugin's dates in PUT /bundles/{id}/pause and resume", async () => {
    await controlled(`PUT /1.0/kb/bundles/${bundle}/pause`, { requestedDate: '2024-04-05' });
    await controlled(`PUT /1.0/kb/bundles/${bundle}/resume`, { requestedDate: '2024-04-20' });
    expect(await datesOf('PAUSE_BILLING')).to.eql(['2024-04-05']);
    expect(await datesOf('RESUME_BILLING')).to.eql(['2024-04-20']);
  });

  it("can use a plugin's date in POST /bundles/{id}/block", async () => {
    const state = { service: 'fraud', stateName: 'HELD', isBlockEntitlement: true };
    const endpoint = `POST /1.0/kb/bundles/${bundle}/block`;
    await controlled(endpoint, { requestedDate: '2024-04-05' }, { body: state });
    expect(await datesOf('PAUSE_ENTITLEMENT')).to.eql(['2024-04-05']);
  });

  it("can transfer a bundle at a plugin's date in POST /bundles/{id}", async () => {
    const body = { accountId: await createAccount({ call }) };
    await controlled(`POST /1.0/kb/bundles/${bundle}`, { requestedDate: '2024-04-05' }, { body });
    expect((await subscription()).cancelledDate).to.equal('2024-04-05');
  });
});
