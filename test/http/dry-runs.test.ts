import { readFile } from 'node:fs/promises';
import { aliasHeaders, eachDatabaseByTurns, expect, specCatalog } from '../support/http/index.ts';
import { createdId, expectStatus, type Serving, serveOnce, xmlType } from '../support/http/serving.ts';

const core = '/1.0/kb';
const nobody = '11111111-1111-4111-8111-111111111111';

eachDatabaseByTurns.describe('subscription action dry runs over HTTP', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  let of: { readonly subscriptionId: string; readonly bundleId: string };

  before(async () => {
    serving.clock.set('2024-05-01T00:00:00Z');
    await send('POST', '/catalog', { body: await readFile(specCatalog), headers: xmlType });
    const account = { currency: 'USD', billCycleDayLocal: 1 };
    accountId = createdId(await send('POST', '/accounts', { body: account }));
    const body = { accountId, planName: 'solo-now' };
    const subscriptionId = createdId(await send('POST', '/subscriptions', { body }));
    await serving.billing.settle();
    const shown = (await send('GET', `/subscriptions/${subscriptionId}`)).json as { bundleId: string };
    of = { subscriptionId, bundleId: shown.bundleId };
    serving.clock.set('2024-05-11T00:00:00Z');
  });

  const send = (method: string, path: string, request: Parameters<Serving['call']>[2] = {}) =>
    serving.call(method, core + path, request);

  async function foresee(action: object, headers = {}, query = '') {
    const body = { dryRunType: 'SUBSCRIPTION_ACTION', ...action };
    const reply = await send('POST', `/invoices/dryRun?accountId=${accountId}${query}`, { body, headers });
    const shown = (reply.json ?? {}) as { items?: readonly { itemType: string; amount: number }[] };
    const items = shown.items?.map(({ itemType, amount }) => `${itemType} ${amount}`);
    return { ...reply, items: items ?? [] };
  }

  const actions = {
    STOP_BILLING: { dryRunAction: 'STOP_BILLING' },
    CHANGE: { dryRunAction: 'CHANGE', planName: 'team-now' },
  };

  for (const [name, now] of [
    ['STOP_BILLING', ['REPAIR_ADJ -13.51', 'CBA_ADJ 13.51']],
    ['CHANGE', ['REPAIR_ADJ -13.51', 'RECURRING 20.29']],
  ] as const) {
    it(`use the catalog’s policy in dialect D and the current time in dialect K for ${name} without a date or policy`, async () => {
      const action = { ...actions[name], ...of };
      const ofTerm = { ...action, billingPolicy: 'END_OF_TERM' };
      const inD = await foresee(action);
      expect(inD.items).to.not.include.members(now);
      expect(inD.items).to.eql((await foresee(ofTerm)).items);
      expect(expectStatus(await foresee(action, aliasHeaders), 200).items).to.have.members(now);
    });

    it(`use the action’s own date in dialect D and today in dialect K for ${name} without a target date (R53)`, async () => {
      const action = { ...actions[name], ...of };
      for (const later of [{ billingPolicy: 'END_OF_TERM' }, { effectiveDate: '2024-06-20' }]) {
        // A stop has nothing to bill on its own day.
        const expected = name === 'STOP_BILLING' ? 204 : 200;
        expectStatus(await foresee({ ...action, ...later }), expected);
        const inK = await foresee({ ...action, ...later }, aliasHeaders);
        expect([inK.status, inK.text]).to.eql([204, '']);
        const foreseen = await foresee({ ...action, ...later }, aliasHeaders, '&targetDate=2024-06-20');
        expect(foreseen.status, foreseen.text).to.equal(expected);
      }
      const atOnce = await foresee({ ...action, billingPolicy: 'IMMEDIATE' }, aliasHeaders);
      expect(atOnce.items).to.have.members(now);
    });

    it(`apply the requested policy to ${name} in both dialects`, async () => {
      for (const headers of [{}, aliasHeaders]) {
        const foreseen = { ...actions[name], ...of };
        const ofTerm = await foresee({ ...foreseen, billingPolicy: 'END_OF_TERM' }, headers);
        expect(ofTerm.items).to.not.include.members(now);
        expect((await foresee({ ...foreseen, billingPolicy: 'IMMEDIATE' }, headers)).items).to.have.members(
          now,
        );
      }
    });
  }

  it('return the catalog’s pretty names only in dialect D (http-api §4 line 19)', async () => {
    const pretty = ['prettyProductName', 'prettyPlanName', 'prettyPhaseName', 'prettyUsageName'];
    const namesOf = async (headers: object) => {
      const { json } = await foresee({ ...actions.CHANGE, ...of, billingPolicy: 'IMMEDIATE' }, headers);
      const { items } = json as { readonly items: readonly Readonly<Record<string, unknown>>[] };
      const item = items.find(({ itemType }) => itemType === 'RECURRING');
      expect(item).to.include({ planName: 'team-now' });
      return pretty.map((name) => item?.[name]);
    };
    expect(await namesOf({})).to.eql(['Team', 'team-now', 'team-now-evergreen', null]);
    expect(await namesOf(aliasHeaders)).to.eql([null, null, null, null]);
  });

  it('reject missing ids with the messages that clients show', async () => {
    const planned = { dryRunAction: 'CHANGE', ...of, planName: 'team-now' };
    const setBeside = (what: string) =>
      `DryRun subscription ${what} should not be set when planName is specified`;
    const table: readonly (readonly [action: object, message: string])[] = [
      [{ dryRunAction: 'STOP_BILLING', bundleId: nobody }, 'DryRun subscriptionID should be specified'],
      [{ dryRunAction: 'STOP_BILLING', subscriptionId: nobody }, 'DryRun bundleID should be specified'],
      [{ dryRunAction: 'CHANGE', planName: 'team-now' }, 'DryRun subscriptionID should be specified'],
      [
        { dryRunAction: 'CHANGE', planName: 'team-now', subscriptionId: nobody },
        'DryRun bundleID should be specified',
      ],
      [
        { ...planned, productCategory: 'BASE', billingPeriod: 'MONTHLY', productName: 'Team' },
        setBeside('productName'),
      ],
      [{ ...planned, productCategory: 'BASE', billingPeriod: 'MONTHLY' }, setBeside('billing period')],
      [{ ...planned, productCategory: 'BASE' }, setBeside('product category')],
    ];
    for (const [action, message] of table) {
      const { status, json } = await foresee(action, aliasHeaders);
      expect([status, (json as { message: string }).message]).to.eql([400, message]);
    }
  });

  it('need only the subscription id, explain their items and reject unknown members in dialect D', async () => {
    const { subscriptionId } = of;
    const body = {
      dryRunType: 'SUBSCRIPTION_ACTION',
      ...actions.CHANGE,
      billingPolicy: 'IMMEDIATE',
      subscriptionId,
    };
    const { status, json } = await send('POST', '/invoices/dryRun?explain=true', {
      body: { ...body, quantity: 2 },
    });
    expect(status).to.equal(200);
    const { items } = json as { items: readonly { amount: number; explanation: { text: string } }[] };
    expect(items.map(({ amount }) => amount)).to.have.members([-13.51, 40.58]);
    expect(items.every(({ explanation }) => explanation.text !== '')).to.equal(true);
    const unknown = await foresee({ ...body, plan: 'team-now' });
    expect([unknown.status, (unknown.json as { message: string }).message.split('.')[0]]).to.eql([
      400,
      'InvoiceDryRunJson plan is not a valid member',
    ]);
    const inK = await foresee({ ...body, ...of, quantity: 'x', plan: 'x' }, aliasHeaders, '&explain=true');
    expect(inK.items).to.have.members(['REPAIR_ADJ -13.51', 'RECURRING 20.29']);
    expect(JSON.stringify(inK.json)).to.not.contain('explanation');
    const incomplete = await send('POST', '/invoices/dryRun', { body, headers: aliasHeaders });
    expect(incomplete.status).to.equal(400);
  });
});
