import type { CancelSubscriptionOptions, HostInput, Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';

const END_OF_TERM = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;

eachDatabaseByTurns.describe('add-ons whose base ends or changes', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let base: Uuid;
  let support: Uuid;

  /** Creates a base and the add-on support-monthly, invoiced for June 2024. */
  async function begin(basePlan = 'solo-now'): Promise<void> {
    engine = await openEngine(open, { now: '2024-06-01' });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    const made = await engine.acme.subscriptions.createWithAddOns(
      [basePlan, 'support-monthly'].map((planName) => ({ accountId, planName })),
    );
    [base, support] = made.subscriptionIds as [Uuid, Uuid];
    await engine.settle();
  }

  const cancel = (id: Uuid, options: HostInput<CancelSubscriptionOptions>) =>
    engine.acme.subscriptions.cancel(id, options);

  /** Expects the ends caused by the base to be stored as events of the add-on, not of the base. */
  async function expectOwnRows(): Promise<void> {
    const { events } = await engine.acme.getSubscription(support);
    const ofBase = new Set((await engine.acme.getSubscription(base)).events.map(({ eventId }) => eventId));
    expect([ofBase.size, events.length].every((count) => count > 2)).to.equal(true);
    expect(events.filter(({ eventId }) => ofBase.has(eventId))).to.eql([]);
  }

  async function billed(): Promise<readonly string[]> {
    const invoices = await engine.invoicesOf(accountId);
    const items = invoices.flatMap((invoice) => invoice.items);
    const own = new Set(items.filter(({ subscriptionId }) => subscriptionId === support).map(({ id }) => id));
    const isOwn = (item: (typeof items)[number]) =>
      own.has(item.id) || (item.linkedItemId !== null && own.has(item.linkedItemId));
    return invoices.flatMap((invoice) => itemLines({ ...invoice, items: invoice.items.filter(isOwn) }));
  }

  it('end immediately with their base, and cause a repair of the days that are already invoiced', async () => {
    await begin();
    await engine.runTo('2024-06-11');
    const events = newEvents(engine.database);
    await events();
    await cancel(base, { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'IMMEDIATE' });
    expect(await events(), 'the end of an add-on is not requested').to.eql([
      'SUBSCRIPTION_CANCEL',
      'SUBSCRIPTION_CANCEL',
      'ENTITLEMENT_CANCEL',
      'SUBSCRIPTION_CANCEL',
      'ENTITLEMENT_CANCEL',
    ]);
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-11 2024-06-11');
    await engine.settle();
    expect(await billed()).to.eql([
      'RECURRING 2024-06-01..2024-07-01 15',
      'REPAIR_ADJ 2024-06-11..2024-07-01 -10',
    ]);
    await engine.runTo('2024-09-01');
    expect(await billed()).to.have.length(2);
  });

  it('end with the future end of their base, and are not billed beyond that end', async () => {
    await begin();
    const events = newEvents(engine.database);
    await cancel(base, END_OF_TERM);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-07-01 2024-07-01');
    await engine.settle();
    await events();
    await engine.runTo('2024-07-01');
    const newTypes = await events();
    expect(newTypes.filter((type) => type === 'SUBSCRIPTION_CANCEL')).to.have.length(2);
    expect(newTypes.filter((type) => type === 'ENTITLEMENT_CANCEL')).to.have.length(2);
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-07-01 2024-07-01');
    await expectOwnRows();
    await engine.runTo('2024-10-01');
    expect(await billed()).to.eql(['RECURRING 2024-06-01..2024-07-01 15']);
  });

  for (const [when, isAhead] of [
    ['at once', false],
    ['ahead', true],
  ] as const)
    it(`have a PHASE event at the instant of their end if their base is canceled ${when}`, async () => {
      engine = await openEngine(open, { now: '2024-08-02' });
      accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
      const made = await engine.acme.subscriptions.createWithAddOns(
        ['solo-now', 'backup-monthly'].map((planName) => ({ accountId, planName })),
      );
      [base, support] = made.subscriptionIds as [Uuid, Uuid];
      const newTypes = newEvents(engine.database);
      await engine.runTo(isAhead ? '2024-08-20' : '2024-09-01');
      await cancel(base, { requestedDate: '2024-09-01T00:00:00Z' });
      await engine.runTo('2024-09-01');
      const { events, phaseType } = await engine.acme.getSubscription(support);
      expect(events.slice(2).map((row) => `${row.eventType} ${row.effective.date} ${row.phase}`)).to.eql([
        'PHASE 2024-09-01 backup-monthly-evergreen',
        'STOP_ENTITLEMENT 2024-09-01 backup-monthly-evergreen',
        'STOP_BILLING 2024-09-01 backup-monthly-evergreen',
      ]);
      expect(phaseType).to.equal('EVERGREEN');
      await expectOwnRows();
      expect((await newTypes()).filter((type) => type === 'SUBSCRIPTION_PHASE')).to.have.length(1);
      await engine.runTo('2024-11-01');
      expect((await billed())[0]).to.equal('FIXED 2024-08-02..2024-09-01 0');
      const rest = (await billed()).slice(1);
      expect(rest).to.eql(
        isAhead ? [] : ['RECURRING 2024-09-01..2024-09-02 0.42', 'REPAIR_ADJ 2024-09-01..2024-09-02 -0.42'],
      );
    });

  it('are billed again if the end of their base is undone after a run has credited the remaining days', async () => {
    await begin();
    await cancel(base, { requestedDate: '2024-07-16T00:00:00Z' });
    await engine.runTo('2024-07-10');
    expect((await billed()).slice(1)).to.eql(['RECURRING 2024-07-01..2024-07-16 7.26']);
    await engine.acme.subscriptions.uncancel(base);
    await engine.runTo('2024-08-01');
    expect((await billed()).slice(2)).to.eql([
      'RECURRING 2024-07-16..2024-08-01 7.74',
      'RECURRING 2024-08-01..2024-09-01 15',
    ]);
  });

  it('end on the same day as their base even if the clock jumps over that day', async () => {
    await begin();
    await cancel(base, { requestedDate: '2024-08-16T00:00:00Z' });
    await engine.runTo('2025-01-01');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-08-16 2024-08-16');
    const lines = await billed();
    expect(lines.slice(0, 2)).to.eql([
      'RECURRING 2024-06-01..2024-07-01 15',
      'RECURRING 2024-07-01..2024-08-01 15',
    ]);
    expect(lines.slice(2)).to.eql(['RECURRING 2024-08-01..2024-08-16 7.26']);
  });

  it('lose and regain their service together with their base while billing continues', async () => {
    await begin();
    await engine.runTo('2024-06-11');
    await cancel(base, { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'END_OF_TERM' });
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-11 2024-07-01');
    await expectCode(engine.acme.subscriptions.uncancel(support), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
    await engine.runTo('2024-06-20');
    await engine.acme.subscriptions.uncancel(base);
    expect(await engine.endsOf(base)).to.equal('ACTIVE - -');
    expect(await engine.endsOf(support)).to.equal('ACTIVE - -');
    await engine.runTo('2024-07-01');
    expect(await billed()).to.have.length(2);
  });

  it('lose their service on the future date on which the service of their base ends', async () => {
    await begin();
    await engine.runTo('2024-06-11');
    const requestedDate = '2024-06-15';
    await cancel(base, { requestedDate, billingPolicy: 'END_OF_TERM' });
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-06-15 2024-07-01');
    await engine.runTo('2024-06-16');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-15 2024-07-01');
    await engine.acme.subscriptions.uncancel(base);
    expect(await engine.endsOf(support)).to.equal('ACTIVE - -');
  });

  it('keep their service until the service of their base ends, even if billing ends immediately', async () => {
    await begin();
    await engine.runTo('2024-06-11');
    await cancel(base, { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'IMMEDIATE' });
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-07-01 2024-06-11');
    await engine.runTo('2024-07-01');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-07-01 2024-06-11');
  });

  it('keep their own earlier end, and end with their base if that end is undone', async () => {
    await begin();
    await cancel(support, { requestedDate: '2024-06-20T00:00:00Z' });
    await cancel(base, END_OF_TERM);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-06-20 2024-06-20');
    await engine.acme.subscriptions.uncancel(support);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-07-01 2024-07-01');
  });

  it('end with their base before their own later end, and regain that end if the end of the base is undone', async () => {
    await begin();
    await cancel(support, { requestedDate: '2024-08-20T00:00:00Z' });
    await cancel(base, END_OF_TERM);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-07-01 2024-07-01');
    await engine.acme.subscriptions.uncancel(base);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-08-20 2024-08-20');
  });

  it('cannot be canceled or changed after the end of their base', async () => {
    await begin();
    await cancel(base, END_OF_TERM);
    const later = { requestedDate: '2024-08-01T00:00:00Z' };
    await expectCode(cancel(support, later), 'SUBSCRIPTION_CANCEL_BAD_STATE');
    const change = { planName: 'archive-monthly', billingPolicy: 'IMMEDIATE' } as const;
    await expectCode(
      engine.acme.subscriptions.changePlan(support, change),
      'SUBSCRIPTION_CHANGE_FUTURE_CANCELLED',
    );
  });

  it('end when their base changes to a product that includes them, unless the change is undone', async () => {
    await begin();
    const requestedDate = '2024-06-16';
    const change = { planName: 'elite-monthly', phaseType: 'EVERGREEN', requestedDate } as const;
    await engine.acme.subscriptions.changePlan(base, change);
    expect(await engine.endsOf(support)).to.equal('ACTIVE 2024-06-16 2024-06-16');
    await engine.acme.subscriptions.undoChangePlan(base);
    expect(await engine.endsOf(support)).to.equal('ACTIVE - -');
    await engine.acme.subscriptions.changePlan(base, change);
    await engine.runTo('2024-08-01');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-16 2024-06-16');
    await expectOwnRows();
    expect(await billed()).to.eql([
      'RECURRING 2024-06-01..2024-07-01 15',
      'REPAIR_ADJ 2024-06-16..2024-07-01 -7.5',
    ]);
  });

  it('end immediately and are never billed if the pending plan change that made them available is undone', async () => {
    engine = await openEngine(open, { now: '2024-06-01' });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    base = (await engine.acme.createSubscription({ accountId, planName: 'elite-monthly' })).subscriptionId;
    const planName = 'solo-now';
    await engine.acme.subscriptions.changePlan(base, { planName, requestedDate: '2024-07-16' });
    const { bundleId } = await engine.acme.getSubscription(base);
    const buy = async (billingDate: string, plan = 'backup-monthly') => {
      const request = { accountId, bundleId, planName: plan };
      const dates = { entitlementDate: billingDate, billingDate };
      return (await engine.acme.createSubscription(request, dates)).subscriptionId;
    };
    const backup = await buy('2024-07-20');
    const archive = await buy('2024-06-20', 'archive-monthly');
    await engine.runTo('2024-06-25');
    expect(await engine.endsOf(backup)).to.equal('PENDING - -');
    const events = newEvents(engine.database);
    await events();
    await engine.acme.subscriptions.undoChangePlan(base);
    expect(await events(), 'requested and in effect, as with every change').to.eql([
      'SUBSCRIPTION_CHANGE',
      'SUBSCRIPTION_CHANGE',
      'ENTITLEMENT_CANCEL',
    ]);
    expect(await engine.endsOf(backup)).to.equal('CANCELLED 2024-06-25 2024-07-20');
    expect(await engine.endsOf(archive), 'offered by both').to.equal('ACTIVE - -');
    await expectCode(engine.acme.subscriptions.uncancel(backup), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
    await expectCode(buy('2024-07-20'), 'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE');
    await engine.runTo('2024-09-01');
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const items = invoices.flatMap((invoice) => invoice.items);
    expect(items.filter(({ subscriptionId }) => subscriptionId === backup)).to.eql([]);
    expect(items.some(({ subscriptionId }) => subscriptionId === archive)).to.equal(true);
  });

  it('end if the pending plan change that made them available is undone, even after an earlier change of the base', async () => {
    await begin('team-now');
    const change = (planName: string, date: string) =>
      engine.acme.subscriptions.changePlan(base, { planName, requestedDate: date });
    await change('elite-monthly', '2024-06-10');
    await engine.runTo('2024-06-12');
    await change('solo-now', '2024-07-16');
    const { bundleId } = await engine.acme.getSubscription(base);
    const billingDate = '2024-07-20';
    const request = { accountId, bundleId, planName: 'backup-monthly' };
    const backup = (await engine.acme.createSubscription(request, { billingDate })).subscriptionId;
    expect(await engine.endsOf(backup)).to.equal('ACTIVE - -');
    await engine.runTo('2024-06-25');
    await engine.acme.subscriptions.undoChangePlan(base);
    expect(await engine.endsOf(backup)).to.equal('CANCELLED 2024-06-25 2024-07-20');
  });

  it('continue if their base changes to a product that also offers them', async () => {
    await begin();
    await engine.acme.subscriptions.changePlan(base, { planName: 'team-now', billingPolicy: 'IMMEDIATE' });
    expect(await engine.endsOf(support)).to.equal('ACTIVE - -');
    await engine.runTo('2024-07-01');
    expect(await billed()).to.have.length(2);
  });

  it('end before they begin if their pending base will start on a product that does not offer them', async () => {
    await begin();
    const dates = { entitlementDate: '2024-07-10', billingDate: '2024-07-10' };
    const ahead = await engine.acme.subscriptions.createWithAddOns(
      ['solo-now', 'backup-monthly'].map((planName) => ({ accountId, planName })),
      dates,
    );
    const [pendingBase, backup] = ahead.subscriptionIds as [Uuid, Uuid];
    const onStart = (planName: string) =>
      engine.acme.subscriptions.changePlan(pendingBase, { planName, requestedDate: dates.billingDate });
    await onStart('elite-monthly');
    expect(await engine.endsOf(backup)).to.equal('PENDING 2024-07-10 2024-07-10');
    await onStart('team-now');
    expect(await engine.endsOf(backup)).to.equal('PENDING - -');
    await onStart('elite-monthly');
    await engine.runTo('2024-07-11');
    expect(await engine.endsOf(backup)).to.equal('CANCELLED 2024-07-10 2024-07-10');
  });

  it('end alone if their own term expires before their base ends', async () => {
    await begin();
    const { bundleId } = await engine.acme.getSubscription(base);
    const term = (await engine.acme.createSubscription({ accountId, bundleId, planName: 'support-6m' }))
      .subscriptionId;
    await engine.runTo('2024-12-02');
    expect(await engine.endsOf(term)).to.equal('EXPIRED - -');
    expect(await engine.endsOf(base)).to.equal('ACTIVE - -');
    await cancel(base, { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'IMMEDIATE' });
    expect(await engine.endsOf(term), 'ended already').to.equal('EXPIRED - -');
  });

  it('end with their base when the account is closed', async () => {
    await begin();
    await engine.runTo('2024-06-11');
    await engine.acme.accounts.close(accountId, { cancelAllSubscriptions: true });
    expect(await engine.endsOf(base)).to.equal('CANCELLED 2024-06-11 2024-07-01');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-11 2024-07-01');
    await engine.runTo('2024-08-01');
    expect(await engine.endsOf(support)).to.equal('CANCELLED 2024-06-11 2024-07-01');
  });

  it('have no plan after the end of their base', async () => {
    await begin();
    await engine.settle();
    await cancel(base, END_OF_TERM);
    const at = (date: string) =>
      engine.acme.subscriptions.planAt({ subscriptionId: support, requestedDate: date });
    expect((await at('2024-06-30T00:00:00Z')).plan.name).to.equal('support-monthly');
    await expectCode(at('2024-07-01T00:00:00Z'), 'SUBSCRIPTION_INVALID_REQUESTED_DATE');
  });
});
