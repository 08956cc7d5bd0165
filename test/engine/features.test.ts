import { Decimal, defineCatalog, formatDecimal, type Uuid } from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { featureCatalog } from '../support/features/feature-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, openEngine } from '../support/index.ts';

type Feature = Awaited<ReturnType<TestEngine['acme']['features']['of']>>[number];
type Consumed = Awaited<ReturnType<TestEngine['acme']['features']['consume']>>;

function shown(feature: Feature): string {
  const { kind, isOn, text, amount, isUnlimited } = feature;
  if (kind === 'SWITCH') return String(isOn);
  if (kind === 'TEXT') return String(text);
  return isUnlimited || amount === null ? 'UNLIMITED' : formatDecimal(amount);
}

function shownAmount(amount: Feature['amount'] | undefined): string {
  return amount === null || amount === undefined ? '-' : formatDecimal(amount);
}

/** Formats `allowed used 1400 remaining 100 over 0 until 2026-05-01`. */
function consumption({ allowed, used, remaining, overage, resetsAt }: Consumed): string {
  const amounts = `used ${formatDecimal(used)} remaining ${formatDecimal(remaining)} over ${formatDecimal(overage)}`;
  return `${allowed ? 'allowed' : 'refused'} ${amounts} until ${resetsAt?.toISOString().slice(0, 10) ?? '-'}`;
}

eachDatabase.describe('features', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let pro: { readonly subscriptionId: Uuid; readonly bundleId: Uuid };

  async function begin(
    now: string,
    account: object = { currency: 'USD', billCycleDayLocal: 1 },
  ): Promise<void> {
    engine = await openEngine(open, { now, catalog: null });
    await engine.acme.uploadCatalog(featureCatalog);
    accountId = (await engine.payingAccount(account)).id;
  }

  async function at(when: string): Promise<void> {
    await engine.runTo(when);
  }

  async function values(...names: readonly string[]): Promise<string> {
    const features = await engine.acme.features.of({ accountId });
    return names
      .map((name) => {
        const feature = features.find((each) => each.name === name);
        return `${name} ${feature === undefined ? '?' : shown(feature)}`;
      })
      .join(', ');
  }

  const consume = async (amount: string, more: object = {}, feature = 'calls'): Promise<string> =>
    consumption(await engine.acme.features.consume({ accountId, feature, amount, ...more }));

  async function remaining(): Promise<string> {
    const features = await engine.acme.features.of({ accountId });
    const calls = features.find(({ name }) => name === 'calls');
    return `${shownAmount(calls?.used)} used, ${shownAmount(calls?.remaining)} left`;
  }

  /** Creates example F1: `pro` from 2026-03-10. */
  async function f1(): Promise<void> {
    await begin('2026-03-10T00:00:00Z');
    pro = await engine.subscribe({ accountId, planName: 'pro' });
  }

  async function f2(): Promise<void> {
    await f1();
    await at('2026-04-01T00:00:00Z');
    await engine.settle(engine.acme.subscriptions.changeQuantity(pro.subscriptionId, { quantity: 4 }));
  }

  async function f3(): Promise<void> {
    await f1();
    await at('2026-04-05T00:00:00Z');
    await engine.subscribe({ accountId, planName: 'extra', bundleId: pro.bundleId });
  }

  async function f4(): Promise<void> {
    await f3();
    await at('2026-04-10T00:00:00Z');
    expect(await consume('1400')).to.equal('allowed used 1400 remaining 100 over 0 until 2026-05-01');
    expect(await consume('200')).to.equal('refused used 1400 remaining 100 over 0 until 2026-05-01');
  }

  async function f5(): Promise<void> {
    await f4();
    expect(await consume('100')).to.equal('allowed used 1500 remaining 0 over 0 until 2026-05-01');
    expect(await consume('1')).to.equal('refused used 1500 remaining 0 over 0 until 2026-05-01');
  }

  async function f6(): Promise<void> {
    await f5();
    await at('2026-04-20T00:00:00Z');
    await engine.settle(
      engine.acme.subscriptions.changePlan(pro.subscriptionId, {
        planName: 'max',
        billingPolicy: 'IMMEDIATE',
      }),
    );
    expect(await values('calls')).to.equal('calls 5500');
    expect(await remaining()).to.equal('1500 used, 4000 left');
  }

  const f7Result = 'allowed used 5500 remaining 0 over 100 until 2026-05-01';

  async function f7(): Promise<void> {
    await f6();
    expect(await consume('4100', { key: 'k1' })).to.equal(f7Result);
  }

  async function usageLines(): Promise<readonly string[]> {
    await at('2026-05-01T00:00:00Z');
    // Usage of 0 has an item of 0 (usage §7.5).
    const lines = await engine.linesOf(accountId);
    return lines.filter((line) => line.includes('USAGE') && !line.endsWith(' 0'));
  }

  it('use the quota of the trial phase instead of the quota of the plan during the trial (features F1)', async () => {
    await f1();
    await at('2026-03-12T00:00:00Z');
    expect(await values('sso', 'calls')).to.equal('sso true, calls 100');
    await at('2026-03-30T00:00:00Z');
    expect(await values('sso', 'calls')).to.equal('sso true, calls 1000');
  });

  it('multiply a per-unit amount by the quantity (features F2)', async () => {
    await f2();
    expect(await values('seats')).to.equal('seats 20');
  });

  it('add the amounts of add-ons (features F3)', async () => {
    await f3();
    expect(await values('seats', 'calls', 'support')).to.equal('seats 8, calls 1500, support email');
  });

  it('are consumed from the older subscription first, and never beyond the quota (features F4 and F5)', async () => {
    await f5();
  });

  it('still count the amount already used after a plan change (features F6)', async () => {
    await f6();
  });

  it('are billed as usage beyond the quota (features F7)', async () => {
    await f7();
    expect(await usageLines()).to.have.length(1);
    expect((await usageLines())[0]).to.match(/USAGE .* 1$/);
  });

  it('are consumed only once for a key (features F8)', async () => {
    await f7();
    expect(await consume('4100', { key: 'k1' })).to.equal(f7Result);
    await expectCode(consume('5', { key: 'k1' }), 'QUOTA_KEY_REUSED');
    expect(await usageLines()).to.have.length(1);
  });

  it('forget a key after 35 days, even if the key is not deleted yet', async () => {
    await f7();
    const { features } = engine.acme;
    engine.clock.set('2026-05-25T00:00:00Z');
    await expectCode(consume('5', { key: 'k1' }), 'QUOTA_KEY_REUSED');
    engine.clock.set('2026-05-25T00:00:01Z');
    await expectCode(features.release({ accountId, feature: 'calls', key: 'k1' }), 'QUOTA_USE_NOT_FOUND');
    const second = await consume('5', { key: 'k1' });
    expect(second).to.equal('allowed used 5 remaining 5495 over 0 until 2026-06-01');
    expect(await consume('5', { key: 'k1' })).to.equal(second);
  });

  it('bill under a new tracking id if other usage of the subscription already uses the key as its tracking id', async () => {
    await f6();
    await engine.acme.usage.record({
      subscriptionId: pro.subscriptionId,
      trackingId: 'k1',
      unitUsageRecords: [
        { unitType: 'call', usageRecords: [{ recordDate: '2026-04-20T00:00:00Z', amount: '300' }] },
      ],
    });
    expect(await consume('4100', { key: 'k1' })).to.equal(f7Result);
    expect(await consume('4100', { key: 'k1' })).to.equal(f7Result);
    expect(await consume('200', { key: 'k2' })).to.match(/^allowed .* over 200 /);
    await engine.acme.features.release({ accountId, feature: 'calls', key: 'k1' });
    expect((await usageLines())[0]).to.match(/USAGE .* 5$/);
  });

  it('return the amount and void the usage on a release (features F9)', async () => {
    await f7();
    const released = await engine.acme.features.release({ accountId, feature: 'calls', key: 'k1' });
    expect(formatDecimal(released.released)).to.equal('4100');
    expect(await remaining()).to.equal('1500 used, 4000 left');
    const again = await engine.acme.features.release({ accountId, feature: 'calls', key: 'k1' });
    expect(formatDecimal(again.released)).to.equal('0');
    expect(await remaining()).to.equal('1500 used, 4000 left');
    expect(await usageLines()).to.eql([]);
  });

  it('include no amount from a paused subscription (features F10)', async () => {
    await f2();
    await at('2026-04-14T00:00:00Z');
    await consume('10');
    await at('2026-04-15T00:00:00Z');
    await engine.settle(engine.acme.blocking.pauseBundle(pro.bundleId));
    expect(await values('sso', 'seats', 'calls')).to.equal('sso false, seats 0, calls 0');
    expect(await consume('1')).to.equal('refused used 0 remaining 0 over 0 until -');
    await at('2026-04-18T00:00:00Z');
    await engine.settle(engine.acme.blocking.resumeBundle(pro.bundleId));
    expect(await values('sso', 'seats', 'calls')).to.equal('sso true, seats 20, calls 1000');
    expect(await remaining()).to.equal('10 used, 990 left');
  });

  it('use an override on the account instead of the combined value (features F11)', async () => {
    await f1();
    await engine.acme.features.override({
      accountId,
      feature: 'seats',
      value: 'UNLIMITED',
      until: '2026-06-01T00:00:00Z',
      reason: 'launch offer',
    });
    expect(await values('seats')).to.equal('seats UNLIMITED');
    const { reasons } = await engine.acme.features.explain({ accountId, feature: 'seats' });
    expect(reasons.join(' ')).to.include('override').and.to.include('launch offer');
    await at('2026-06-01T00:00:00Z');
    expect(await values('seats')).to.equal('seats 5');
  });

  it('reset a daily quota at local midnight (features F12)', async () => {
    await begin('2026-07-01T11:00:00Z', {
      currency: 'USD',
      billCycleDayLocal: 1,
      timeZone: 'Pacific/Auckland',
    });
    await engine.subscribe({ accountId, planName: 'daily' });
    await at('2026-07-01T11:59:59Z');
    expect(await consume('10', {}, 'daily')).to.equal('allowed used 10 remaining 0 over 0 until 2026-07-01');
    expect(await consume('1', {}, 'daily')).to.match(/^refused/);
    await at('2026-07-01T12:00:00Z');
    expect(await consume('1', {}, 'daily')).to.equal('allowed used 1 remaining 9 over 0 until 2026-07-02');
  });

  it('publish QUOTA_THRESHOLD once per period and threshold', async () => {
    await f1();
    await at('2026-03-30T00:00:00Z');
    for (const amount of ['799', '1', '5', '300', '195']) await consume(amount);
    await at('2026-04-02T00:00:00Z');
    await consume('1000');
    const { events } = await engine.acme.events.list({ types: ['QUOTA_THRESHOLD'], limit: 100 });
    const eventLines = events.map((event) => {
      if (event.eventType !== 'QUOTA_THRESHOLD') throw new Error(event.eventType);
      const { feature, subscriptionId, threshold, used, periodStart } = event.metaData;
      return `${feature} ${subscriptionId === pro.subscriptionId} ${threshold} ${used} ${periodStart}`;
    });
    expect(eventLines).to.eql([
      'calls true 80 800 2026-03-10',
      'calls true 100 1000 2026-03-10',
      'calls true 80 1000 2026-04-01',
      'calls true 100 1000 2026-04-01',
    ]);
  });

  it('count backdated consumption in the period that contains the given date', async () => {
    await f1();
    await at('2026-04-05T00:00:00Z');
    await consume('10');
    const dated = await consume('3', { at: '2026-03-30T00:00:00Z' });
    expect(dated).to.equal('allowed used 3 remaining 997 over 0 until 2026-04-01');
    expect(await remaining()).to.equal('10 used, 990 left');
    await expectCode(consume('1', { at: '2026-02-28T00:00:00Z' }), 'INVALID_PARAMETER');
    await expectCode(consume('1', { at: '2026-04-05T00:00:01Z' }), 'INVALID_PARAMETER');
  });

  it('cannot be used with invalid amounts, keys, feature names or accounts', async () => {
    await f1();
    for (const amount of ['0', '-1']) {
      await expectCode(consume(amount), 'INVALID_PARAMETER');
    }
    await expectCode(consume('1000000000000000'), 'MISSING_OR_INVALID_FIELD');
    await expectCode(consume('1', { key: 'k'.repeat(129) }), 'INVALID_PARAMETER');
    await expectCode(consume('1', {}, 'seats'), 'FEATURE_NOT_A_QUOTA');
    await expectCode(consume('1', {}, 'unknown'), 'FEATURE_NOT_FOUND');
    await expectCode(engine.acme.features.can(accountId, 'unknown'), 'FEATURE_NOT_FOUND');
    await expectCode(engine.acme.features.can(pro.bundleId, 'sso'), 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
    const release = engine.acme.features.release({ accountId, feature: 'calls', key: 'unknown' });
    await expectCode(release, 'QUOTA_USE_NOT_FOUND');
    const override = (value: boolean | string) =>
      engine.acme.features.override({ accountId, feature: 'sso', value });
    await expectCode(override('yes'), 'FEATURE_VALUE_INVALID');
  });

  it('reject an override that bills a unit that the plan does not price, and text that cannot be stored', async () => {
    await f1();
    const { override } = engine.acme.features;
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'max' });
    const value = { amount: '1', per: 'DAY', overage: 'BILL' } as const;
    const billed = (target: object, feature = 'calls') => override({ accountId, feature, value, ...target });
    await expectCode(billed({ subscriptionId }, 'daily'), 'FEATURE_VALUE_INVALID');
    await expectCode(billed({}), 'FEATURE_VALUE_INVALID');
    await expectCode(billed({ subscriptionId: pro.subscriptionId }), 'FEATURE_VALUE_INVALID');
    const unstorable = override({ accountId, feature: 'support', value: 'a\u0000b' });
    await expectCode(unstorable, 'MISSING_OR_INVALID_FIELD');
    const allowed = await billed({ subscriptionId });
    expect(allowed.value.overage).to.equal('BILL');
  });

  describe('with an override that bills', () => {
    let subscriptionId: Uuid;
    beforeEach(async () => {
      await begin('2026-03-10T00:00:00Z');
      ({ subscriptionId } = await engine.subscribe({ accountId, planName: 'max' }));
      const value = { amount: '1', per: 'DAY', overage: 'BILL' } as const;
      await engine.acme.features.override({ accountId, subscriptionId, feature: 'calls', value });
    });

    it('block an overage after the catalog has removed the unit', async () => {
      const withoutUnit = defineCatalog({
        name: 'Features',
        effectiveDate: '2026-03-11T00:00:00Z',
        recurringBillingMode: 'IN_ADVANCE',
        currencies: ['USD'],
        features: { calls: { kind: 'QUOTA' } },
        products: { Max: { category: 'BASE' } },
        plans: {
          max: {
            product: 'Max',
            effectiveDateForExistingSubscriptions: '2026-03-12T00:00:00Z',
            finalPhase: {
              type: 'EVERGREEN',
              recurring: { billingPeriod: 'MONTHLY', price: { USD: '50.00' } },
            },
          },
        },
      });
      await engine.acme.uploadCatalog(withoutUnit);
      expect(await consume('2')).to.equal('allowed used 1 remaining 0 over 1 until 2026-03-11');
      await at('2026-03-13T00:00:00Z');
      expect(await consume('2')).to.equal('refused used 0 remaining 1 over 0 until 2026-03-14');
    });

    it('block an overage after a change to a plan that does not price the unit', async () => {
      expect(await consume('2')).to.equal('allowed used 1 remaining 0 over 1 until 2026-03-11');
      const change = { planName: 'pro', billingPolicy: 'IMMEDIATE' } as const;
      await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, change));
      expect(await consume('2')).to.equal('refused used 1 remaining 0 over 0 until 2026-03-11');
    });
  });

  it('keep their kind in all versions, and while one of their overrides is stored', async () => {
    await begin('2026-03-10T00:00:00Z');
    const { features, catalogs } = engine.acme;
    const changed = (effectiveDate: string) =>
      defineCatalog({
        name: 'Features',
        effectiveDate,
        currencies: ['USD'],
        features: { seats: { kind: 'TEXT' }, sso: { kind: 'NUMBER' } },
        products: {},
        plans: {},
      });
    const problems = async (effectiveDate: string) =>
      (await catalogs.validate(changed(effectiveDate))).errors.map(({ message }) => message);
    const stored = 'catalog "Features" effective 2020-01-01T00:00:00.000Z';
    expect(await problems('2026-04-01')).to.eql([
      `Feature "seats" is a TEXT here and a NUMBER in ${stored}; choose another name`,
      `Feature "sso" is a NUMBER here and a SWITCH in ${stored}; choose another name`,
    ]);
    await expectCode(engine.acme.uploadCatalog(changed('2026-04-01')), 'CATALOG_INVALID_FOR_TENANT');
    const { id } = await features.override({ accountId, feature: 'seats', value: '3' });
    await features.endOverride(id);
    await catalogs.delete();
    expect(await problems('2026-04-01')).to.eql([
      'Feature "seats" is a TEXT in this catalog and a NUMBER in account overrides; choose another name',
    ]);
    await expectCode(engine.acme.uploadCatalog(changed('2026-04-01')), 'CATALOG_INVALID_FOR_TENANT');
  });

  it('switch to a later override of the same target when that override starts', async () => {
    await f1();
    const { features } = engine.acme;
    const target = { accountId, feature: 'seats' };
    const first = await features.override({ ...target, value: '7' });
    await features.override({ ...target, value: '9', from: '2026-03-20T00:00:00Z' });
    expect(await values('seats')).to.equal('seats 7');
    await at('2026-03-20T00:00:00Z');
    expect(await values('seats')).to.equal('seats 9');
    const before = await features.of({ accountId, at: '2026-03-19T00:00:00Z' });
    expect(before.find(({ name }) => name === 'seats')?.sources[0]?.overrideId).to.equal(first.id);
    const second = await features.override({ ...target, value: '11', subscriptionId: pro.subscriptionId });
    expect(await values('seats')).to.equal('seats 9');
    const ninth = await features.of({ accountId });
    const ninthId = ninth.find(({ name }) => name === 'seats')?.sources[0]?.overrideId ?? '';
    await features.endOverride(ninthId);
    expect(await values('seats')).to.equal('seats 11');
    await features.endOverride(second.id);
    expect(await values('seats')).to.equal('seats 5');
  });

  it('can be checked with `can` for every kind', async () => {
    await f1();
    const can = (feature: string, amount?: string) => engine.acme.features.can(accountId, feature, amount);
    expect([await can('sso'), await can('support')]).to.eql([true, true]);
    expect([await can('seats', '5'), await can('seats', '6')]).to.eql([true, false]);
    expect([await can('calls', '100'), await can('calls', '101')]).to.eql([true, false]);
    await consume('60');
    expect([await can('calls', '40'), await can('calls', '41')]).to.eql([true, false]);
    expect([await can('daily'), await can('daily', '0')]).to.eql([false, true]);
  });

  it('publish FEATURE_CHANGE when values change, even without a call', async () => {
    const changes = async (): Promise<readonly string[]> => {
      const { events } = await engine.acme.events.list({ types: ['FEATURE_CHANGE'], limit: 100 });
      return events.map((event) => {
        if (event.eventType !== 'FEATURE_CHANGE') throw new Error(event.eventType);
        const { feature, from, to } = event.metaData;
        return `${event.createdDate.toISOString().slice(0, 10)} ${feature} ${from} ${to}`;
      });
    };
    await f1();
    const created = ['calls 0 100', 'seats 0 5', 'sso false true', 'support null email'];
    expect((await changes()).toSorted()).to.eql(created.map((each) => `2026-03-10 ${each}`));
    await engine.settle(
      engine.acme.features.override({
        accountId,
        feature: 'seats',
        value: 'UNLIMITED',
        from: '2026-03-20T00:00:00Z',
        until: '2026-04-10T00:00:00Z',
      }),
    );
    await engine.billing.settleThrough(engine.clock, '2026-04-15T00:00:00Z');
    await engine.settle(engine.acme.blocking.pauseBundle(pro.bundleId));
    expect((await changes()).slice(4).toSorted()).to.eql([
      '2026-03-20 seats 5 UNLIMITED',
      '2026-03-24 calls 100 1000',
      '2026-04-10 seats UNLIMITED 5',
      '2026-04-15 calls 1000 0',
      '2026-04-15 seats 5 0',
      '2026-04-15 sso true false',
      '2026-04-15 support email null',
    ]);
  });

  it('reject a consumed amount with ten decimals if the overage of the quota is billed', async () => {
    await begin('2026-04-01T00:00:00Z');
    await engine.subscribe({ accountId, planName: 'max' });
    const amount = new Decimal('0.1234567891');
    const call = engine.acme.features.consume({ accountId, feature: 'calls', amount });
    await expectCode(call, 'INVALID_PARAMETER');
    expect(await remaining()).to.equal('0 used, 5000 left');
  });
});
