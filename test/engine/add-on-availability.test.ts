import type { HostInput, PlanEntryInput, Uuid } from '../../lib/index.ts';
import type { DocumentParts } from '../support/catalogs/catalog-document.ts';
import { envelopeXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { overlayCatalog } from '../support/catalogs/overlay-catalog.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';

const NOW = '2024-02-01';

function monthly(name: string, productName: string): HostInput<PlanEntryInput> {
  return {
    name,
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate: NOW,
    productName,
    pricelistName: 'DEFAULT',
    phases: [
      {
        type: 'EVERGREEN',
        durationUnit: 'UNLIMITED',
        recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: '3' }] },
      },
    ],
  };
}

const lid = { name: 'Lid', category: 'ADD_ON' } as const;

eachDatabaseByTurns.describe('add-on availability', (open) => {
  let engine: TestEngine;

  async function begin(...catalogs: readonly string[]): Promise<void> {
    engine = await openEngine(open, { now: NOW, catalog: null });
    for (const document of catalogs) await engine.acme.uploadCatalog(document);
  }

  const newAccount = async (): Promise<Uuid> => (await engine.acme.createAccount({ currency: 'USD' })).id;

  const together = (accountId: Uuid, ...planNames: readonly string[]) =>
    engine.acme.subscriptions.createWithAddOns(planNames.map((planName) => ({ accountId, planName })));

  it("depends on the bases that the add-on's catalog entry lists (catalog §15.5 rule 3)", async () => {
    await begin();
    await engine.acme.catalogEntries.create({
      products: [
        { name: 'Pot', category: 'BASE' },
        { ...lid, availableForBps: ['Pot'] },
      ],
      plans: [monthly('pot', 'Pot'), monthly('lid', 'Lid')],
    });
    expect((await together(await newAccount(), 'pot', 'lid')).subscriptionIds).to.have.length(2);
  });

  it("depends on the add-ons that the base's catalog entry lists (catalog §15.5 rule 3)", async () => {
    await begin();
    await engine.acme.catalogEntries.create({
      products: [
        { ...lid, availableForBps: ['Pot'] },
        { name: 'Pot', category: 'BASE' },
      ],
      plans: [monthly('lid', 'Lid'), monthly('pot', 'Pot')],
    });
    await engine.acme.catalogEntries.create({
      products: [{ name: 'Kettle', category: 'BASE', availableAddons: ['Lid'] }],
      plans: [monthly('kettle', 'Kettle')],
    });
    const accountId = await newAccount();
    expect((await together(accountId, 'kettle', 'lid')).subscriptionIds).to.have.length(2);
    const request = {
      products: [{ name: 'Bowl', category: 'BASE' }],
      plans: [monthly('bowl', 'Bowl')],
    } as const;
    await engine.acme.catalogEntries.create(request);
    await expectCode(together(accountId, 'bowl', 'lid'), 'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE');
  });

  it('includes add-ons whose catalog entry lists a base of the XML catalog (catalog §15.5 rule 3)', async () => {
    await begin(...overlayCatalog);
    const request = { products: [{ ...lid, availableForBps: ['Pan'] }], plans: [monthly('lid', 'Lid')] };
    await engine.acme.catalogEntries.create(request);
    expect((await together(await newAccount(), 'x', 'lid')).subscriptionIds).to.have.length(2);
  });

  it("includes add-ons whose entry for one account lists a base of the tenant's catalog (catalog §15.6 rule 3)", async () => {
    await begin(...overlayCatalog);
    const accountId = await newAccount();
    const { bundleId } = await engine.acme.createSubscription({ accountId, planName: 'x' });
    const own = { products: [{ ...lid, availableForBps: ['Pan'] }], plans: [monthly('lid', 'Lid')] };
    await engine.acme.catalogEntries.create(own, { accountId });
    const { subscriptionId } = await engine.subscribe({ accountId, bundleId, planName: 'lid' });
    await engine.runTo('2024-04-02');
    expect((await engine.acme.getSubscription(subscriptionId)).state, 'it stays').to.equal('ACTIVE');
    const other = await newAccount();
    const theirs = await engine.acme.createSubscription({ accountId: other, planName: 'x' });
    const request = { accountId: other, bundleId: theirs.bundleId, planName: 'lid' };
    await expectCode(engine.acme.createSubscription(request), 'CATALOG_NO_SUCH_PLAN');
  });

  it("includes an add-on that is newer than the catalog version of the base's plan", async () => {
    const version = (effectiveDate: string, parts: DocumentParts) => ({ effectiveDate, ...parts });
    const base = plan('base', 'P');
    await begin(
      envelopeXml(
        version('2024-01-01T00:00:00Z', { plans: base, priceLists: lists({ DEFAULT: ['base'] }) }),
        version('2024-03-01T00:00:00Z', {
          products: product('P', { available: ['X'] }) + product('X', { category: 'ADD_ON' }),
          plans: plan('base', 'P', { price: '12.00' }) + plan('extra', 'X'),
          priceLists: lists({ DEFAULT: ['base', 'extra'] }),
        }),
      ),
    );
    const accountId = await newAccount();
    const { bundleId } = await engine.acme.createSubscription({ accountId, planName: 'base' });
    const request = { accountId, bundleId, planName: 'extra' };
    await expectCode(engine.acme.createSubscription(request), 'CATALOG_NO_SUCH_PLAN');
    await engine.runTo('2024-03-02');
    await engine.acme.createSubscription(request);
  });
});
