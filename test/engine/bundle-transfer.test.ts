import { readFileSync } from 'node:fs';
import type { HostInput, TransferBundleOptions, TransferBundleRequest, Uuid } from '../../lib/index.ts';
import { instant } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { busEvents, expect, expectCode, newEvents, openEngine, specCatalog } from '../support/index.ts';
import type { Account, SubscriptionView } from '../support/plain-views.ts';

type Request = HostInput<TransferBundleRequest & TransferBundleOptions>;

/** Returns the catalog of the specification with this alignment of changes. */
function changesAlignedTo(alignment: string): string {
  return readFileSync(specCatalog, 'utf8').replace(
    /(?<=<changeAlignmentCase>\s*<alignment>)START_OF_SUBSCRIPTION/,
    alignment,
  );
}

eachDatabaseByTurns.describe('bundle transfer', (open) => {
  let engine: TestEngine;
  let source: Account;
  let target: Account;

  async function begin(
    now: string,
    parts: {
      readonly sourceZone?: string;
      readonly targetZone?: string;
      readonly targetDay?: number;
      readonly catalog?: string;
    } = {},
  ): Promise<void> {
    engine = await openEngine(open, { now, ...(parts.catalog ? { catalog: parts.catalog } : {}) });
    const { acme } = engine;
    const input = { currency: 'USD', billCycleDayLocal: 9, timeZone: parts.sourceZone ?? 'UTC' } as const;
    source = await engine.payingAccount(input);
    target = await acme.createAccount({
      currency: 'USD',
      billCycleDayLocal: parts.targetDay ?? 15,
      timeZone: parts.targetZone ?? 'UTC',
    });
  }

  async function subscribe(
    planName: string,
    more: Partial<Parameters<TestEngine['acme']['createSubscription']>[0]> = {},
    options: Parameters<TestEngine['acme']['createSubscription']>[1] = {},
  ) {
    return engine.subscribe({ accountId: source.id, bundleExternalKey: 'K', planName, ...more }, options);
  }

  const transfer = (bundleId: Uuid, request: Request = {}) =>
    engine.acme.bundles.transfer(bundleId, { accountId: target.id, ...request });

  async function onlyOf(bundleId: Uuid): Promise<SubscriptionView> {
    const { subscriptions } = await engine.acme.bundles.get(bundleId);
    const [only] = subscriptions;
    if (only === undefined || subscriptions.length > 1) throw new Error('not one subscription');
    return only;
  }

  const rowsOf = ({ events }: SubscriptionView): readonly string[] =>
    events.map(({ eventType, effective, phase }) =>
      [eventType, effective.date, phase].filter(Boolean).join(' '),
    );

  const linesOf = ({ id }: Account): Promise<readonly string[]> => engine.linesOf(id);

  describe('accepted transfer', () => {
    describe('in the worked example subscriptions W21 "Transfer"', () => {
      let bundleId: Uuid;
      let subscriptionId: Uuid;

      beforeEach(async () => {
        await begin('2012-04-01T00:15:42Z');
        ({ bundleId, subscriptionId } = await subscribe('pro-monthly'));
        await engine.runTo('2012-05-01T00:15:42Z');
        expect(await linesOf(source)).to.eql([
          'FIXED 2012-04-01..2012-05-01 0',
          'RECURRING 2012-05-01..2012-05-09 66.65',
        ]);
        engine.clock.set('2012-05-03T00:15:42Z');
      });

      it('ends billing on the transfer date and credits the days after that date with IMMEDIATE', async () => {
        const made = await engine.settle(transfer(bundleId, { billingPolicy: 'IMMEDIATE' }));
        expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2012-05-03 2012-05-03');
        expect((await linesOf(source)).slice(2)).to.eql([
          'REPAIR_ADJ 2012-05-03..2012-05-09 -49.99',
          'CBA_ADJ 2012-05-03..2012-05-03 49.99',
        ]);
        expect(await linesOf(target)).to.eql(['RECURRING 2012-05-03..2012-05-15 99.98']);
        const begun = await onlyOf(made);
        expect(begun).to.include({ sourceType: 'TRANSFERRED', state: 'ACTIVE', accountId: target.id });
        expect(begun.chargedThrough?.date).to.equal('2012-05-15');
        expect(rowsOf(begun)).to.eql([
          'START_ENTITLEMENT 2012-05-03 pro-monthly-evergreen',
          'START_BILLING 2012-05-03 pro-monthly-evergreen',
        ]);
      });

      it('charges both accounts for the overlap with END_OF_TERM', async () => {
        await engine.settle(transfer(bundleId, { requestedDate: '2012-05-03' }));
        expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2012-05-03 2012-05-09');
        await engine.runTo('2012-08-01');
        expect(await linesOf(source)).to.have.length(2);
        expect(await linesOf(target)).to.eql([
          'RECURRING 2012-05-03..2012-05-15 99.98',
          'RECURRING 2012-05-15..2012-06-15 249.95',
          'RECURRING 2012-06-15..2012-07-15 249.95',
          'RECURRING 2012-07-15..2012-08-15 249.95',
        ]);
      });

      it('gives the new bundle the key of the old bundle, but shows the key on both bundles', async () => {
        const { acme } = engine;
        const before = await acme.bundles.get(bundleId);
        const made = await transfer(bundleId);
        expect((await acme.bundles.getByKey('K')).bundleId).to.equal(made);
        const all = await acme.bundles.allOfKey('K');
        expect(all.map((each) => `${each.bundleId} ${each.externalKey}`)).to.eql([
          `${bundleId} K`,
          `${made} K`,
        ]);
        expect(before.externalKey).to.equal('K');
        const rows = await acme.audit.history({ type: 'BUNDLE', id: bundleId });
        expect(rows.map(({ changeType }) => changeType)).to.eql(['INSERT', 'UPDATE']);
        expect(rows[1]?.snapshot?.externalKey).to.match(/^kbtsf-\d+:K$/);
      });

      it('emits a requested and an effective event on each account', async () => {
        const fresh = newEvents(engine.database);
        await fresh();
        await transfer(bundleId, { billingPolicy: 'IMMEDIATE' });
        expect(await fresh()).to.eql([
          'SUBSCRIPTION_CANCEL',
          'SUBSCRIPTION_CANCEL',
          'ENTITLEMENT_CANCEL',
          'SUBSCRIPTION_CREATION',
          'SUBSCRIPTION_CREATION',
          'ENTITLEMENT_CREATION',
        ]);
        await engine.settle();
        expect((await fresh()).filter((type) => type === 'INVOICE_CREATION')).to.have.length(2);
      });

      it('cannot be undone, and leaves the old bundle without a subscription that could be transferred again', async () => {
        const { acme } = engine;
        const made = await engine.settle(transfer(bundleId));
        await expectCode(transfer(bundleId), 'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS');
        await expectCode(acme.subscriptions.uncancel(subscriptionId), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
        expect((await acme.bundles.getByKey('K')).bundleId).to.equal(made);
        const back = await acme.bundles.transfer(made, { accountId: source.id });
        const all = await acme.bundles.allOfKey('K');
        expect(all.map((each) => each.bundleId)).to.eql([bundleId, made, back]);
      });
    });

    it('continues a trial until its original end', async () => {
      await begin('2024-03-01T08:00:00Z', { targetDay: 0 });
      const { bundleId } = await subscribe('pro-monthly');
      engine.clock.set('2024-03-11T12:00:00Z');
      const made = await transfer(bundleId);
      await engine.runTo('2024-04-02');
      expect(rowsOf(await onlyOf(made))).to.eql([
        'START_ENTITLEMENT 2024-03-11 pro-monthly-trial',
        'START_BILLING 2024-03-11 pro-monthly-trial',
        'PHASE 2024-03-31 pro-monthly-evergreen',
      ]);
      expect(await linesOf(target)).to.eql([
        'FIXED 2024-03-11..2024-03-31 0',
        'RECURRING 2024-03-31..2024-04-30 249.95',
      ]);
      expect(await linesOf(source)).to.eql(['FIXED 2024-03-01..2024-03-31 0']);
      expect((await engine.acme.getAccount(target.id)).billCycleDayLocal).to.equal(31);
    });

    const origins = [
      ['START_OF_SUBSCRIPTION', '2024-03-31'],
      ['START_OF_BUNDLE', '2024-04-10'],
    ] as const;
    for (const [alignment, phase] of origins)
      it(`aligns later plan changes to ${alignment}, and new add-ons to the transfer`, async () => {
        await begin('2024-03-01T08:00:00Z', { catalog: changesAlignedTo(alignment) });
        const { bundleId } = await subscribe('pro-monthly');
        engine.clock.set('2024-03-11T08:00:00Z');
        const made = await transfer(bundleId);
        await engine.runTo('2024-03-20T08:00:00Z');
        const { subscriptionId } = await onlyOf(made);
        const request = { accountId: target.id, bundleId: made, planName: 'backup-monthly' };
        const addOn = await engine.acme.createSubscription(request);
        await engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'solo-monthly' });
        await engine.runTo('2024-05-01');
        const ofBase = rowsOf(await engine.acme.getSubscription(subscriptionId));
        expect(ofBase.slice(2)).to.eql([
          'CHANGE 2024-03-20 solo-monthly-trial',
          `PHASE ${phase} solo-monthly-evergreen`,
        ]);
        const ofAddOn = rowsOf(await engine.acme.getSubscription(addOn.subscriptionId));
        expect(ofAddOn.slice(2)).to.eql(['PHASE 2024-04-10 backup-monthly-evergreen']);
      });

    it('continues a fixed term until the term expires', async () => {
      await begin('2023-01-01T08:00:00Z');
      const { bundleId } = await subscribe('term-3m');
      engine.clock.set('2023-02-01T08:00:00Z');
      const made = await transfer(bundleId);
      await engine.runTo('2023-05-01');
      const begun = await onlyOf(made);
      expect(begun.state).to.equal('EXPIRED');
      expect(rowsOf(begun)).to.eql([
        'START_ENTITLEMENT 2023-02-01 term-3m-fixedterm',
        'START_BILLING 2023-02-01 term-3m-fixedterm',
        'STOP_BILLING 2023-04-01 term-3m-fixedterm',
      ]);
    });

    it('drops a pending cancellation, and restores the events that the cancellation had removed', async () => {
      await begin('2024-01-01T08:00:00Z');
      const { bundleId, subscriptionId } = await subscribe('club-monthly', {});
      await engine.runTo('2024-02-10T08:00:00Z');
      const pending = { billingPolicy: 'END_OF_TERM', requestedDate: '2024-03-01' } as const;
      await engine.acme.subscriptions.cancel(subscriptionId, pending);
      const made = await engine.settle(transfer(bundleId));
      expect(rowsOf(await onlyOf(made))).to.eql([
        'START_ENTITLEMENT 2024-02-10 club-monthly-discount',
        'START_BILLING 2024-02-10 club-monthly-discount',
        'PHASE 2024-07-31 club-monthly-evergreen',
      ]);
    });

    it('keeps a pending end of billing that is earlier than the transfer', async () => {
      await begin('2024-01-01T08:00:00Z');
      const { bundleId, subscriptionId } = await subscribe('solo-now', {});
      const pending = { requestedDate: '2024-01-05', useRequestedDateForBilling: true };
      await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, pending));
      engine.clock.set('2024-01-03T08:00:00Z');
      await engine.settle(transfer(bundleId));
      expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-01-03 2024-01-05');
    });

    it('moves a pending plan change', async () => {
      await begin('2024-01-01T08:00:00Z');
      const { bundleId, subscriptionId } = await subscribe('solo-now', {});
      const change = { planName: 'team-now', requestedDate: '2024-03-01' };
      await engine.acme.subscriptions.changePlan(subscriptionId, change);
      await engine.runTo('2024-02-01T08:00:00Z');
      const made = await transfer(bundleId, { billingPolicy: 'IMMEDIATE' });
      await engine.runTo('2024-03-02');
      const begun = await onlyOf(made);
      expect(begun.planName).to.equal('team-now');
      expect(rowsOf(begun)).to.eql([
        'START_ENTITLEMENT 2024-02-01 solo-now-evergreen',
        'START_BILLING 2024-02-01 solo-now-evergreen',
        'CHANGE 2024-03-01 team-now-evergreen',
      ]);
    });

    it('moves a subscription that has not started', async () => {
      await begin('2024-01-01T08:00:00Z');
      const dates = { billingDate: '2024-02-01', entitlementDate: '2024-01-01' };
      const { bundleId, subscriptionId } = await subscribe('pro-monthly', {}, dates);
      engine.clock.set('2024-01-10T08:00:00Z');
      const made = await transfer(bundleId);
      await engine.runTo('2024-02-02');
      expect(rowsOf(await onlyOf(made))).to.eql([
        'START_ENTITLEMENT 2024-01-10 pro-monthly-trial',
        'START_BILLING 2024-02-01 pro-monthly-trial',
        'PHASE 2024-03-02 pro-monthly-evergreen',
      ]);
      const { billingEnd } = await engine.acme.getSubscription(subscriptionId);
      expect(billingEnd?.date, 'raised to its start').to.equal('2024-02-01');
      expect(await linesOf(source)).to.eql([]);
    });

    it('takes effect at the start of the current terms if the requested date is earlier', async () => {
      await begin('2024-01-01T08:00:00Z');
      const { bundleId, subscriptionId } = await subscribe('pro-monthly');
      await engine.runTo('2024-02-05T08:00:00Z');
      const made = await transfer(bundleId, { requestedDate: '2024-01-20', billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-01-20 2024-01-31');
      expect(rowsOf(await onlyOf(made))).to.eql([
        'START_ENTITLEMENT 2024-01-20 pro-monthly-trial',
        'START_BILLING 2024-01-20 pro-monthly-trial',
        'PHASE 2024-01-31 pro-monthly-evergreen',
      ]);
    });

    it('dates the copied events in the time zone of the target account', async () => {
      await begin('2024-03-01T02:00:00Z', { sourceZone: 'America/New_York', targetZone: 'Asia/Tokyo' });
      const { bundleId } = await subscribe('pro-monthly');
      engine.clock.set('2024-03-10T20:00:00Z');
      const { events } = await onlyOf(await transfer(bundleId));
      const instants = events.map(({ eventType, effective: { at, date } }) => [
        eventType,
        at.toISOString(),
        date,
      ]);
      expect(instants.map((each) => each.join(' '))).to.eql([
        'START_ENTITLEMENT 2024-03-10T20:00:00.000Z 2024-03-11',
        'START_BILLING 2024-03-10T20:00:00.000Z 2024-03-11',
        // 2024-03-30 21:00 in New York, which is on daylight saving time by then.
        'PHASE 2024-03-31T01:00:00.000Z 2024-03-31',
      ]);
    });

    describe('with bill cycle day and quantity', () => {
      beforeEach(() => begin('2024-01-05T08:00:00Z'));
      const cases = [
        ['USE_EXISTING', 20],
        ['ALIGN_WITH_EFF_DT', 12],
        ['NONE', 15],
      ] as const;
      for (const [bcdTransfer, day] of cases)
        it(`bills on day ${day} with ${bcdTransfer} and keeps the quantity`, async () => {
          const { bundleId } = await subscribe('solo-now', { billCycleDayLocal: 20, quantity: 3 });
          engine.clock.set('2024-01-12T08:00:00Z');
          const begun = await onlyOf(await transfer(bundleId, { bcdTransfer }));
          expect([begun.billCycleDayLocal, begun.quantity]).to.eql([day, 3]);
        });
      it('sets no bill cycle day by default', async () => {
        const { bundleId } = await subscribe('solo-now');
        engine.clock.set('2024-01-12T08:00:00Z');
        const begun = await onlyOf(await transfer(bundleId, { bcdTransfer: 'ALIGN_WITH_EFF_DT' }));
        expect([begun.billCycleDayLocal, begun.quantity]).to.eql([15, 1]);
      });
    });

    it('moves all standalone subscriptions that have not ended, with their own keys', async () => {
      await begin('2024-01-05T08:00:00Z');
      const { acme } = engine;
      const first = await subscribe('kit-monthly');
      const second = await subscribe('kit-monthly', { externalKey: 'second' });
      const third = await subscribe('kit-monthly');
      await engine.cancelNow(third.subscriptionId);
      engine.clock.set('2024-01-06T08:00:00Z');
      // The other subscriptions are sent as read, which does not set a new key (json-models §16 rule 1).
      const ids = [first, third].map(({ subscriptionId }) => subscriptionId);
      const asRead = ids.map((id) => ({ subscriptionId: id, externalKey: id }));
      const named = { subscriptionId: second.subscriptionId, externalKey: 'second of Y' };
      const subscriptions = [...asRead, named];
      const made = await acme.bundles.get(await transfer(first.bundleId, { subscriptions }));
      expect(
        made.subscriptions.map(({ subscriptionId, externalKey }) => externalKey === subscriptionId),
      ).to.eql([true, false]);
      expect(made.subscriptions[1]?.externalKey).to.equal('second of Y');
      await engine.runTo('2024-01-20T08:00:00Z');
      expect(await linesOf(target)).to.eql([
        'RECURRING 2024-01-06..2024-01-15 1.45',
        'RECURRING 2024-01-06..2024-01-15 1.45',
        'RECURRING 2024-01-15..2024-02-15 5',
        'RECURRING 2024-01-15..2024-02-15 5',
      ]);
    });

    describe('of a base with its add-ons', () => {
      let bundleId: Uuid;
      let base: Uuid;
      let addOn: Uuid;

      beforeEach(async () => {
        await begin('2024-01-09T08:00:00Z');
        ({ bundleId, subscriptionId: base } = await subscribe('solo-now'));
        addOn = (await subscribe('support-monthly', { bundleId })).subscriptionId;
        await engine.runTo('2024-01-19T08:00:00Z');
      });

      it('moves add-ons together with their base under the policy END_OF_TERM', async () => {
        const made = await engine.settle(transfer(bundleId));
        expect(await engine.endsOf(base)).to.equal('CANCELLED 2024-01-19 2024-02-09');
        expect(await engine.endsOf(addOn)).to.equal('CANCELLED 2024-01-19 2024-02-09');
        expect((await engine.acme.audit.logs([addOn], 'FULL')).get(addOn)).to.have.length.greaterThan(0);
        await engine.runTo('2024-03-01');
        expect((await linesOf(source)).toSorted()).to.eql([
          'RECURRING 2024-01-09..2024-02-09 15',
          'RECURRING 2024-01-09..2024-02-09 19.95',
        ]);
        const { subscriptions } = await engine.acme.bundles.get(made);
        expect(
          subscriptions.map(({ productCategory, state, sourceType }) => [productCategory, state, sourceType]),
        ).to.eql([
          ['BASE', 'ACTIVE', 'TRANSFERRED'],
          ['ADD_ON', 'ACTIVE', 'TRANSFERRED'],
        ]);
      });

      it('ends and credits the base and the add-on immediately with IMMEDIATE, and starts both on the new account', async () => {
        await engine.settle(transfer(bundleId, { billingPolicy: 'IMMEDIATE' }));
        expect(await engine.endsOf(base)).to.equal('CANCELLED 2024-01-19 2024-01-19');
        expect(await engine.endsOf(addOn)).to.equal('CANCELLED 2024-01-19 2024-01-19');
        // 21 of 31 days of 15.00 and 19.95.
        expect((await linesOf(source)).filter((line) => line.startsWith('REPAIR')).toSorted()).to.eql([
          'REPAIR_ADJ 2024-01-19..2024-02-09 -10.16',
          'REPAIR_ADJ 2024-01-19..2024-02-09 -13.51',
        ]);
        // 27 of 31 days to the account's bill cycle day, the 15th; the add-on uses its bundle's bill cycle day, the
        // 19th.
        expect((await linesOf(target)).toSorted()).to.eql([
          'RECURRING 2024-01-19..2024-02-15 17.38',
          'RECURRING 2024-01-19..2024-02-19 15',
        ]);
      });

      it('lets a cancellation of the base on the new account end its add-ons', async () => {
        const { subscriptions } = await engine.acme.bundles.get(await engine.settle(transfer(bundleId)));
        const [newBase, newAddOn] = subscriptions.map(({ subscriptionId }) => subscriptionId);
        if (newBase === undefined || newAddOn === undefined) throw new Error('nothing was transferred');
        await engine.cancelNow(newBase);
        expect(await engine.endsOf(newAddOn)).to.equal('CANCELLED 2024-01-19 2024-01-19');
      });

      it('does not move an ended add-on', async () => {
        await engine.cancelNow(addOn);
        expect((await onlyOf(await transfer(bundleId))).planName).to.equal('solo-now');
      });

      it('does not move an add-on whose base is no longer billed', async () => {
        const later = { at: instant(engine.clock.now() + 86_400_000) };
        const dates = { entitlementDate: later, billingDate: later };
        const request = { accountId: source.id, bundleId, planName: 'support-monthly' };
        await engine.acme.createSubscription(request, dates);
        const policies = { entitlementPolicy: 'END_OF_TERM', billingPolicy: 'IMMEDIATE' } as const;
        await engine.acme.subscriptions.cancel(base, policies);
        await expectCode(transfer(bundleId), 'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS');
      });

      it('ends and credits a canceled add-on that is billed to the end of its term, together with its base (IMMEDIATE)', async () => {
        const policies = { entitlementPolicy: 'IMMEDIATE', billingPolicy: 'END_OF_TERM' } as const;
        await engine.settle(engine.acme.subscriptions.cancel(addOn, policies));
        expect(await engine.endsOf(addOn)).to.equal('CANCELLED 2024-01-19 2024-02-09');
        await engine.settle(transfer(bundleId, { billingPolicy: 'IMMEDIATE' }));
        expect(await engine.endsOf(addOn)).to.equal('CANCELLED 2024-01-19 2024-01-19');
        expect(await linesOf(source)).to.include('REPAIR_ADJ 2024-01-19..2024-02-09 -10.16');
      });
    });

    it('waits without a deadlock for a simultaneous transfer in the opposite direction', async () => {
      await begin('2024-01-05T08:00:00Z');
      const { acme } = engine;
      const mine = await subscribe('solo-now', { bundleExternalKey: 'mine' });
      const request = { accountId: target.id, bundleExternalKey: 'theirs', planName: 'solo-now' };
      const theirs = await engine.subscribe(request);
      await Promise.all([
        acme.bundles.transfer(mine.bundleId, { accountId: target.id }),
        acme.bundles.transfer(theirs.bundleId, { accountId: source.id }),
      ]);
      expect((await acme.bundles.getByKey('mine')).accountId).to.equal(target.id);
      expect((await acme.bundles.getByKey('theirs')).accountId).to.equal(source.id);
    });
  });

  describe('rejected transfer', () => {
    let bundleId: Uuid;
    let subscriptionId: Uuid;
    before(async () => {
      await begin('2024-01-05T08:00:00Z');
      ({ bundleId, subscriptionId } = await subscribe('solo-now'));
      await subscribe('solo-now', { externalKey: 'taken', bundleExternalKey: 'another' });
    });

    const unknown = '11111111-1111-4111-8111-111111111111' as Uuid;
    const refused: Readonly<Record<string, readonly [code: ErrorName, request: () => Request]>> = {
      'no account': ['MISSING_OR_INVALID_FIELD', () => ({ accountId: null })],
      'an unknown account': ['ACCOUNT_DOES_NOT_EXIST_FOR_ID', () => ({ accountId: unknown })],
      'the account of the bundle': ['MISSING_OR_INVALID_FIELD', () => ({ accountId: source.id })],
      START_OF_TERM: ['INVALID_PARAMETER', () => ({ billingPolicy: 'START_OF_TERM' })],
      ILLEGAL: ['INVALID_PARAMETER', () => ({ billingPolicy: 'ILLEGAL' })],
      'an unknown subscription': [
        'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
        () => ({ subscriptions: [{ subscriptionId: unknown, externalKey: 'x' }] }),
      ],
      'a subscription without id': [
        'MISSING_OR_INVALID_FIELD',
        () => ({ subscriptions: [{ externalKey: 'x' }] }),
      ],
      'a subscription twice': [
        'MISSING_OR_INVALID_FIELD',
        () => ({ subscriptions: [{ subscriptionId }, { subscriptionId }] }),
      ],
      'a subscription key in use': [
        'SUBSCRIPTION_EXTERNAL_KEY_EXISTS',
        () => ({ subscriptions: [{ subscriptionId, externalKey: 'taken' }] }),
      ],
      'a key that is too long': [
        'EXTERNAL_KEY_LIMIT_EXCEEDED',
        () => ({ subscriptions: [{ subscriptionId, externalKey: 'x'.repeat(256) }] }),
      ],
    };
    for (const [name, [code, request]] of Object.entries(refused))
      it(`stores nothing if the request has ${name}`, async () => {
        const before = await everything();
        await expectCode(transfer(bundleId, request()), code);
        expect(await everything()).to.eql(before);
      });

    it('stores nothing if the request contains a subscription of another bundle', async () => {
      const other = await subscribe('solo-now', { bundleExternalKey: 'other' });
      const before = await everything();
      const subscriptions = [{ subscriptionId: other.subscriptionId, externalKey: 'x' }];
      await expectCode(transfer(bundleId, { subscriptions }), 'MISSING_OR_INVALID_FIELD');
      expect(await everything()).to.eql(before);
    });

    it('stores nothing if the bundle is unknown', () =>
      expectCode(transfer(unknown), 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID'));

    it('stores nothing if the plan has no price in the currency of the account', async () => {
      const euros = await engine.acme.createAccount({ currency: 'EUR' });
      const before = await everything();
      await expectCode(transfer(bundleId, { accountId: euros.id }), 'CATALOG_NO_PRICE_FOR_CURRENCY');
      expect(await everything()).to.eql(before);
    });

    async function everything(): Promise<unknown> {
      const { acme } = engine;
      const all = { limit: 100, offset: 0 };
      return {
        bundles: await acme.bundles.page(all),
        audit:
          (await acme.audit.ofAccount(source.id)).length + (await acme.audit.ofAccount(target.id)).length,
        events: await busEvents(engine.database),
      };
    }
  });
});
