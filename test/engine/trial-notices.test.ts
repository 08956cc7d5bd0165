import type { Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBeforeEach, expect } from '../support/index.ts';

const DAYS = 'org.service.subscription.trial.noticeDays';

eachDatabase.describe('TRIAL_ENDING event (subscriptions §21.1)', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-03-01T06:00:00Z' });
  const { acme } = engine;
  let accountId: Uuid;
  beforeEach(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  });

  const subscribe = (planName: string, more: object = {}) =>
    engine.subscribe({ accountId, planName, bundleExternalKey: 'key', ...more });

  async function announced(): Promise<readonly unknown[]> {
    const { events } = await acme.events.list({ types: ['TRIAL_ENDING'], limit: 1_000 });
    return events.flatMap((event) =>
      event.eventType === 'TRIAL_ENDING'
        ? [
            [
              event.createdDate.toISOString().slice(0, 10),
              event.metaData.nextPhaseName,
              event.metaData.trialEndDate.slice(0, 10),
            ],
          ]
        : [],
    );
  }

  const notice = ['2024-03-28', 'pro-monthly-evergreen', '2024-03-31'];

  async function cancelAtTrialEnd(subscriptionId: Uuid): Promise<void> {
    await engine.settle(
      acme.subscriptions.cancel(subscriptionId, {
        entitlementPolicy: 'END_OF_TERM',
        billingPolicy: 'END_OF_TERM',
      }),
    );
  }

  it('is sent once, three days before the end, with the plan, the phases and the date (rule 1)', async () => {
    const { subscriptionId } = await subscribe('pro-monthly');
    await engine.runTo('2024-03-28T05:59:59Z');
    expect(await announced()).to.eql([]);
    await engine.runTo('2024-03-28T06:00:00Z');
    const { events } = await acme.events.list({ types: ['TRIAL_ENDING'] });
    expect(events.map(({ id: _id, cursor: _cursor, tenantId: _tenant, ...event }) => event)).to.eql([
      {
        eventType: 'TRIAL_ENDING',
        accountId,
        objectType: 'SUBSCRIPTION',
        objectId: subscriptionId,
        metaData: {
          bundleExternalKey: 'key',
          planName: 'pro-monthly',
          phaseName: 'pro-monthly-trial',
          nextPhaseName: 'pro-monthly-evergreen',
          trialEndDate: '2024-03-31T06:00:00.000Z',
        },
        createdDate: new Date('2024-03-28T06:00:00Z'),
      },
    ]);
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([notice]);
  });

  it('has the same content if the clock jumps past the end of the trial', async () => {
    await subscribe('pro-monthly');
    await engine.runTo('2024-05-15T00:00:00Z');
    expect(await announced()).to.eql([['2024-05-15', ...notice.slice(1)]]);
  });

  it('is sent immediately for a trial shorter than the lead time, but not for an ended trial', async () => {
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [DAYS]: 45 }));
    await subscribe('pro-monthly');
    const dates = { billingDate: '2024-01-15', entitlementDate: '2024-01-15' };
    await engine.subscribe({ accountId, planName: 'pro-monthly' }, dates);
    expect(await announced()).to.eql([['2024-03-01', ...notice.slice(1)]]);
  });

  it('is not sent for plans without a trial, or after a change to such a plan', async () => {
    await subscribe('solo-now');
    const { subscriptionId } = await subscribe('pro-monthly', { bundleExternalKey: 'other' });
    await acme.subscriptions.changePlan(subscriptionId, { planName: 'team-now' });
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([]);
  });

  it('is not sent if the subscription ends together with its trial (rule 2)', async () => {
    const { subscriptionId } = await subscribe('pro-monthly');
    await cancelAtTrialEnd(subscriptionId);
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([]);
  });

  it('is sent immediately if its time has already passed when a cancellation is undone', async () => {
    const { subscriptionId } = await subscribe('pro-monthly');
    await cancelAtTrialEnd(subscriptionId);
    await engine.runTo('2024-03-30T06:00:00Z');
    await engine.settle(acme.subscriptions.uncancel(subscriptionId));
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([['2024-03-30', ...notice.slice(1)]]);
  });

  it('is sent once, despite an undone cancellation and a plan change that keeps the end of the trial (rule 3)', async () => {
    const { subscriptionId } = await subscribe('pro-monthly');
    await engine.runTo('2024-03-28T06:00:00Z');
    await cancelAtTrialEnd(subscriptionId);
    await engine.settle(acme.subscriptions.uncancel(subscriptionId));
    await engine.settle(acme.subscriptions.changePlan(subscriptionId, { planName: 'solo-monthly' }));
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([notice]);
  });

  it('contains the next plan if a plan change takes effect before the end', async () => {
    const { subscriptionId } = await subscribe('pro-monthly');
    await acme.subscriptions.changePlan(subscriptionId, {
      planName: 'team-now',
      requestedDate: '2024-03-20',
    });
    await engine.runTo('2024-03-17T06:00:00Z');
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([['2024-03-17', 'team-now-evergreen', '2024-03-20']]);
  });

  it('is sent for the new account if a bundle is transferred during its trial (rule 3)', async () => {
    const target = await acme.createAccount({ currency: 'USD' });
    const { bundleId } = await subscribe('pro-monthly');
    await engine.runTo('2024-03-29T06:00:00Z');
    await engine.settle(acme.bundles.transfer(bundleId, { accountId: target.id }));
    const { events } = await acme.events.list({ types: ['TRIAL_ENDING'] });
    expect(events.map((event) => event.accountId)).to.eql([accountId, target.id]);
  });

  it('is sent the configured number of days before the end, and never if this number is 0 (rule 4)', async () => {
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [DAYS]: 7 }));
    await subscribe('pro-monthly');
    await engine.runTo('2024-03-24T06:00:00Z');
    const week = ['2024-03-24', ...notice.slice(1)];
    expect(await announced()).to.eql([week]);
    await subscribe('pro-monthly', { bundleExternalKey: 'second' });
    await acme.keyValues.add('PER_TENANT_CONFIG', JSON.stringify({ [DAYS]: 0 }));
    await subscribe('pro-monthly', { bundleExternalKey: 'third' });
    await engine.runTo('2024-06-01T00:00:00Z');
    expect(await announced()).to.eql([week]);
  });
});
