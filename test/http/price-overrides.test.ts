import { catalogXml, lists, phase, plan, price } from '../support/catalogs/catalog-document.ts';
import { aliasHeaders, createAccount, eachDatabaseByTurns, expect, list } from '../support/http/index.ts';
import { createdId, expectStatus, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';

const catalog = catalogXml({
  currencies: ['USD', 'EUR'],
  units: ['call', 'seat'],
  plans: plan('gold-monthly', 'P', {
    initialPhases: phase('TRIAL', { number: 14, fixed: '0' }),
    finalPhase: phase('EVERGREEN', {
      price: price('USD', '50.00') + price('EUR', '45.00'),
      usages: `<usage name="api" billingMode="IN_ARREAR" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>
        <tiers><tier><blocks>${tieredBlock('10', '2.00')}</blocks></tier>
        <tier><blocks>${tieredBlock('-1', '1.00')}</blocks></tier></tiers></usage>
        <usage name="seats" billingMode="IN_ARREAR" usageType="CAPACITY"><billingPeriod>MONTHLY</billingPeriod>
        <tiers><tier><limits><limit><unit>seat</unit><max>5</max></limit></limits>
        <recurringPrice>${price('USD', '20.00') + price('EUR', '18.00')}</recurringPrice></tier></tiers></usage>`,
    }),
  }),
  priceLists: lists({ DEFAULT: ['gold-monthly'] }),
});

function tieredBlock(max: string, amount: string): string {
  const prices = price('USD', amount) + price('EUR', amount);
  return `<tieredBlock><unit>call</unit><size>100</size><prices>${prices}</prices><max>${max}</max></tieredBlock>`;
}

interface PricesJson {
  readonly phaseType: string;
}

eachDatabaseByTurns.describe('price overrides over HTTP', (open) => {
  const serving = serveOnce(open);
  const { call, post, get } = serving;
  let accountId: string;

  before(async () => {
    await post('/catalog', catalog, xmlType);
    accountId = await createAccount({ call });
  });

  function create(priceOverrides: unknown, more: object = {}, headers = {}): Promise<Reply> {
    const body = { accountId, planName: 'gold-monthly', priceOverrides, ...more };
    return post('/subscriptions', body, headers);
  }

  async function read(id: string, headers = {}): Promise<Record<string, unknown>> {
    const reply = expectStatus(await get(`/subscriptions/${id}`, headers), 200);
    return reply.json as Record<string, unknown>;
  }

  for (const [dialect, headers] of [
    ['D', {}],
    ['K', aliasHeaders],
  ] as const)
    it(`return the overridden prices on creation in dialect ${dialect} (json-models 17.8)`, async () => {
      const reply = await create([{ phaseType: 'EVERGREEN', recurringPrice: 42 }], {}, headers);
      expect(reply.status, reply.text).to.equal(201);
      const subscription = await read(createdId(reply), headers);
      expect(subscription).to.include({ planName: 'gold-monthly-1', priceOverrides: null });
      const prices = subscription.prices as readonly PricesJson[];
      expect(prices.find(({ phaseType }) => phaseType === 'EVERGREEN')).to.deep.include({
        planName: 'gold-monthly-1',
        phaseName: 'gold-monthly-1-evergreen',
        fixedPrice: null,
        recurringPrice: 42,
      });
    });

  it('accept prices as numbers or strings and show overridden usage prices', async () => {
    const reply = await create([
      { planName: 'gold-monthly', phaseName: 'gold-monthly-trial', fixedPrice: '1.50' },
      {
        phaseType: 'EVERGREEN',
        recurringPrice: null,
        usagePrices: [
          {
            usageName: 'api',
            usageType: 'CONSUMABLE',
            billingMode: 'IN_ARREAR',
            tierBlockPolicy: 'ALL_TIERS',
            tierPrices: [{ blockPrices: [{ unitName: 'call', size: 100.0, price: 0.5, max: -1 }] }],
          },
          { usageName: 'seats', tierPrices: [{ recurringPrice: 15 }] },
        ],
      },
    ]);
    expect(reply.status, reply.text).to.equal(201);
    const usage = (recurringPrice: object) => [
      {
        usageName: 'api',
        usageType: 'CONSUMABLE',
        billingMode: 'IN_ARREAR',
        tierBlockPolicy: 'ALL_TIERS',
        tierPrices: [
          { blockPrices: [{ unitName: 'call', size: 100, price: 2, max: 10 }], ...nullIn(recurringPrice) },
          { blockPrices: [{ unitName: 'call', size: 100, price: 0.5, max: -1 }], ...nullIn(recurringPrice) },
        ],
      },
      {
        usageName: 'seats',
        usageType: 'CAPACITY',
        billingMode: 'IN_ARREAR',
        tierBlockPolicy: 'ALL_TIERS',
        tierPrices: [{ blockPrices: [], ...recurringPrice }],
      },
    ];
    for (const [headers, seats] of [
      [{}, { recurringPrice: 15 }],
      [aliasHeaders, {}],
    ] as const) {
      const { prices } = await read(createdId(reply), headers);
      expect(prices).to.eql([
        {
          planName: 'gold-monthly-2',
          phaseName: 'gold-monthly-2-trial',
          phaseType: 'TRIAL',
          fixedPrice: 1.5,
          recurringPrice: null,
          usagePrices: [],
        },
        {
          planName: 'gold-monthly-2',
          phaseName: 'gold-monthly-2-evergreen',
          phaseType: 'EVERGREEN',
          fixedPrice: null,
          recurringPrice: 50,
          usagePrices: usage(seats),
        },
      ]);
    }
  });

  it('accept prices in the format of a response', async () => {
    const { prices } = await read(createdId(await create([{ phaseType: 'EVERGREEN', recurringPrice: 42 }])));
    const reply = expectStatus(await create(prices, { planName: 'gold-monthly-1' }), 201);
    const again = await read(createdId(reply));
    expect(again.planName).to.equal('gold-monthly-3');
    expect(JSON.stringify(again.prices).replaceAll('gold-monthly-3', 'gold-monthly-1')).to.equal(
      JSON.stringify(prices),
    );
  });

  it('appear on invoices under the name of their plan', async () => {
    const other = await createAccount({ call }, { currency: 'EUR' });
    const reply = await create([{ phaseType: 'TRIAL', fixedPrice: 3 }], { accountId: other });
    expect(reply.status, reply.text).to.equal(201);
    await serving.billing.settle();
    const invoices = await list(serving, `/1.0/kb/accounts/${other}/invoices?includeInvoiceComponents=true`);
    const [item] = (invoices[0] as { readonly items: readonly unknown[] }).items;
    const { planName } = await read(createdId(reply));
    expect(item).to.include({
      itemType: 'FIXED',
      amount: 3,
      currency: 'EUR',
      planName,
      phaseName: `${String(planName)}-trial`,
      prettyPlanName: 'gold-monthly',
    });
  });

  it('never appear in the catalog', async () => {
    const { text } = await get('/catalog');
    expect(text)
      .to.contain('gold-monthly')
      .and.not.to.match(/gold-monthly-\d/);
  });

  it('leave the stored data unchanged if they are rejected', async () => {
    const evergreen = (more: object) => [{ phaseType: 'EVERGREEN', ...more }];
    const api = (tierPrices: unknown) => evergreen({ usagePrices: [{ usageName: 'api', tierPrices }] });
    const blocks = (...blockPrices: readonly object[]) => api([{ blockPrices }]);
    const block = { unitName: 'call', size: 100, max: 10 };
    const bare = await createAccount({ call }, {});
    const refusals: Readonly<Record<string, readonly [unknown, number, object?]>> = {
      'no price': [[{ phaseType: 'EVERGREEN' }], 60003],
      'an empty entry beside a good one': [[...evergreen({ recurringPrice: 1 }), {}], 60003],
      'no price in usage': [api([{ blockPrices: [block] }]), 60003],
      'a null entry': [[null], 60003],
      'an object instead of a list': [{ phaseType: 'EVERGREEN', recurringPrice: 1 }, 60001],
      'a price in words': [evergreen({ recurringPrice: 'ten' }), 60001],
      'too many digits': [evergreen({ recurringPrice: '1.0000000001' }), 60001],
      'a usage type that does not exist': [evergreen({ usagePrices: [{ usageType: 'FREE' }] }), 60001],
      'no phase': [[{ recurringPrice: 1 }], 2081],
      'an unknown phase type': [[{ phaseType: 'GRACE', recurringPrice: 1 }], 2081],
      'an unknown phase': [[{ phaseName: 'gold-monthly-discount', recurringPrice: 1 }], 2081],
      'a fixed price without one': [evergreen({ fixedPrice: 1 }), 2081],
      'a recurring price without one': [[{ phaseType: 'TRIAL', recurringPrice: 1 }], 2081],
      'a negative price': [evergreen({ recurringPrice: -1 }), 2081],
      'a price twice': [
        [...evergreen({ recurringPrice: 1 }), { phaseName: 'gold-monthly-evergreen', recurringPrice: 1 }],
        2081,
      ],
      'an unknown usage': [
        evergreen({ usagePrices: [{ usageName: 'x', tierPrices: [{ recurringPrice: 1 }] }] }),
        2081,
      ],
      'an unknown block': [blocks({ ...block, size: 99, price: 1 }), 2081],
      'a block twice': [blocks({ ...block, price: 1 }, { ...block, price: 1 }), 2081],
      'a tier price of blocks': [api([{ recurringPrice: 1 }]), 2081],
      'another plan': [[{ planName: 'silver', phaseType: 'EVERGREEN', recurringPrice: 1 }], 2081],
      'an account without currency': [evergreen({ recurringPrice: 1 }), 3, { accountId: bare }],
      'an unknown plan': [evergreen({ recurringPrice: 1 }), 2021, { planName: 'gold-monthly-99' }],
      'an unknown account': [evergreen({ recurringPrice: 1 }), 3002, { accountId: bare.replace(/^./, 'f') }],
      'a bad phase to start in': [evergreen({ recurringPrice: 77 }), 1011, { phaseType: 'DISCOUNT' }],
      'a bad bundle': [evergreen({ recurringPrice: 77 }), 1081, { bundleId: bare }],
    };
    const everything = async (): Promise<string> => {
      const { text } = await get(`/accounts/${accountId}/bundles?audit=FULL`);
      return text;
    };
    const before = await everything();
    const last = await lastPlan();
    for (const [what, [overrides, code, more]] of Object.entries(refusals)) {
      const reply = await create(overrides, more);
      expect(reply.json, `${what}: ${reply.text}`).to.include({ code });
      expect(reply.status, what).to.equal(code === 3002 || code === 1081 ? 404 : 400);
    }
    expect(await everything()).to.equal(before);
    expect(await lastPlan()).to.equal(last);
  });

  async function lastPlan(): Promise<number> {
    const { recordId, id } = await serving.billing.tenants.refOf(
      ((await get('/tenants?apiKey=bob')).json as { readonly tenantId: never }).tenantId,
    );
    return serving.storage.read({ id, recordId }, (session) => session.catalogs.lastOverridePlanNumber());
  }
});

function nullIn(shown: object): object {
  return 'recurringPrice' in shown ? { recurringPrice: null } : {};
}
