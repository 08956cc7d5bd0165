import { PLUGIN } from '../../adapters/koa/routing/path.ts';
import { readCatalogXml } from '../../lib/catalog/index.ts';
import { overlayCatalog } from '../support/catalogs/overlay-catalog.ts';
import { aliasHeaders, bearer, createAccount, createdId } from '../support/http/index.ts';
import { eve, outcomeOf, type Reply, type Request, serveEach, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

interface PlanRowJson {
  readonly name: string;
  readonly effectiveDate: string;
  readonly effectiveDateForExistingSubscriptions: string;
  readonly retired: boolean;
}

interface VersionJson {
  readonly effectiveDate: string;
  readonly products: readonly { readonly plans: readonly { readonly name: string }[] }[];
}

function planOf(name: string, effectiveDate: string, price = '10') {
  return {
    name,
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate,
    productName: 'Pot',
    pricelistName: 'DEFAULT',
    phases: [evergreen(price)],
  };
}

function evergreen(price: string) {
  return {
    type: 'EVERGREEN',
    durationUnit: 'UNLIMITED',
    recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: price }] },
  };
}

const pot = { name: 'Pot', category: 'BASE' };

eachDatabaseByTurns.describe('catalog entries over HTTP', (open) => {
  const serving = serveEach(open);
  const { call, get, post } = serving;
  let authorization: string;

  beforeEach(async () => {
    authorization = await bearer(serving, 'admin');
  });

  const entries = (method: string, path: string, request: Request = {}): Promise<Reply> =>
    call(method, `${PLUGIN}/catalog/${path}`, {
      ...request,
      headers: { authorization, 'x-service-createdby': undefined, ...request.headers },
    });

  async function made(reply: Promise<Reply>): Promise<unknown> {
    const { status, text, json } = await reply;
    expect(status, text).to.be.oneOf([200, 201]);
    return json;
  }

  const refused = async (reply: Promise<Reply>) => outcomeOf(await reply);

  const input = (plans: readonly object[], more: object = {}, query = ''): Promise<Reply> =>
    entries('POST', `inputData${query}`, { body: { plans, ...more } });

  const newAccount = () => createAccount({ call });

  async function versions(query = ''): Promise<readonly string[]> {
    const { json } = await get(`/catalog${query}`, aliasHeaders);
    return (json as readonly VersionJson[]).map(
      ({ effectiveDate, products }) =>
        `${effectiveDate.slice(0, 10)} ${products
          .flatMap(({ plans }) => plans.map(({ name }) => name))
          .toSorted()
          .join()}`,
    );
  }

  it('appear to clients as catalog versions (catalog W18 "Entries to versions")', async () => {
    serving.clock.set('2024-01-01T00:00:00Z');
    await made(input([planOf('p1', '2024-01-01')], { products: [pot] }));
    await made(input([planOf('p2', '2024-02-01'), planOf('p3', '2024-05-01T00:00')]));
    const dates = 'effDate=2024-05-01&effectiveDateForExistingSubscriptions=2024-06-01';
    await made(entries('PUT', `p1/updatePlan?${dates}`, { body: [evergreen('12')] }));
    serving.clock.set('2024-07-01T00:00:00Z');
    const retired = await entries('DELETE', 'p2/retirePlan');
    expect([retired.status, retired.text]).to.eql([200, '']);
    expect(await versions()).to.eql([
      '2024-01-01 p1',
      '2024-02-01 p1,p2',
      '2024-05-01 p1,p2,p3',
      '2024-07-01 p1,p3',
    ]);
    const rows = (await made(entries('GET', 'plan/all'))) as readonly PlanRowJson[];
    expect(
      rows.map(({ name, effectiveDate, retired }) => `${name} ${effectiveDate.slice(0, 10)} ${retired}`),
    ).to.eql([
      'p1 2024-01-01 false',
      'p1 2024-05-01 false',
      'p2 2024-02-01 false',
      'p2 2024-07-01 true',
      'p3 2024-05-01 false',
    ]);
    expect(rows[1]?.effectiveDateForExistingSubscriptions).to.equal('2024-06-01T00:00:00.000Z');
    expect(await made(entries('GET', 'Pot/plansPerProduct'))).to.eql(rows);
    expect(await made(entries('GET', 'p2/plan'))).to.eql({
      name: 'p2',
      prettyName: '',
      recurringBillingMode: 'IN_ADVANCE',
      effectiveDate: '2024-07-01T00:00:00.000Z',
      effectiveDateForExistingSubscriptions: '',
      productName: 'Pot',
      pricelistName: 'DEFAULT',
      retired: true,
      phases: [
        {
          prettyName: '',
          type: 'EVERGREEN',
          durationUnit: 'UNLIMITED',
          durationLength: -1,
          fixedPrices: [],
          usages: [],
        },
      ],
    });
    expect((await entries('DELETE', 'p2/retirePlan')).status).to.equal(200);
    expect(await made(entries('GET', 'plan/all'))).to.have.length(5);
    const [product] = (await made(entries('GET', 'product/all'))) as readonly object[];
    expect(product).to.include({ name: 'Pot', retiredDate: '' });
  });

  it('give one account its own plan that other accounts cannot buy (catalog W19 "Overlay")', async () => {
    for (const body of overlayCatalog) await post('/catalog/xml', body, xmlType);
    await made(input([planOf('e', '2024-03-01')], { products: [pot] }));
    expect(await versions()).to.eql(['2024-01-01 x', '2024-03-01 e,x', '2024-04-01 e,x,y']);
    const [a, b] = [await newAccount(), await newAccount()];
    await made(input([{ ...planOf('acct-x', '2024-01-01'), productName: 'Pan' }], {}, `?accountId=${a}`));
    expect(await versions(`?accountId=${a}`)).to.eql(['2024-01-01 acct-x']);
    expect(await versions(`?accountId=${b}`)).to.eql(await versions());
    const subscribe = (accountId: string): Promise<Reply> =>
      post('/subscriptions', { accountId, planName: 'acct-x' });
    expect(await refused(subscribe(b))).to.eql([400, 2021]);
    expect((await subscribe(a)).status).to.equal(201);
    const bought = async (accountId: string): Promise<readonly string[]> => {
      const { json } = await get(`/catalog/availableBasePlans?accountId=${accountId}`);
      return (json as readonly { readonly plan: string }[]).map(({ plan }) => plan);
    };
    expect([await bought(a), await bought(b)]).to.eql([['acct-x'], ['x']]);
    const dates = await get(`/catalog/versions?accountId=${a}`);
    expect(dates.json).to.eql(['2024-01-01T00:00:00.000Z']);
    const { text } = await get(`/catalog/xml?accountId=${a}`);
    expect(text.match(/<plan name="[^"]*/g)).to.eql(['<plan name="acct-x']);
    expect(await made(entries('GET', `plan/all?accountId=${a}`))).to.have.length(1);
    expect(await made(entries('GET', `plan/all?accountId=${b}`))).to.eql([]);
    expect(await made(entries('GET', `Pan/plansPerProduct?accountId=${a}`))).to.have.length(1);
    expect(await refused(entries('GET', 'acct-x/plan'))).to.eql([404, 61006]);
    expect(await made(entries('GET', `info?accountId=${a}`))).to.eql({ state: 'CATALOG_STATE_PLUGIN' });
  });

  it('are returned exactly as stored, both on creation and when the creation is repeated', async () => {
    const tier = (
      tierNumber: number,
      [billingMeterCode, max, value]: readonly [unknown, number, unknown],
    ) => ({
      tierNumber,
      blocks: [{ billingMeterCode, size: 1, max, prices: [{ currency: 'USD', value }] }],
    });
    const water = { usageName: 'water', usageType: 'CONSUMABLE', billingPeriod: 'MONTHLY' };
    const tiers = [tier(2, [{ name: 'litre' }, -1, 0.5]), tier(1, [{ code: 'litre' }, 100, '1.25'])];
    const usages = [{ ...water, tiers }];
    const body = {
      catalogName: 'Pots',
      products: [
        { ...pot, prettyName: 'A pot', availableAddons: ['Lid'] },
        { name: 'Lid', category: 'ADD_ON', availableForBps: ['Pot'], retiredDate: '2020-01-01' },
      ],
      plans: [
        {
          ...planOf('p1', '2024-02-01T10:00+02:00'),
          prettyName: 'Plan one',
          pricelistName: 'Spring',
          retired: true,
          effectiveDateForExistingSubscriptions: '',
          phases: [
            { phaseType: 'TRIAL', durationUnit: 'DAYS', durationLength: 30, fixedPrices: [] },
            { ...evergreen('10.5'), usages },
          ],
        },
      ],
    };
    const expected = {
      catalogName: 'Pots',
      plans: [
        {
          name: 'p1',
          prettyName: 'Plan one',
          recurringBillingMode: 'IN_ADVANCE',
          effectiveDate: '2024-02-01T08:00:00.000Z',
          effectiveDateForExistingSubscriptions: '',
          productName: 'Pot',
          pricelistName: 'Spring',
          retired: false,
          phases: [
            {
              prettyName: '',
              type: 'TRIAL',
              durationUnit: 'DAYS',
              durationLength: 30,
              fixedPrices: [],
              usages: [],
            },
            {
              prettyName: '',
              type: 'EVERGREEN',
              durationUnit: 'UNLIMITED',
              durationLength: -1,
              fixedPrices: [],
              recurringPrices: {
                billingPeriod: 'MONTHLY',
                prices: [{ currency: 'USD', value: '10.500000000' }],
              },
              usages: [
                {
                  ...water,
                  prettyName: '',
                  tierBlockPolicy: 'ALL_TIERS',
                  tiers: [tier(2, ['litre', -1, '0.500000000']), tier(1, ['litre', 100, '1.250000000'])],
                },
              ],
            },
          ],
        },
      ],
      products: [
        {
          name: 'Pot',
          prettyName: 'A pot',
          category: 'BASE',
          availableForBps: [],
          availableAddons: ['Lid'],
          retiredDate: '',
        },
        {
          name: 'Lid',
          prettyName: '',
          category: 'ADD_ON',
          availableForBps: ['Pot'],
          availableAddons: [],
          retiredDate: '',
        },
      ],
    };
    expect(await made(entries('POST', 'inputData', { body }))).to.eql(expected);
    const repeated = {
      ...body,
      catalogName: 'Pans',
      plans: [{ ...body.plans[0], phases: [evergreen('99')] }],
    };
    expect(await made(entries('POST', 'inputData', { body: repeated }))).to.eql(expected);
    expect(await made(entries('POST', 'plan', { body: { name: 'p1' } }))).to.eql(expected.plans[0]);
    expect(await made(entries('GET', 'product/all'))).to.eql(expected.products.toReversed());
    const [version] = (await get('/catalog?requestedDate=2024-02-02')).json as readonly {
      readonly name: string;
      readonly units: unknown;
      readonly priceLists: readonly unknown[];
      readonly products: readonly { readonly name: string; readonly available: readonly string[] }[];
    }[];
    expect(version?.name).to.equal('Pots');
    expect(version?.units).to.eql([{ name: 'litre', prettyName: 'litre' }]);
    expect(version?.priceLists).to.eql([
      { name: 'DEFAULT', prettyName: 'DEFAULT', plans: [] },
      { name: 'Spring', prettyName: 'Spring', plans: ['p1'] },
    ]);
    expect(version?.products.map(({ name, available }) => [name, available])).to.eql([
      ['Lid', []],
      ['Pot', ['Lid']],
    ]);
  });

  it('show a price with nine decimals, unlike the catalog, which omits trailing zeros (json-models 17.7)', async () => {
    const effectiveDateForExistingSubscriptions = '2024-02-01T00:00:00.000Z';
    const plan = { ...planOf('p1', '2024-01-01', '10.5'), effectiveDateForExistingSubscriptions };
    const [created] = (
      (await made(input([plan], { products: [pot] }))) as {
        readonly plans: readonly [{ readonly phases: readonly object[] }];
      }
    ).plans;
    const { phases } = created;
    // catalog §15.1 rule 4: stored and shown, without effect on the first row.
    expect(created).to.include({ effectiveDateForExistingSubscriptions });
    expect(phases[0]).to.have.nested.property('recurringPrices.prices[0].value', '10.500000000');
    const { text } = await get('/catalog');
    expect(text).to.include('"prices":[{"currency":"USD","value":10.5}]');
  });

  it('can be dated only from the first to the last instant of the calendar', async () => {
    const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
    await made(input([planOf('old', '0001-01-01', '7'), planOf('far', last)], { products: [pot] }));
    const dates = `effDate=${last}&effectiveDateForExistingSubscriptions=${last}`;
    await made(entries('PUT', `old/updatePlan?${dates}`, { body: [evergreen('12')] }));
    const rows = (await made(entries('GET', 'plan/all'))) as readonly {
      readonly name: string;
      readonly effectiveDate: string;
    }[];
    expect(rows.map(({ name, effectiveDate }) => [name, effectiveDate])).to.eql([
      ['far', last],
      ['old', first],
      ['old', last],
    ]);
    expect(await versions()).to.eql(['0001-01-01 old', '9999-12-31 far,old']);
    const { json } = await get('/catalog/versions');
    expect(json).to.eql([first, last]);
    const xml = await get('/catalog/xml', aliasHeaders);
    expect(readCatalogXml(xml.text).versions).to.have.length(2);

    // In time zones far from UTC, these instants are on days outside the calendar.
    for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const account = { currency: 'USD', timeZone };
      const accountId = createdId(await post('/accounts', account));
      const subscription = { accountId, planName: 'old' };
      expect((await post('/subscriptions', subscription)).status).to.equal(201);
      await serving.billing.settle();
      const invoices = await get(`/accounts/${accountId}/invoices`);
      expect(invoices.json).to.have.length(1);
      expect(invoices.json).to.have.nested.property('[0].amount', 7);
    }
    for (const effectiveDate of ['10000-01-01', '0000-12-31', '-0001-01-01', '+10000-01-01T00:00:00Z']) {
      expect(await refused(input([planOf('beyond', effectiveDate)]))).to.eql([400, 60001]);
      const query = `effDate=${encodeURIComponent(effectiveDate)}`;
      expect(await refused(entries('PUT', `old/updatePlan?${query}`, { body: [evergreen('1')] }))).to.eql([
        400, 60002,
      ]);
    }
    expect(await made(entries('GET', 'plan/all'))).to.have.length(3);
  });

  it('are rejected in every documented error case, and change nothing', async () => {
    const account = await newAccount();
    await made(input([planOf('p1', '2024-01-01')], { products: [pot] }));
    const before = [await versions(), await made(entries('GET', 'plan/all'))];
    const ghost = { ...planOf('p2', '2024-01-01'), productName: 'Ghost' };
    const used = await post('/subscriptions', { accountId: account, planName: 'p1' });
    expect(used.status, used.text).to.equal(201);
    const early = 'effectiveDateForExistingSubscriptions=2025-01-01';
    const rows: readonly (readonly [call: () => Promise<Reply>, status: number, code: number])[] = [
      [() => input([ghost]), 400, 61001],
      [() => entries('POST', 'plan', { body: ghost }), 400, 61001],
      [() => input([planOf('p1', '2024-01-01')], {}, `?accountId=${account}`), 400, 61002],
      [() => input([planOf('p2', '2024-01-01')], { products: [pot] }, `?accountId=${account}`), 400, 61002],
      [() => input([]), 400, 61004],
      [() => entries('POST', 'plan', { body: {} }), 400, 61004],
      [() => entries('PUT', 'p1/updatePlan', { body: [] }), 400, 61004],
      [() => entries('PUT', 'p1/updatePlan?effDate=2023-01-01', { body: [evergreen('12')] }), 400, 61004],
      [() => entries('PUT', `p1/updatePlan?${early}`, { body: [evergreen('12')] }), 400, 61004],
      [() => entries('PUT', 'p2/updatePlan', { body: [evergreen('12')] }), 404, 61006],
      [() => entries('GET', 'p2/plan'), 404, 61006],
      [() => entries('DELETE', 'p2/retirePlan'), 404, 61006],
      [() => entries('DELETE', 'p2/deletePlan?force=true'), 404, 61006],
      [() => entries('DELETE', 'p1/deletePlan'), 400, 61003],
      [() => entries('DELETE', 'p1/deletePlan?force=false'), 400, 61003],
      [() => entries('DELETE', 'p1/deletePlan?force=true'), 400, 61005],
      [() => entries('DELETE', 'product/Pot/deleteProduct'), 400, 61003],
      [() => entries('DELETE', 'product/Pot/deleteProduct?force=true'), 400, 61005],
      [() => entries('DELETE', 'product/Ghost/deleteProduct?force=true'), 404, 61007],
      [() => entries('GET', 'Ghost/plansPerProduct'), 404, 61007],
    ];
    for (const [index, [request, status, code]] of rows.entries())
      expect(await refused(request()), `row ${index}`).to.eql([status, code]);
    expect([await versions(), await made(entries('GET', 'plan/all'))]).to.eql(before);
  });

  it('are rejected if a value has the wrong type, and change nothing', async () => {
    const plan = planOf('p1', '2024-01-01');
    const [phase] = plan.phases;
    const usage = { usageName: 'water', usageType: 'CONSUMABLE', billingPeriod: 'MONTHLY' };
    const block = { billingMeterCode: 'litre', size: 1, max: -1, prices: [] };
    const inPhase = (more: object) => ({ ...plan, phases: [{ ...phase, ...more }] });
    const inBlock = (more: object) =>
      inPhase({ usages: [{ ...usage, tiers: [{ tierNumber: 1, blocks: [{ ...block, ...more }] }] }] });
    const plans: readonly object[] = [
      { ...plan, recurringBillingMode: 'SOMETIMES' },
      { ...plan, effectiveDate: 'soon' },
      { ...plan, phases: phase },
      { ...plan, effectiveDate: true },
      { ...plan, name: ['p1'] },
      inPhase({ type: 'GRACE' }),
      inPhase({ durationUnit: 'HOURS' }),
      inPhase({ durationLength: 1.5 }),
      inPhase({ recurringPrices: { billingPeriod: 'FORTNIGHTLY', prices: [] } }),
      inPhase({ fixedPrices: [{ currency: 'USD', value: 'ten' }] }),
      inPhase({ fixedPrices: [{ currency: 'USD', value: '1.0000000001' }] }),
      inPhase({ usages: [{ ...usage, usageType: 'FREE' }] }),
      inPhase({ usages: [{ ...usage, tierBlockPolicy: 'SOME_TIERS' }] }),
      inBlock({ size: 'x' }),
      inBlock({ size: 0.5 }),
      inBlock({ max: {} }),
    ];
    for (const body of plans) {
      expect(await refused(entries('POST', 'plan', { body })), JSON.stringify(body)).to.eql([400, 60001]);
      expect(await refused(input([body], { products: [pot] }))).to.eql([400, 60001]);
    }
    for (const product of [{ ...pot, category: 'MAIN' }, { ...pot, availableAddons: 'Lid' }, 'Pot'])
      expect(await refused(input([plan], { products: [product] }))).to.eql([400, 60001]);
    expect(await made(entries('GET', 'product/all'))).to.eql([]);
    expect(await versions()).to.eql([]);
  });

  it('are unknown to another tenant', async () => {
    await made(input([planOf('p1', '2024-01-01')], { products: [pot] }));
    const asEve = (method: string, path: string, request: Request = {}): Promise<Reply> =>
      entries(method, path, { ...request, headers: eve });
    for (const [method, path] of [
      ['GET', 'NAME/plansPerProduct'],
      ['GET', 'NAME/plan'],
      ['DELETE', 'NAME/retirePlan'],
      ['DELETE', 'NAME/deletePlan?force=true'],
      ['DELETE', 'product/NAME/deleteProduct?force=true'],
    ] as const) {
      for (const name of ['p1', 'Pot']) {
        const [foreign, unknown] = [
          await asEve(method, path.replace('NAME', name)),
          await asEve(method, path.replace('NAME', 'nil')),
        ];
        expect(foreign.status, path).to.equal(404);
        expect(foreign.text.replaceAll(name, 'nil')).to.equal(unknown.text);
      }
    }
    expect(await made(asEve('GET', 'plan/all'))).to.eql([]);
    expect(await made(asEve('GET', 'product/all'))).to.eql([]);
    expect(await made(asEve('GET', 'info'))).to.eql({ state: 'CATALOG_STATE_INIT' });
    const own = { plans: [planOf('p1', '2024-02-01', '7')], products: [pot] };
    await made(asEve('POST', 'inputData', { body: own }));
    expect(await versions()).to.eql(['2024-01-01 p1']);
  });
});
