import { QueueName, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { entryTokens, expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';

/** Monthly plans aligned to the account and to the subscription, and a weekly plan. */
const shelf = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  catalogName: 'Shelf',
  products: `${product('S')}${product('Own')}`,
  rules: `
    <changePolicy><changePolicyCase><policy>END_OF_TERM</policy></changePolicyCase></changePolicy>
    <cancelPolicy><cancelPolicyCase><policy>END_OF_TERM</policy></cancelPolicyCase></cancelPolicy>
    <billingAlignment>
      <billingAlignmentCase><product>Own</product><alignment>SUBSCRIPTION</alignment></billingAlignmentCase>
      <billingAlignmentCase><alignment>ACCOUNT</alignment></billingAlignmentCase>
    </billingAlignment>`,
  plans: [
    plan('s-249', 'S', { price: '249.95' }),
    plan('s-30', 'S', { price: '30.00' }),
    plan('own-30', 'Own', { price: '30.00' }),
    plan('s-term', 'S', { finalPhase: phase('FIXEDTERM', { unit: 'MONTHS', number: 2, price: '12.00' }) }),
  ].join(''),
  priceLists: lists({ DEFAULT: ['s-249', 's-30', 'own-30', 's-term'] }),
});

eachDatabaseByTurns.describe('bill cycle days', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let events: ReturnType<typeof newEvents>;

  async function begin(now: string, parts: { billCycleDayLocal?: number; configuration?: object } = {}) {
    const { billCycleDayLocal, configuration = {} } = parts;
    engine = await openEngine(open, { now, catalog: shelf, configuration: { ...configuration } });
    const account = await engine.payingAccount({
      currency: 'USD',
      ...(billCycleDayLocal === undefined ? {} : { billCycleDayLocal }),
    });
    accountId = account.id;
    events = newEvents(engine.database);
  }

  const subscribe = async (planName: string, options: object = {}) =>
    (await engine.subscribe({ accountId, planName }, options)).subscriptionId;

  async function change(subscriptionId: Uuid, billCycleDayLocal: number, from: object = {}): Promise<string> {
    const changed = await engine.acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal,
      ...from,
    });
    await engine.settle();
    return changed.effective.at.toISOString().slice(0, 10);
  }

  const linesOfInvoices = async () =>
    (await engine.invoicesOf(accountId)).map((invoice) => [...itemLines(invoice)].sort());

  const lastLines = async (): Promise<readonly string[]> => (await linesOfInvoices()).at(-1) ?? [];

  describe('in the worked example subscriptions W15 "Date of a BCD change"', () => {
    type Row = readonly [day: number, from: string | null, expected: string];
    const cases: readonly (readonly [today: string, billingStart: string, rows: readonly Row[]])[] = [
      [
        '2012-05-07',
        '2012-04-01',
        [
          [3, null, '2012-06-03'],
          [7, null, '2012-05-07'],
          [10, null, '2012-05-10'],
          [3, '2012-07-07', '2012-08-03'],
          [3, '2012-07-03', '2012-07-03'],
          [31, '2012-06-03', '2012-06-30'],
        ],
      ],
      ['2012-06-07', '2012-04-01', [[31, null, '2012-06-30']]],
      ['2013-08-07', '2013-09-07', [[11, null, '2013-09-11']]],
    ];
    for (const [today, billingStart, rows] of cases)
      it(`change on the expected dates if today is ${today} and billing starts on ${billingStart}`, async () => {
        await begin(`${today}T09:00:00Z`);
        for (const [day, from, expected] of rows) {
          const subscriptionId = await subscribe('s-30', { billingDate: billingStart });
          const effectiveFromDate = from === null ? null : from;
          const row = `day ${day} from ${from ?? 'then on'}`;
          expect(await change(subscriptionId, day, { effectiveFromDate }), row).to.equal(expected);
        }
      });
  });

  describe('on accounts without one (subscriptions §15.2)', () => {
    const billedOff = { stateName: 'hold', service: 'fraud', isBlockBilling: true };
    const dayOfAccount = async () => (await engine.acme.getAccount(accountId)).billCycleDayLocal;

    const objects = ['ACCOUNT', 'SUBSCRIPTION_BUNDLE', 'SUBSCRIPTION'] as const;
    for (const type of objects)
      it(`are set to the day of a future charge, even if billing of the ${type} is blocked`, async () => {
        await begin('2012-02-20T09:00:00Z');
        const options = { billingDate: '2012-03-03', entitlementDate: '2012-02-20' };
        const held = await engine.subscribe({ accountId, planName: 's-30' }, options);
        engine.clock.set('2012-02-21T09:00:00Z');
        const id = {
          ACCOUNT: accountId,
          SUBSCRIPTION_BUNDLE: held.bundleId,
          SUBSCRIPTION: held.subscriptionId,
        };
        await engine.settle(engine.acme.blocking.add({ type, id: id[type] }, billedOff));
        expect(await dayOfAccount()).to.equal(3);
        if (type === 'ACCOUNT') {
          engine.clock.set('2012-02-22T09:00:00Z');
          await engine.acme.blocking.add({ type, id: accountId }, { ...billedOff, isBlockBilling: false });
        }
        engine.clock.set('2012-02-23T09:00:00Z');
        await subscribe('s-30');
        expect(await lastLines()).to.eql(['RECURRING 2012-02-23..2012-03-03 9.31']);
      });

    it('are set to the day of the first charge, even if billing is blocked before the first run', async () => {
      await begin('2012-02-20T09:00:00Z');
      const { bundleId } = await engine.acme.createSubscription({ accountId, planName: 's-30' });
      await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
      expect(await dayOfAccount()).to.equal(20);
      expect(await linesOfInvoices()).to.eql([]);
      engine.clock.set('2012-03-10T09:00:00Z');
      await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
      expect(await lastLines()).to.eql(['RECURRING 2012-03-10..2012-03-20 10.34']);
    });

    it('are derived in a dry run of a blocked subscription, but not stored', async () => {
      await begin('2012-02-20T09:00:00Z');
      const { bundleId } = await engine.acme.createSubscription({ accountId, planName: 's-30' });
      await engine.acme.blocking.pauseBundle(bundleId);
      const preview = await engine.acme.invoices.dryRun({
        accountId,
        dryRunType: 'SUBSCRIPTION_ACTION',
        dryRunAction: 'START_BILLING',
        planName: 's-30',
        targetDate: '2012-02-25',
        effectiveDate: '2012-02-25',
      });
      expect(preview && itemLines(preview)).to.eql(['RECURRING 2012-02-25..2012-03-20 24.83']);
      expect(await dayOfAccount()).to.equal(0);
    });
  });

  it('move the billing cycle without a repair when they change (invoicing E9 "BCD moves")', async () => {
    await begin('2016-05-01T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-249');
    expect(await lastLines()).to.eql(['RECURRING 2016-05-01..2016-06-01 249.95']);
    await change(subscriptionId, 15);
    await engine.runTo('2016-05-15T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-01..2016-06-15 112.88']);
    await engine.runTo('2016-06-15T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-15..2016-07-15 249.95']);
    engine.clock.set('2016-07-01T00:00:00Z');
    await change(subscriptionId, 10);
    await engine.runTo('2016-07-10T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-07-15..2016-08-10 209.64']);
    await engine.runTo('2016-08-10T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-08-10..2016-09-10 249.95']);
  });

  it('determine the start of the term for a cancellation with START_OF_TERM (subscriptions W9 c)', async () => {
    await begin('2016-04-15T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-249');
    await change(subscriptionId, 15);
    await engine.runTo('2016-05-15T00:00:00Z');
    await engine.runTo('2016-05-18T00:00:00Z');
    const { billingEnd } = await engine.acme.subscriptions.cancel(subscriptionId, {
      billingPolicy: 'START_OF_TERM',
    });
    expect(billingEnd.at.toISOString()).to.equal('2016-05-15T00:00:00.000Z');
  });

  it('cause one event when a change is requested, and another event and an invoice when the change takes effect', async () => {
    await begin('2016-05-01T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-249');
    await events();
    await change(subscriptionId, 15);
    expect(await events()).to.eql(['SUBSCRIPTION_BCD_CHANGE']);
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ billCycleDayLocal: 1 });
    await engine.runTo('2016-05-15T00:00:00Z');
    const [effective, ...rest] = await events();
    expect(effective).to.equal('SUBSCRIPTION_BCD_CHANGE');
    expect(rest).to.include('INVOICE_CREATION');
  });

  it('cause a repair if their change is forced to a past date, but leave unaffected days as billed', async () => {
    await begin('2016-05-01T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-30');
    await engine.runTo('2016-06-20T00:00:00Z');
    const late = { effectiveFromDate: '2016-05-10' };
    await expectCode(change(subscriptionId, 10, late), 'INVALID_PARAMETER');
    const before = (await linesOfInvoices()).length;
    expect(await change(subscriptionId, 10, { ...late, allowPastDate: true })).to.equal('2016-05-10');
    expect((await linesOfInvoices()).slice(before)).to.eql([
      ['CBA_ADJ 2016-06-20..2016-06-20 21', 'REPAIR_ADJ 2016-06-10..2016-07-01 -21'],
      ['CBA_ADJ 2016-06-20..2016-06-20 -21', 'RECURRING 2016-06-10..2016-07-10 30'],
    ]);
    await engine.runTo('2016-07-10T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-07-10..2016-08-10 30']);
  });

  it('change at the start of billing if the forced date of the change is earlier', async () => {
    await begin('2016-05-05T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-30');
    const forced = { effectiveFromDate: '2015-01-01', allowPastDate: true };
    expect(await change(subscriptionId, 5, forced)).to.equal('2016-05-05');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-01..2016-06-05 3.87']);
  });

  it('regain a future change when the cancellation that removed the change is undone', async () => {
    await begin('2016-05-01T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-30');
    await change(subscriptionId, 15, { effectiveFromDate: '2016-06-15' });
    const options = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'END_OF_TERM' } as const;
    await engine.acme.subscriptions.cancel(subscriptionId, options);
    await engine.acme.subscriptions.uncancel(subscriptionId);
    await engine.runTo('2016-06-01T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-01..2016-06-15 14']);
    await engine.runTo('2016-06-15T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-15..2016-07-15 30']);
  });

  it('keep a change made in the same second as a plan change that is undone later', async () => {
    await begin('2016-05-01T00:00:00Z', { billCycleDayLocal: 1 });
    const subscriptionId = await subscribe('s-30');
    await engine.acme.subscriptions.changePlan(subscriptionId, { planName: 's-249' });
    await change(subscriptionId, 15);
    await engine.acme.subscriptions.undoChangePlan(subscriptionId);
    await engine.runTo('2016-05-15T00:00:00Z');
    expect(await lastLines()).to.eql(['RECURRING 2016-06-01..2016-06-15 13.55']);
  });

  it('are rejected and not stored if they are outside the range 1 to 31 or take effect on an unreachable date', async () => {
    await begin('2016-05-01T00:00:00Z');
    const subscriptionId = await subscribe('s-30');
    await events();
    for (const billCycleDayLocal of [null, undefined, 0, 32, -1, 1.5]) {
      const pendingChange = engine.acme.subscriptions.changeBillCycleDay(subscriptionId, {
        billCycleDayLocal,
      });
      await expectCode(pendingChange, 'MISSING_OR_INVALID_FIELD', `${billCycleDayLocal}`);
    }
    await expectCode(change(subscriptionId, 5, { effectiveFromDate: '9999-12-31' }), 'INVALID_PARAMETER');
    expect(await events()).to.eql([]);
  });

  it('cannot be changed for subscriptions that are canceled, expired, unknown or of another tenant', async () => {
    await begin('2016-05-01T00:00:00Z');
    const cancelled = await subscribe('s-30');
    await engine.acme.subscriptions.cancel(cancelled, { billingPolicy: 'IMMEDIATE' });
    const expired = await subscribe('s-term');
    await engine.runTo('2016-07-02T00:00:00Z');
    await events();
    for (const id of [cancelled, expired]) await expectCode(change(id, 15), 'SUBSCRIPTION_CHANGE_NON_ACTIVE');
    await expectCode(change(accountId, 15), 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID');
    expect(await events()).to.eql([]);
  });

  it('have no effect at or after the end of a term, unless a plan change removes the term (subscriptions §11 rule 3)', async () => {
    await begin('2016-05-01T00:00:00Z');
    const ended = await subscribe('s-term');
    expect(await change(ended, 15, { effectiveFromDate: '2016-07-02' })).to.equal('2016-07-15');
    await engine.acme.subscriptions.changeQuantity(ended, { quantity: 3, effectiveFromDate: '2016-07-01' });
    const continued = await subscribe('s-term');
    await change(continued, 15, { effectiveFromDate: '2016-07-02' });
    await engine.settle(engine.acme.subscriptions.changePlan(continued, { planName: 's-30' }));
    await events();
    await engine.runTo('2016-08-20T00:00:00Z');
    const billed = (await linesOfInvoices()).slice(2).flat();
    expect(billed.filter((line) => line.includes(' 12'))).to.eql(['RECURRING 2016-06-01..2016-07-01 12']);
    expect(billed.filter((line) => !line.includes(' 12'))).to.eql([
      'RECURRING 2016-06-01..2016-07-01 30',
      'RECURRING 2016-07-01..2016-07-15 13.55',
      'RECURRING 2016-07-15..2016-08-15 30',
      'RECURRING 2016-08-15..2016-09-15 30',
    ]);
    const { state, billCycleDayLocal, quantity } = await engine.acme.getSubscription(ended);
    expect([state, billCycleDayLocal, quantity]).to.eql(['EXPIRED', 1, 1]);
    // Only the event of the subscription that continues.
    const changeTypes = (await events()).filter((topic) => /BCD|QUANTITY/.test(topic));
    expect(changeTypes).to.eql(['SUBSCRIPTION_BCD_CHANGE']);
  });

  describe('of accounts', () => {
    const allowed = { 'org.service.features.account.allowBCDUpdate': true };
    const days = async (...ids: readonly Uuid[]) =>
      Promise.all(ids.map(async (id) => (await engine.acme.getSubscription(id)).billCycleDayLocal));

    it('can be set only once by default', async () => {
      await begin('2016-05-04T00:00:00Z');
      await engine.acme.updateAccount(accountId, { changes: { billCycleDayLocal: 9 } });
      for (const changes of [{ billCycleDayLocal: 10 }, { billCycleDayLocal: null }]) {
        const refused = engine.acme.updateAccount(accountId, { changes, treatNullAsReset: true });
        await expectCode(refused, 'ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY');
      }
      const { billCycleDayLocal } = await engine.acme.getAccount(accountId);
      expect(billCycleDayLocal).to.equal(9);
    });

    it('change only for subscriptions aligned to the account, and only if the tenant allows changes', async () => {
      await begin('2016-05-04T00:00:00Z', { configuration: allowed });
      const aligned = await subscribe('s-30');
      const own = await subscribe('own-30');
      const changed = await subscribe('s-30');
      await change(changed, 20);
      expect(await days(aligned, own)).to.eql([4, 4]);
      await engine.runTo('2016-06-05T00:00:00Z');
      const before = (await linesOfInvoices()).length;
      await engine.settle(engine.acme.updateAccount(accountId, { changes: { billCycleDayLocal: 10 } }));
      expect(await days(aligned, own, changed)).to.eql([10, 4, 20]);
      const made = (await linesOfInvoices()).slice(before);
      expect(made).to.eql([['CBA_ADJ 2016-06-05..2016-06-05 24', 'REPAIR_ADJ 2016-06-10..2016-07-04 -24']]);
      await engine.runTo('2016-06-10T00:00:00Z');
      expect(await lastLines()).to.eql([
        'CBA_ADJ 2016-06-10..2016-06-10 -24',
        'RECURRING 2016-06-10..2016-07-10 30',
      ]);
    });

    it('can be removed if the tenant allows changes, until the next run sets them to the day of the first charge', async () => {
      await begin('2016-05-04T00:00:00Z', { configuration: allowed, billCycleDayLocal: 1 });
      const aligned = await subscribe('s-30');
      const reset = { changes: { billCycleDayLocal: null }, treatNullAsReset: true };
      await engine.acme.updateAccount(accountId, reset);
      expect(await days(aligned)).to.eql([null]);
      await engine.settle();
      expect(await days(aligned)).to.eql([4]);
      expect(await lastLines()).to.eql(['RECURRING 2016-06-01..2016-06-04 2.9']);
    });

    it('schedule no invoice run if an update repeats the current day', async () => {
      await begin('2016-05-04T00:00:00Z', { configuration: allowed, billCycleDayLocal: 4 });
      await subscribe('s-30');
      const planned = async () =>
        (await entryTokens(engine.database)).filter(({ topic }) => topic === QueueName.NEXT_BILLING_DATE);
      const before = await planned();
      await engine.acme.updateAccount(accountId, { changes: { billCycleDayLocal: 4 } });
      expect(await planned()).to.eql(before);
    });
  });
});
