import type { TransferBundleOptions, TransferBundleRequest, Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { codeOf, expect, expectCode, messageOf, newEvents, openEngine } from '../support/index.ts';
import type { Account, SubscriptionView } from '../support/plain-views.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

eachDatabaseByTurns.describe('future bundle transfer (subscriptions §17.4 rule 1)', (open) => {
  let engine: TestEngine;
  let source: Account;
  let target: Account;
  let bundleId: Uuid;
  let subscriptionId: Uuid;

  async function begin(now: string, planName: string, zones: { source?: string; target?: string } = {}) {
    engine = await openEngine(open, { now });
    const account = (billCycleDayLocal: number, timeZone = 'UTC') =>
      engine.payingAccount({ currency: 'USD', billCycleDayLocal, timeZone });
    source = await account(9, zones.source);
    target = await account(15, zones.target);
    ({ bundleId, subscriptionId } = await subscribe(planName, { bundleExternalKey: 'K' }));
  }

  async function subscribe(planName: string, more: object = {}, options: object = {}) {
    return await engine.subscribe({ accountId: source.id, planName, ...more }, options);
  }

  const transfer = (
    requestedDate: string,
    request: TransferBundleRequest & Omit<TransferBundleOptions, 'requestedDate'> = {},
  ) => engine.acme.bundles.transfer(bundleId, { accountId: target.id, requestedDate, ...request });

  const cancelAt = (id: Uuid, requestedDate: string) =>
    engine.acme.subscriptions.cancel(id, { requestedDate, useRequestedDateForBilling: true });

  const membersOf = async (id: Uuid) => (await engine.acme.bundles.get(id)).subscriptions;

  async function onlyOf(id: Uuid): Promise<SubscriptionView> {
    const [only, ...others] = await membersOf(id);
    if (only === undefined || others.length > 0) throw new Error('not one subscription');
    return only;
  }

  const rowsOf = ({ events }: SubscriptionView): readonly string[] =>
    events.map(({ eventType, effective, phase }) =>
      [eventType, effective.date, phase].filter(Boolean).join(' '),
    );

  const dateOf = (dated: SubscriptionView['cancelled']) => dated?.date;

  async function endsOf(id: Uuid) {
    const { state, cancelled, billingEnd } = await engine.acme.getSubscription(id);
    return [state, dateOf(cancelled), dateOf(billingEnd)];
  }

  async function linesOf({ id: accountId }: Account): Promise<readonly string[]> {
    return (await engine.linesOf(accountId)).filter((line) => !line.startsWith('CBA_ADJ'));
  }

  describe('of one subscription', () => {
    beforeEach(async () => {
      await begin('2012-04-01T00:15:42Z', 'pro-monthly');
      await engine.runTo('2012-05-10T00:15:42Z');
      expect((await linesOf(source)).slice(1)).to.eql([
        'RECURRING 2012-05-01..2012-05-09 66.65',
        'RECURRING 2012-05-09..2012-06-09 249.95',
      ]);
    });

    const policies = [
      // 20 of 31 days of 249.95.
      ['IMMEDIATE', '2012-05-20', ['REPAIR_ADJ 2012-05-20..2012-06-09 -161.26']],
      ['END_OF_TERM', '2012-06-09', []],
    ] as const;
    for (const [billingPolicy, billingEnd, repaired] of policies) {
      it(`bills the target from the transfer date and the source until ${billingEnd} (${billingPolicy}), in daily runs or one run`, async () => {
        const made = await engine.settle(transfer('2012-05-20', { billingPolicy }));
        expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-20', billingEnd]);
        const pending = await onlyOf(made);
        expect([pending.state, pending.sourceType]).to.eql(['PENDING', 'TRANSFERRED']);
        expect(rowsOf(pending)).to.eql([
          'START_ENTITLEMENT 2012-05-20 pro-monthly-evergreen',
          'START_BILLING 2012-05-20 pro-monthly-evergreen',
        ]);
        expect((await engine.acme.bundles.getByKey('K')).bundleId).to.equal(made);
        expect((await engine.acme.bundles.allOfKey('K')).map((each) => each.bundleId)).to.eql([
          bundleId,
          made,
        ]);
        for (let day = 11; day < 20; day += 1) {
          await engine.runTo(`2012-05-${day}T12:00:00Z`);
          expect(await linesOf(source), `on 05-${day}`).to.have.length(3);
          expect(await linesOf(target), `on 05-${day}`).to.eql([]);
        }
        expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-20', billingEnd]);
        await engine.runTo('2012-05-20T12:00:00Z');
        expect(await endsOf(subscriptionId)).to.eql(['CANCELLED', '2012-05-20', billingEnd]);
        expect((await onlyOf(made)).state).to.equal('ACTIVE');
        expect((await linesOf(source)).slice(3)).to.eql(repaired);
        expect(await linesOf(target)).to.eql(['RECURRING 2012-05-20..2012-06-15 209.64']);
        await engine.runTo('2012-08-01T12:00:00Z');
        expect((await linesOf(source)).slice(3)).to.eql(repaired);
        expect((await linesOf(target)).slice(1)).to.eql([
          'RECURRING 2012-06-15..2012-07-15 249.95',
          'RECURRING 2012-07-15..2012-08-15 249.95',
        ]);
      });

      it(`ends the source on the transfer date with ${billingPolicy} if the source is not invoiced up to that date`, async () => {
        await transfer('2012-06-20', { billingPolicy });
        await engine.runTo('2012-09-01T12:00:00Z');
        // 11 of 30 days, and 25 of 30.
        expect((await linesOf(source)).slice(3)).to.eql(['RECURRING 2012-06-09..2012-06-20 91.65']);
        expect((await linesOf(target))[0]).to.equal('RECURRING 2012-06-20..2012-07-15 208.29');
      });
    }

    it('publishes its request immediately, and its effect on the transfer date', async () => {
      const fresh = newEvents(engine.database);
      await fresh();
      await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      expect(await fresh()).to.eql(['SUBSCRIPTION_CANCEL', 'SUBSCRIPTION_CREATION']);
      await engine.runTo('2012-05-20T00:15:42Z');
      const eventTypes = (await fresh()).filter((type) => /^(SUBSCRIPTION|ENTITLEMENT)_/.test(type));
      expect(eventTypes.toSorted()).to.eql([
        'ENTITLEMENT_CANCEL',
        'ENTITLEMENT_CREATION',
        'SUBSCRIPTION_CANCEL',
        'SUBSCRIPTION_CREATION',
      ]);
    });

    it('gives a PENDING subscription the bill cycle day and quantity that apply on the transfer date', async () => {
      const { subscriptions } = engine.acme;
      await subscriptions.changeQuantity(subscriptionId, { quantity: 3, effectiveFromDate: '2012-05-12' });
      await subscriptions.changeBillCycleDay(subscriptionId, {
        billCycleDayLocal: 18,
        effectiveFromDate: '2012-05-12',
      });
      const made = await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      await engine.runTo('2012-05-20T12:00:00Z');
      const begun = await onlyOf(made);
      expect([begun.billCycleDayLocal, begun.quantity]).to.eql([18, 3]);
    });

    it('omits a cancellation after the transfer date and every subscription that has ended by that date', async () => {
      await cancelAt(subscriptionId, '2012-06-01');
      await expectCode(transfer('2012-06-01'), 'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS');
      expect((await onlyOf(await transfer('2012-05-31'))).cancelled).to.equal(null);
      expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-31', '2012-06-01']);
    });

    it('prevents the source from being uncanceled, even if it was canceled before the transfer date', async () => {
      const { subscriptions, blocking } = engine.acme;
      const made = await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      await expectCode(subscriptions.uncancel(subscriptionId), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
      await expectCode(cancelAt(subscriptionId, '2012-05-25'), 'SUBSCRIPTION_CANCEL_BAD_STATE', 'later end');
      await cancelAt(subscriptionId, '2012-05-15');
      await cancelAt(subscriptionId, '2012-05-12');
      expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-12', '2012-05-12']);
      await subscriptions.uncancel(subscriptionId);
      expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-20', '2012-05-20']);
      await expectCode(subscriptions.uncancel(subscriptionId), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
      await engine.runTo('2012-07-01T12:00:00Z');
      expect(await endsOf(subscriptionId)).to.eql(['CANCELLED', '2012-05-20', '2012-05-20']);
      expect((await linesOf(source)).slice(3)).to.eql(['REPAIR_ADJ 2012-05-20..2012-06-09 -161.26']);
      expect((await onlyOf(made)).state).to.equal('ACTIVE');
      const states = await blocking.ofAccount(source.id, { types: ['SUBSCRIPTION'] });
      expect(states.map(({ stateName }) => stateName)).to.eql(['ENT_STARTED', 'ENT_CANCELLED']);
    });

    it('refers a caller who changes or cancels the source to the new bundle', async () => {
      await transfer('2012-05-20', { billingPolicy: 'END_OF_TERM' });
      const hint = (edit: string) =>
        `it is transferred as of 2012-05-20T00:15:42.000Z; ${edit} it in the new bundle`;
      const change = engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'pro-annual' });
      expect(await messageOf(change)).to.include(hint('change'));
      expect(await messageOf(cancelAt(subscriptionId, '2012-06-25'))).to.include(hint('cancel'));
    });

    it('ends the source even if an earlier cancellation of the source is undone', async () => {
      const { subscriptions } = engine.acme;
      await subscriptions.cancel(subscriptionId, {
        entitlementPolicy: 'END_OF_TERM',
        billingPolicy: 'END_OF_TERM',
      });
      await transfer('2012-05-20', { billingPolicy: 'END_OF_TERM' });
      await cancelAt(subscriptionId, '2012-05-12');
      await subscriptions.uncancel(subscriptionId);
      expect(await endsOf(subscriptionId)).to.eql(['ACTIVE', '2012-05-20', '2012-06-09']);
    });

    it('reports the end of the service only once if the source is canceled before the transfer date', async () => {
      await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      await engine.settle(cancelAt(subscriptionId, '2012-05-12'));
      const fresh = newEvents(engine.database);
      await fresh();
      await engine.runTo('2012-06-20T12:00:00Z');
      expect((await fresh()).filter((type) => type === 'ENTITLEMENT_CANCEL')).to.have.length(1);
      expect(await endsOf(subscriptionId)).to.eql(['CANCELLED', '2012-05-12', '2012-05-12']);
      expect((await linesOf(target))[0], 'the target starts at its date').to.equal(
        'RECURRING 2012-05-20..2012-06-15 209.64',
      );
    });

    it('ends the source even if the target is canceled first and therefore never starts', async () => {
      const made = await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      const { subscriptionId: begun } = await onlyOf(made);
      await engine.acme.subscriptions.cancel(begun, { billingPolicy: 'IMMEDIATE' });
      await engine.runTo('2012-07-01T12:00:00Z');
      expect(await endsOf(begun)).to.eql(['CANCELLED', '2012-05-20', '2012-05-20']);
      expect(await linesOf(target)).to.eql([]);
      expect(await endsOf(subscriptionId)).to.eql(['CANCELLED', '2012-05-20', '2012-05-20']);
    });

    it('can be undone by a transfer of the new bundle back to the source', async () => {
      const made = await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      await expectCode(
        transfer('2012-05-15'),
        'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS',
        'of a bundle that is transferred',
      );
      await engine.acme.bundles.renameKey(bundleId, 'old');
      await expectCode(transfer('2012-05-15'), 'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS', 'under another key');
      const back = await engine.acme.bundles.transfer(made, {
        accountId: source.id,
        requestedDate: '2012-05-20',
        billingPolicy: 'IMMEDIATE',
      });
      await engine.runTo('2012-06-10T12:00:00Z');
      expect(await linesOf(target)).to.eql([]);
      expect((await onlyOf(back)).state).to.equal('ACTIVE');
      expect((await linesOf(source)).slice(3)).to.have.members([
        'REPAIR_ADJ 2012-05-20..2012-06-09 -161.26',
        'RECURRING 2012-05-20..2012-06-09 161.26',
        'RECURRING 2012-06-09..2012-07-09 249.95',
      ]);
    });

    it('starts the target on the transfer date even if the account of the source is closed', async () => {
      const made = await transfer('2012-05-20', { billingPolicy: 'IMMEDIATE' });
      await engine.acme.accounts.close(source.id, { cancelAllSubscriptions: true });
      await engine.runTo('2012-06-20T12:00:00Z');
      expect((await endsOf(subscriptionId))[0]).to.equal('CANCELLED');
      expect((await onlyOf(made)).state).to.equal('ACTIVE');
    });
  });

  it('starts the target in the phase of the transfer date, even if that phase is not stored yet', async () => {
    await begin('2024-01-01T08:00:00Z', 'club-monthly');
    const made = await transfer('2024-10-01');
    expect(rowsOf(await onlyOf(made))).to.eql([
      'START_ENTITLEMENT 2024-10-01 club-monthly-evergreen',
      'START_BILLING 2024-10-01 club-monthly-evergreen',
    ]);
    const { bundleId: other } = await subscribe('club-monthly', { bundleExternalKey: 'L' });
    const next = await engine.acme.bundles.transfer(other, {
      accountId: target.id,
      requestedDate: '2024-03-01',
    });
    await engine.runTo('2024-11-01T08:00:00Z');
    expect(rowsOf(await onlyOf(next))).to.eql([
      'START_ENTITLEMENT 2024-03-01 club-monthly-discount',
      'START_BILLING 2024-03-01 club-monthly-discount',
      'PHASE 2024-07-31 club-monthly-evergreen',
    ]);
    expect((await linesOf(target)).filter((line) => line.includes('..2024-03-15'))).to.eql([
      // 14 of 29 days of 399.95.
      'RECURRING 2024-03-01..2024-03-15 193.08',
    ]);
    expect((await linesOf(source)).filter((line) => line.includes('..2024-10-01'))).to.eql([
      // 22 of 30 days of 599.95.
      'RECURRING 2024-09-09..2024-10-01 439.96',
    ]);
  });

  it('starts the target with the plan of a pending change before the transfer date, and moves a plan change after that date', async () => {
    await begin('2024-01-01T08:00:00Z', 'solo-now');
    const { subscriptions } = engine.acme;
    await subscriptions.changePlan(subscriptionId, { planName: 'team-now', requestedDate: '2024-02-01' });
    await subscriptions.changePlan(subscriptionId, { planName: 'solo-now', requestedDate: '2024-04-01' });
    const made = await transfer('2024-03-01');
    await engine.runTo('2024-04-02T08:00:00Z');
    expect(rowsOf(await onlyOf(made))).to.eql([
      'START_ENTITLEMENT 2024-03-01 team-now-evergreen',
      'START_BILLING 2024-03-01 team-now-evergreen',
      'CHANGE 2024-04-01 solo-now-evergreen',
    ]);
    expect(rowsOf(await engine.acme.getSubscription(subscriptionId)).slice(2)).to.eql([
      'CHANGE 2024-02-01 team-now-evergreen',
      'STOP_ENTITLEMENT 2024-03-01 team-now-evergreen',
      'STOP_BILLING 2024-03-01 team-now-evergreen',
    ]);
  });

  it('skips a fixed term that expires before the transfer date, and moves the rest of a longer term', async () => {
    await begin('2023-01-01T08:00:00Z', 'term-3m');
    await expectCode(transfer('2023-04-01'), 'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS');
    const made = await transfer('2023-03-31');
    await engine.runTo('2023-04-02T08:00:00Z');
    expect((await endsOf(subscriptionId))[0]).to.equal('CANCELLED');
    expect(rowsOf(await onlyOf(made)).at(-1)).to.equal('STOP_BILLING 2023-04-01 term-3m-fixedterm');
  });

  it('keeps the start of a subscription that begins after the transfer date', async () => {
    await begin('2024-01-01T08:00:00Z', 'solo-now');
    const later = await subscribe(
      'pro-monthly',
      { bundleExternalKey: 'L' },
      { billingDate: '2024-05-01', entitlementDate: '2024-05-01' },
    );
    const made = await engine.acme.bundles.transfer(later.bundleId, {
      accountId: target.id,
      requestedDate: '2024-04-01',
    });
    await engine.runTo('2024-05-02T08:00:00Z');
    expect(rowsOf(await onlyOf(made))).to.eql([
      'START_ENTITLEMENT 2024-04-01 pro-monthly-trial',
      'START_BILLING 2024-05-01 pro-monthly-trial',
      'PHASE 2024-05-31 pro-monthly-evergreen',
    ]);
  });

  it('uses the calendar of each account for the transfer date', async () => {
    await begin('2024-03-01T02:00:00Z', 'solo-now', { source: 'America/New_York', target: 'Asia/Tokyo' });
    const made = await transfer('2024-03-20');
    await engine.runTo('2024-03-22T08:00:00Z');
    expect((await endsOf(subscriptionId)).slice(0, 2)).to.eql(['CANCELLED', '2024-03-20']);
    expect(rowsOf(await onlyOf(made))[1]).to.equal('START_BILLING 2024-03-21 solo-now-evergreen');
  });

  it('can take place later on the same day', async () => {
    await begin('2024-03-01T20:00:00Z', 'solo-now');
    await engine.runTo('2024-03-10T08:00:00Z');
    const made = await transfer('2024-03-10');
    expect((await onlyOf(made)).state).to.equal('PENDING');
    await engine.runTo('2024-03-10T20:00:00Z');
    expect((await onlyOf(made)).state).to.equal('ACTIVE');
  });

  it('bills earlier usage to the source, and usage from the transfer date on to the target', async () => {
    engine = await openEngine(open, { now: '2026-04-01T00:00:00Z', catalog: usageCatalog });
    source = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    target = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    ({ bundleId, subscriptionId } = await subscribe('api-std'));
    const made = await transfer('2026-04-16', { billingPolicy: 'IMMEDIATE' });
    const { subscriptionId: begun } = await onlyOf(made);
    const use = (id: Uuid, amount: string, recordDate: string) =>
      engine.acme.recordUsage({
        subscriptionId: id,
        trackingId: recordDate,
        unitUsageRecords: [{ unitType: 'calls', usageRecords: [{ recordDate, amount }] }],
      });
    await use(subscriptionId, '10', '2026-04-15');
    await engine.runTo('2026-04-20T00:00:00Z');
    await use(begun, '7', '2026-04-19');
    expect(await codeOf(use(subscriptionId, '5', '2026-04-17')), 'after its end').to.be.a('number');
    await engine.runTo('2026-06-02T00:00:00Z');
    const usageOf = async (account: Account) =>
      (await linesOf(account)).filter((line) => !line.endsWith(' 0'));
    expect(await usageOf(source)).to.eql(['USAGE 2026-04-01..2026-04-16 10']);
    expect(await usageOf(target)).to.eql(['USAGE 2026-04-16..2026-05-01 7']);
  });

  describe('of a base with add-ons', () => {
    let addOn: Uuid;

    beforeEach(async () => {
      await begin('2024-01-09T08:00:00Z', 'solo-now');
      addOn = (await subscribe('support-monthly', { bundleId })).subscriptionId;
      await engine.runTo('2024-01-19T08:00:00Z');
    });

    const newOnes = async (id: Uuid) =>
      (await membersOf(id)).map(({ productCategory, state }) => `${productCategory} ${state}`);

    const policies = [
      [
        'IMMEDIATE',
        '2024-01-25',
        // 15 of 31 days of 15.00 and 19.95.
        ['REPAIR_ADJ 2024-01-25..2024-02-09 -7.26', 'REPAIR_ADJ 2024-01-25..2024-02-09 -9.65'],
      ],
      ['END_OF_TERM', '2024-02-09', []],
    ] as const;
    for (const [billingPolicy, billingEnd, repaired] of policies) {
      it(`ends the add-on together with its base, and starts both on the target with ${billingPolicy}`, async () => {
        const made = await engine.settle(transfer('2024-01-25', { billingPolicy }));
        for (const id of [subscriptionId, addOn])
          expect(await endsOf(id)).to.eql(['ACTIVE', '2024-01-25', billingEnd]);
        expect(await newOnes(made)).to.eql(['BASE PENDING', 'ADD_ON PENDING']);
        await engine.runTo('2024-01-25T12:00:00Z');
        for (const id of [subscriptionId, addOn])
          expect(await endsOf(id)).to.eql(['CANCELLED', '2024-01-25', billingEnd]);
        expect(await newOnes(made)).to.eql(['BASE ACTIVE', 'ADD_ON ACTIVE']);
        await engine.runTo('2024-03-01T12:00:00Z');
        const lines = await linesOf(source);
        expect(lines.filter((line) => line.startsWith('REPAIR')).toSorted()).to.eql(repaired);
        expect(lines.filter((line) => line.startsWith('RECURRING'))).to.have.length(2);
        expect((await linesOf(target)).slice(0, 2).toSorted()).to.eql([
          // 21 of 31 days to the account's day 15; the add-on uses its bundle's day 25.
          'RECURRING 2024-01-25..2024-02-15 13.51',
          'RECURRING 2024-01-25..2024-02-25 15',
        ]);
      });

      it(`keeps the end of an add-on that is canceled and uncanceled before the transfer date, with ${billingPolicy}`, async () => {
        await transfer('2024-01-25', { billingPolicy });
        await cancelAt(addOn, '2024-01-22');
        expect(await endsOf(addOn)).to.eql(['ACTIVE', '2024-01-22', '2024-01-22']);
        await engine.acme.subscriptions.uncancel(addOn);
        expect(await endsOf(addOn)).to.eql(['ACTIVE', '2024-01-25', billingEnd]);
        await cancelAt(subscriptionId, '2024-01-22');
        expect(await endsOf(addOn)).to.eql(['ACTIVE', '2024-01-22', '2024-01-22']);
        await engine.acme.subscriptions.uncancel(subscriptionId);
        for (const id of [subscriptionId, addOn])
          expect(await endsOf(id)).to.eql(['ACTIVE', '2024-01-25', billingEnd]);
        await engine.runTo('2024-02-20T08:00:00Z');
        for (const id of [subscriptionId, addOn])
          expect(await endsOf(id)).to.eql(['CANCELLED', '2024-01-25', billingEnd]);
      });
    }

    it('omits an add-on that has ended before the transfer, on its own or because its base changed', async () => {
      const backup = (await subscribe('backup-monthly', { bundleId })).subscriptionId;
      await cancelAt(addOn, '2024-01-22');
      await engine.acme.subscriptions.changePlan(subscriptionId, {
        planName: 'elite-monthly',
        requestedDate: '2024-01-23',
      });
      expect(await newOnes(await transfer('2024-01-25'))).to.eql(['BASE PENDING']);
      await engine.runTo('2024-02-20T08:00:00Z');
      expect((await endsOf(addOn)).slice(1)).to.eql(['2024-01-22', '2024-01-22']);
      expect((await endsOf(backup)).slice(1)).to.eql(['2024-01-23', '2024-01-23']);
    });

    it('ends an add-on that is bought before the transfer date, without moving it', async () => {
      const made = await transfer('2024-01-25', { billingPolicy: 'IMMEDIATE' });
      const late = (await subscribe('backup-monthly', { bundleId })).subscriptionId;
      await engine.runTo('2024-01-25T12:00:00Z');
      expect(await endsOf(late)).to.eql(['CANCELLED', '2024-01-25', '2024-01-25']);
      expect(await newOnes(made)).to.eql(['BASE ACTIVE', 'ADD_ON ACTIVE']);
    });
  });
});
