import type { MemoryCatalogPlugin } from '../../adapters/testing/index.ts';
import { checkCatalogPlugin, memoryCatalogPlugin } from '../../adapters/testing/index.ts';
import type { Amount, CatalogDefinition, CatalogPlugin } from '../../lib/index.ts';
import { formatDecimal, RetryLater } from '../../lib/index.ts';
import { CATALOG_PLUGIN_TIMEOUT_MS } from '../../lib/values/limits.ts';
import { boatPlan, harbour } from '../support/catalogs/priced-catalog.ts';
import { catalogOf } from '../support/engine.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

const MANY = 20;

eachDatabaseByTurns.describe('catalog plugins', (open) => {
  let engine: TestEngine;
  let plugin: MemoryCatalogPlugin;
  let atStart: number;

  async function begin(plugins: readonly CatalogPlugin[] = []): Promise<void> {
    plugin = memoryCatalogPlugin();
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalogPlugins: [plugin, ...plugins] });
    atStart = plugin.calls.catalog.length;
  }

  async function beginServing(): Promise<void> {
    await begin();
    plugin.serve(harbour());
  }

  /** Calls of `catalog` since the engine opened its shop. */
  const catalogCalls = () => plugin.calls.catalog.slice(atStart);

  async function planNames(accountId?: Account['id']): Promise<readonly string[]> {
    const catalog = await catalogOf(engine, accountId ?? null);
    return catalog.versions.flatMap((version) => version.plans.map((plan) => plan.name));
  }

  const create = ({ id: accountId }: Account, planName = 'boat-monthly') =>
    engine.acme.createSubscription({ accountId, planName });

  async function subscribed(planName: string): Promise<Account> {
    const account = await engine.payingAccount({ currency: 'USD' });
    await create(account, planName);
    return account;
  }

  const linesOf = (account: Account): Promise<readonly string[]> => engine.linesOf(account.id);

  /** Makes later calls throw until `heal` is called. */
  function failing(error: () => Error): { heal(): void } {
    const { latestVersion } = plugin;
    plugin.latestVersion = () => Promise.reject(error());
    return {
      heal: () => {
        plugin.latestVersion = latestVersion;
      },
    };
  }

  it('supply the whole catalog for billing, and are called once per stamp', async () => {
    await beginServing();
    expect(await planNames()).to.eql(['boat-monthly']);
    const account = await engine.settle(subscribed('boat-monthly'));
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(account)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 30',
      'RECURRING 2024-02-01..2024-03-01 30',
    ]);
    expect(catalogCalls()).to.have.length(1);
    expect(catalogCalls()[0]).to.deep.include({
      tenantId: engine.tenant.id,
      accountId: null,
      now: new Date('2024-01-01T00:00:00Z'),
    });

    plugin.serve(harbour({ ...boatPlan('boat-monthly', '30.00'), ...boatPlan('raft-monthly', '9.00') }));
    expect(await planNames()).to.eql(['boat-monthly', 'raft-monthly']);
    expect(catalogCalls()).to.have.length(2);
    await expectCode(create(account, 'pro-monthly'), 2021);
  });

  it('allow price overrides on their plans', async () => {
    await beginServing();
    const account = await engine.payingAccount({ currency: 'USD' });
    const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: '19' }];
    const request = { accountId: account.id, planName: 'boat-monthly', priceOverrides };
    const { subscriptionId } = await engine.subscribe(request);
    plugin.serve(harbour(boatPlan('boat-monthly', '36.00')));
    await engine.runTo('2024-02-01T00:00:00Z');
    expect((await engine.acme.getSubscription(subscriptionId)).planName).to.equal('boat-monthly-1');
    expect(await linesOf(account)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 19',
      'RECURRING 2024-02-01..2024-03-01 19',
    ]);
  });

  it('are called once for several concurrent first uses', async () => {
    await beginServing();
    const names = await Promise.all([planNames(), planNames(), planNames()]);
    expect(names).to.eql([['boat-monthly'], ['boat-monthly'], ['boat-monthly']]);
    expect(catalogCalls()).to.have.length(1);
  });

  it('are called once per batch of accounts', async () => {
    await beginServing();
    const accounts: Account[] = [];
    for (let count = 0; count < MANY; count += 1) accounts.push(await subscribed('boat-monthly'));
    await engine.settle();
    const before = plugin.calls.latestVersion.length;
    await engine.runTo('2024-02-01T00:00:00Z');
    for (const account of accounts)
      expect(await engine.acme.invoices.ofAccount({ accountId: account.id })).to.have.length(2);
    expect(plugin.calls.latestVersion.length - before).to.be.lessThan(MANY);
    expect(catalogCalls()).to.have.length(1);
  });

  it('supply a separate, uncached catalog for each account if they return no stamp, even within one batch', async () => {
    await begin();
    const first = await engine.payingAccount({ currency: 'USD' });
    const second = await engine.payingAccount({ currency: 'USD' });
    plugin.servePerAccount((accountId) =>
      harbour(boatPlan('boat-monthly', accountId === first.id ? '20.00' : '40.00')),
    );
    for (const { id } of [first, second]) await engine.subscribe({ accountId: id, planName: 'boat-monthly' });
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(first)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 20',
      'RECURRING 2024-02-01..2024-03-01 20',
    ]);
    expect((await linesOf(second)).at(-1)).to.equal('RECURRING 2024-02-01..2024-03-01 40');
    const before = catalogCalls().length;
    await planNames(first.id);
    await planNames(first.id);
    expect(catalogCalls().length - before).to.equal(2);
    expect(catalogCalls().at(-1)?.accountId).to.equal(first.id);
  });

  it('receive the account in dry runs and reads', async () => {
    await beginServing();
    const account = await subscribed('boat-monthly');
    const before = plugin.calls.latestVersion.length;
    const dryRun = await engine.acme.invoices.dryRun({ accountId: account.id });
    expect(dryRun && formatDecimal(dryRun.balance)).to.equal('30');
    await engine.acme.subscriptions.bundlesOfAccount(account.id);
    const calls = plugin.calls.latestVersion.slice(before);
    expect(calls.map((call) => call.accountId)).to.eql([account.id, account.id]);
  });

  it('let the next plugin or the stored catalog serve a tenant for which they have no catalog', async () => {
    const next = memoryCatalogPlugin('next');
    await begin([next]);
    expect(await planNames()).to.include('pro-monthly');
    next.serve(harbour());
    expect(await planNames()).to.eql(['boat-monthly']);
    plugin.serve(harbour(boatPlan('ferry-monthly', '5.00')));
    expect(await planNames()).to.eql(['ferry-monthly']);
    expect(next.calls.catalog).to.have.length(2);
  });

  it('cause an error that lists all faults of an invalid catalog, and do not store that catalog', async () => {
    await begin();
    plugin.serve(
      harbour({ ...boatPlan('boat-monthly', 'free' as Amount), ...boatPlan('b', '1', { product: 'Ship' }) }),
      'same',
    );
    const account = await engine.payingAccount({ currency: 'USD' });
    await expectCode(create(account), 2080);
    await expectCode(engine.acme.catalogs.current(), 2080);
    await expectCode(engine.acme.subscriptions.bundlesOfAccount(account.id), 2080);
    plugin.serve(harbour(), 'same');
    expect(await planNames()).to.eql(['boat-monthly']);
    expect(await engine.acme.subscriptions.bundlesOfAccount(account.id)).to.eql([]);
  });

  it('block catalog uploads of a tenant that they serve, with an error that names the plugin', async () => {
    await beginServing();
    const refusal = await engine.acme.uploadCatalog('<catalog/>').catch((error: unknown) => error);
    expect(refusal).to.include({ code: 2080 });
    expect(String(refusal)).to.match(/"memory-catalog" serves this tenant/);
  });

  it('cause a synchronous call to fail with an error that names the plugin, without storing anything', async () => {
    await beginServing();
    const account = await engine.payingAccount({ currency: 'USD' });
    const failure = failing(() => new Error('secret of the host'));
    const error = await create(account).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 60_000 });
    expect(String(error)).to.include('"memory-catalog" failed').and.not.include('secret');
    failure.heal();
    expect(await engine.acme.subscriptions.bundlesOfAccount(account.id)).to.eql([]);
  });

  it('do not block reads and charges if they fail, but leave invoices without plan names', async () => {
    await beginServing();
    const accountId = (await engine.settle(subscribed('boat-monthly'))).id;
    const failure = failing(() => new Error('out of reach'));
    const list = () => engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const [invoice] = await list();
    if (!invoice) throw new Error('nothing was billed');
    const [item] = (await engine.acme.getInvoice(invoice.id)).items;
    expect(item).to.include({ planName: 'boat-monthly', prettyPlanName: null });
    const items = [{ amount: '3' }];
    expect(await engine.acme.invoices.addCharges({ accountId, items, autoCommit: true })).to.have.length(1);
    expect((await list()).flatMap(itemLines)).to.have.length(2);
    failure.heal();
    const [named] = (await engine.acme.getInvoice(invoice.id)).items;
    expect(named).to.include({ prettyPlanName: 'boat-monthly' });
  });

  it('postpone queued work to the specified time whenever they throw RetryLater', async () => {
    await beginServing();
    const account = await engine.settle(subscribed('boat-monthly'));
    const failure = failing(() => new RetryLater(3_600_000));
    engine.clock.set('2024-02-01T00:00:00Z');
    for (let hour = 0; hour < 6; hour += 1) {
      await engine.billing.settle({ timeoutMs: 500 });
      engine.systemClock.push(3_600_000);
    }
    expect(await linesOfStored(account)).to.equal(1);
    failure.heal();
    await engine.settle();
    expect(await linesOf(account)).to.have.length(2);
  });

  it('cause a clear error instead of a price if they do not respond in time', async () => {
    const timers: (() => void)[] = [];
    await beginServing();
    const account = await engine.payingAccount({ currency: 'USD' });
    plugin.latestVersion = () => new Promise(() => undefined);
    const { after } = engine.systemClock;
    Object.assign(engine.systemClock, {
      after: (delayMs: number, action: () => void) => {
        if (delayMs !== CATALOG_PLUGIN_TIMEOUT_MS) return after(delayMs, action);
        timers.push(action);
        return () => undefined;
      },
    });
    const call = create(account).catch((thrown: unknown) => thrown);
    while (timers.length === 0) await engine.systemClock.nextTurn();
    for (const timer of timers) timer();
    const error = await call;
    expect(error).to.include({ code: 60_000 });
    expect(String(error)).to.match(/"memory-catalog" did not answer within 10 s/);
  });

  it('can change the price of invoiced days, so that the next run bills the difference once', async () => {
    await beginServing();
    const account = await engine.settle(subscribed('boat-monthly'));
    await engine.runTo('2024-03-20T00:00:00Z');
    const from = '2024-01-10';
    const changed = boatPlan('boat-monthly', '36.00', { effectiveDateForExistingSubscriptions: from });
    const catalog: CatalogDefinition = {
      name: 'Harbour',
      versions: [...harbour().versions, ...harbour(changed, { effectiveDate: from }).versions],
    };
    plugin.serve(catalog);
    await engine.runTo('2024-04-01T00:00:00Z');
    const expected = [
      'RECURRING 2024-01-01..2024-02-01 30',
      'RECURRING 2024-01-10..2024-02-01 25.55',
      'RECURRING 2024-02-01..2024-03-01 30',
      'RECURRING 2024-02-01..2024-03-01 36',
      'RECURRING 2024-03-01..2024-04-01 30',
      'RECURRING 2024-03-01..2024-04-01 36',
      'RECURRING 2024-04-01..2024-05-01 36',
      'REPAIR_ADJ 2024-01-10..2024-02-01 -21.29',
      'REPAIR_ADJ 2024-02-01..2024-03-01 -30',
      'REPAIR_ADJ 2024-03-01..2024-04-01 -30',
    ];
    expect((await linesOf(account)).toSorted()).to.eql(expected);
    plugin.serve({ ...catalog });
    await engine.runTo('2024-05-01T00:00:00Z');
    expect((await linesOf(account)).slice(expected.length)).to.eql(['RECURRING 2024-05-01..2024-06-01 36']);
  });

  it('determine the prices in every version of their catalog, even in earlier versions', async () => {
    await begin();
    const versions: CatalogDefinition = {
      name: 'Harbour',
      versions: [
        ...harbour().versions,
        ...harbour(boatPlan('boat-monthly', '36.00'), { effectiveDate: '2024-01-15' }).versions,
      ],
    };
    plugin.serve(versions);
    const early = await engine.settle(subscribed('boat-monthly'));
    await engine.runTo('2024-02-01T00:00:00Z');
    const late = await engine.settle(subscribed('boat-monthly'));
    expect((await linesOf(early)).at(-1)).to.equal('RECURRING 2024-02-01..2024-03-01 30');
    expect(await linesOf(late)).to.eql(['RECURRING 2024-02-01..2024-03-01 36']);
  });

  it('are called even if the tenant has a stored catalog, and are rejected if two plugins have the same name', async () => {
    await begin();
    expect(await planNames((await subscribed('pro-monthly')).id)).to.include('pro-monthly');
    const unknownId = '11111111-1111-4111-8111-111111111111' as Account['id'];
    await expectCode(engine.acme.catalogs.current(unknownId), 3002);
    const twice = openEngine(open, { now: '2024-01-01T00:00:00Z', catalogPlugins: [plugin, plugin] });
    expect(String(await twice.catch((error: unknown) => error))).to.match(/the same name/);
  });

  it('pass the plugin check only if the results of latestVersion are consistent and the catalogs are valid', async () => {
    await begin();
    const [one, other] = [engine.tenant.id, 'account-a', 'account-b'];
    plugin.serve(harbour());
    const subject = { tenantId: engine.tenant.id, accountIds: [one, other] as never };
    expect(await checkCatalogPlugin(plugin, subject)).to.eql([]);
    plugin.servePerAccount((accountId) => harbour(boatPlan('b', accountId === one ? '1' : '2')));
    expect(await checkCatalogPlugin(plugin, subject)).to.eql([]);
    const liar: CatalogPlugin = { ...plugin, latestVersion: async () => 'always' };
    expect((await checkCatalogPlugin(liar, subject)).join()).to.match(/different content for account/);
    const moody: CatalogPlugin = { ...plugin, latestVersion: async ({ accountId }) => accountId };
    expect((await checkCatalogPlugin(moody, subject)).join()).to.match(/although nothing changed/);
    plugin.serve(harbour(boatPlan('9', 'x' as Amount)));
    const foreign = { ...subject, foreignTenantId: engine.tenant.id };
    expect(await checkCatalogPlugin(plugin, foreign)).to.have.length.greaterThan(2);
    const broken: CatalogPlugin = { ...plugin, catalog: () => Promise.reject(new Error('no table')) };
    expect((await checkCatalogPlugin(broken, subject)).join()).to.match(/catalog throws no table/);
  });

  const linesOfStored = async (account: Account) =>
    (await engine.acme.invoices.ofAccount({ accountId: account.id })).length;
});
