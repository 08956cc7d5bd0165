import { aliasHeaders, createAccount, createdId, eve, list } from '../support/http/index.ts';
import { exampleCatalog, expectStatus, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const ONE = '/1.0/kb/subscriptions/createSubscriptionWithAddOns';
const MANY = '/1.0/kb/subscriptions/createSubscriptionsWithAddOns';

eachDatabaseByTurns.describe('bulk subscription creation over HTTP', (open) => {
  const serving = serveOnce(open);
  const { call, post, get } = serving;
  let accountId: string;

  before(async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    accountId = await createAccount({ call });
  });

  const of = (planName: string, more: object = {}) => ({ accountId, planName, ...more });
  const group = (...requests: readonly unknown[]) => ({ baseEntitlementAndAddOns: requests });
  const bundles = () => list(serving, `/1.0/kb/accounts/${accountId}/bundles`);
  const pathOf = (reply: Reply) => new URL(reply.headers.get('location') ?? '', 'http://h').pathname;
  const filterOf = (reply: Reply) =>
    new URL(reply.headers.get('location') ?? '', 'http://h').searchParams.get('bundlesFilter');

  it('creates a base with its add-ons in any order', async () => {
    const body = [of('archive-monthly'), of('bloom-monthly', { bundleExternalKey: 'garden' })];
    const reply = expectStatus(await call('POST', `${ONE}?callCompletion=true`, { body }), 201);
    expect(reply.text).to.equal('');
    const [bundle] = (await list(
      serving,
      `/1.0/kb/accounts/${accountId}/bundles?externalKey=garden`,
    )) as readonly { bundleId: string; subscriptions: readonly object[] }[];
    expect(pathOf(reply)).to.equal(`/1.0/kb/bundles/${bundle?.bundleId}`);
    expect(bundle?.subscriptions.map((each) => (each as { planName: string }).planName)).to.eql([
      'bloom-monthly',
      'archive-monthly',
    ]);
    const alone = await post('/subscriptions', of('archive-monthly', { bundleId: bundle?.bundleId }));
    expect(alone.status, alone.text).to.equal(201);
    const added = (await get(`/subscriptions/${createdId(alone)}`)).json;
    expect(added).to.include({ productCategory: 'ADD_ON', bundleId: bundle?.bundleId });
  });

  it('returns a Location that lists the bundles, and rejects an empty group (http-api 15.16 "Bulk create")', async () => {
    const body = [group(of('bloom-monthly'), of('archive-monthly')), group(of('sprout-monthly'))];
    const reply = expectStatus(await call('POST', MANY, { body }), 201);
    expect(pathOf(reply)).to.equal(`/1.0/kb/accounts/${accountId}/bundles`);
    const ids = filterOf(reply)?.split(',') ?? [];
    const found = (await list(
      serving,
      `/1.0/kb/accounts/${accountId}/bundles?bundlesFilter=${ids.join(',')}`,
    )) as readonly { bundleId: string }[];
    expect(found.map(({ bundleId }) => bundleId)).to.eql(ids);
    const silent = await call('POST', `${MANY}?skipResponse=true`, { body });
    expect(silent.headers.get('location')).to.match(/\/bundles\?bundlesFilter=$/);
    const one = await call('POST', `${ONE}?skipResponse=true`, { body: [of('bloom-monthly')] });
    expect(one.headers.get('location')).to.match(
      new RegExp(`/1\\.0/kb/accounts/${accountId}/bundles\\?bundlesFilter=$`),
    );
  });

  it('omits the bundle list from the response for twenty or more subscriptions', async () => {
    const nineteen = Array.from({ length: 19 }, () => group(of('almanac-quarterly')));
    expect(filterOf(await call('POST', MANY, { body: nineteen }))?.split(',')).to.have.length(19);
    const silent = await call('POST', MANY, { body: [...nineteen, group(of('almanac-quarterly'))] });
    expect(silent.status, silent.text).to.equal(201);
    expect(silent.headers.get('location')).to.match(/\/bundles\?bundlesFilter=$/);
  });

  const nobody = '11111111-1111-4111-8111-111111111111';
  const noBody = 'SubscriptionJson body should be specified';
  const refused: Readonly<
    Record<string, readonly [path: string, body: () => unknown, status: number, message: string]>
  > = {
    'an empty list': [ONE, () => [], 400, noBody],
    'an empty list of groups': [MANY, () => [], 400, noBody],
    'an empty group': [MANY, () => [group()], 400, noBody],
    'a missing element': [ONE, () => [null], 400, noBody],
    'a missing element of a group': [MANY, () => [group(of('bloom-monthly'), null)], 400, noBody],
    'a missing group': [MANY, () => [null], 400, 'BulkSubscriptionsBundleJson body should be specified'],
    'a group without its list': [
      MANY,
      () => [{}],
      400,
      'BulkSubscriptionsBundleJson baseEntitlementAndAddOns needs to be set',
    ],
    'an element without an account': [
      MANY,
      () => [group(of('bloom-monthly'), { planName: 'archive-monthly' })],
      404,
      "Object id=null type=ACCOUNT doesn't exist!",
    ],
    'a missing account': [
      ONE,
      () => [of('bloom-monthly', { accountId: nobody })],
      404,
      `Object id=${nobody} type=ACCOUNT doesn't exist!`,
    ],
    'different accounts': [
      MANY,
      () => [group(of('bloom-monthly')), group(of('bloom-monthly', { accountId: nobody }))],
      400,
      'SubscriptionJson accountId should be the same for each element',
    ],
    'a bundle id missing in later elements': [
      ONE,
      () => [of('archive-monthly', { bundleId: nobody }), of('archive-monthly')],
      400,
      'SubscriptionJson bundleId should be the same for each element',
    ],
    'different keys for one bundle': [
      ONE,
      () => [
        of('bloom-monthly', { bundleExternalKey: 'a' }),
        of('archive-monthly', { bundleExternalKey: 'b' }),
      ],
      400,
      'SubscriptionJson externalKey should be the same for each element',
    ],
    'an unidentified plan': [
      ONE,
      () => [of('bloom-monthly'), { accountId, productName: 'Archive' }],
      400,
      'SubscriptionJson productCategory needs to be set when no planName is specified',
    ],
  };
  for (const [name, [path, body, status, message]] of Object.entries(refused))
    it(`rejects ${name} and stores nothing`, async () => {
      const before = await bundles();
      for (const headers of [{}, aliasHeaders]) {
        const reply = expectStatus(await call('POST', path, { body: body(), headers }), status);
        expect(reply.json).to.include({ message });
      }
      expect(await bundles()).to.eql(before);
    });

  it('treats a bundle of another tenant as missing', async () => {
    const bundle = (await bundles())[0] as { readonly bundleId: string };
    const theirs = await createAccount({ call }, {}, eve);
    await post('/catalog', await exampleCatalog(), { ...xmlType, ...eve });
    const attempt = async (bundleId: string) => {
      const body = [{ accountId: theirs, planName: 'archive-monthly', bundleId }];
      const reply = await call('POST', ONE, { body, headers: eve });
      return [reply.status, reply.text.replaceAll(bundleId, '?')];
    };
    expect(await attempt(bundle.bundleId)).to.eql(await attempt(nobody));
    expect((await attempt(nobody))[0]).to.equal(404);
  });
});
