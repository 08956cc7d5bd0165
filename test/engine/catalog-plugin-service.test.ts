import { type MemoryCatalogPlugin, memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import type { Amount, CatalogDefinition, Uuid } from '../../lib/index.ts';
import { boatPlan, harbour, pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';

const PLAN = 'heat-monthly';

/** The plugin's catalog with the plan that the tenant's XML sells for 30, at another price. */
const heatFor = (price: Amount) => harbour(boatPlan(PLAN, price));

function heatChanging(price: Amount, to: Amount, date: string): CatalogDefinition {
  const changed = boatPlan(PLAN, to, { effectiveDateForExistingSubscriptions: date });
  const { name, versions } = heatFor(price);
  return { name, versions: [...versions, ...harbour(changed, { effectiveDate: date }).versions] };
}

eachDatabaseByTurns.describe('catalog plugin that starts or stops serving accounts', (open) => {
  let engine: TestEngine;
  let plugin: MemoryCatalogPlugin;
  let accountId: Uuid;

  /** Creates a subscription on 2024-01-01 with its first invoice, priced by the plugin's catalog or by the XML. */
  async function begin(served: CatalogDefinition | null): Promise<void> {
    plugin = memoryCatalogPlugin();
    engine = await openEngine(open, {
      now: '2024-01-01T00:00:00Z',
      catalogPlugins: [plugin],
      catalog: pricedCatalog({ effectiveDate: '2024-01-01', price: '30.00' }),
    });
    plugin.serve(served);
    ({ id: accountId } = await engine.payingAccount({ currency: 'USD' }));
    await engine.subscribe({ accountId, planName: PLAN });
  }

  async function lines(): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.flatMap((invoice) => itemLines(invoice).toSorted());
  }

  const january = (price: string): string => `RECURRING 2024-01-01..2024-02-01 ${price}`;

  it('supplies the catalog for billing once it starts, without changing existing invoices', async () => {
    await begin(null);
    await engine.runTo('2024-01-15T00:00:00Z');
    plugin.serve(heatFor('36.00'));
    await expectCode(engine.acme.generateInvoice({ accountId }), 4007);
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await lines()).to.eql([
      january('30'),
      'RECURRING 2024-02-01..2024-03-01 36',
      'RECURRING 2024-03-01..2024-04-01 36',
    ]);
  });

  it('leaves the billing to the XML catalog once it stops, without changing existing invoices', async () => {
    await begin(heatFor('36.00'));
    await engine.runTo('2024-01-15T00:00:00Z');
    plugin.serve(null);
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await lines()).to.eql([
      january('36'),
      'RECURRING 2024-02-01..2024-03-01 30',
      'RECURRING 2024-03-01..2024-04-01 30',
    ]);
  });

  it('can change the price within a billed period, so that the difference is billed once from the date of the change', async () => {
    await begin(null);
    await engine.runTo('2024-01-15T00:00:00Z');
    plugin.serve(heatChanging('30.00', '61.00', '2024-01-11T00:00:00Z'));
    await engine.runTo('2024-02-01T00:00:00Z');
    const expected = [
      january('30'),
      'RECURRING 2024-01-11..2024-02-01 41.32',
      'RECURRING 2024-02-01..2024-03-01 61',
      'REPAIR_ADJ 2024-01-11..2024-02-01 -20.32',
    ];
    expect(await lines()).to.eql(expected);
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await lines()).to.eql([...expected, 'RECURRING 2024-03-01..2024-04-01 61']);
  });

  it('does not reprice days that were billed before the date of its price change', async () => {
    await begin(null);
    await engine.runTo('2024-01-15T00:00:00Z');
    plugin.serve(heatChanging('99.00', '61.00', '2024-01-11T00:00:00Z'));
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await lines()).to.eql([
      january('30'),
      'RECURRING 2024-01-11..2024-02-01 41.32',
      'RECURRING 2024-02-01..2024-03-01 61',
      'REPAIR_ADJ 2024-01-11..2024-02-01 -20.32',
    ]);
  });

  it('does not change the price of the repair after a cancellation', async () => {
    await begin(null);
    await engine.runTo('2024-01-15T00:00:00Z');
    plugin.serve(heatFor('99.00'));
    const [bundle] = await engine.acme.subscriptions.bundlesOfAccount(accountId);
    const subscriptionId = bundle?.subscriptions[0]?.subscriptionId;
    if (subscriptionId === undefined) throw new Error('no subscription');
    await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));
    expect(await lines()).to.eql([
      january('30'),
      'CBA_ADJ 2024-01-15..2024-01-15 16.45',
      'REPAIR_ADJ 2024-01-15..2024-02-01 -16.45',
    ]);
  });

  it('delays an uploaded price change until the plugin stops, but keeps the date of the change', async () => {
    await begin(null);
    const change = { effectiveDate: '2024-01-11', price: '61.00', forExisting: '2024-01-21' };
    await engine.acme.uploadCatalog(pricedCatalog(change));
    plugin.serve(heatFor('30.00'));
    await engine.runTo('2024-02-15T00:00:00Z');
    const before = await lines();
    plugin.serve(null);
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await lines()).to.eql([
      ...before,
      'RECURRING 2024-01-21..2024-02-01 21.65',
      'RECURRING 2024-02-01..2024-03-01 61',
      'RECURRING 2024-03-01..2024-04-01 61',
      'REPAIR_ADJ 2024-01-21..2024-02-01 -10.65',
      'REPAIR_ADJ 2024-02-01..2024-03-01 -30',
    ]);
  });

  for (const [what, served, next] of [
    ['a new plugin lacks the plan', null, harbour()],
    ['the XML lacks the plan of a plugin that has stopped', harbour(), null],
  ] as const)
    it(`causes an error instead of a wrong price while ${what}, and a correct invoice once the plan is available`, async () => {
      const planName = served === null ? PLAN : 'boat-monthly';
      plugin = memoryCatalogPlugin();
      engine = await openEngine(open, {
        now: '2024-01-01T00:00:00Z',
        catalogPlugins: [plugin],
        catalog: pricedCatalog({ effectiveDate: '2024-01-01', price: '30.00' }),
      });
      plugin.serve(served);
      ({ id: accountId } = await engine.payingAccount({ currency: 'USD' }));
      const { subscriptionId } = await engine.subscribe({ accountId, planName });
      plugin.serve(next);
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await lines()).to.eql([january('30')]);
      await expectCode(engine.acme.generateInvoice({ accountId }), 2020);
      await expectCode(engine.acme.invoices.dryRun({ accountId }), 2020);
      await expectCode(engine.acme.subscriptions.cancel(subscriptionId, {}), 2020);
      plugin.serve(served);
      await engine.acme.generateInvoice({ accountId });
      expect(await lines()).to.eql([january('30'), 'RECURRING 2024-02-01..2024-03-01 30']);
    });

  it('can be replaced by another plugin, which supplies the catalog instead', async () => {
    await begin(heatFor('36.00'));
    plugin.serve(heatFor('42.00'));
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await lines()).to.eql([january('36'), 'RECURRING 2024-02-01..2024-03-01 42']);
  });
});
