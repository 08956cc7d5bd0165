import { type CatalogService, catalogService, pluginCatalogs } from '../../lib/catalog/index.ts';
import type { HostInput, PlanEntryInput, Uuid } from '../../lib/index.ts';
import { CatalogChangeHandler } from '../../lib/invoicing/index.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../lib/invoicing/proposals/invoicing-config.ts';
import type { EventPayload } from '../../lib/records/index.ts';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect } from '../support/index.ts';

const ADDED = plan('cold-monthly', 'Heat', { price: '7.00' });

function climate(effectiveDate: string, prices: { heat: string; warmth: string }, more = ''): string {
  const existing = (price: string, first: string): { price: string; more: string } => ({
    price,
    more:
      price === first
        ? ''
        : `<effectiveDateForExistingSubscriptions>${effectiveDate}</effectiveDateForExistingSubscriptions>`,
  });
  return catalogXml({
    effectiveDate,
    products: product('Heat'),
    plans:
      plan('heat-monthly', 'Heat', existing(prices.heat, '40.00')) +
      plan('warmth-monthly', 'Heat', existing(prices.warmth, '30.00')) +
      more,
    priceLists: lists({ DEFAULT: ['heat-monthly', 'warmth-monthly', ...(more ? ['cold-monthly'] : [])] }),
  });
}

function potPlan(value: string): HostInput<PlanEntryInput> {
  const prices = [{ currency: 'USD', value }] as const;
  return {
    name: 'pot-monthly',
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate: '2024-01-01',
    productName: 'Pot',
    pricelistName: 'DEFAULT',
    phases: [
      { type: 'EVERGREEN', durationUnit: 'UNLIMITED', recurringPrices: { billingPeriod: 'MONTHLY', prices } },
    ],
  };
}

eachDatabaseByTurns.describe('account check after a catalog change', (open) => {
  let looked: Uuid[];
  let handler: CatalogChangeHandler;
  let names: ReadonlyMap<Uuid, string>;

  const engine = engineBeforeEach(open, () => ({
    now: '2024-01-01T00:00:00Z',
    catalog: climate('2024-01-01', { heat: '40.00', warmth: '30.00' }),
  }));
  beforeEach(async () => {
    const request = { products: [{ name: 'Pot', category: 'BASE' }], plans: [potPlan('10')] } as const;
    await engine.acme.catalogEntries.create(request);
    names = new Map([
      [await subscriber('heat-monthly'), 'heat'],
      [await subscriber('warmth-monthly'), 'warmth'],
      [await subscriber('heat-monthly', '19'), 'heat for less'],
      [await subscriber('pot-monthly'), 'pot'],
    ]);
    await engine.settle();
    handler = newHandler();
  });

  function newHandler(): CatalogChangeHandler {
    const { storage, systemClock, logger, clock } = engine;
    const ports = { storage, clock, systemClock, logger, ids: { next: () => '' as Uuid } };
    const catalogs = catalogService(ports, { plugins: pluginCatalogs([], { systemClock }) });
    looked = [];
    const open: CatalogService['open'] = (request) => {
      looked.push(...(Array.isArray(request.accounts) ? request.accounts : []));
      return catalogs.open(request);
    };
    const config = { ...DEFAULT_INVOICING_CONFIG, alignPriceChanges: false };
    return new CatalogChangeHandler({ storage, clock }, { open, cache: catalogs.cache }, async () => config);
  }

  async function subscriber(planName: string, recurringPrice?: string): Promise<Uuid> {
    const { id } = await engine.payingAccount({ currency: 'USD' });
    const priceOverrides =
      recurringPrice === undefined ? [] : [{ phaseType: 'EVERGREEN', recurringPrice: recurringPrice }];
    await engine.acme.createSubscription({ accountId: id, planName, priceOverrides });
    return id;
  }

  const revision = () => engine.storage.read(engine.tenant, (session) => session.catalogs.revision());

  async function lookedAt(...revisions: readonly (number | undefined)[]): Promise<readonly string[]> {
    looked.length = 0;
    const entries = revisions.map((catalogRevision) => {
      const payload: EventPayload = { metaData: { key: 'CATALOG' }, catalogRevision };
      return { payload, accountRecordId: null, userToken: engine.tenant.id };
    });
    await handler.handle({ tenant: engine.tenant, entries } as never);
    return looked.map((id) => names.get(id) ?? id).toSorted();
  }

  it('covers accounts with plans that an upload changes, including accounts with price overrides', async () => {
    await engine.acme.uploadCatalog(climate('2024-02-01', { heat: '44.00', warmth: '30.00' }));
    expect(await lookedAt(await revision())).to.eql(['heat', 'heat for less']);
    await engine.acme.uploadCatalog(climate('2024-03-01', { heat: '44.00', warmth: '33.00' }));
    expect(await lookedAt(await revision()))
      .to.include('warmth')
      .and.not.include('pot');
  });

  it('covers no account if the change only adds plans, a simple plan or an entry', async () => {
    await engine.acme.uploadCatalog(climate('2024-02-01', { heat: '40.00', warmth: '30.00' }, ADDED));
    expect(await lookedAt(await revision())).to.eql([]);
    await engine.acme.catalogs.addSimplePlan({
      planId: 'lamp-monthly',
      productName: 'Lamp',
      productCategory: 'BASE',
      currency: 'USD',
      amount: '12',
      billingPeriod: 'MONTHLY',
    });
    expect(await lookedAt(await revision())).to.eql([]);
    await engine.acme.catalogEntries.create({ plans: [{ ...potPlan('5'), name: 'pan-monthly' }] });
    expect(await lookedAt(await revision())).to.eql([]);
  });

  it('covers the accounts with the plan of a changed entry', async () => {
    engine.clock.set('2024-01-02T00:00:00Z');
    await engine.acme.catalogEntries.updatePlan('pot-monthly', { phases: potPlan('12').phases ?? [] });
    expect(await lookedAt(await revision())).to.eql(['pot']);
  });

  it('covers all accounts if the event does not contain the previous catalog', async () => {
    await engine.acme.uploadCatalog(climate('2024-02-01', { heat: '40.00', warmth: '30.00' }, ADDED));
    expect(await lookedAt(undefined)).to.eql([...names.values()].toSorted());
  });

  it('runs once if the event is redelivered or an earlier event already covered the change', async () => {
    await engine.acme.uploadCatalog(climate('2024-02-01', { heat: '44.00', warmth: '30.00' }));
    const first = await revision();
    await engine.acme.uploadCatalog(climate('2024-03-01', { heat: '44.00', warmth: '33.00' }));
    const second = await revision();
    expect(await lookedAt(first)).to.eql(['heat', 'heat for less', 'warmth']);
    expect(await lookedAt(first)).to.eql([]);
    expect(await lookedAt(second)).to.eql([]);
    handler = newHandler();
    expect(await lookedAt(first, second)).to.eql(['heat', 'heat for less', 'warmth']);
  });
});
