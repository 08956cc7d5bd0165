import { memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import type { Catalog, HostInput, Instant, PlanEntryInput, Uuid } from '../../lib/index.ts';
import { formatInstant, parseWireInstant } from '../../lib/index.ts';
import { overlayCatalog } from '../support/catalogs/overlay-catalog.ts';
import { harbour } from '../support/catalogs/priced-catalog.ts';
import { eachDatabaseByTurns, itOnPostgresql } from '../support/databases.ts';
import { catalogOf } from '../support/engine.ts';
import {
  codeOf,
  expect,
  expectCode,
  newEvents,
  openBilling,
  openEngine,
  type TestEngine,
} from '../support/index.ts';

function at(text: string): Instant {
  const instant = parseWireInstant(text);
  if (instant === undefined) throw new Error(text);
  return instant;
}

const usd = (value: string) => [{ currency: 'USD', value }];

function monthly(name: string, effectiveDate: string, price = '10'): HostInput<PlanEntryInput> {
  return {
    name,
    recurringBillingMode: 'IN_ADVANCE',
    effectiveDate: at(effectiveDate),
    productName: 'Pot',
    pricelistName: 'DEFAULT',
    phases: [evergreen(price)],
  };
}

function evergreen(price: string) {
  return {
    type: 'EVERGREEN',
    durationUnit: 'UNLIMITED',
    recurringPrices: { billingPeriod: 'MONTHLY', prices: usd(price) },
  } as const;
}

const pot = { name: 'Pot', category: 'BASE' } as const;

eachDatabaseByTurns.describe('catalog entries', (open) => {
  let engine: TestEngine;

  async function openEmpty(now: string): Promise<void> {
    engine = await openEngine(open, { now, catalog: null });
  }

  async function openWith(now: string, ...plans: readonly HostInput<PlanEntryInput>[]) {
    await openEmpty(now);
    const entries = engine.acme.catalogEntries;
    await entries.create({ products: [pot], plans });
    return entries;
  }

  async function openOverlay(now: string): Promise<void> {
    engine = await openEngine(open, { now, catalog: null });
    for (const document of overlayCatalog) await engine.acme.uploadCatalog(document);
  }

  function contents({ versions }: Catalog): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      versions.map((version) => [
        formatInstant(version.effectiveDate).slice(0, 10),
        version.plans.map(
          (plan) => `${plan.name} ${plan.finalPhase.recurring?.price?.prices[0]?.amount?.value}`,
        ),
      ]),
    );
  }

  const current = (accountId: Uuid | null = null): Promise<Catalog> => catalogOf(engine, accountId);

  async function w18(): Promise<void> {
    const entries = await openWith('2024-01-01T00:00:00Z', monthly('p1', '2024-01-01'));
    await entries.create({ plans: [monthly('p2', '2024-02-01'), monthly('p3', '2024-05-01')] });
    await entries.updatePlan('p1', {
      phases: [evergreen('12')],
      effectiveDate: at('2024-05-01'),
      effectiveDateForExistingSubscriptions: at('2024-06-01'),
    });
    engine.clock.set('2024-07-01T00:00:00Z');
    await entries.retirePlan('p2');
  }

  it('form one catalog version for each date, with the rows in force (catalog W18 "Entries to versions")', async () => {
    await w18();
    const catalog = await current();
    expect(catalog.name).to.equal('DEFAULT');
    expect(contents(catalog)).to.eql({
      '2024-01-01': ['p1 10'],
      '2024-02-01': ['p1 10', 'p2 10'],
      '2024-05-01': ['p1 12', 'p2 10', 'p3 10'],
      '2024-07-01': ['p1 12', 'p3 10'],
    });
    const rows = await engine.acme.catalogEntries.plans();
    expect(rows.map((row) => `${row.name} ${row.effectiveDate.toISOString().slice(0, 10)}`)).to.eql([
      'p1 2024-01-01',
      'p1 2024-05-01',
      'p2 2024-02-01',
      'p2 2024-07-01',
      'p3 2024-05-01',
    ]);
    expect(await engine.acme.catalogEntries.latestPlan('p2')).to.include({ retired: true });
  });

  it('share one plan object if the plan is unchanged (catalog W18 "Entries to versions")', async () => {
    await w18();
    const [first, second, third, fourth] = (await current()).versions;
    expect(first?.planNamed('p1')).to.equal(second?.planNamed('p1'));
    expect(second?.planNamed('p1')).not.to.equal(third?.planNamed('p1'));
    expect(third?.planNamed('p1')).to.equal(fourth?.planNamed('p1'));
    expect(second?.planNamed('p2')).to.equal(third?.planNamed('p2'));
  });

  it('give the new price only to later subscriptions until the date for existing subscriptions (catalog W18 "Entries to versions")', async () => {
    await w18();
    const catalog = await current();
    const priceAt = (start: string, when: string): string | undefined =>
      catalog
        .resolvePlan('p1', at(when), at(start))
        .plan.finalPhase.recurring?.price?.prices[0]?.amount?.value.toString();
    expect(priceAt('2024-01-10', '2024-05-31')).to.equal('10');
    expect(priceAt('2024-01-10', '2024-06-01')).to.equal('12');
    expect(priceAt('2024-05-02', '2024-05-02')).to.equal('12');
  });

  it('change the price of a running subscription on the date for existing subscriptions (catalog W18 "Entries to versions")', async () => {
    const entries = await openWith('2024-01-01T00:00:00Z', monthly('p1', '2024-01-01'));
    const subscribe = async (date: string): Promise<Uuid> => {
      await engine.runTo(date);
      const account = await engine.acme.createAccount({ currency: 'USD' });
      await engine.subscribe({ accountId: account.id, planName: 'p1' });
      return account.id;
    };
    const early = await subscribe('2024-01-10T00:00:00Z');
    await entries.updatePlan('p1', {
      phases: [evergreen('12')],
      effectiveDate: at('2024-05-01'),
      effectiveDateForExistingSubscriptions: at('2024-06-01'),
    });
    const late = await subscribe('2024-05-02T00:00:00Z');
    await engine.runTo('2024-06-10T00:00:00Z');
    expect((await engine.linesOf(early)).slice(4)).to.eql([
      'RECURRING 2024-05-10..2024-06-01 7.1',
      'RECURRING 2024-06-01..2024-06-10 3.48',
      'RECURRING 2024-06-10..2024-07-10 12',
    ]);
    expect(await engine.linesOf(late)).to.eql([
      'RECURRING 2024-05-02..2024-06-02 12',
      'RECURRING 2024-06-02..2024-07-02 12',
    ]);
  });

  it('leave a subscription to an XML plan unchanged, except for a price change in the XML (catalog W19 "Overlay")', async () => {
    await openOverlay('2024-02-10T00:00:00Z');
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.subscribe({ accountId, planName: 'x' });
    await engine.acme.catalogEntries.create({ products: [pot], plans: [monthly('e', '2024-03-01')] });
    await engine.acme.catalogEntries.create(
      { plans: [{ ...monthly('acct-x', '2024-03-01'), productName: 'Pan' }] },
      { accountId },
    );
    await engine.runTo('2024-05-10T00:00:00Z');
    expect(await engine.linesOf(accountId)).to.eql([
      'RECURRING 2024-02-10..2024-03-10 20',
      'RECURRING 2024-03-10..2024-04-10 20',
      'RECURRING 2024-04-10..2024-05-01 14',
      'RECURRING 2024-05-01..2024-05-10 7.2',
      'RECURRING 2024-05-10..2024-06-10 24',
    ]);
  });

  it('create versions from both the XML and the entries, with unchanged XML plans (catalog W19 "Overlay")', async () => {
    await openOverlay('2024-01-15T00:00:00Z');
    const [january] = (await current()).versions;
    await engine.acme.catalogEntries.create({ products: [pot], plans: [monthly('e', '2024-03-01')] });
    const catalog = await current();
    expect(catalog.name).to.equal('Pots');
    expect(contents(catalog)).to.eql({
      '2024-01-01': ['x 20'],
      '2024-03-01': ['e 10', 'x 20'],
      '2024-04-01': ['e 10', 'x 24', 'y 30'],
    });
    const [first, second] = catalog.versions;
    expect(first).to.equal(january);
    expect(second?.planNamed('x')).to.equal(january?.planNamed('x'));
    expect(second?.rules).to.eql(january?.rules);
  });

  it('hide other plans from an account with its own entry, but let its subscriptions continue (catalog W19 "Overlay")', async () => {
    await openOverlay('2024-02-10T00:00:00Z');
    const [a, b] = [
      await engine.acme.createAccount({ currency: 'USD' }),
      await engine.acme.createAccount({ currency: 'USD' }),
    ];
    const running = await engine.subscribe({ accountId: a.id, planName: 'x' });
    await engine.acme.catalogEntries.create(
      { products: [pot], plans: [monthly('acct-x', '2024-02-01')] },
      { accountId: a.id },
    );
    expect(contents(await current(a.id))).to.eql({ '2024-02-01': ['acct-x 10'] });
    expect(contents(await current())).to.eql({ '2024-01-01': ['x 20'], '2024-04-01': ['x 24', 'y 30'] });
    expect(contents(await current(b.id))).to.eql(contents(await current()));

    await engine.runTo('2024-03-10T00:00:00Z');
    expect(await engine.linesOf(a.id)).to.eql([
      'RECURRING 2024-02-10..2024-03-10 20',
      'RECURRING 2024-03-10..2024-04-10 20',
    ]);
    expect((await engine.acme.getSubscription(running.subscriptionId)).planName).to.equal('x');
    const subscribe = (accountId: Uuid, planName: string): Promise<unknown> =>
      engine.acme.createSubscription({ accountId, planName });
    await expectCode(subscribe(b.id, 'acct-x'), 2021);
    await expectCode(subscribe(a.id, 'x'), 2021);
    await engine.settle(subscribe(a.id, 'acct-x'));
    expect(await engine.linesOf(a.id)).to.include('RECURRING 2024-03-10..2024-04-10 10');
  });

  it('apply to each account separately, even in one batch of due work', async () => {
    await openOverlay('2024-02-10T00:00:00Z');
    const accounts = await Promise.all(
      ['USD', 'USD', 'USD'].map((currency) => engine.acme.createAccount({ currency } as const)),
    );
    for (const [index, { id: accountId }] of accounts.entries()) {
      const name = `own-${index}`;
      if (index > 0) {
        await engine.acme.catalogEntries.create(
          {
            products: [{ ...pot, name: `Pot-${index}` }],
            plans: [{ ...monthly(name, '2024-02-01', `${index}`), productName: `Pot-${index}` }],
          },
          { accountId },
        );
      }
      await engine.acme.createSubscription({ accountId, planName: index > 0 ? name : 'x' });
    }
    await engine.settle();
    await engine.runTo('2024-03-10T00:00:00Z');
    const lines = await Promise.all(accounts.map(({ id }) => engine.linesOf(id)));
    const amounts = lines.map((own) => own.map((line) => line.split(' ').at(-1)).join(' '));
    expect(amounts).to.eql(['20 20', '1 1', '2 2']);
  });

  it('emit one TENANT_CONFIG_CHANGE event per creation and per change, but no event for a repeated call', async () => {
    await openEmpty('2024-01-01T00:00:00Z');
    const events = newEvents(engine.database);
    await events();
    const request = { products: [pot], plans: [monthly('p1', '2024-01-01')] };
    await engine.acme.catalogEntries.create(request);
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE']);
    await engine.acme.catalogEntries.create(request);
    expect(await events()).to.eql([]);
    await engine.acme.catalogEntries.retirePlan('p1');
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE']);
    await engine.acme.catalogEntries.retirePlan('p1');
    expect(await events()).to.eql([]);
    const entries = engine.acme.catalogEntries;
    await entries.createPlan(monthly('p2', '2024-01-01'));
    const { catalogRevision } = await engine.storage.read(engine.tenant, (session) => session.revisions());
    await events();
    await entries.updatePlan('p2', { phases: [evergreen('12')], effectiveDate: at('2024-02-01') });
    await entries.deletePlan('p2', { force: true });
    await entries.deleteProduct('Pot', { force: true });
    expect(await events()).to.eql(Array.from({ length: 3 }, () => 'TENANT_CONFIG_CHANGE'));
    const after = await engine.storage.read(engine.tenant, (session) => session.revisions());
    expect(after.catalogRevision).to.equal(catalogRevision + 3);
  });

  it('are stored once, but returned to both callers, if two calls simultaneously create the same plan', async () => {
    await openWith('2024-01-01T00:00:00Z', monthly('p0', '2024-01-01'));
    const created = await Promise.all(
      ['11', '22'].map((price) => engine.acme.catalogEntries.createPlan(monthly('p1', '2024-01-01', price))),
    );
    expect(created[0]).to.eql(created[1]);
    expect((await engine.acme.catalogEntries.plans()).map((row) => row.name)).to.eql(['p0', 'p1']);
  });

  it('are rejected if a simultaneous creation in another scope takes the same name first', async () => {
    await openWith('2024-01-01T00:00:00Z', monthly('p0', '2024-01-01'));
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const outcomes = await Promise.all(
      [{ accountId }, {}].map((scope) =>
        codeOf(engine.acme.catalogEntries.createPlan(monthly('p1', '2024-01-01'), scope)),
      ),
    );
    expect(outcomes.toSorted()).to.eql([61002, 'no error']);
  });

  it('cannot be deleted if they define a plan that is in use or the product of such a plan', async () => {
    const entries = await openWith(
      '2024-01-10T00:00:00Z',
      monthly('p1', '2024-01-01'),
      monthly('p2', '2024-01-01'),
    );
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId, planName: 'p1' });
    await expectCode(entries.deletePlan('p1', { force: false }), 61003);
    await expectCode(entries.deletePlan('p1', { force: true }), 61005);
    await expectCode(entries.deleteProduct('Pot', { force: true, deleteAllPlans: true }), 61005);
    await expectCode(entries.deletePlan('p3', { force: true }), 61006);
    await expectCode(entries.deleteProduct('Pan', { force: true }), 61007);
    expect((await entries.plans()).map((row) => row.name)).to.eql(['p1', 'p2']);
    await entries.deletePlan('p2', { force: true });
    expect((await entries.plans()).map((row) => row.name)).to.eql(['p1']);
    expect(contents(await current())).to.eql({ '2024-01-01': ['p1 10'] });
  });

  it('allow only one of two simultaneous calls that delete a plan and subscribe to the plan', async () => {
    await openEmpty('2024-01-10T00:00:00Z');
    const entries = engine.acme.catalogEntries;
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await entries.create({ products: [pot], plans: names.map((name) => monthly(name, '2024-01-01')) });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    for (const [index, planName] of names.entries()) {
      const calls = [
        () => codeOf(engine.acme.createSubscription({ accountId, planName })),
        () => codeOf(entries.deletePlan(planName, { force: true })),
      ];
      const ordered = index % 2 === 0 ? calls : calls.toReversed();
      const outcomes = await Promise.all(ordered.map((call) => call()));
      const [created, deleted] = index % 2 === 0 ? outcomes : outcomes.toReversed();
      expect([created, deleted].join(' '), planName).to.be.oneOf([
        'no error 61005',
        '2021 no error',
        '2050 no error',
      ]);
    }
  });

  it('keep the plans of a deleted product in the list but not in the catalog, unless the deletion erases the plans', async () => {
    await openEmpty('2024-01-10T00:00:00Z');
    const entries = engine.acme.catalogEntries;
    await entries.create({ products: [pot, { ...pot, name: 'Pan' }], plans: [monthly('p1', '2024-01-01')] });
    await entries.createPlan({ ...monthly('p2', '2024-01-01'), productName: 'Pan' });
    await entries.deleteProduct('Pot', { force: true });
    expect((await entries.plans()).map((row) => row.name)).to.eql(['p1', 'p2']);
    expect(contents(await current())).to.eql({ '2024-01-01': ['p2 10'] });
    await entries.create({ products: [pot], plans: [monthly('p1', '2024-01-01')] });
    expect(contents(await current())).to.eql({ '2024-01-01': ['p2 10'] });
    await entries.deleteProduct('Pan', { force: true, deleteAllPlans: true });
    expect((await entries.plans()).map((row) => row.name)).to.eql(['p1']);
    expect((await current()).versions).to.have.length(0);
  });

  it('cannot be deleted if overrides of their plan are in use, and reserve the names of the override plans', async () => {
    const entries = await openWith('2024-01-10T00:00:00Z', monthly('p1', '2024-01-01'));
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.createSubscription({
      accountId,
      planName: 'p1',
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '8' }],
    });
    await expectCode(entries.deletePlan('p1', { force: true, allVersions: true }), 61005);
    await expectCode(entries.createPlan(monthly('p1-1', '2024-01-01')), 61004);
  });

  it('of a plan can be erased, either only the latest row or all rows together with the names of the plan', async () => {
    const entries = await openWith('2024-01-10T00:00:00Z', monthly('p1', '2024-01-01'));
    await entries.updatePlan('p1', { phases: [evergreen('12')], effectiveDate: at('2024-02-01') });
    await entries.deletePlan('p1', { force: true });
    expect(contents(await current())).to.eql({ '2024-01-01': ['p1 10'] });
    await entries.updatePlan('p1', { phases: [evergreen('14')], effectiveDate: at('2024-02-01') });
    await entries.deletePlan('p1', { force: true, allVersions: true });
    expect(await entries.plans()).to.eql([]);
    await entries.create({ plans: [monthly('p1', '2024-03-01', '7')] });
    expect(contents(await current())).to.eql({ '2024-03-01': ['p1 7'] });
  });

  it('retire a product together with its last plan until the product gets another plan', async () => {
    const entries = await openWith(
      '2024-01-10T00:00:00Z',
      monthly('p1', '2024-01-01'),
      monthly('p2', '2024-01-01'),
    );
    const retiredDate = async () => (await entries.products())[0]?.retiredDate;
    await entries.retirePlan('p1');
    expect(await retiredDate()).to.equal(null);
    engine.clock.set('2024-02-10T00:00:00Z');
    await entries.retirePlan('p2');
    expect(await retiredDate()).to.eql(new Date('2024-02-10'));
    await entries.createPlan(monthly('p3', '2024-03-01'));
    expect(await retiredDate()).to.equal(null);
  });

  it('are rejected while a catalog plugin serves the tenant', async () => {
    const plugin = memoryCatalogPlugin();
    engine = await openEngine(open, { now: '2024-01-10T00:00:00Z', catalog: null, catalogPlugins: [plugin] });
    const entries = engine.acme.catalogEntries;
    await entries.create({ products: [pot], plans: [monthly('p1', '2024-01-01')] });
    plugin.serve(harbour());
    const writes: readonly (() => Promise<unknown>)[] = [
      () => entries.createPlan(monthly('p2', '2024-01-01')),
      () => entries.updatePlan('p1', { phases: [evergreen('12')] }),
      () => entries.retirePlan('p1'),
      () => entries.deletePlan('p1', { force: true }),
      () => entries.deleteProduct('Pot', { force: true }),
    ];
    for (const write of writes) await expectCode(write(), 61004);
    expect(await entries.plans()).to.have.length(1);
    expect(await entries.state()).to.equal('CATALOG_STATE_PLUGIN');
    plugin.serve(null);
    await entries.createPlan(monthly('p2', '2024-01-01'));
    plugin.latestVersion = () => Promise.reject(new Error('gone'));
    expect(await entries.state()).to.equal('CATALOG_STATE_UNKNOWN');
  });

  it('reserve their names, so that an upload that uses a reserved name is rejected', async () => {
    await openWith('2024-01-10T00:00:00Z', monthly('x', '2024-01-01'));
    await expectCode(engine.acme.uploadCatalog(overlayCatalog[0] ?? ''), 2080);
    expect(contents(await current())).to.eql({ '2024-01-01': ['x 10'] });
  });

  it('produce the same catalog regardless of the order of versions and entries (catalog W19 "Overlay")', async () => {
    await openEmpty('2024-01-15T00:00:00Z');
    const { acme } = engine;
    await acme.catalogEntries.create({ products: [pot], plans: [monthly('e', '2024-03-01')] });
    expect(contents(await current())).to.eql({ '2024-03-01': ['e 10'] });
    await acme.uploadCatalog(overlayCatalog[1] ?? '');
    expect(contents(await current())).to.eql({
      '2024-03-01': ['e 10'],
      '2024-04-01': ['e 10', 'x 24', 'y 30'],
    });
    await acme.uploadCatalog(overlayCatalog[0] ?? '');
    expect(contents(await current())).to.eql({
      '2024-01-01': ['x 20'],
      '2024-03-01': ['e 10', 'x 20'],
      '2024-04-01': ['e 10', 'x 24', 'y 30'],
    });
    expect((await current()).name).to.equal('Pots');
  });

  it('coexist with a simple plan, but reserve their names', async () => {
    await openEmpty('2024-02-10T00:00:00Z');
    const { catalogEntries: entries, catalogs } = engine.acme;
    await entries.create({
      catalogName: 'Kitchen',
      products: [pot],
      plans: [monthly('p1', '2024-01-01'), monthly('p2', '2024-03-01')],
    });
    const lamp = {
      planId: 'lamp-monthly',
      productName: 'Lamp',
      productCategory: 'BASE',
      currency: 'USD',
      amount: '12.5',
      billingPeriod: 'MONTHLY',
    } as const;
    await expectCode(catalogs.addSimplePlan({ ...lamp, planId: 'p1' }), 2060);
    await expectCode(catalogs.addSimplePlan({ ...lamp, productName: 'Pot' }), 2060);
    expect(contents(await current())).to.eql({ '2024-01-01': ['p1 10'], '2024-03-01': ['p1 10', 'p2 10'] });
    await catalogs.addSimplePlan(lamp);
    const catalog = await current();
    expect(catalog.name).to.equal('DEFAULT');
    expect(contents(catalog)).to.eql({
      '2024-01-01': ['p1 10'],
      '2024-02-09': ['lamp-monthly 12.5', 'p1 10'],
      '2024-03-01': ['lamp-monthly 12.5', 'p1 10', 'p2 10'],
    });
    expect(new Set(catalog.versions.map((version) => version.catalogName))).to.eql(new Set(['DEFAULT']));
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    for (const planName of ['p1', 'lamp-monthly'])
      await engine.settle(engine.acme.createSubscription({ accountId, planName }));
    expect((await engine.linesOf(accountId)).toSorted()).to.eql([
      'RECURRING 2024-02-10..2024-03-10 10',
      'RECURRING 2024-02-10..2024-03-10 12.5',
    ]);
    await expectCode(entries.createPlan(monthly('lamp-monthly', '2024-03-01')), 61004);
  });

  it('remain, together with their products, after the XML catalog is deleted', async () => {
    await openOverlay('2024-04-10T00:00:00Z');
    const { catalogEntries: entries, catalogs } = engine.acme;
    await entries.create({
      products: [pot],
      plans: [monthly('e', '2024-03-01'), { ...monthly('f', '2024-03-01'), productName: 'Pan' }],
    });
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    await engine.subscribe({ accountId, planName: 'f' });
    await catalogs.delete();
    const catalog = await current();
    expect(contents(catalog)).to.eql({ '2024-03-01': ['e 10', 'f 10'] });
    expect(catalog.name).to.equal('DEFAULT');
    expect(catalog.versions[0]?.products.map(({ name, category }) => [name, category])).to.eql([
      ['Pan', 'BASE'],
      ['Pot', 'BASE'],
    ]);
    expect(await entries.state()).to.equal('CATALOG_STATE_PLUGIN');
    await engine.runTo('2024-05-10T00:00:00Z');
    expect(await engine.linesOf(accountId)).to.eql([
      'RECURRING 2024-04-10..2024-05-10 10',
      'RECURRING 2024-05-10..2024-06-10 10',
    ]);
  });

  itOnPostgresql('are visible to the next call on another node', async () => {
    await openEmpty('2024-01-10T00:00:00Z');
    const { database, clock, tenant } = engine;
    const other = await openBilling(database, { clock });
    const { acme: mine } = engine;
    const theirs = other.as({ tenant, user: 'other node' });
    const { id: accountId } = await mine.createAccount({ currency: 'USD' });
    const seen = () =>
      Promise.all(
        [null, accountId].flatMap((scope) =>
          [engine.billing, other].map(async (billing) =>
            contents(await catalogOf({ billing, tenant }, scope)),
          ),
        ),
      );
    await mine.catalogEntries.create({ products: [pot], plans: [monthly('p1', '2024-01-01')] });
    const one = { '2024-01-01': ['p1 10'] };
    expect(await seen()).to.eql([one, one, one, one]);
    await theirs.catalogEntries.createPlan(monthly('own', '2024-01-01', '5'), { accountId });
    await mine.catalogEntries.createPlan(monthly('p2', '2024-01-01'));
    const own = { '2024-01-01': ['own 5'] };
    const two = { '2024-01-01': ['p1 10', 'p2 10'] };
    expect(await seen()).to.eql([two, two, own, own]);
    await other.close();
  });

  it('are reported by the catalog state, which shows whether a scope uses XML, entries or neither', async () => {
    await openEmpty('2024-01-10T00:00:00Z');
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const states = async (): Promise<readonly string[]> => [
      await engine.acme.catalogEntries.state(),
      await engine.acme.catalogEntries.state({ accountId }),
    ];
    expect(await states()).to.eql(['CATALOG_STATE_INIT', 'CATALOG_STATE_INIT']);
    await engine.acme.uploadCatalog(overlayCatalog[0] ?? '');
    expect(await states()).to.eql(['CATALOG_STATE_XML', 'CATALOG_STATE_XML']);
    await engine.acme.catalogEntries.create(
      { plans: [{ ...monthly('own', '2024-01-01'), productName: 'Pan' }] },
      { accountId },
    );
    expect(await states()).to.eql(['CATALOG_STATE_XML', 'CATALOG_STATE_PLUGIN']);
  });
});
