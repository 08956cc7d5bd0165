import { Billing } from '../../adapters/node/billwright.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { featureCatalog } from '../support/features/feature-catalog.ts';
import { type HostedEngine, hostedEngine } from '../support/host.ts';
import {
  eachDatabase,
  expect,
  messageOf,
  openEngine,
  plainHasher,
  type TestEngine,
} from '../support/index.ts';
import { storageOf } from '../support/storage.ts';
import { recordingLogger } from '../support/system-time.ts';

const SECOND_MS = 1_000;
const SSO_ON = 'name="sso" value="true"';

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

  it('are read without an SQL statement for a known account', async () => {
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

  it('are dropped by a change in the same process before the changing call returns', async () => {
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

  it('expire when a feature value changes without a call', async () => {
    expect([await can('calls', '100'), await can('calls', '101')]).to.eql([true, false]);
    await engine.acme.features.consume({ accountId, feature: 'calls', amount: '100' });
    expect(await can('calls')).to.equal(false);
    engine.clock.set('2026-04-01T00:00:00Z');
    expect(await can('calls', '100'), 'next period').to.equal(true);
    engine.clock.set('2026-04-13T00:00:00Z');
    expect(await can('calls', '101'), 'after the trial').to.equal(true);
  });

  /** Uploads a version in force that turns `sso` off, also for existing subscriptions. */
  const uploadWithoutSso = () =>
    engine.acme.uploadCatalog(
      featureCatalog
        .toXml()
        .replace('2020-01-01T', '2026-03-15T')
        .replaceAll(SSO_ON, 'name="sso" value="false"'),
    );

  it('are dropped before a catalog upload returns', async () => {
    expect(await can('sso')).to.equal(true);
    await uploadWithoutSso();
    expect(await can('sso')).to.equal(false);
  });

  describe('in transactions', () => {
    let hosted: HostedEngine;
    beforeEach(async () => {
      hosted = await hostedEngine(engine);
      expect(await can('calls', '100', hosted.acme)).to.equal(true);
    });

    const consume = (acme: TenantBilling) =>
      acme.features.consume({ accountId, feature: 'calls', amount: '60', key: 'k' });

    it('show the changes of a host transaction within that transaction, and never show rolled-back changes', async () => {
      const rolledBack = hosted.inside(async (acme) => {
        await consume(acme);
        expect(await can('calls', '41', acme), 'inside').to.equal(false);
        expect(await can('calls', '41', hosted.acme), 'outside').to.equal(true);
        throw new Error('rolled back');
      });
      expect(await messageOf(rolledBack)).to.equal('rolled back');
      expect(await can('calls', '100', hosted.acme), 'afterwards').to.equal(true);
      const { allowed, used } = await consume(hosted.acme);
      expect([allowed, used.toString()]).to.eql([true, '60']);
    });

    it('are dropped when the consumption of a quota is committed', async () => {
      await hosted.inside(consume);
      expect(await can('calls', '41', hosted.acme)).to.equal(false);
      expect(await can('calls', '40', hosted.acme)).to.equal(true);
      const { used } = await consume(hosted.acme);
      expect(used.toString()).to.equal('60');
    });
  });

  if (kind === 'postgresql')
    describe('in several processes', () => {
      let other: Billing;
      let acme: TenantBilling;
      beforeEach(async () => {
        other = await Billing.open({
          storage: storageOf(engine.database),
          clock: engine.clock,
          systemClock: engine.systemClock,
          logger: recordingLogger(),
          hasher: plainHasher(),
          nodeName: 'other',
        });
        acme = other.as({ tenant: engine.tenant, user: 'test' });
        expect(await can('sso', '1', acme)).to.equal(true);
      });
      afterEach(() => other.close());

      it('reflect a change to an account by another process within a second', async () => {
        await engine.acme.blocking.pauseBundle(pro.bundleId);
        await new Promise((resolve) => setTimeout(resolve, SECOND_MS + 100));
        expect(await can('sso', '1', acme)).to.equal(false);
      });

      it('reflect a catalog version that another process uploads within a second', async () => {
        await uploadWithoutSso();
        await new Promise((resolve) => setTimeout(resolve, SECOND_MS + 100));
        expect(await can('sso', '1', acme)).to.equal(false);
      });
    });
});
