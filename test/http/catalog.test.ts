import { readFile } from 'node:fs/promises';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { aliasHeaders, eve, expectRefusal } from '../support/http/index.ts';
import { expectStatus, jsonType, outcomeOf, serveEach, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, example, expect } from '../support/index.ts';

const core = '/1.0/kb/catalog';
const orchard = example('catalogs/orchard-demo.xml');
const lamp = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: 12.5,
  billingPeriod: 'MONTHLY',
  trialLength: 14,
  trialTimeUnit: 'DAYS',
};

/** catalog W14: five different faults. */
const faulty = catalogXml({
  products: product('P', { available: ['P'] }),
  plans: plan('p-m', 'Q', {
    finalPhase:
      '<phase type="EVERGREEN"><duration><unit>UNLIMITED</unit><number>3</number></duration><recurring><billingPeriod>MONTHLY</billingPeriod><recurringPrice><price><currency>USD</currency><value>1</value></price></recurringPrice></recurring></phase>',
  }),
  rules: `<changePolicy>${'<changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>'.repeat(2)}</changePolicy>`,
  priceLists: lists({ DEFAULT: ['p-m'] }),
});

eachDatabaseByTurns.describe('catalog API', (open) => {
  const serving = serveEach(open);
  const { call, post } = serving;

  const upload = (body: string | Uint8Array) => call('POST', `${core}/xml`, { body, headers: xmlType });
  const validate = (body: string | Uint8Array, headers = {}) =>
    call('POST', `${core}/xml/validate`, { body, headers: { ...xmlType, ...headers } });

  function errorsOf(json: unknown): readonly string[] {
    const { catalogValidationErrors } = json as {
      catalogValidationErrors: readonly { errorDescription: string }[];
    };
    return catalogValidationErrors.map((each) => each.errorDescription);
  }

  it('returns the five errors of a faulty catalog, rejects its upload with the same errors and stores nothing (catalog W14 "Validation")', async () => {
    const errors = errorsOf(expectStatus(await validate(faulty), 200).json);
    // Errors about a phase are reported with its plan. The rule on durations at the end of catalog §4 is V10.
    expect(errors.map((error) => error.replace(/^line \d+, column \d+: /, ''))).to.eql([
      'Product "P" lists itself in its available products',
      'Plan "p-m": product "Q" does not exist in this version',
      'Plan "p-m", phase p-m-evergreen: an UNLIMITED duration cannot have a number, but has 3',
      'Rule changePolicy, case 2 repeats case 1',
      'Rule cancelPolicy has no default: add a last case without conditions',
    ]);
    const refused = await upload(faulty);
    expectRefusal(refused, 400, 2080);
    expect((refused.json as { message: string }).message).to.match(/^Invalid catalog for tenant /);
    expect((await call('GET', core)).json).to.eql([]);
    expect((await call('GET', `${core}/versions`)).json).to.eql([]);
  });

  it('reports one error for a malformed document, no error for a valid document, and warnings in dialect D only', async () => {
    expect(errorsOf((await validate('<catalog><duration><duration>')).json)).to.have.length(1);
    expect(errorsOf((await validate('<!DOCTYPE c [<!ENTITY a "x">]><catalog>')).json)).to.have.length(1);
    const bounded = (await readFile(orchard, 'utf8')).replace('<max>-1</max>', '<max>500</max>');
    const inD = await validate(bounded);
    expect(inD.json).to.have.all.keys('catalogValidationErrors', 'catalogValidationWarnings');
    expect(errorsOf(inD.json)).to.eql([]);
    const { catalogValidationWarnings } = inD.json as {
      catalogValidationWarnings: readonly { warningDescription: string }[];
    };
    expect(catalogValidationWarnings[0]?.warningDescription).to.match(/the last tier limits "crate"/);
    expect((await validate(bounded, aliasHeaders)).json).to.eql({ catalogValidationErrors: [] });
  });

  it('returns 413 for an oversized document, 415 for another media type and 400 for an empty body', async () => {
    expect((await validate(' '.repeat(12 * 1024 * 1024))).status).to.equal(413);
    expect((await validate('{}', jsonType)).status).to.equal(415);
    expect((await validate('')).status).to.equal(400);
  });

  it('creates versions from simple plans, and rejects plans that conflict (catalog W17)', async () => {
    const created = expectStatus(await call('POST', `${core}/simplePlan`, { body: lamp }), 201);
    expect(created.text).to.equal('');
    expect(created.headers.get('location')).to.match(/\/1\.0\/kb\/catalog$/);
    const inEuro = await call('POST', `${core}/simplePlan`, {
      body: { ...lamp, currency: 'EUR', amount: '11.00' },
    });
    expect(inEuro.status).to.equal(201);
    expect((await call('POST', `${core}/simplePlan`, { body: lamp })).status).to.equal(201);
    const [version] = (await call('GET', core, { headers: aliasHeaders })).json as readonly Shown[];
    expect(version?.name).to.equal('DEFAULT');
    expect(version?.effectiveDate).to.equal('2024-02-09T08:15:30.000Z');
    expect(version?.currencies).to.eql(['USD', 'EUR']);
    const [trial, evergreen] = version?.products[0]?.plans[0]?.phases ?? [];
    expect(trial).to.deep.include({ fixedPrices: [], duration: { unit: 'DAYS', number: 14 } });
    expect(evergreen?.prices).to.eql([
      { currency: 'USD', value: 12.5 },
      { currency: 'EUR', value: 11 },
    ]);
  });

  const bad: readonly (readonly [what: string, body: unknown, code: number])[] = [
    ['no planId', { ...lamp, planId: null }, 2060],
    ['an invalid planId', { ...lamp, planId: '9lives' }, 2060],
    ['no amount', { ...lamp, amount: null }, 2060],
    ['a negative amount', { ...lamp, amount: -1 }, 2060],
    ['an invalid amount', { ...lamp, amount: 'much' }, 60_001],
    ['no currency', { ...lamp, currency: '' }, 2060],
    ['an unknown currency', { ...lamp, currency: 'XYZ' }, 2060],
    ['an unknown period', { ...lamp, billingPeriod: 'FORTNIGHTLY' }, 60_001],
    ['a name that is taken', { ...lamp, planId: 'Lamp' }, 2060],
    ['an add-on without bases', { ...lamp, productCategory: 'ADD_ON' }, 2060],
    ['a list in the place of an object', [lamp], 60_001],
  ];
  it('rejects invalid simple plans and stores nothing', async () => {
    for (const [what, body, code] of bad) {
      expect(outcomeOf(await call('POST', `${core}/simplePlan`, { body })), what).to.eql([400, code]);
    }
    expect((await call('GET', core)).json).to.eql([]);
  });

  it('lists the available plans with exact prices', async () => {
    await upload(await readFile(orchard));
    const bases = (await call('GET', `${core}/availableBasePlans`)).json as readonly object[];
    expect(bases).to.have.length(7);
    expect(bases[2]).to.eql({
      product: 'Apple',
      plan: 'harvest-apple-monthly',
      priceList: 'Harvest',
      finalPhaseBillingPeriod: 'MONTHLY',
      finalPhaseRecurringPrice: [
        { currency: 'USD', value: 20 },
        { currency: 'EUR', value: 18 },
        { currency: 'GBP', value: 16 },
        { currency: 'JPY', value: 3000 },
        { currency: 'BTC', value: 0.001 },
      ],
    });
    const addOns = async (query: string) =>
      ((await call('GET', `${core}/availableAddons?${query}`)).json as readonly { plan: string }[]).map(
        (each) => each.plan,
      );
    expect(await addOns('baseProductName=Pear')).to.eql(['ladder-monthly', 'basket-monthly', 'juice-usage']);
    expect(await addOns('baseProductName=Pear&priceListName=Harvest')).to.eql([]);
    expect(await addOns('baseProductName=Ghost')).to.eql([]);
    expect(await addOns('')).to.eql([]);
    const usage = (await call('GET', `${core}/availableAddons?baseProductName=Quince`))
      .json as readonly object[];
    expect(usage[1])
      .to.include({ finalPhaseBillingPeriod: 'NO_BILLING_PERIOD' })
      .and.to.deep.include({ finalPhaseRecurringPrice: [] });
  });

  it('returns version dates oldest first, deletes all versions, and rejects the deletion of a catalog in use', async () => {
    const source = await readFile(orchard, 'utf8');
    await upload(source.replace('2010-01-01T00:00:00Z', '2024-06-01T00:00:00Z'));
    await upload(source);
    expect((await call('GET', `${core}/versions`)).json).to.eql([
      '2010-01-01T00:00:00.000Z',
      '2024-06-01T00:00:00.000Z',
    ]);
    const shownByXml = async (query: string, headers = {}) => {
      const { text } = await call('GET', `${core}/xml${query}`, { headers });
      return text.match(/<effectiveDate>\d{4}/g)?.map((match) => match.slice(-4));
    };
    expect(await shownByXml('')).to.eql(['2010']);
    expect(await shownByXml('', aliasHeaders)).to.eql(['2010', '2024']);
    for (const headers of [{}, aliasHeaders]) {
      expect(await shownByXml('?requestedDate=2024-06-01&unknown=1', headers)).to.eql(['2024']);
      expect(await shownByXml('?requestedDate=2024-05-31T23:59:59Z', headers)).to.eql(['2010']);
    }
    const deleted = await call('DELETE', core);
    expect([deleted.status, deleted.text]).to.eql([204, '']);
    expect((await call('GET', `${core}/versions`)).json).to.eql([]);
    expect((await call('GET', `${core}/xml`)).text).to.contain('<versions');
    expect(
      (await call('GET', core, { headers: { accept: 'text/xml' } })).headers.get('content-type'),
    ).to.match(/^text\/xml/);
    await upload(source);
    const account = await post('/accounts', { currency: 'USD' });
    const accountId = account.headers.get('location')?.split('/').at(-1);
    await post('/subscriptions', { accountId, planName: 'apple-monthly' });
    expectRefusal(await call('DELETE', core), 400, 2080);
    expect((await call('GET', `${core}/versions`)).json).to.have.length(1);
  });

  it('treats an account of another tenant as unknown in every read', async () => {
    const foreign = await post('/accounts', {}, eve);
    const accountId = foreign.headers.get('location')?.split('/').at(-1) ?? '';
    for (const path of ['', '/xml', '/versions', '/availableBasePlans', '/availableAddons']) {
      const reply = await call('GET', `${core}${path}?accountId=${accountId}`);
      expect([path, reply.status]).to.eql([path, 404]);
      expect(reply.json).to.include({ code: 3002 });
    }
  });
});

interface Shown {
  readonly name: string;
  readonly effectiveDate: string;
  readonly currencies: readonly string[];
  readonly products: readonly { readonly plans: readonly { readonly phases: readonly ShownPhase[] }[] }[];
}

interface ShownPhase {
  readonly prices: readonly object[];
  readonly fixedPrices: readonly object[];
  readonly duration: object;
}
