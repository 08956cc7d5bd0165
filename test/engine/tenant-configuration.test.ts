import { readFile } from 'node:fs/promises';
import { ErrorCode, parseLocalDate, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { LockWait } from '../../lib/ports/storage/index.ts';
import { eachDatabaseByTurns, itOnPostgresql, onPostgresql } from '../support/databases.ts';
import {
  engineBeforeEach,
  example,
  expect,
  expectCode,
  newEvents,
  openBilling,
  openEngine,
  openShop,
  rowsOf,
  storageOf,
} from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const CONFIGURATION = 'PER_TENANT_CONFIG';
const MINUTE_MS = 60_000;
const meadow = example('catalogs/meadow.xml');

onPostgresql.describe('tenant configuration', (open) => {
  it('applies to the next call on another node', async () => {
    const { acme, clock, database, tenant } = await openEngine(open, { now: '2024-02-10T09:00:00Z' });
    const { configuration } = (await openBilling(database, { clock })).as({ tenant, user: 'test' });
    expect((await configuration.settings())['invoice.enabled']).to.equal(true);
    for (const isEnabled of [false, true]) {
      await acme.keyValues.add(CONFIGURATION, JSON.stringify({ 'org.service.invoice.enabled': isEnabled }));
      expect((await configuration.settings())['invoice.enabled']).to.equal(isEnabled);
    }
  });
});

eachDatabaseByTurns.describe('tenant configuration', (open) => {
  const engine = engineBeforeEach(open, {
    now: '2024-02-10T09:00:00Z',
    catalog: meadow,
    configuration: { 'org.service.invoice.proration.fixed.days': 30 },
  });
  const { acme } = engine;

  const upload = (values: Record<string, unknown>, whose: TenantBilling = acme) =>
    whose.keyValues.add(CONFIGURATION, JSON.stringify(values));

  async function subscriber(): Promise<Account> {
    const account = await engine.payingAccount({ currency: 'USD' });
    await acme.createSubscription({ accountId: account.id, planName: 'canopy-monthly' });
    return account;
  }

  it('prefers the tenant’s value to the server’s value, and the server’s value to the default (platform P3 "Resolution")', async () => {
    const other = (await openShop(engine.billing)).acme;
    await upload({ 'org.killbill.invoice.proration.fixed.days': '28', 'org.service.invoice.enabled': false });
    const own = await acme.configuration.settings();
    expect(own['invoice.proration.fixed.days']).to.equal(28);
    expect(own['invoice.enabled']).to.equal(false);
    expect(own['payment.retry.days']).to.eql([8, 8, 8]);
    expect((await other.configuration.settings())['invoice.proration.fixed.days']).to.equal(30);
    await acme.keyValues.delete(CONFIGURATION);
    expect(await acme.configuration.settings()).to.eql(await other.configuration.settings());
  });

  it('sets the retry days of declined payments, without changing a retry that is already scheduled (platform P3 "Resolution")', async () => {
    await upload({ 'org.killbill.payment.retry.days': '1,1,1' });
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    const { id } = await engine.settle(subscriber());
    await acme.keyValues.delete(CONFIGURATION);
    expect(await retryDates(id)).to.eql(['2024-02-11T09:00:00.000Z']);
    await engine.runTo('2024-02-11T09:00:00Z');
    expect(await retryDates(id)).to.eql(['2024-02-19T09:00:00.000Z']);
  });

  it('remains unchanged if the new value is invalid (platform P2 "Key-values")', async () => {
    await upload({ 'org.service.payment.retry.days': '1' });
    const newTypes = newEvents(engine.database);
    await newTypes();
    await expectCode(upload({ 'org.service.payment.retry.days': '1,x' }), 60_003);
    await expectCode(upload({ 'org.service.payment.retry.days': ['1'] }), 60_001);
    expect((await acme.configuration.settings())['payment.retry.days']).to.eql([1]);
    expect((await acme.keyValues.get(CONFIGURATION)).values).to.have.length(1);
    expect(await newTypes()).to.eql([]);
  });

  it('is replaced by defaults, with a warning, if the stored configuration is invalid', async () => {
    const text = '{"org.service.payment.retry.days":"1,x","org.service.invoice.enabled":"false"}';
    await engine.storage.write(engine.tenant, authorship(), async (session) => {
      const now = engine.clock.now();
      const row = { key: CONFIGURATION, value: text, isSingle: true, isActive: true };
      const id = engine.billing.context({ tenant: engine.tenant, user: 'test' });
      const [recordId = 0] = await session.keyValues.insert([
        { ...row, id: (await id).userToken, createdDate: now, updatedDate: now },
      ]);
      await session.keyValues.setConfiguration(recordId);
    });
    const settings = await acme.configuration.settings();
    expect(settings['payment.retry.days']).to.eql([8, 8, 8]);
    expect(settings['invoice.enabled']).to.equal(false);
    const warnings = engine.logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message).join()).to.contain('"1,x"');
  });

  it('can contain unknown or ineffective keys, each of which causes a warning', async () => {
    const values = {
      'org.killbill.invoice.usage.tz.mode': 'FIXED',
      'org.service.invoice.enabeld': 'false',
      'org.service.persistent.bus.main.off': 'true',
      'my.plugin.url': 'x',
    };
    await upload(values);
    const warnings = engine.logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).to.eql([
      'tenant configuration: org.killbill.invoice.usage.tz.mode no longer has an effect',
      'tenant configuration: org.service.invoice.enabeld is not a property of this server; did you mean org.service.invoice.enabled?',
      'tenant configuration: org.service.persistent.bus.main.off applies to the whole server and has no effect for one tenant',
    ]);
    for (const { fields } of warnings) expect(fields).to.deep.include({ tenantId: engine.tenant.id });
    expect((await acme.keyValues.get(CONFIGURATION)).values).to.eql([JSON.stringify(values)]);
    expect((await acme.configuration.settings())['invoice.enabled']).to.equal(true);
  });

  itOnPostgresql('sets how long each kind of call waits for a busy account', async () => {
    const { id } = await acme.createAccount({ currency: 'USD' });
    const held = storageOf(engine.database);
    const waits: unknown[] = [];
    try {
      for (const [steps, paymentSteps] of [
        [0, 3],
        [3, 0],
      ] as const) {
        await upload({
          'org.service.invoice.globalLock.retries': steps,
          'org.service.payment.globalLock.retries': paymentSteps,
        });
        await held.write(engine.tenant, authorship(), async (session) => {
          await session.lockAccounts([id]);
          const refused = await rejection(acme.updateAccount(id, { changes: { name: 'Ada' } }));
          waits.push([refused.code, Reflect.get(refused, 'facts')]);
          const payment = await rejection(
            engine.storage.write(engine.tenant, authorship(), (late) =>
              late.lockAccounts([id], { wait: LockWait.PAYMENT }),
            ),
          );
          waits.push([payment.code, Reflect.get(payment, 'facts')]);
        });
      }
    } finally {
      await held.close();
    }
    expect(waits).to.eql([
      [ErrorCode.BUSY, { accountIds: [id], waitMs: 0 }],
      [ErrorCode.BUSY, { accountIds: [id], waitMs: 300 }],
      [ErrorCode.BUSY, { accountIds: [id], waitMs: 300 }],
      [ErrorCode.BUSY, { accountIds: [id], waitMs: 0 }],
    ]);
    expect((await acme.getAccount(id)).name).to.equal(null);
    expect((await acme.updateAccount(id, { changes: { name: 'Ada' } })).name).to.equal('Ada');
  });

  /** Retries the entry until its pause is longer than a minute. Returns the pause, rounded up to ten seconds. */
  async function pauseOf(topic: string): Promise<number> {
    for (;;) {
      await engine.billing.settle({ timeoutMs: 100 });
      const [row] = await rowsOf(
        engine.database,
        `select available_at_ms as at from bw_queue_entries
          where processing_state = 'AVAILABLE' and topic = '${topic}' and available_at_ms is not null`,
      );
      const pauseMs = Number(row?.at ?? 0) - engine.systemClock.nowMs();
      if (pauseMs > MINUTE_MS) return Math.ceil(pauseMs / 10_000) * 10_000;
    }
  }

  itOnPostgresql(
    'sets the intervals in which background work retries a busy account until it is parked',
    async () => {
      await upload({
        'org.service.invoice.globalLock.retries': 0,
        'org.service.rescheduleIntervalOnLock': '2m,7m',
      });
      const { id } = await subscriber();
      const held = storageOf(engine.database);
      const pauses: number[] = [];
      try {
        await held.write(engine.tenant, authorship(), async (session) => {
          await session.lockAccounts([id]);
          for (const pushedMs of [0, 120_000]) {
            engine.systemClock.push(pushedMs);
            pauses.push(await pauseOf('SUBSCRIPTION_CREATION'));
          }
          // invoicing §8.6: after the last retry, the account is parked although it is still locked.
          engine.systemClock.push(420_000);
          await engine.settle();
        });
      } finally {
        await held.close();
      }
      expect(pauses).to.eql([120_000, 420_000]);
      expect(await isParked(id)).to.equal(true);
      expect(await acme.invoices.ofAccount({ accountId: id })).to.eql([]);
      await acme.generateInvoice({ accountId: id });
      expect(await isParked(id)).to.equal(false);
      expect(await acme.invoices.ofAccount({ accountId: id })).to.have.length(1);
    },
  );

  it('can turn off automatic invoicing, so that due accounts are parked until an explicit run bills them (platform P15 "Parked accounts")', async () => {
    await upload({ 'org.service.invoice.enabled': 'false' });
    const { id: accountId } = await engine.settle(subscriber());
    expect(await acme.invoices.ofAccount({ accountId })).to.eql([]);
    expect(await isParked(accountId)).to.equal(true);
    await acme.generateInvoice({ accountId });
    expect(await acme.invoices.ofAccount({ accountId })).to.have.length(1);
    expect(await isParked(accountId)).to.equal(false);
  });

  it('can exclude event types from storage or from dispatch', async () => {
    const newTypes = newEvents(engine.database);
    await upload({
      'org.service.billing.server.event.post.type.skip': 'ACCOUNT_CREATION, TAG_CREATION',
      'org.service.billing.server.event.dispatch.type.skip': 'INVOICE_CREATION',
    });
    await newTypes();
    const { id: accountId } = await engine.settle(subscriber());
    const types = await newTypes();
    expect(types).to.not.include('ACCOUNT_CREATION');
    expect(types).to.include('INVOICE_CREATION');
    // The INVOICE_CREATION event had no receiver, so the invoice is unpaid.
    expect(await acme.payments.ofAccount(accountId)).to.eql([]);
    await acme.keyValues.delete(CONFIGURATION);
    await newTypes();
    const other = await engine.settle(subscriber());
    expect(await newTypes()).to.include('ACCOUNT_CREATION');
    expect(await acme.payments.ofAccount(other.id)).to.have.length(1);
  });

  it('can change the maximum target date of runs and dry runs', async () => {
    const { id: accountId } = await engine.settle(subscriber());
    const targetDate = parseLocalDate('2024-05-10');
    await upload({ 'org.service.invoice.maxNumberOfMonthsInFuture': 2 });
    await expectCode(acme.invoices.dryRun({ accountId, targetDate }), 4_005);
    await expectCode(acme.generateInvoice({ accountId, targetDate }), 4_005);
    await upload({ 'org.service.invoice.maxNumberOfMonthsInFuture': 3 });
    expect(await acme.invoices.dryRun({ accountId, targetDate })).to.not.equal(null);
  });

  it('can raise the safety bound of one tenant', async () => {
    await upload({ 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': 0 });
    const { id: accountId } = await engine.settle(subscriber());
    expect(await isParked(accountId)).to.equal(true);
    await upload({ 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 });
    await acme.generateInvoice({ accountId });
    expect(await isParked(accountId)).to.equal(false);
  });

  /** Returns a later version in which subscriptions of canopy-monthly have only a USD price from 2024-03-01. */
  async function soldInDollarsAlone(): Promise<string> {
    const xml = await readFile(meadow, 'utf8');
    const [plan = ''] = /<plan name="canopy-monthly"[\s\S]*?<\/plan>/.exec(xml) ?? [];
    const changed = plan
      .replace(/<price><currency>(EUR|GBP|JPY).*/g, '')
      .replace(
        '</plan>',
        '<effectiveDateForExistingSubscriptions>2024-03-01</effectiveDateForExistingSubscriptions></plan>',
      );
    return xml.replace(plan, changed).replace('2024-01-01T00:00:00Z', '2024-02-15T00:00:00Z');
  }

  it('can leave an account unparked after an error other than an illegal state', async () => {
    await upload({ 'org.service.invoice.parkAccountsOnAllExceptions': 'false' });
    const { id: accountId } = await acme.createAccount({ currency: 'EUR' });
    await engine.settle(acme.createSubscription({ accountId, planName: 'canopy-monthly' }));
    await acme.uploadCatalog(await soldInDollarsAlone());
    engine.clock.set('2024-03-10T09:00:00Z');
    expect(await engine.billing.settle({ timeoutMs: 1_000 }), 'is tried again').to.equal(false);
    await expectCode(acme.generateInvoice({ accountId }), 'CATALOG_NO_PRICE_FOR_CURRENCY');
    expect(await isParked(accountId)).to.equal(false);
  });

  function authorship() {
    const createdDate = engine.clock.now();
    const userToken = engine.tenant.id;
    return { userName: 'test', reasonCode: null, comments: null, createdDate, userTokenOf: () => userToken };
  }

  async function isParked(accountId: Account['id']): Promise<boolean> {
    const tags = await acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
    return tags.some(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
  }

  async function retryDates(accountId: Uuid): Promise<readonly string[]> {
    const payments = await acme.payments.ofAccount(accountId, { withAttempts: true });
    return payments
      .flatMap(({ attempts }) => attempts ?? [])
      .filter(({ stateName }) => stateName === 'SCHEDULED')
      .map(({ effectiveDate }) => effectiveDate.toISOString());
  }

  it('causes one TENANT_CONFIG_CHANGE or TENANT_CONFIG_DELETION event per change', async () => {
    const newTypes = newEvents(engine.database);
    await newTypes();
    await upload({ 'org.service.invoice.enabled': 'true' });
    expect(await newTypes()).to.eql(['TENANT_CONFIG_CHANGE']);
    await acme.keyValues.delete(CONFIGURATION);
    await acme.keyValues.delete(CONFIGURATION);
    expect(await newTypes()).to.eql(['TENANT_CONFIG_DELETION']);
  });
});
