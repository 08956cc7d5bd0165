import { readFile } from 'node:fs/promises';
import { memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import { planOfText, Shape, textOfPlan } from '../../lib/catalog/index.ts';
import {
  BillingError,
  type HostInput,
  type SimplePlan,
  type TenantBilling,
  type Uuid,
} from '../../lib/index.ts';
import { harbour } from '../support/catalogs/priced-catalog.ts';
import { catalogOf } from '../support/engine.ts';
import {
  eachDatabaseByTurns,
  entryTokens,
  example,
  expect,
  expectCode,
  newEvents,
  openEngine,
  rowsOf,
  specCatalog,
  type TestEngine,
} from '../support/index.ts';

const lamp: HostInput<SimplePlan> = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: '12.50',
  billingPeriod: 'MONTHLY',
  trialLength: 14,
  trialTimeUnit: 'DAYS',
};
const orchard = example('catalogs/orchard-demo.xml');

eachDatabaseByTurns.describe('catalog administration', (open) => {
  let engine: TestEngine;
  let source: string;

  async function begin(options: Partial<Parameters<typeof openEngine>[1]> = {}): Promise<void> {
    source = await readFile(specCatalog, 'utf8');
    engine = await openEngine(open, { now: '2024-02-10T09:00:00Z', ...options });
  }

  const dated = (date: string): string =>
    source.replace(/<effectiveDate>[^<]*<\/effectiveDate>/, `<effectiveDate>${date}</effectiveDate>`);

  async function dates(of: TenantBilling = engine.acme): Promise<readonly string[]> {
    const { versions } = await of.catalogs.current();
    return versions.map((version) => version.effectiveDate.toISOString().slice(0, 10));
  }

  async function newTenant(useGlobalDefault: boolean, apiKey = `tenant-${useGlobalDefault}`) {
    const input = { apiKey, apiSecret: 'secret', useGlobalDefault };
    const tenant = await engine.billing.tenants.create({ userName: 'test' }, input);
    return engine.billing.as({ tenant: tenant.id, user: 'test' });
  }

  /** Returns the payloads of the events since the last upload. */
  async function payloads(): Promise<readonly unknown[]> {
    const tables = ['bw_queue_entries', 'bw_queue_history'];
    const all = tables.map(
      (table) =>
        `select record_id, payload${engine.database.kind === 'postgresql' ? '::text' : ''} as payload from ${table} where topic like 'TENANT_CONFIG%'`,
    );
    const rows = await rowsOf(engine.database, `${all.join(' union all ')} order by record_id`);
    return rows.slice(-3).map(({ payload }) => JSON.parse(String(payload)));
  }

  it('applies a deletion to the next call, emits its events, and accepts any catalog name and dates afterward', async () => {
    await begin();
    await engine.acme.uploadCatalog(dated('2024-03-01'));
    const events = newEvents(engine.database);
    await events();
    await engine.acme.catalogs.delete();
    expect(await events()).to.eql(['TENANT_CONFIG_DELETION', 'TENANT_CONFIG_CHANGE']);
    const ids = 'select id from bw_catalog_versions order by effective_date';
    const catalogRows = await rowsOf(engine.database, ids);
    const event = { accountId: null, metaData: { key: 'CATALOG' } };
    const revisions = { uploaded: 2, deleted: 3 };
    expect(await payloads()).to.eql([
      { ...event, objectId: catalogRows[1]?.id, catalogRevision: revisions.uploaded },
      { ...event, objectId: null },
      { ...event, objectId: catalogRows[1]?.id, catalogRevision: revisions.deleted },
    ]);
    expect(await dates()).to.eql([]);
    expect(await engine.acme.catalogs.sources()).to.eql([]);
    expect(await engine.acme.catalogs.availableBasePlans()).to.eql([]);
    const account = await engine.payingAccount({ currency: 'USD' });
    const request = { accountId: account.id, planName: 'pro-monthly' };
    await expectCode(engine.acme.createSubscription(request), 2050);

    await engine.acme.catalogs.delete();
    expect((await events()).filter((type) => type.startsWith('TENANT'))).to.eql([]);
    await engine.acme.uploadCatalog(await readFile(orchard));
    await engine.acme.catalogs.delete();
    await engine.acme.uploadCatalog(dated('2024-03-01'));
    expect(await dates()).to.eql(['2024-03-01']);
  });

  it('rejects a deletion while any subscription, even an ended one, has a plan of the catalog', async () => {
    await begin();
    const account = await engine.payingAccount({ currency: 'USD' });
    await engine.subscribe({ accountId: account.id, planName: 'term-3m' });
    await engine.runTo('2024-06-10T09:00:00Z');
    const events = newEvents(engine.database);
    await events();
    const refusal = await engine.acme.catalogs.delete().catch((error: unknown) => error);
    expect(refusal).to.include({ code: 2080 });
    expect(String(refusal)).to.match(/Invalid catalog for tenant .*subscriptions use its plans "/);
    expect(await dates()).to.eql(['2010-01-01']);
    expect(await events()).to.eql([]);
  });

  it('stores a simple plan once, even if repeated, and sells the plan in the next call (catalog W17 "Simple plan")', async () => {
    await begin();
    const own = await newTenant(false);
    const events = newEvents(engine.database);
    await events();
    await own.catalogs.addSimplePlan(lamp);
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE']);
    const dated = (await own.catalogs.current()).versions.map(({ effectiveDate }) => effectiveDate);
    expect(dated).to.eql([new Date('2024-02-09T09:00:00Z')]);
    await own.catalogs.addSimplePlan(lamp);
    expect(await events()).to.eql([]);
    await own.catalogs.addSimplePlan({ ...lamp, currency: 'EUR', amount: '11' });
    await expectCode(own.catalogs.addSimplePlan({ ...lamp, amount: '13' }), 2060);
    await expectCode(own.catalogs.addSimplePlan({ ...lamp, planId: '9lives' }), 2060);
    await expectCode(own.catalogs.addSimplePlan({ ...lamp, planId: 'Lamp', productName: 'Lamp' }), 2060);
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE']);
    const [version] = (await own.catalogs.current()).versions;
    expect(version?.currencies).to.eql(['USD', 'EUR']);
    expect(version?.plans.map((plan) => plan.name)).to.eql(['lamp-monthly']);
    const account = await own.createAccount({ currency: 'EUR' });
    await engine.settle(own.createSubscription({ accountId: account.id, planName: 'lamp-monthly' }));
    expect(await own.invoices.ofAccount({ accountId: account.id })).to.have.length(1);
  });

  it('adds a simple plan to the current and later versions of an uploaded catalog', async () => {
    await begin();
    await engine.acme.uploadCatalog(dated('2024-01-01'));
    await engine.acme.uploadCatalog(dated('2024-06-01'));
    await engine.acme.catalogs.addSimplePlan(lamp);
    const { versions } = await catalogOf(engine);
    const lamps = versions.map((version) => version.planNamed('lamp-monthly')?.name);
    expect(lamps).to.eql([undefined, 'lamp-monthly', 'lamp-monthly']);
    const refusal = await engine.acme.catalogs
      .addSimplePlan({ ...lamp, planId: 'lamp-never', billingPeriod: 'NO_BILLING_PERIOD' })
      .catch((error: unknown) => error);
    expect(refusal).to.include({
      code: 2060,
      message:
        'Invalid simple plan: Plan "lamp-never", phase lamp-never-evergreen has a recurring price but NO_BILLING_PERIOD',
    });
    const sources = await engine.acme.catalogs.sources();
    expect(sources.map((text) => text.includes('lamp-monthly'))).to.eql([false, true, true]);
  });

  it('keeps the history of a version to which a simple plan is added', async () => {
    await begin();
    await engine.acme.catalogs.addSimplePlan(lamp);
    const stored = async () => ({
      versions: await rowsOf(engine.database, 'select * from bw_catalog_versions order by record_id'),
      parts: await rowsOf(engine.database, 'select * from bw_catalog_parts order by record_id'),
    });
    const before = await stored();
    const [replaced] = before.versions.slice(-1);
    const [version] = (await catalogOf(engine)).versions;
    engine.clock.set('2024-02-10T10:00:00Z');
    await engine.acme.catalogs.addSimplePlan({ ...lamp, currency: 'JPY', amount: '1500' });
    const after = await stored();
    const [added] = after.versions.slice(-1);
    expect(after.versions.slice(0, -1)).to.eql([
      ...before.versions.slice(0, -1),
      { ...replaced, removed_date: added?.created_date },
    ]);
    expect(after.parts.slice(0, before.parts.length)).to.eql(before.parts);

    // The stored row reproduces the replaced version exactly, to the digit.
    const { plans } = JSON.parse(String(replaced?.composition)) as { plans: readonly number[] };
    const part = (id: unknown) => after.parts.find((each) => Number(each.record_id) === Number(id));
    const texts = plans.map(part).map((found) => {
      const shape = part(found?.shape_record_id);
      return new Shape({ name: '', text: String(shape?.text) }).fill(String(found?.text));
    });
    expect(texts.map((text) => textOfPlan(planOfText(text)))).to.eql(version?.plans.map(textOfPlan));
    expect(texts.join()).to.include('12.5').and.not.include('JPY');
    const audit = await engine.storage.read(engine.tenant, (session) =>
      session.audit.findByTargets([String(replaced?.id), String(added?.id)] as Uuid[]),
    );
    expect(audit.map(({ tableName, changeType }) => `${tableName} ${changeType}`)).to.have.members([
      'TENANT_KVS INSERT',
      'TENANT_KVS DELETE',
      'TENANT_KVS INSERT',
    ]);
  });

  it('starts no invoice run for a simple plan, because the plan changes no price in use', async () => {
    await begin();
    const account = await engine.payingAccount({ currency: 'USD' });
    await engine.subscribe({ accountId: account.id, planName: 'pro-monthly' });
    const runs = async () =>
      (await entryTokens(engine.database)).filter(({ topic }) => topic.includes('next-billing-date')).length;
    const before = await runs();
    await engine.acme.catalogs.addSimplePlan(lamp);
    await engine.settle(engine.acme.catalogs.addSimplePlan({ ...lamp, currency: 'EUR', amount: '11' }));
    expect(await runs()).to.equal(before);
  });

  it('returns the sources as uploaded, in upload order', async () => {
    await begin();
    const [first, second] = [dated('2025-01-01').replace('UTF-8', 'UTF-16'), dated('2024-01-01')];
    await engine.acme.uploadCatalog(Buffer.from(`\uFEFF${first}`, 'utf16le'));
    await engine.acme.uploadCatalog(second);
    expect(await engine.acme.catalogs.sources()).to.eql([source, first, second]);
  });

  it('stores both of two simultaneous simple plans', async () => {
    await begin();
    const own = await newTenant(false);
    await Promise.all(
      [lamp, { ...lamp, planId: 'lamp-two' }].map((each) => own.catalogs.addSimplePlan(each)),
    );
    const [version] = (await own.catalogs.current()).versions;
    expect(version?.plans.map((plan) => plan.name)).to.eql(['lamp-monthly', 'lamp-two']);
  });

  it('validates both well-formed and malformed documents, lists the errors and stores nothing', async () => {
    await begin();
    const events = newEvents(engine.database);
    await events();
    expect(await engine.acme.catalogs.validate(dated('2024-03-01'))).to.eql({ errors: [], warnings: [] });
    const unknown = source.replaceAll('<product>Solo</product>', '<product>Ghost</product>');
    const ghost = await engine.acme.catalogs.validate(unknown);
    expect(ghost.errors.length).to.be.greaterThan(1);
    const broken = await engine.acme.catalogs.validate('<catalog><duration>');
    expect(broken.errors).to.have.length(1);
    expect(broken.errors[0]?.line).to.equal(1);
    const twice = `<catalogs><versions>${`<version>${inner(source)}</version>`.repeat(2)}</versions></catalogs>`;
    const { errors } = await engine.acme.catalogs.validate(twice);
    expect(errors.map(({ message }) => message).join()).to.match(/already exists/);
    await expectCode(engine.acme.catalogs.validate(' '.repeat(10 * 1024 * 1024 + 1)), 60_012);
    expect(await events()).to.eql([]);
    expect(await dates()).to.eql(['2010-01-01']);
  });

  it("validates a document against the tenant's versions, like an upload", async () => {
    await begin();
    const documents = [
      source,
      dated('2024-03-01').replace(/<catalogName>[^<]*/, '<catalogName>Another'),
      dated('2024-03-01').replaceAll('pro-monthly', 'taken').replaceAll('solo-monthly', 'pro-monthly'),
    ];
    for (const document of documents) {
      const { errors } = await engine.acme.catalogs.validate(document);
      const refusal = await engine.acme.uploadCatalog(document).catch((error: unknown) => error);
      expect(errors).not.to.have.length(0);
      expect(refusal).to.be.instanceOf(BillingError).and.to.deep.include({ problems: errors });
    }
    expect((await (await newTenant(false)).catalogs.validate(source)).errors).to.eql([]);
  });

  it('serves the default catalog only until the tenant has its own catalog, even if that catalog is deleted later', async () => {
    const document = await readFile(orchard, 'utf8');
    let reads = 0;
    await begin({
      defaultCatalog() {
        reads += 1;
        return document;
      },
    });
    const [own, global] = [await newTenant(false), await newTenant(true)];
    expect(await dates(own)).to.eql([]);
    expect(reads).to.equal(0);
    expect((await global.catalogs.current()).name).to.equal('OrchardDemo');
    expect(await global.catalogs.sources()).to.eql([]);

    await global.catalogs.addSimplePlan(lamp);
    expect((await global.catalogs.current()).name).to.equal('DEFAULT');
    await global.catalogs.delete();
    expect(await dates(global)).to.eql([]);
    await global.catalogs.addSimplePlan(lamp);
    await global.catalogs.delete();
    expect(await dates(global)).to.eql([]);
    expect(reads).to.equal(1);
  });

  it('lets a tenant without plans in use delete the default catalog, and offers no plans afterward', async () => {
    await begin({ defaultCatalog: await readFile(orchard, 'utf8') });
    const global = await newTenant(true);
    const account = await global.createAccount({ currency: 'USD' });
    const events = newEvents(engine.database);
    await engine.settle(global.createSubscription({ accountId: account.id, planName: 'apple-monthly' }));
    await expectCode(global.catalogs.delete(), 2080);
    expect(await dates(global)).to.eql(['2010-01-01']);
    // An upload replaces the default catalog, but subscriptions keep their plans.
    const report = await Array.fromAsync(await global.catalogs.changeReport(dated('2024-01-01')));
    expect(report.map(({ kind }) => kind)).to.eql(['SUMMARY', 'TOTAL']);

    await events();
    const idle = await newTenant(true, 'idle');
    await idle.catalogs.delete();
    expect(await events()).to.eql(['TENANT_CONFIG_DELETION', 'TENANT_CONFIG_CHANGE']);
    expect(await dates(idle)).to.eql([]);
  });

  it("creates the tenant's own catalog with any name at the first upload", async () => {
    await begin({ defaultCatalog: await readFile(orchard, 'utf8') });
    const global = await newTenant(true);
    await global.uploadCatalog(dated('2024-01-01'));
    expect(await dates(global)).to.eql(['2024-01-01']);
  });

  it('sells the plans of the version that is currently in force', async () => {
    await begin({ catalog: orchard });
    const bases = await engine.acme.catalogs.availableBasePlans();
    expect(bases.map(({ plan, priceListName }) => `${plan.name} ${priceListName}`)).to.eql([
      'apple-annual DEFAULT',
      'apple-monthly DEFAULT',
      'harvest-apple-monthly Harvest',
      'harvest-pear-monthly Harvest',
      'pear-monthly DEFAULT',
      'quince-fixed Term',
      'quince-monthly DEFAULT',
    ]);
    const namesOf = async (baseProductName: string, priceListName: string | null = null) => {
      const found = await engine.acme.catalogs.availableAddOns({ baseProductName, priceListName });
      return found.map(({ plan }) => plan.name);
    };
    expect(await namesOf('Pear')).to.eql(['ladder-monthly', 'basket-monthly', 'juice-usage']);
    expect(await namesOf('Quince')).to.eql(['basket-monthly', 'juice-usage']);
    expect(await namesOf('Apple')).to.eql([]);
    expect(await namesOf('Pear', 'Harvest')).to.eql([]);
    expect(await namesOf('Nothing')).to.eql([]);
    const later = (await readFile(orchard, 'utf8')).replace('2010-01-01', '2030-01-01');
    await engine.acme.uploadCatalog(later.replaceAll('apple-annual', 'apple-yearly'));
    expect((await engine.acme.catalogs.availableBasePlans()).map(({ plan }) => plan.name))
      .to.include('apple-annual')
      .and.not.include('apple-yearly');
    const stranger = '11111111-1111-4111-8111-111111111111' as never;
    await expectCode(engine.acme.catalogs.availableBasePlans({ accountId: stranger }), 3002);
  });

  it('rejects a simple plan while a plugin serves the tenant, and names the plugin in the error', async () => {
    const plugin = memoryCatalogPlugin();
    await begin({ catalogPlugins: [plugin] });
    plugin.serve(harbour());
    const refusal = await engine.acme.catalogs.addSimplePlan(lamp).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(BillingError).and.to.include({ code: 2080 });
    expect(String(refusal)).to.match(/"memory-catalog" serves this tenant/);
    await expectCode(engine.acme.catalogs.changeReport(source), 2080, 'the change report too');
  });

  it("deletes only the catalogs of the caller's tenant", async () => {
    await begin();
    const own = await newTenant(false);
    await own.catalogs.addSimplePlan(lamp);
    await own.catalogs.delete();
    expect(await dates()).to.eql(['2010-01-01']);
  });
});

/** Returns the content of the root element `catalog`. */
const inner = (document: string) =>
  document.slice(document.indexOf('<catalog>') + '<catalog>'.length, document.lastIndexOf('</catalog>'));
