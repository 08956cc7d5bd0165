import { PLUGIN } from '../../adapters/koa/routing/path.ts';
import { BillingError, defineCatalog } from '../../lib/index.ts';
import { aliasHeaders, bearer, createAccount, createdId } from '../support/http/index.ts';
import { eve, expectStatus, outcomeOf, serveEach, xmlType } from '../support/http/serving.ts';
import { eachDatabase, expect } from '../support/index.ts';

const monthly = { type: 'EVERGREEN', recurring: { billingPeriod: 'MONTHLY', price: { USD: '20' } } } as const;

const bare = {
  name: 'Office',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Pro: { category: 'BASE' } },
  plans: {
    pro: {
      product: 'Pro',
      initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
      finalPhase: monthly,
    },
  },
} as const;

const withoutFeatures = defineCatalog(bare);

const featured = defineCatalog({
  ...bare,
  features: { sso: { kind: 'SWITCH' }, seats: { kind: 'NUMBER' }, calls: { kind: 'QUOTA' } },
  products: { Pro: { category: 'BASE', features: { sso: true } } },
  plans: {
    pro: {
      ...bare.plans.pro,
      features: { seats: { amount: 5, perQuantity: true }, calls: { amount: '1000.0', per: 'MONTH' } },
      initialPhases: [
        { ...bare.plans.pro.initialPhases[0], features: { calls: { amount: 100, per: 'MONTH' } } },
      ],
    },
  },
});

const unset = { per: null, overage: null, perQuantity: null };
const sso = { name: 'sso', value: 'true', ...unset };
const ofPlan = [
  { name: 'seats', value: '5', ...unset, perQuantity: true },
  { name: 'calls', value: '1000.0', ...unset, per: 'MONTH' },
];
const ofTrial = [{ name: 'calls', value: '100', ...unset, per: 'MONTH' }];

interface Shown {
  readonly features: unknown;
  readonly products: readonly (Shown & {
    readonly plans: readonly (Shown & { phases: readonly Shown[] })[];
  })[];
}

eachDatabase.describe('catalog features over HTTP', (open) => {
  const serving = serveEach(open);
  const { get, post } = serving;

  const upload = async (document: string, headers = {}) =>
    expectStatus(await post('/catalog/xml', document, { ...xmlType, ...headers }), 201);

  it('are the same in XML and JSON of dialect D as in the upload', async () => {
    const document = featured.toXml();
    await upload(document);
    expect((await get('/catalog/xml')).text).to.equal(document);
    const [version] = (await get('/catalog')).json as readonly Shown[];
    expect(version?.features).to.eql([
      { name: 'sso', kind: 'SWITCH', combine: null, unit: null },
      { name: 'seats', kind: 'NUMBER', combine: 'SUM', unit: null },
      { name: 'calls', kind: 'QUOTA', combine: null, unit: null },
    ]);
    const [pro] = version?.products ?? [];
    expect(pro?.features).to.eql([sso]);
    expect(pro?.plans[0]?.features).to.eql(ofPlan);
    expect(pro?.plans[0]?.phases.map((phase) => phase.features)).to.eql([ofTrial, []]);
  });

  it('are compared when a definition is synchronized again', async () => {
    await upload(featured.toXml());
    const { billing } = serving;
    const office = billing.as({ tenant: await billing.tenants.getByApiKey('bob'), user: 'test' });
    expect(await office.catalogs.sync(featured)).to.deep.include({ status: 'UNCHANGED' });
    const failure = await office.catalogs.sync(withoutFeatures).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(BillingError).and.to.include({ code: 2080 });
    expect(String(failure)).to.include('product "Pro", feature "sso" is stored, but missing');
  });

  it('are omitted from XML and JSON of dialect K', async () => {
    await upload(featured.toXml());
    await upload(withoutFeatures.toXml(), eve);
    const eveInK = {
      ...aliasHeaders,
      'x-killbill-apikey': eve['x-service-apikey'],
      'x-killbill-apisecret': eve['x-service-apisecret'],
    };
    for (const path of ['/catalog/xml', '/catalog']) {
      const { text } = await get(path, aliasHeaders);
      expect(text).to.not.include('feature');
      expect(text).to.equal((await get(path, eveInK)).text);
    }
    expect((await get('/catalog/xml', aliasHeaders)).text).to.equal(withoutFeatures.toXml());
  });

  it('apply to override plans, and remain when a simple plan is added', async () => {
    await upload(featured.toXml());
    const accountId = await createAccount(serving);
    const created = await post('/subscriptions', {
      accountId,
      planName: 'pro',
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: 7 }],
    });
    const { json } = await get(`/catalog/plan?subscriptionId=${createdId(created)}`);
    expect(json).to.deep.include({ name: 'pro-1', features: ofPlan });
    const lamp = { planId: 'lamp', productName: 'Lamp', productCategory: 'BASE', currency: 'USD', amount: 1 };
    expectStatus(await post('/catalog/simplePlan', { ...lamp, billingPeriod: 'MONTHLY' }), 201);
    const [version] = (await get('/catalog')).json as readonly Shown[];
    expect(version?.products.map(({ features }) => features)).to.eql([[], [sso]]);
    expect(version?.products[1]?.plans[0]?.features).to.eql(ofPlan);
  });

  it('are rejected with the line number if a value is invalid', async () => {
    const document = featured.toXml().replace('value="1000.0"', 'value="many"');
    const line = document.split('\n').findIndex((text) => text.includes('value="many"')) + 1;
    const { json } = await post('/catalog/xml/validate', document, xmlType);
    const [error] = (json as { catalogValidationErrors: readonly { errorDescription: string }[] })
      .catalogValidationErrors;
    expect(error?.errorDescription).to.equal(
      `line ${line}, column 13: Plan "pro": feature "calls" is a QUOTA and needs an amount of at least 0 with a period`,
    );
  });

  describe('in catalog entries', () => {
    let authorization: string;

    beforeEach(async () => {
      authorization = await bearer(serving, 'admin');
      await upload(featured.toXml());
    });

    const entries = (method: string, path: string, body?: unknown) => {
      const headers = { authorization, 'x-service-createdby': undefined };
      return serving.call(method, `${PLUGIN}/catalog/${path}`, { headers, body });
    };

    const recurringPrices = { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: '9' }] };
    const phase = { type: 'EVERGREEN', durationUnit: 'UNLIMITED', recurringPrices };
    const plan = {
      recurringBillingMode: 'IN_ADVANCE',
      effectiveDate: '2024-02-01',
      pricelistName: 'DEFAULT',
    };

    it('can have values if the XML catalog declares the features', async () => {
      const body = {
        plans: [
          {
            ...plan,
            name: 'own',
            productName: 'Own',
            features: ofPlan,
            phases: [{ ...phase, features: ofTrial }],
          },
          { ...plan, name: 'pro-entry', productName: 'Pro', phases: [phase] },
        ],
        products: [{ name: 'Own', category: 'BASE', features: [{ name: 'sso', value: 'false' }] }],
      };
      expectStatus(await entries('POST', 'inputData', body), 201);
      const row = expectStatus(await entries('GET', 'own/plan'), 200).json;
      expect(row).to.deep.include({ features: ofPlan });
      expect((row as { phases: readonly object[] }).phases[0]).to.deep.include({ features: ofTrial });
      const [version] = (await get('/catalog')).json as readonly Shown[];
      const [own, pro] = version?.products ?? [];
      expect(own).to.deep.include({ features: [{ ...sso, value: 'false' }] });
      expect(own?.plans[0]).to.deep.include({ features: ofPlan });
      expect(own?.plans[0]?.phases[0]).to.deep.include({ features: ofTrial });
      expect(pro).to.deep.include({ features: [sso] });
    });

    it('are rejected if they are undeclared or their values have the wrong form', async () => {
      const own = (features: unknown) => ({
        ...plan,
        name: 'own',
        productName: 'Pro',
        phases: [phase],
        features,
      });
      for (const [features, message] of [
        [[{ name: 'other', value: '1' }], 'feature "other" is not declared in this version'],
        [
          [{ name: 'calls', value: '1' }],
          'feature "calls" is a QUOTA and needs an amount of at least 0 with a period',
        ],
        [[{ value: '1' }], 'a feature: name needs to be set'],
      ] as const) {
        const reply = await entries('POST', 'plan', own(features));
        expect(outcomeOf(reply)).to.eql([400, 61_004]);
        expect((reply.json as { message: string }).message).to.include(message);
      }
    });
  });
});
