import { parseWireMoment, SystemTag, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan } from '../support/catalogs/catalog-document.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabaseByTurns, expect, itemLines, openEngine, type TestEngine } from '../support/index.ts';

interface Sold {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly subscriptionId: Uuid;
}

const from = (date: string) => ({ requestedDate: parseWireMoment(date) });
const APRIL = 'RECURRING 2024-04-01..2024-05-01 31';
const MAY = 'RECURRING 2024-05-01..2024-06-01 31';

/** A change on March 11 to a subscription billed at 31 per month until April 1, and what is billed after the change. */
const changes: Record<string, [(acme: TenantBilling, sold: Sold) => Promise<unknown>, readonly string[]]> = {
  'a quantity change': [
    (acme, { subscriptionId }) => acme.subscriptions.changeQuantity(subscriptionId, { quantity: 2 }),
    [
      'RECURRING 2024-03-11..2024-04-01 42',
      'REPAIR_ADJ 2024-03-11..2024-04-01 -21',
      'RECURRING 2024-04-01..2024-05-01 62',
      'RECURRING 2024-05-01..2024-06-01 62',
    ],
  ],
  'a planned bill cycle day': [
    (acme, { subscriptionId }) =>
      acme.subscriptions.changeBillCycleDay(subscriptionId, {
        billCycleDayLocal: 16,
        effectiveFromDate: parseWireMoment('2024-04-10'),
      }),
    ['RECURRING 2024-04-01..2024-04-16 15.5', 'RECURRING 2024-04-16..2024-05-16 31'],
  ],
  'a planned end': [
    (acme, { subscriptionId }) =>
      acme.subscriptions.cancel(subscriptionId, { ...from('2024-04-16'), useRequestedDateForBilling: true }),
    ['RECURRING 2024-04-01..2024-04-16 15.5'],
  ],
  'a planned pause': [
    async (acme, { bundleId }) => {
      await acme.blocking.pauseBundle(bundleId, from('2024-04-11'));
      await acme.blocking.resumeBundle(bundleId, from('2024-04-21'));
    },
    ['RECURRING 2024-04-01..2024-04-11 10.33', 'RECURRING 2024-04-21..2024-05-01 10.33', MAY],
  ],
  'a planned account block': [
    (acme, { accountId }) =>
      acme.blocking.add(
        { type: 'ACCOUNT', id: accountId },
        { service: 'fraud', stateName: 'held', isBlockBilling: true, ...from('2024-04-11') },
      ),
    ['RECURRING 2024-04-01..2024-04-11 10.33'],
  ],
  'a planned price': [
    (acme) =>
      acme.uploadCatalog(
        pricedCatalog({ effectiveDate: '2024-04-01', price: '62.00', forExisting: '2024-04-16' }),
      ),
    [
      'RECURRING 2024-04-01..2024-04-16 15.5',
      'RECURRING 2024-04-16..2024-05-01 31',
      'RECURRING 2024-05-01..2024-06-01 62',
    ],
  ],
  'a void of its last invoice': [
    async (acme, { accountId }) => {
      const last = (await acme.invoices.ofAccount({ accountId, withItems: false })).at(-1);
      return acme.invoices.void(last?.id as Uuid);
    },
    [APRIL, MAY],
  ],
};

eachDatabaseByTurns.describe('ongoing charges', (open) => {
  let engine: TestEngine;

  async function begin(): Promise<Sold> {
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      catalog: pricedCatalog({ effectiveDate: '2024-01-01', price: '31.00' }),
    });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const made = await engine.subscribe({ accountId, planName: 'heat-monthly' });
    for (const month of ['2024-02-01', '2024-03-01']) await engine.runTo(`${month}T00:00:00Z`);
    return { accountId, ...made };
  }

  async function isOngoing(subscriptionId: Uuid): Promise<boolean> {
    const [cursor] = await engine.storage.read(engine.tenant, (session) =>
      session.invoices.findCursors([subscriptionId]),
    );
    return cursor?.ongoing != null;
  }

  const linesAfterMarch = async ({ accountId }: Sold) =>
    (await engine.acme.invoices.ofAccount({ accountId, withItems: true })).flatMap(itemLines).slice(3);

  it('are billed without reading subscriptions, events or billed days', async () => {
    const sold = await begin();
    const statements = await engine.statementsOf(() => engine.runTo('2024-04-01T00:00:00Z'));
    expect(await linesAfterMarch(sold)).to.eql([APRIL]);
    const reads = statements.filter((text) => /(from|join) bw_(subscription|coverage)/.test(text));
    // The cursor lookup also reads the usage of subscriptions with usage charges.
    expect(reads.filter((text) => !text.includes('from bw_subscriptions s cross join bw_usage_days'))).to.eql(
      [],
    );
    await engine.runTo('2024-05-01T00:00:00Z');
    expect(await linesAfterMarch(sold)).to.eql([APRIL, MAY]);
  });

  it('are not billed until AUTO_INVOICING_OFF is removed from their bundle', async () => {
    const sold = await begin();
    const bundle = { type: 'BUNDLE', id: sold.bundleId } as const;
    await engine.acme.tags.add(bundle, [SystemTag.AUTO_INVOICING_OFF]);
    await engine.runTo('2024-05-01T00:00:00Z');
    expect(await linesAfterMarch(sold)).to.eql([]);
    await engine.settle(engine.acme.tags.remove(bundle, [SystemTag.AUTO_INVOICING_OFF]));
    expect(await linesAfterMarch(sold)).to.eql([APRIL, MAY]);
  });

  it('end if the price changes in the default catalog, which has no revisions', async () => {
    const ofHost = (price: string): string => pricedCatalog({ effectiveDate: '2024-01-01', price });
    engine = await openEngine(open, { now: '2024-01-01', catalog: null, defaultCatalog: ofHost('31.00') });
    const { database } = engine;
    const input = { apiKey: 'shown', apiSecret: 'secret', useGlobalDefault: true };
    const { id: tenant } = await engine.billing.tenants.create({ userName: 'test' }, input);
    const before = engine.billing.as({ tenant, user: 'test' });
    const { id: accountId } = await before.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await engine.settle(before.createSubscription({ accountId, planName: 'heat-monthly' }));
    await engine.runTo('2024-02-01T00:00:00Z');
    await engine.close();

    const defaultCatalog = ofHost('29.00');
    engine = await openEngine(async () => database, { now: '2024-02-02', catalog: null, defaultCatalog });
    const acme = engine.billing.as({ tenant, user: 'test' });
    await engine.runTo('2024-03-01T00:00:00Z');
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.flatMap(itemLines)).to.include('RECURRING 2024-03-01..2024-04-01 29');
  });

  it('end without billing days again if they are billed in arrears at a price of 0', async () => {
    const free = plan('free', 'P', {
      price: '0.00',
      more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>',
    });
    const catalog = catalogXml({ plans: free, priceLists: lists({ DEFAULT: ['free'] }) });
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog });
    const { acme } = engine;
    const billIn = async (mode: string): Promise<unknown> =>
      acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ 'org.service.invoice.inArrear.mode': mode }));
    await billIn('GREEDY');
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.settle(acme.createSubscription({ accountId, planName: 'free' }));
    await engine.runTo('2024-02-10T00:00:00Z');
    await acme.generateInvoice({ accountId });
    await billIn('DEFAULT');
    await acme.subscriptions.cancel(subscriptionId, {
      ...from('2024-06-01'),
      useRequestedDateForBilling: true,
    });
    await acme.subscriptions.uncancel(subscriptionId);
    await engine.runTo('2024-02-11T00:00:00Z');
    await acme.generateInvoice({ accountId }).catch(() => null);
    await engine.runTo('2024-04-01T00:00:00Z');
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.flatMap(itemLines)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 0',
      'RECURRING 2024-02-01..2024-03-01 0',
      'RECURRING 2024-03-01..2024-04-01 0',
    ]);
  });

  for (const [what, [change, expected]] of Object.entries(changes))
    it(`end with ${what}`, async () => {
      const sold = await begin();
      expect(await isOngoing(sold.subscriptionId)).to.equal(true);
      engine.clock.set('2024-03-11T00:00:00Z');
      await engine.settle(change(engine.acme, sold));
      for (const date of ['2024-04-01', '2024-05-01']) await engine.runTo(`${date}T00:00:00Z`);
      expect(await linesAfterMarch(sold)).to.eql(expected);
      expect(await engine.acme.invoices.verifyCoverage(sold.accountId)).to.eql([]);
    });
});
