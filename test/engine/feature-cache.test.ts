import { Billing } from '../../adapters/node/billwright.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { featureCatalog } from '../support/features/feature-catalog.ts';
import { eachDatabase, expect, openEngine, plainHasher, type TestEngine } from '../support/index.ts';
import { storageOf } from '../support/storage.ts';
import { recordingLogger } from '../support/system-time.ts';

const SECOND_MS = 1_000;

eachDatabase.describe('cached features (features §3)', (open, kind) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let pro: { readonly subscriptionId: Uuid; readonly bundleId: Uuid };

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2026-03-30T00:00:00Z', catalog: null });
    await engine.acme.uploadCatalog(featureCatalog);
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    pro = await engine.subscribe({ accountId, planName: 'pro' });
  });

  const can = (feature: string, amount = '1', acme: TenantBilling = engine.acme) =>
    acme.features.can(accountId, feature, amount);

  it('are read without a statement for a known account', async () => {
    await can('sso');
    const statements = await engine.statementsOf(async () => {
      expect([await can('sso'), await can('seats', '5'), await can('calls', '100')]).to.eql([
        true,
        true,
        true,
      ]);
    });
    expect(statements).to.eql([]);
  });

  it('are dropped by each change of this process before its call returns', async () => {
    const { blocking, features, subscriptions } = engine.acme;
    expect(await can('sso')).to.equal(true);
    await blocking.pauseBundle(pro.bundleId);
    expect(await can('sso'), 'paused').to.equal(false);
    await blocking.resumeBundle(pro.bundleId);
    expect(await can('sso'), 'resumed').to.equal(true);
    expect(await can('seats', '10')).to.equal(false);
    await subscriptions.changeQuantity(pro.subscriptionId, { quantity: 2 });
    expect(await can('seats', '10'), 'quantity').to.equal(true);
    const override = await features.override({ accountId, feature: 'sso', value: false });
    expect(await can('sso'), 'override').to.equal(false);
    await features.endOverride(override.id);
    expect(await can('sso'), 'ended override').to.equal(true);
    await features.consume({ accountId, feature: 'calls', amount: '60', key: 'k' });
    expect(await can('calls', '41'), 'consumed').to.equal(false);
    await features.release({ accountId, feature: 'calls', key: 'k' });
    expect(await can('calls', '100'), 'released').to.equal(true);
    await subscriptions.cancel(pro.subscriptionId, {
      billingPolicy: 'IMMEDIATE',
      entitlementPolicy: 'IMMEDIATE',
    });
    expect(await can('sso'), 'cancelled').to.equal(false);
  });

  it('end when an answer changes by itself', async () => {
    expect([await can('calls', '100'), await can('calls', '101')]).to.eql([true, false]);
    await engine.acme.features.consume({ accountId, feature: 'calls', amount: '100' });
    expect(await can('calls')).to.equal(false);
    engine.clock.set('2026-04-01T00:00:00Z');
    expect(await can('calls', '100'), 'next period').to.equal(true);
    engine.clock.set('2026-04-13T00:00:00Z');
    expect(await can('calls', '101'), 'after the trial').to.equal(true);
  });

  if (kind === 'postgresql')
    it('see a change of another process within a second', async () => {
      const other = await Billing.open({
        storage: storageOf(engine.database),
        clock: engine.clock,
        systemClock: engine.systemClock,
        logger: recordingLogger(),
        hasher: plainHasher(),
        nodeName: 'other',
      });
      const acme = other.as({ tenant: engine.tenant, user: 'test' });
      expect(await can('sso', '1', acme)).to.equal(true);
      await engine.acme.blocking.pauseBundle(pro.bundleId);
      await new Promise((resolve) => setTimeout(resolve, SECOND_MS + 100));
      expect(await can('sso', '1', acme)).to.equal(false);
      await other.close();
    });
});
