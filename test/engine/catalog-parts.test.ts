import { readFile } from 'node:fs/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { uuidGenerator } from '../../adapters/node/index.ts';
import { lantern } from '../../examples/catalogs/lantern.ts';
import { partsOf, StoredCatalogs, textOfPlan } from '../../lib/catalog/index.ts';
import type { BillingError, Plan } from '../../lib/index.ts';
import { canonicalXml, formatInstant, instant, samePlan, writeCatalogXml } from '../../lib/index.ts';
import { authorshipOf, inOneTurn } from '../../lib/runtime/index.ts';
import { catalogOf } from '../support/engine.ts';
import {
  eachDatabaseByTurns,
  expect,
  openBilling,
  openEngine,
  rowsOf,
  specCatalog,
  storageOf,
  type TestEngine,
  withParts,
} from '../support/index.ts';

eachDatabaseByTurns.describe('engines with catalogs of many versions', (open) => {
  let engine: TestEngine;
  let source: string;

  beforeEach(async () => {
    source = await readFile(specCatalog, 'utf8');
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
  });

  const at = (date: string): string =>
    source.replace(/<effectiveDate>[^<]*<\/effectiveDate>/, `<effectiveDate>${date}</effectiveDate>`);
  /** Reads like another process that has nothing in memory. */
  const cold = () => engine.storage.read(engine.tenant, (session) => new StoredCatalogs().get(session));

  it('store an unchanged plan or product once, as one object in all versions', async () => {
    const [before] = await rowsOf(engine.database, 'select count(*) as parts from bw_catalog_parts');
    await engine.acme.uploadCatalog(at('2024-03-01').replaceAll('29.95', '39.95'));
    await engine.acme.uploadCatalog(at('2024-05-01').replaceAll('29.95', '39.95'));
    const { versions } = await catalogOf(engine);
    expect(versions).to.have.length(3);
    const [first, second, third] = versions;
    if (!first || !second || !third) throw new Error('a version is missing');
    const changed = first.plans.filter((plan) => second.planNamed(plan.name) !== plan);
    expect(changed.length).to.be.within(1, first.plans.length - 1);
    for (const plan of second.plans) expect(third.planNamed(plan.name)).to.equal(plan);
    for (const product of first.products) expect(third.productNamed(product.name)).to.equal(product);
    expect(third.rules).to.equal(first.rules);
    const [after] = await rowsOf(engine.database, 'select count(*) as parts from bw_catalog_parts');
    expect(Number(after?.parts) - Number(before?.parts)).to.equal(changed.length);
    expect(writeCatalogXml(await cold())).to.equal((await engine.acme.catalogs.current()).toXml());
  });

  it('read only the uploaded parts after an upload', async () => {
    await engine.acme.uploadCatalog(at('2024-03-01'));
    const stored = new StoredCatalogs();
    const loads: (readonly number[])[] = [];
    const read = () =>
      engine.storage.read(engine.tenant, (session) => {
        const { contents, parts } = session.catalogs;
        const catalogs = {
          ...session.catalogs,
          contents: (ids: readonly number[]) => contents(note(ids)),
          parts: (ids: readonly number[]) => parts(note(ids)),
        };
        return stored.get(withParts(session, { catalogs }));
      });
    const note = (ids: readonly number[]) => {
      loads.push(ids);
      return ids;
    };
    const first = await read();
    expect(loads[0]).to.have.length(2);
    await engine.acme.uploadCatalog(at('2024-05-01').replace('29.95', '39.95'));
    loads.length = 0;
    const second = await read();
    expect(loads.map(({ length }) => length)).to.eql([1, 1]);
    expect(second.versions.slice(0, 2)).to.eql(first.versions);
    loads.length = 0;
    expect(await read()).to.equal(second);
    expect(loads).to.eql([]);
  });

  it('store changed prices without storing the plan again', async () => {
    const size = async () => {
      const [row] = await rowsOf(
        engine.database,
        "select count(*) as shapes, (select sum(length(text)) from bw_catalog_parts where kind = 'PLAN') as plans from bw_catalog_parts where kind = 'SHAPE'",
      );
      return { shapes: Number(row?.shapes), plans: Number(row?.plans) };
    };
    const before = await size();
    for (const [index, price] of ['39.95', '49.95', '59.95'].entries())
      await engine.acme.uploadCatalog(at(`2024-0${index + 3}-01`).replaceAll('29.95', price));
    const after = await size();
    expect(after.shapes).to.equal(before.shapes);
    expect((after.plans - before.plans) / 3).to.be.within(1, 100);
    expect(writeCatalogXml(await cold())).to.equal((await engine.acme.catalogs.current()).toXml());
  });

  it('read plans that were stored without a shape, and recognize those plans in a later upload', async () => {
    const current = await catalogOf(engine);
    const [version] = current.versions;
    const parts = await rowsOf(
      engine.database,
      "select record_id, name from bw_catalog_parts where kind = 'PLAN'",
    );
    await engine.close();
    for (const { record_id: recordId, name } of parts) {
      const text = textOfPlan(version?.findPlan(String(name)) as Plan).replaceAll("'", "''");
      await rowsOf(
        engine.database,
        `update bw_catalog_parts set shape_record_id = null, text = '${text}' where record_id = ${recordId}`,
      );
    }
    await rowsOf(engine.database, "delete from bw_catalog_parts where kind = 'SHAPE'");
    const billing = await openBilling(engine.database);
    const acme = billing.as({ tenant: engine.tenant.id, user: 'admin' });
    expect((await acme.catalogs.current()).toXml()).to.equal(writeCatalogXml(current));
    await acme.uploadCatalog(at('2024-03-01').replace('29.95', '39.95'));
    const [first, second] = (await catalogOf({ billing, tenant: engine.tenant })).versions;
    const changed = first?.plans.filter((plan) => second?.planNamed(plan.name) !== plan);
    expect(changed).to.have.length(1);
    await billing.close();
  });

  it('use the cached parts in a host transaction, and never use rolled-back parts', async () => {
    const stored = new StoredCatalogs();
    const known = await engine.storage.read(engine.tenant, (session) => stored.get(session));
    const inside = stored.forTransaction();
    const [version] = known.versions;
    if (!version) throw new Error('no version');
    const parts = await partsOf(version, inOneTurn);
    const context = await engine.billing.context({ tenant: engine.tenant.id, user: 'host' });
    const rolledBack = engine.storage.write(engine.tenant, authorshipOf(context), async (session) => {
      expect(await inside.get(session)).to.equal(known);
      const id = uuidGenerator().next();
      const dated = { id, uploadId: id, effectiveDate: instant(0), createdDate: context.createdDate };
      await session.catalogs.insert([{ ...dated, contentHash: 'other', sourceText: null, parts }]);
      const { versions } = await inside.get(session);
      expect(versions).to.have.length(2);
      expect(versions[0]?.plans[0]).to.equal(version.plans[0]);
      throw new Error('rolled back');
    });
    expect(await rolledBack.catch((error: Error) => error.message)).to.equal('rolled back');
    await engine.acme.uploadCatalog(at('2024-03-01'));
    const { versions } = await engine.storage.read(engine.tenant, (session) => stored.get(session));
    expect(versions.map(({ effectiveDate }) => formatInstant(effectiveDate).slice(0, 10))).to.eql([
      '2010-01-01',
      '2024-03-01',
    ]);
  });

  it('accept a catalog written in code, as a value or as a document', async () => {
    const request = { apiKey: 'code', apiSecret: 'code' };
    const { id } = await engine.billing.tenants.create({ userName: 'setup' }, request);
    const shop = engine.billing.as({ tenant: id, user: 'deploy' });
    await shop.uploadCatalog(lantern);
    expect((await shop.catalogs.current()).toXml()).to.equal(lantern.toXml());
    const tenant = await engine.billing.tenants.refOf(id);
    const [first, second] = (await catalogOf({ billing: engine.billing, tenant })).versions;
    expect(second?.findPlan('beacon-annual')).to.equal(first?.findPlan('beacon-annual'));
    expect(second?.findPlan('light-monthly')).to.not.equal(first?.findPlan('light-monthly'));
    const again = await shop.uploadCatalog(lantern.toXml()).catch((error: BillingError) => error.code);
    expect(again).to.equal(2080);
  });

  it('read and extend versions that were stored without parts', async () => {
    const current = await catalogOf(engine);
    const [version] = current.versions;
    if (!version) throw new Error('no version');
    const xml = canonicalXml(version).replaceAll("'", "''");
    await engine.close();
    await rowsOf(
      engine.database,
      `update bw_catalog_versions set composition = null, canonical_xml = '${xml}'`,
    );
    const storage = storageOf(engine.database);
    const billing = await Billing.open({ storage });
    const acme = billing.as({ tenant: engine.tenant.id, user: 'admin' });
    expect((await acme.catalogs.current()).toXml()).to.equal(writeCatalogXml(current));
    await acme.uploadCatalog(at('2024-03-01'));
    const { versions } = await catalogOf({ billing, tenant: engine.tenant });
    expect(versions).to.have.length(2);
    for (const plan of versions[0]?.plans ?? []) {
      const later = versions[1]?.planNamed(plan.name);
      expect(later && samePlan(plan, later)).to.equal(true);
    }
    const other = at('2024-04-01').replaceAll('<product>Solo</product>', '<product>Ghost</product>');
    expect(await acme.uploadCatalog(other).catch((error: BillingError) => error.code)).to.equal(2080);
    await billing.close();
  });
});
