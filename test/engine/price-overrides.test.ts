import type {
  BillingError,
  CreateSubscriptionRequest,
  PriceOverrideRequest,
  TenantBilling,
  Uuid,
} from '../../lib/index.ts';
import { decimal, ErrorCode, formatDecimal, parseWireInstant } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, price, TRIAL } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode, itemLines } from '../support/index.ts';

/** Returns the plan of catalog W10. */
function studio(parts: { date?: string; usd?: string; existingFrom?: string; others?: string[] } = {}) {
  const { date = '2024-01-01', usd = '24.00', existingFrom, others = [] } = parts;
  const existing = `<effectiveDateForExistingSubscriptions>${existingFrom}</effectiveDateForExistingSubscriptions>`;
  return catalogXml({
    effectiveDate: `${date}T00:00:00Z`,
    currencies: ['USD', 'EUR'],
    plans:
      plan('studio-monthly', 'P', {
        initialPhases: phase('TRIAL', { number: 14, fixed: '' }),
        finalPhase: phase('EVERGREEN', { price: price('USD', usd) + price('EUR', '22.00') }),
        more: existingFrom ? existing : '',
      }) + others.map((name) => plan(name, 'P', { initialPhases: TRIAL })).join(''),
    priceLists: lists({ DEFAULT: ['studio-monthly', ...others] }),
  });
}

const now = parseWireInstant('2024-01-01') ?? null;

const trial5 = { phaseType: 'TRIAL', fixedPrice: decimal('5') };
const evergreen19 = { phaseType: 'EVERGREEN', recurringPrice: decimal('19') };

eachDatabaseByTurns.describe('price overrides', (open) => {
  let acme: TenantBilling;

  const engine = engineBeforeEach(open, { now: '2024-02-01T08:00:00Z' });
  beforeEach(async () => {
    acme = await newTenant('studio');
  });

  async function newTenant(apiKey: string): Promise<TenantBilling> {
    const made = await engine.billing.tenants.create({ userName: 'test' }, { apiKey, apiSecret: 'secret' });
    const tenant = engine.billing.as({ tenant: made.id, user: 'test' });
    await tenant.uploadCatalog(studio());
    return tenant;
  }

  async function newAccount(of = acme, currency: 'USD' | 'EUR' | null = 'USD'): Promise<Uuid> {
    return (await of.createAccount({ ...(currency && { currency }), billCycleDayLocal: 15 })).id;
  }

  async function subscribe(
    priceOverrides: readonly PriceOverrideRequest[],
    more: CreateSubscriptionRequest = {},
    of = acme,
  ): Promise<Uuid> {
    const accountId = more.accountId ?? (await newAccount(of));
    const request = { accountId, planName: 'studio-monthly', priceOverrides, ...more };
    return (await of.createSubscription(request)).subscriptionId;
  }

  async function planOf(subscriptionId: Uuid, of = acme): Promise<string | null> {
    return (await of.getSubscription(subscriptionId)).planName;
  }

  async function linesOf(accountId: Uuid): Promise<readonly string[]> {
    return (await acme.invoices.ofAccount({ accountId, withItems: true })).flatMap(itemLines);
  }

  async function refusal(call: Promise<unknown>): Promise<BillingError> {
    return call.then(
      () => {
        throw new Error('nothing was thrown');
      },
      (error: BillingError) => error,
    );
  }

  it('create one override plan per distinct set of prices (catalog W10 "Overrides")', async () => {
    const a = await subscribe([evergreen19]);
    const view = await acme.getSubscription(a);
    expect(view.planName, 'a').to.equal('studio-monthly-1');
    expect(view.events.map((event) => event.phase)).to.eql([
      'studio-monthly-1-trial',
      'studio-monthly-1-trial',
      'studio-monthly-1-evergreen',
    ]);
    expect(
      view.prices.map(({ planName, phaseName, fixedPrice, recurringPrice }) => [
        planName,
        phaseName,
        fixedPrice && formatDecimal(fixedPrice),
        recurringPrice && formatDecimal(recurringPrice),
      ]),
    ).to.eql([
      ['studio-monthly-1', 'studio-monthly-1-trial', '0', null],
      ['studio-monthly-1', 'studio-monthly-1-evergreen', null, '19'],
    ]);
    expect(view).to.include({ priceList: 'DEFAULT', productName: 'P', billingPeriod: 'MONTHLY' });

    const again = { ...evergreen19, recurringPrice: decimal('19.00') };
    expect(await planOf(await subscribe([again])), 'b').to.equal('studio-monthly-1');
    expect(await planOf(await subscribe([trial5, evergreen19])), 'c').to.equal('studio-monthly-2');
    expect(await planOf(await subscribe([trial5])), 'd').to.equal('studio-monthly-3');
    for (const [name, wrong] of [
      ['e', { phaseType: 'TRIAL', recurringPrice: decimal(3) }],
      ['f', { phaseType: 'DISCOUNT', recurringPrice: decimal(3) }],
    ] as const) {
      const error = await refusal(subscribe([wrong]));
      expect(error.code, name).to.equal(ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE);
    }
    expect(await planOf(await subscribe([{ ...trial5, fixedPrice: decimal(6) }]))).to.equal(
      'studio-monthly-4',
    );
    expect((await acme.catalogs.current()).versions[0]?.plans.map(({ name }) => name)).to.eql([
      'studio-monthly',
    ]);
  });

  it('are invoiced during and after the trial under the names of the plan', async () => {
    const accountId = await newAccount();
    await subscribe([trial5, evergreen19], { accountId, quantity: 2 });
    await engine.runTo('2024-05-01T08:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'FIXED 2024-02-01..2024-02-15 10',
      'RECURRING 2024-02-15..2024-03-15 38',
      'RECURRING 2024-03-15..2024-04-15 38',
      'RECURRING 2024-04-15..2024-05-15 38',
    ]);
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    const [first, second] = invoices.flatMap((invoice) => invoice.items);
    expect(first).to.include({
      planName: 'studio-monthly-1',
      phaseName: 'studio-monthly-1-trial',
      prettyPlanName: 'studio-monthly',
      prettyProductName: 'P',
    });
    expect(second).to.include({ phaseName: 'studio-monthly-1-evergreen' });
    expect(second?.catalogEffectiveDate?.toISOString()).to.equal('2024-02-15T08:00:00.000Z');
  });

  it('keep the overridden price when a later version changes the list price (catalog W10 "Overrides")', async () => {
    const [a, d] = [await newAccount(), await newAccount()];
    await subscribe([evergreen19], { accountId: a });
    await subscribe([trial5], { accountId: d });
    await engine.runTo('2024-05-20T08:00:00Z');
    await acme.uploadCatalog(
      studio({ date: '2024-06-01', usd: '29.00', existingFrom: '2024-07-01T00:00:00Z' }),
    );
    await engine.runTo('2024-07-20T08:00:00Z');
    expect((await linesOf(a)).slice(-3)).to.eql([
      'RECURRING 2024-05-15..2024-06-15 19',
      'RECURRING 2024-06-15..2024-07-15 19',
      'RECURRING 2024-07-15..2024-08-15 19',
    ]);
    const lines = await linesOf(d);
    expect(lines[0]).to.equal('FIXED 2024-02-01..2024-02-15 5');
    expect(lines.at(-1)).to.equal('RECURRING 2024-07-15..2024-08-15 29');
    expect(lines.filter((line) => line.startsWith('FIXED'))).to.have.length(1);
    const changed = lines.filter((line) => / 2024-07-01\.\.2024-07-15 /.test(line));
    expect(changed, lines.join()).to.eql(['RECURRING 2024-07-01..2024-07-15 13.53']);
  });

  it('apply to the account currency, and keep the list price in other currencies', async () => {
    const euro = await newAccount(acme, 'EUR');
    const bare = { phaseType: 'EVERGREEN' } as const;
    await subscribe([evergreen19], { accountId: euro, ...bare });
    const dollars = await newAccount();
    await subscribe([evergreen19], { accountId: dollars, ...bare });
    expect(await planOf(await subscribe([], { accountId: euro, planName: 'studio-monthly-2' }))).to.equal(
      'studio-monthly-2',
    );
    await engine.runTo('2024-03-15T08:00:00Z');
    expect((await linesOf(dollars)).at(-1)).to.equal('RECURRING 2024-03-15..2024-04-15 19');
    expect((await linesOf(euro)).filter((line) => line.startsWith('RECURRING 2024-03-15'))).to.have.members([
      'RECURRING 2024-03-15..2024-04-15 19',
      'RECURRING 2024-03-15..2024-04-15 22',
    ]);
  });

  it('are the same in a dry run as in the next run', async () => {
    const accountId = await newAccount();
    await engine.settle(subscribe([evergreen19], { accountId }));
    engine.clock.set('2024-02-15T07:00:00Z');
    const dryRun = await acme.invoices.dryRun({ accountId });
    await engine.runTo('2024-02-15T08:00:00Z');
    const lines = await linesOf(accountId);
    expect(dryRun && itemLines(dryRun)).to.eql(lines.slice(-1));
    expect(dryRun?.items[0]).to.include({ planName: 'studio-monthly-1', prettyPlanName: 'studio-monthly' });
    expect(lines.at(-1)).to.equal('RECURRING 2024-02-15..2024-03-15 19');
  });

  it('are merged with the earlier overrides if their plan is itself an override', async () => {
    await subscribe([trial5]);
    const merged = await subscribe(
      [{ phaseName: 'studio-monthly-1-evergreen', recurringPrice: decimal(19) }],
      { planName: 'studio-monthly-1' },
    );
    expect(await planOf(merged)).to.equal('studio-monthly-2');
    expect(await planOf(await subscribe([trial5, evergreen19]))).to.equal('studio-monthly-2');
    expect(await planOf(await subscribe([trial5], { planName: 'studio-monthly-2' }))).to.equal(
      'studio-monthly-2',
    );
  });

  it('use plan names that are not in the catalog and that later uploads cannot use', async () => {
    await acme.uploadCatalog(studio({ date: '2024-01-02', others: ['studio-monthly-1'] }));
    expect(await planOf(await subscribe([evergreen19]))).to.equal('studio-monthly-2');
    const ofCatalog = await subscribe([], { planName: 'studio-monthly-1' });
    expect((await acme.getSubscription(ofCatalog)).prices).to.have.length(2);
    const error = await refusal(
      acme.uploadCatalog(
        studio({ date: '2024-01-03', others: ['studio-monthly-1', 'studio-monthly-2', 'studio-monthly-3'] }),
      ),
    );
    expect(error.code).to.equal(ErrorCode.CATALOG_INVALID_FOR_TENANT);
    expect(error.problems?.map(({ message }) => message)).to.have.length(1);
    expect(error.message).to.match(/"studio-monthly-2" has the same name as a plan that overrides prices/);
    expect((await acme.catalogs.current()).versions).to.have.length(2);
  });

  it("use plan names that no account's own catalog entries use", async () => {
    const other = await newAccount();
    const plans = ['studio-monthly-1', 'studio-monthly-2'].map((name) => ({
      name,
      recurringBillingMode: 'IN_ADVANCE' as const,
      effectiveDate: now,
      productName: 'P',
      pricelistName: 'DEFAULT',
      phases: [
        {
          type: 'EVERGREEN' as const,
          durationUnit: 'UNLIMITED' as const,
          recurringPrices: {
            billingPeriod: 'MONTHLY' as const,
            prices: [{ currency: 'USD', value: decimal('3') }],
          },
        },
      ],
    }));
    await acme.catalogEntries.create({ plans }, { accountId: other });
    expect(await planOf(await subscribe([evergreen19]))).to.equal('studio-monthly-3');
    const own = await subscribe([], { accountId: other, planName: 'studio-monthly-1' });
    expect((await acme.getSubscription(own)).prices[0]?.recurringPrice?.toFixed()).to.equal('3');
  });

  it('are available only to their own tenant', async () => {
    const other = await newTenant('other');
    await subscribe([evergreen19]);
    const foreign = await refusal(
      subscribe([], { planName: 'studio-monthly-1', accountId: await newAccount(other) }, other),
    );
    const unknown = await refusal(
      subscribe([], { planName: 'studio-monthly-9', accountId: await newAccount(other) }, other),
    );
    expect(foreign.code).to.equal(ErrorCode.CATALOG_NO_SUCH_PLAN);
    expect(foreign.message.replace('-1"', '-9"')).to.equal(unknown.message);
    const own = await subscribe([trial5], {}, other);
    expect(await planOf(own, other)).to.equal('studio-monthly-1');
    expect((await other.getSubscription(own)).prices[1]?.recurringPrice?.toFixed()).to.equal('24');
  });

  it('share a plan if they are equal, but not if they differ, even if they are stored simultaneously', async () => {
    const amounts = Array.from({ length: 24 }, (_, index) => decimal(10 + (index % 6)));
    const accounts = await Promise.all(amounts.map(() => newAccount()));
    const made = await Promise.all(
      amounts.map((recurringPrice, index) => {
        const accountId = accounts[index] ?? null;
        return subscribe([{ phaseType: 'EVERGREEN', recurringPrice }], { accountId });
      }),
    );
    const byAmount = new Map<string, Set<string | null>>();
    for (const [index, id] of made.entries()) {
      const view = await acme.getSubscription(id);
      const price = view.prices[1]?.recurringPrice;
      expect(price?.toFixed()).to.equal(amounts[index]?.toFixed());
      const names = byAmount.get(String(price)) ?? new Set();
      byAmount.set(String(price), names.add(view.planName));
    }
    expect([...byAmount.values()].map((names) => names.size)).to.eql([1, 1, 1, 1, 1, 1]);
    const names = [...byAmount.values()].flatMap((each) => [...each]).toSorted();
    expect(names).to.eql([1, 2, 3, 4, 5, 6].map((number) => `studio-monthly-${number}`));
  });
});

const TEN_USD_NIL_EUR = price('USD', '10') + price('EUR', null);

/** The price of W20 as a recurring price, and as a fixed price before a free plan. */
const catalog = catalogXml({
  currencies: ['USD', 'EUR', 'GBP'],
  plans:
    plan('p-monthly', 'P', { price: TEN_USD_NIL_EUR }) +
    plan('p-setup', 'P', { initialPhases: phase('DISCOUNT', { fixed: TEN_USD_NIL_EUR }), price: '' }) +
    plan('p-free', 'P', { price: '' }),
  priceLists: lists({ DEFAULT: ['p-monthly', 'p-setup', 'p-free'] }),
}).replace('<catalog>', '<catalog xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">');

eachDatabaseByTurns.describe('currencies on invoices', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog });
  const { acme } = engine;

  async function subscribed(currency: 'USD' | 'EUR' | 'GBP', planName: string): Promise<Uuid> {
    const account = await engine.payingAccount({ currency });
    await engine.subscribe({ accountId: account.id, planName });
    return account.id;
  }

  const linesOf = (accountId: Uuid): Promise<readonly string[]> => engine.linesOf(accountId);

  it('use the price in the currency of the account (catalog W20 "Currency")', async () => {
    const accountId = await subscribed('USD', 'p-monthly');
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 10',
      'RECURRING 2024-02-01..2024-03-01 10',
    ]);
    expect(await linesOf(await subscribed('USD', 'p-setup'))).to.eql(['FIXED 2024-02-01..2024-03-02 10']);
  });

  for (const [currency, code] of [
    ['EUR', 2011],
    ['GBP', 2010],
  ] as const) {
    for (const planName of ['p-monthly', 'p-setup'])
      it(`cause error ${code} for ${planName} in ${currency} if the price is missing (catalog W20 "Currency")`, () =>
        expectCode(subscribed(currency, planName), code));

    it(`fail with ${code} if a version has no price in ${currency} for existing subscriptions (catalog W20 "Currency")`, async () => {
      const accountId = await subscribed(currency, 'p-free');
      const other = await subscribed('USD', 'p-free');
      const later = catalog.replace('2024-01-01T00:00:00Z', '2024-01-15T00:00:00Z').replace(
        plan('p-free', 'P', { price: '' }),
        plan('p-free', 'P', {
          price: TEN_USD_NIL_EUR,
          more: '<effectiveDateForExistingSubscriptions>2024-02-01</effectiveDateForExistingSubscriptions>',
        }),
      );
      await acme.uploadCatalog(later);
      await engine.runTo('2024-02-01T00:00:00Z');
      await expectCode(acme.generateInvoice({ accountId }), code);
      await expectCode(acme.invoices.dryRun({ accountId }), code);
      expect(await linesOf(accountId)).to.eql(['RECURRING 2024-01-01..2024-02-01 0']);
      expect(await linesOf(other)).to.include('RECURRING 2024-02-01..2024-03-01 10');
    });
  }

  it('use 0.00 for an empty price, so that free plans are invoiced (catalog W20 "Currency")', async () => {
    const accountId = await subscribed('GBP', 'p-free');
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 0',
      'RECURRING 2024-02-01..2024-03-01 0',
    ]);
    const invoices = await acme.invoices.ofAccount({ accountId });
    expect(invoices.map(({ currency }) => currency)).to.eql(['GBP', 'GBP']);
  });
});
