import { defineCatalog } from '../../adapters/node/billwright.ts';
import { lantern } from '../../examples/catalogs/lantern.ts';
import { BillingError, type Uuid } from '../../lib/index.ts';
import { areCells, eachDatabase, engineBeforeEach, expect, expectCode, newEvents } from '../support/index.ts';

const setup = { userName: 'setup' };
type Amount = `${number}`;

const keys = { apiKey: 'lantern', apiSecret: 'lantern-secret' };

/** Returns a catalog with one plan, optionally with another `price` or `limit`, or a second version in July. */
function gardens({
  price = '9.00',
  limit = 100,
  july,
}: {
  price?: Amount;
  limit?: number;
  july?: Amount;
} = {}) {
  const version = (amount: Amount) =>
    ({
      recurringBillingMode: 'IN_ADVANCE',
      currencies: ['USD'],
      units: { litre: {} },
      products: { Bed: { category: 'BASE' } },
      plans: {
        'bed-monthly': {
          product: 'Bed',
          initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 14 }, fixed: 0 }],
          finalPhase: {
            type: 'EVERGREEN',
            recurring: { billingPeriod: 'MONTHLY', price: { USD: amount } },
            usages: {
              water: {
                billingMode: 'IN_ARREAR',
                usageType: 'CONSUMABLE',
                billingPeriod: 'MONTHLY',
                tiers: [{ blocks: [{ unit: 'litre', size: 1, prices: { USD: '0.40' }, max: limit }] }],
              },
            },
          },
        },
      },
      priceLists: { DEFAULT: ['bed-monthly'] },
      rules: { changePolicy: [{ policy: 'IMMEDIATE' }], cancelPolicy: [{ policy: 'END_OF_TERM' }] },
    }) as const;
  const first = defineCatalog({ ...version(price), name: 'Gardens', effectiveDate: '2026-01-01' });
  return july === undefined ? first : first.withVersion({ ...version(july), effectiveDate: '2026-07-01' });
}

const january = new Date('2026-01-01T00:00:00Z');
const july = new Date('2026-07-01T00:00:00Z');

eachDatabase.describe('tenant and catalog setup', (open) => {
  const engine = engineBeforeEach(open, { now: '2026-03-01T00:00:00Z', catalog: null });

  async function problemsOf(work: Promise<unknown>): Promise<readonly string[]> {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof BillingError)) throw new Error('no billing error was thrown');
    expect(error.code).to.equal(2080);
    return (error.problems ?? []).map(({ message }) => message);
  }

  describe('tenants.ensure', () => {
    it('creates a tenant only once', async () => {
      const { tenants } = engine.billing;
      const created = await tenants.ensure(setup, { ...keys, externalKey: 'lantern-1' });
      expect(await tenants.ensure(setup, { ...keys, externalKey: 'lantern-1' })).to.eql(created);
      expect(await tenants.ensure(setup, keys)).to.eql(created);
      expect(await tenants.getByApiKey('lantern')).to.eql(created);
    });

    for (const [field, value] of Object.entries({
      apiSecret: 'other',
      externalKey: 'other',
      useGlobalDefault: true,
    })) {
      it(`rejects a different ${field} for an existing key`, async () => {
        const { tenants } = engine.billing;
        await tenants.ensure(setup, keys);
        await expectCode(tenants.ensure(setup, { ...keys, [field]: value }), 'TENANT_ALREADY_EXISTS');
      });
    }

    it('rejects a cell name if the deployment has no cells', async function () {
      if (areCells) this.skip();
      const { tenants } = engine.billing;
      await expectCode(tenants.ensure(setup, { ...keys, cell: 'east' }), 'MISSING_OR_INVALID_FIELD');
    });

    it('returns the same tenant to several simultaneous calls', async () => {
      const { tenants } = engine.billing;
      const found = await Promise.all(Array.from({ length: 8 }, () => tenants.ensure(setup, keys)));
      expect(new Set(found.map((tenant) => tenant.id)).size).to.equal(1);
    });
  });

  describe('tenants.page', () => {
    it('lists tenants in API key order, forward and backward, and filters them by id and key prefix', async () => {
      const { tenants } = engine.billing;
      const ids = new Map<string, Uuid>();
      for (const apiKey of ['page-c', 'page-a', 'page-b', 'page_a', 'PAGE-a'])
        ids.set(apiKey, (await tenants.create(setup, { apiKey, apiSecret: 'secret' })).id);
      const keysOf = async (...given: Parameters<typeof tenants.page>) => {
        const { rows, total, max } = await tenants.page(...given);
        return [rows.map(({ apiKey }) => apiKey), total, max];
      };
      const all = (await tenants.page({ offset: 0, limit: 1 })).total;
      const apiKeyPrefix = 'page-';
      expect(await keysOf({ offset: 0, limit: 2 }, { apiKeyPrefix })).to.eql([['page-a', 'page-b'], 3, all]);
      expect(await keysOf({ offset: 2, limit: 2 }, { apiKeyPrefix })).to.eql([['page-c'], 3, all]);
      expect(await keysOf({ offset: 0, limit: -2 }, { apiKeyPrefix })).to.eql([['page-c', 'page-b'], 3, all]);
      const chosen = ['page-c', 'PAGE-a', 'page_a'].map((key) => ids.get(key) as Uuid);
      expect(await keysOf({ offset: 0, limit: 9 }, { ids: chosen })).to.eql([
        ['PAGE-a', 'page-c', 'page_a'],
        3,
        3,
      ]);
      expect(await keysOf({ offset: 0, limit: 9 }, { ids: chosen, apiKeyPrefix })).to.eql([['page-c'], 1, 3]);
      expect(await keysOf({ offset: 0, limit: 9 }, { ids: [] })).to.eql([[], 0, 0]);
      const percent = { apiKeyPrefix: 'page%' };
      expect(await keysOf({ offset: 0, limit: 9 }, percent)).to.eql([[], 0, all]);
      await expectCode(tenants.page({ offset: 0, limit: 9 }, { apiKeyPrefix: '\0' }), 60003);
    });
  });

  describe('catalogs.sync', () => {
    it('uploads new versions and returns their dates', async () => {
      const { catalogs } = engine.acme;
      expect(await catalogs.sync(gardens())).to.eql({ status: 'UPDATED', added: [january] });
      expect(await catalogs.sync(gardens())).to.eql({ status: 'UNCHANGED', added: [] });
      expect(await catalogs.sync(gardens({ july: '12.00' }))).to.eql({ status: 'UPDATED', added: [july] });
      expect((await catalogs.current()).versions.map((version) => version.effectiveDate)).to.eql([
        january,
        july,
      ]);
    });

    it('stores nothing and publishes nothing if nothing has changed', async () => {
      const { acme, database } = engine;
      await acme.catalogs.sync(lantern);
      const events = newEvents(database);
      await events();
      const sources = await acme.catalogs.sources();
      await acme.catalogs.sync(lantern);
      await acme.catalogs.sync(lantern.toXml());
      await acme.uploadCatalog(lantern);
      expect(await events()).to.eql([]);
      expect(await acme.catalogs.sources()).to.eql(sources);
    });

    it('accepts an equal amount that is written with a different number of digits', async () => {
      await engine.acme.catalogs.sync(gardens({ price: '9.00' }));
      const again = await engine.acme.catalogs.sync(gardens({ price: '9' }));
      expect(again.status).to.equal('UNCHANGED');
    });

    it('rejects a changed version, and lists each difference', async () => {
      const { catalogs } = engine.acme;
      await catalogs.sync(gardens());
      const title =
        'catalog "Gardens" effective 2026-01-01T00:00:00.000Z, plan "bed-monthly", phase EVERGREEN,';
      expect(await problemsOf(catalogs.sync(gardens({ price: '12.00', limit: 50, july: '12.00' })))).to.eql([
        `${title} recurring price in USD: 9.00 is stored, 12.00 is given`,
        `${title} usage "water", tier 1, block 1, max: 100 is stored, 50 is given`,
      ]);
      expect((await catalogs.current()).versions).to.have.length(1);
    });

    it('reports plans that exist only in the stored catalog or only in the given catalog', async () => {
      const { catalogs } = engine.acme;
      await catalogs.sync(gardens());
      const renamed = gardens().toXml().replaceAll('bed-monthly', 'bed-month');
      const title = 'catalog "Gardens" effective 2026-01-01T00:00:00.000Z, ';
      expect(await problemsOf(catalogs.sync(renamed))).to.eql([
        `${title}price list "DEFAULT", plan bed-monthly is stored, but missing in the given version`,
        `${title}price list "DEFAULT", plan bed-month is given, but missing in the stored version`,
        `${title}plan "bed-monthly" is stored, but missing in the given version`,
        `${title}plan "bed-month" is given, but missing in the stored version`,
      ]);
    });

    it('rejects an invalid new version with the same errors as an upload', async () => {
      const { catalogs } = engine.acme;
      await catalogs.sync(gardens());
      const other = gardens().toXml().replaceAll('2026-01-01', '2026-05-01').replaceAll('Gardens', 'Meadows');
      expect(await problemsOf(catalogs.sync(other))).to.have.length(1);
      await expectCode(catalogs.sync('<catalog/>'), 'CATALOG_INVALID_FOR_TENANT');
    });
  });

  it('does not change catalogs.upload, which still rejects the repeated upload of a document', async () => {
    await engine.acme.uploadCatalog(lantern.toXml());
    await expectCode(engine.acme.uploadCatalog(lantern.toXml()), 'CATALOG_INVALID_FOR_TENANT');
  });
});
