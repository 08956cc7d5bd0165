import type { BlockedRef, BlockingStateRequest, Uuid } from '../../lib/index.ts';
import { SystemTag } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { expect, expectCode, newEvents, openEngine, openShop, rowsOf } from '../support/index.ts';

interface Sold {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly subscriptionId: Uuid;
}

eachDatabaseByTurns.describe('blocking states', (open) => {
  let engine: TestEngine;
  let newTypes: () => Promise<readonly string[]>;

  interface Begin {
    readonly now: string;
    readonly planName?: string;
    readonly billCycleDayLocal?: number;
    readonly timeZone?: string;
  }

  /** Creates an account with one subscription in its last phase, invoiced for its first period. */
  async function begin({ now, planName = 'pro-monthly', ...account }: Begin): Promise<Sold> {
    engine = await openEngine(open, { now });
    newTypes = newEvents(engine.database);
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', ...account });
    const phaseType = 'EVERGREEN';
    const made = await engine.subscribe({ accountId, planName, phaseType });
    await newTypes();
    return { accountId, ...made };
  }

  const pause = (bundleId: Uuid, date?: string) =>
    engine.acme.blocking.pauseBundle(bundleId, { requestedDate: date ?? null });
  const resume = (bundleId: Uuid, date?: string) =>
    engine.acme.blocking.resumeBundle(bundleId, { requestedDate: date ?? null });
  const block = (on: BlockedRef, request: BlockingStateRequest, date?: string) =>
    engine.acme.blocking.add(on, { service: 'fraud', ...request, requestedDate: date ?? null });
  const bundleOf = ({ bundleId: id }: Sold): BlockedRef => ({ type: 'SUBSCRIPTION_BUNDLE', id });

  const linesOf = async ({ accountId }: Sold) =>
    (await engine.linesOf(accountId)).filter((line) => !line.startsWith('CBA_ADJ'));

  const stateOf = async ({ subscriptionId }: Sold) =>
    (await engine.acme.getSubscription(subscriptionId)).state;

  async function rowsShown({ subscriptionId }: Sold): Promise<readonly string[]> {
    const { events } = await engine.acme.getSubscription(subscriptionId);
    return events.map(
      ({ eventType, effective }) => `${eventType} ${effective.at.toISOString().slice(0, 10)}`,
    );
  }

  async function statesOf({ accountId }: Sold, service = 'fraud'): Promise<readonly string[]> {
    const states = await engine.acme.blocking.ofAccount(accountId, { services: [service] });
    return states.map(
      ({ stateName, effective }) => `${effective.at.toISOString().slice(0, 10)} ${stateName}`,
    );
  }

  const dirtyOf = async () => {
    const rows = await rowsOf(
      engine.database,
      'select cast(dirty_from as text) as day from bw_invoicing_cursors',
    );
    return rows.map(({ day }) => (day === null ? null : String(day).slice(0, 10)));
  };

  const pauseRows = (from: string, until: string): readonly string[] => [
    `PAUSE_ENTITLEMENT ${from}`,
    `PAUSE_BILLING ${from}`,
    `RESUME_ENTITLEMENT ${until}`,
    `RESUME_BILLING ${until}`,
  ];

  it('credit the days billed after a pause begins, and bill again after the resume (subscriptions W13 "Pause and resume")', async () => {
    const sold = await begin({ now: '2012-03-02T00:00:00Z', billCycleDayLocal: 2 });
    engine.clock.set('2012-03-04T00:00:00Z');
    await engine.settle(pause(sold.bundleId));
    expect(await stateOf(sold)).to.equal('BLOCKED');
    expect(await linesOf(sold)).to.eql([
      'RECURRING 2012-03-02..2012-04-02 249.95',
      'REPAIR_ADJ 2012-03-04..2012-04-02 -233.82',
    ]);
    await engine.runTo('2012-04-05T00:00:00Z');
    await engine.settle(resume(sold.bundleId));
    expect(await stateOf(sold)).to.equal('ACTIVE');
    expect((await linesOf(sold)).slice(2)).to.eql(['RECURRING 2012-04-05..2012-05-02 224.96']);
    expect((await rowsShown(sold)).slice(2)).to.eql(pauseRows('2012-03-04', '2012-04-05'));
  });

  it('emit one event per pause and per resume, and trigger invoices automatically', async () => {
    const sold = await begin({ now: '2012-03-02T00:00:00Z', billCycleDayLocal: 2 });
    engine.clock.set('2012-03-04T00:00:00Z');
    await pause(sold.bundleId);
    await engine.settle(pause(sold.bundleId));
    expect((await newTypes()).slice(0, 2)).to.eql(['BUNDLE_PAUSE', 'INVOICE_CREATION']);
    engine.clock.set('2012-03-10T00:00:00Z');
    await resume(sold.bundleId);
    await engine.settle(resume(sold.bundleId));
    expect((await newTypes()).slice(0, 2)).to.eql(['BUNDLE_RESUME', 'INVOICE_CREATION']);
    expect(await statesOf(sold, 'entitlement-service')).to.eql([
      '2012-03-02 ENT_STARTED',
      '2012-03-04 ENT_BLOCKED',
      '2012-03-10 ENT_CLEAR',
    ]);
  });

  it('take effect on their future date, whether the clock moves step by step or in one jump', async () => {
    const jump = async (...steps: readonly string[]) => {
      const sold = await begin({ now: '2012-03-02T00:00:00Z', billCycleDayLocal: 2 });
      await pause(sold.bundleId, '2012-03-12');
      await engine.settle(resume(sold.bundleId, '2012-04-05'));
      expect(await newTypes()).to.eql([]);
      expect(await stateOf(sold)).to.equal('ACTIVE');
      for (const step of steps) await engine.runTo(step);
      const seen = (await newTypes()).filter((type) => type.startsWith('BUNDLE_'));
      expect(seen).to.eql(['BUNDLE_PAUSE', 'BUNDLE_RESUME']);
      return linesOf(sold);
    };
    const expected = [
      'RECURRING 2012-03-02..2012-04-02 249.95',
      'REPAIR_ADJ 2012-03-12..2012-04-02 -169.32',
      'RECURRING 2012-04-05..2012-05-02 224.96',
    ];
    expect(await jump('2012-03-12', '2012-03-20', '2012-04-06T00:00:00Z')).to.eql(expected);
    expect(await jump('2012-04-06T00:00:00Z')).to.eql(expected);
  });

  it('end a pause on the date of a resume that was requested before the pause (R38)', async () => {
    const orders = [
      ['2012-03-05T00:00:00Z', '2012-03-20', '2012-03-12'],
      ['2012-03-15T00:00:00Z', '2012-03-20', '2012-03-12'],
      ['2012-03-15T00:00:00Z', undefined, '2012-03-12'],
      ['2012-03-25T00:00:00Z', '2012-03-20', '2012-03-12'],
    ] as const;
    for (const [today, resumed, paused] of orders) {
      const sold = await begin({ now: '2012-03-02T00:00:00Z', billCycleDayLocal: 2 });
      await engine.runTo(today);
      await resume(sold.bundleId, resumed);
      await pause(sold.bundleId, paused);
      const end = resumed ?? '2012-03-15';
      expect((await statesOf(sold, 'entitlement-service')).slice(1)).to.eql([
        `${paused} ENT_BLOCKED`,
        `${end} ENT_CLEAR`,
      ]);
      await engine.runTo('2012-04-03T00:00:00Z');
      expect(await stateOf(sold)).to.equal('ACTIVE');
      expect((await rowsShown(sold)).slice(2)).to.eql(pauseRows(paused, end));
      expect((await linesOf(sold)).at(-1)).to.equal('RECURRING 2012-04-02..2012-05-02 249.95');
    }
  });

  it('end a second pause on the date of a resume that was requested before that pause (R38)', async () => {
    for (const today of ['2012-03-05', '2012-03-30']) {
      const sold = await begin({ now: '2012-03-02T00:00:00Z', billCycleDayLocal: 2 });
      await engine.runTo(`${today}T10:00:00Z`);
      await pause(sold.bundleId, '2012-03-08');
      await resume(sold.bundleId, '2012-03-10');
      await resume(sold.bundleId);
      await resume(sold.bundleId, '2012-03-20');
      await pause(sold.bundleId, '2012-03-12');
      expect((await statesOf(sold, 'entitlement-service')).slice(1), today).to.eql([
        ...(today === '2012-03-05' ? ['2012-03-05 ENT_CLEAR'] : []),
        '2012-03-08 ENT_BLOCKED',
        '2012-03-10 ENT_CLEAR',
        '2012-03-12 ENT_BLOCKED',
        '2012-03-20 ENT_CLEAR',
      ]);
      await engine.runTo('2012-04-03T00:00:00Z');
      expect(await stateOf(sold)).to.equal('ACTIVE');
      expect((await rowsShown(sold)).slice(2)).to.eql([
        ...pauseRows('2012-03-08', '2012-03-10'),
        ...pauseRows('2012-03-12', '2012-03-20'),
      ]);
      expect((await linesOf(sold)).at(-1)).to.equal('RECURRING 2012-04-02..2012-05-02 249.95');
    }
  });

  it('are stored only if they change the state of their service (subscriptions W20 "Redundant states")', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z' });
    const on: BlockedRef = { type: 'SUBSCRIPTION', id: sold.subscriptionId };
    const hold = { stateName: 'hold', isBlockEntitlement: true };
    await block(on, { stateName: 'watch' }, '2024-06-01');
    await block(on, hold, '2024-06-10');
    await block(on, hold, '2024-06-05');
    expect(await statesOf(sold)).to.eql(['2024-06-01 watch', '2024-06-05 hold']);
    await block(on, { ...hold, isBlockBilling: true }, '2024-06-20');
    await block(on, { ...hold, isBlockBilling: true }, '2024-06-25');
    expect(await statesOf(sold)).to.eql(['2024-06-01 watch', '2024-06-05 hold', '2024-06-20 hold']);
    await engine.runTo('2024-07-01T00:00:00Z');
    const blocking = (await newTypes()).filter((type) => type === 'BLOCKING_STATE');
    expect(blocking, 'the withdrawn state has no event').to.have.length(3);
  });

  it('keep a future block with the same state name if the current block ends today', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z', planName: 'kit-monthly', billCycleDayLocal: 1 });
    const bundle = bundleOf(sold);
    const hold = { stateName: 'hold', isBlockEntitlement: true, isBlockBilling: true };
    await engine.runTo('2024-05-11T00:00:00Z');
    await block(bundle, hold);
    await block(bundle, hold, '2024-06-11');
    await block(bundle, hold, '2024-06-20');
    await block(bundle, hold);
    expect(await statesOf(sold), 'the like is stored once').to.eql(['2024-05-11 hold', '2024-06-11 hold']);
    await engine.runTo('2024-05-21T00:00:00Z');
    await block(bundle, { stateName: 'fine' });
    expect(await stateOf(sold)).to.equal('ACTIVE');
    await engine.runTo('2024-06-11T00:00:00Z');
    expect(await stateOf(sold)).to.equal('BLOCKED');
    expect((await rowsShown(sold)).slice(2)).to.eql([
      ...pauseRows('2024-05-11', '2024-05-21'),
      'PAUSE_ENTITLEMENT 2024-06-11',
      'PAUSE_BILLING 2024-06-11',
    ]);
    expect((await linesOf(sold)).at(-1)).to.equal('RECURRING 2024-06-01..2024-06-11 1.67');
  });

  it('start a future pause on its date, even if the pause was requested during another pause', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z', billCycleDayLocal: 1 });
    await pause(sold.bundleId);
    await pause(sold.bundleId, '2024-06-11');
    await resume(sold.bundleId, '2024-05-03');
    await engine.runTo('2024-05-04T00:00:00Z');
    expect(await stateOf(sold)).to.equal('ACTIVE');
    await engine.runTo('2024-06-11T00:00:00Z');
    expect(await stateOf(sold)).to.equal('BLOCKED');
  });

  it('repair the paused days if a pause is billed late, and the rest of the year if the pause is billed on time (invoicing E8 "Pause and resume billed late")', async () => {
    const late = await begin({ now: '2012-05-01T00:00:00Z', planName: 'pro-annual' });
    expect(await linesOf(late)).to.eql(['RECURRING 2012-05-01..2013-05-01 2399.95']);
    engine.clock.set('2012-06-10T00:00:00Z');
    const bundle = bundleOf(late);
    await engine.acme.tags.add({ type: 'ACCOUNT', id: late.accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    await block(bundle, { stateName: 'off', isBlockBilling: true }, '2012-05-12');
    await engine.settle(block(bundle, { stateName: 'on' }, '2012-06-04'));
    await engine.acme.tags.remove({ type: 'ACCOUNT', id: late.accountId }, [SystemTag.AUTO_INVOICING_OFF]);
    await engine.settle();
    expect((await linesOf(late)).slice(1)).to.eql([
      'REPAIR_ADJ 2012-05-12..2012-06-04 -151.23',
      'RECURRING 2013-05-01..2013-06-01 203.83',
    ]);

    const timely = await begin({ now: '2012-05-01T00:00:00Z', planName: 'pro-annual' });
    await engine.runTo('2012-05-12T00:00:00Z');
    await engine.settle(pause(timely.bundleId));
    expect((await linesOf(timely)).at(-1)).to.equal('REPAIR_ADJ 2012-05-12..2013-05-01 -2327.62');
    await engine.runTo('2012-06-04T00:00:00Z');
    await engine.settle(resume(timely.bundleId));
    expect((await linesOf(timely)).at(-1)).to.equal('RECURRING 2012-06-04..2013-06-01 2380.22');
  });

  it('repair the invoiced periods from the first day of a backdated pause (invoicing E18 "Window")', async () => {
    const sold = await begin({ now: '2024-08-01T00:00:00Z', planName: 'kit-monthly', billCycleDayLocal: 1 });
    await engine.runTo('2025-01-01T00:00:00Z');
    const before = (await linesOf(sold)).length;
    await pause(sold.bundleId, '2024-11-10');
    expect(await dirtyOf()).to.eql(['2024-11-10']);
    await engine.settle();
    expect((await linesOf(sold)).slice(before)).to.eql([
      'REPAIR_ADJ 2024-11-10..2024-12-01 -3.5',
      'REPAIR_ADJ 2024-12-01..2025-01-01 -5',
      'REPAIR_ADJ 2025-01-01..2025-02-01 -5',
    ]);
    expect(await dirtyOf()).to.eql([null]);
  });

  it('apply to all subscriptions of a blocked account or bundle, but to no other subscription', async () => {
    const first = await begin({ now: '2024-05-01T00:00:00Z', planName: 'kit-monthly', billCycleDayLocal: 1 });
    const { accountId } = first;
    const second = { accountId, ...(await engine.subscribe({ accountId, planName: 'kit-monthly' })) };
    await block(bundleOf(first), { stateName: 'held', isBlockEntitlement: true, isBlockBilling: true });
    expect([await stateOf(first), await stateOf(second)]).to.eql(['BLOCKED', 'ACTIVE']);
    const account: BlockedRef = { type: 'ACCOUNT', id: accountId };
    const unserved = { isBlockEntitlement: true, isBlockBilling: true };
    await block(account, { service: 'late', stateName: 'late', ...unserved });
    expect([await stateOf(first), await stateOf(second)]).to.eql(['BLOCKED', 'BLOCKED']);
    await engine.settle();
    expect((await linesOf(first)).filter((line) => line.startsWith('REPAIR_ADJ'))).to.have.length(2);
    // A service can end only its own block.
    await block(account, { service: 'fraud', stateName: 'fine' });
    expect([await stateOf(first), await stateOf(second)]).to.eql(['BLOCKED', 'BLOCKED']);
    await block(account, { service: 'late', stateName: 'fine' });
    expect([await stateOf(first), await stateOf(second)]).to.eql(['BLOCKED', 'ACTIVE']);
  });

  it('reject only new subscriptions and plan changes that are dated during the block', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z', billCycleDayLocal: 1 });
    const { accountId, subscriptionId } = sold;
    const frozen = { stateName: 'frozen', isBlockChange: true };
    await block({ type: 'ACCOUNT', id: accountId }, frozen, '2024-05-10');
    const planName = 'elite-monthly';
    const change = (requestedDate: string) =>
      engine.acme.subscriptions.changePlan(subscriptionId, { planName, requestedDate });
    const create = (date: string) =>
      engine.acme.createSubscription({ accountId, planName: 'solo-now' }, { entitlementDate: date });
    const events = await rowsShown(sold);
    await expectCode(change('2024-05-10'), 'BLOCKING_BLOCKED_ACTION');
    await expectCode(create('2024-05-10'), 'BLOCKING_BLOCKED_ACTION');
    expect(await rowsShown(sold)).to.eql(events);
    await create('2024-05-09');
    await engine.runTo('2024-05-10T00:00:00Z');
    expect(await stateOf(sold), 'the service goes on').to.equal('ACTIVE');
    await pause(sold.bundleId);
    await resume(sold.bundleId);
    await engine.acme.subscriptions.cancel(subscriptionId);
  });

  it('reject plan changes of a paused subscription, with or without a billing policy', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z', billCycleDayLocal: 1 });
    await pause(sold.bundleId);
    const change = (request: object) =>
      engine.acme.subscriptions.changePlan(sold.subscriptionId, { planName: 'elite-monthly', ...request });
    await expectCode(change({}), 'SUBSCRIPTION_CHANGE_NON_ACTIVE');
    await expectCode(change({ billingPolicy: 'IMMEDIATE' }), 'BLOCKING_BLOCKED_ACTION');
    await resume(sold.bundleId);
    await change({ billingPolicy: 'IMMEDIATE' });
  });

  it('emit events with the changes of each service when they take effect', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z', billCycleDayLocal: 1 });
    const on = bundleOf(sold);
    await block(on, { stateName: 'watch' });
    await block(on, { stateName: 'hold', isBlockBilling: true, isBlockEntitlement: true }, '2024-05-11');
    await block(on, { stateName: 'fine' }, '2024-05-21');
    await engine.runTo('2024-05-21T00:00:00Z');
    expect((await newTypes()).filter((type) => type !== 'NULL_INVOICE')).to.eql([
      'BLOCKING_STATE',
      'BLOCKING_STATE',
      'INVOICE_CREATION',
      'INVOICE_ADJUSTMENT',
      'BLOCKING_STATE',
      'INVOICE_CREATION',
      'INVOICE_PAYMENT_FAILED',
    ]);
    const states = "select payload from bw_queue_history where topic = 'BLOCKING_STATE' order by record_id";
    const metaData = (await rowsOf(engine.database, states)).map(
      ({ payload }) => (typeof payload === 'string' ? JSON.parse(payload) : payload).metaData,
    );
    expect(metaData[1]).to.eql({
      blockableId: sold.bundleId,
      service: 'fraud',
      stateName: 'hold',
      blockingType: 'SUBSCRIPTION_BUNDLE',
      effectiveDate: '2024-05-11T00:00:00.000Z',
      transitionedToBlockedBilling: true,
      isTransitionedToBlockedBilling: true,
      transitionedToUnblockedBilling: false,
      isTransitionedToUnblockedBilling: false,
      transitionedToBlockedEntitlement: true,
      isTransitionedToBlockedEntitlement: true,
      transitionedToUnblockedEntitlement: false,
      isTransitionedToUnblockedEntitlement: false,
    });
    expect(metaData[2]).to.include({
      transitionedToUnblockedBilling: true,
      transitionedToUnblockedEntitlement: true,
      transitionedToBlockedBilling: false,
    });
    expect(metaData[0]).to.include({ stateName: 'watch', transitionedToBlockedBilling: false });
  });

  const INVALID = 'SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG';
  const refusals: readonly (readonly [request: BlockingStateRequest, code: ErrorName])[] = [
    [{ service: null, stateName: 'x' }, INVALID],
    [{ service: '', stateName: 'x' }, INVALID],
    [{ service: 'entitlement-service', stateName: 'x' }, INVALID],
    [{}, INVALID],
    [{ stateName: 'ENT_STARTED' }, INVALID],
    [{ stateName: 'ENT_CANCELLED' }, INVALID],
    [{ stateName: 'ENT_BLOCKED' }, INVALID],
    [{ stateName: 'ENT_CLEAR' }, INVALID],
    [{ service: 's'.repeat(51), stateName: 'x' }, 'MISSING_OR_INVALID_FIELD'],
    [{ stateName: 's'.repeat(51) }, 'MISSING_OR_INVALID_FIELD'],
  ];
  it('are rejected and not stored if their service is reserved for the engine', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z' });
    for (const [request, code] of refusals)
      await expectCode(block(bundleOf(sold), request), code, JSON.stringify(request));
    await expectCode(block(bundleOf(sold), { stateName: 'x' }, '9000-01-01'), 'INVALID_PARAMETER');
    const states = await engine.acme.blocking.ofAccount(sold.accountId);
    expect(states.map(({ stateName }) => stateName)).to.eql(['ENT_STARTED']);
    await block(bundleOf(sold), { service: 's'.repeat(50), stateName: 'n'.repeat(50) });
  });

  it('are rejected for objects of other tenants', async () => {
    const sold = await begin({ now: '2024-05-01T00:00:00Z' });
    const { blocking } = (await openShop(engine.billing, null)).acme;
    const request = { service: 'fraud', stateName: 'x' };
    const unknown = [
      ['ACCOUNT', sold.accountId, 'ACCOUNT_DOES_NOT_EXIST_FOR_ID'],
      ['SUBSCRIPTION_BUNDLE', sold.bundleId, 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID'],
      ['SUBSCRIPTION', sold.subscriptionId, 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID'],
    ] as const;
    for (const [type, id, code] of unknown) await expectCode(blocking.add({ type, id }, request), code);
    await expectCode(blocking.pauseBundle(sold.bundleId), 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID');
    await expectCode(blocking.ofAccount(sold.accountId), 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
  });
});
