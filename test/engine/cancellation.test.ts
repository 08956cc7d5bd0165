import type { CancelSubscriptionOptions, HostInput, Uuid } from '../../lib/index.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, openShop } from '../support/index.ts';

eachDatabaseByTurns.describe('cancellation', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(now: string, account: { billCycleDayLocal?: number } = {}): Promise<void> {
    engine = await openEngine(open, { now });
    accountId = (await engine.acme.createAccount({ currency: 'USD', ...account })).id;
  }

  async function subscribe(planName: string): Promise<Uuid> {
    const { subscriptionId } = await engine.subscribe({ accountId, planName });
    return subscriptionId;
  }

  const cancel = (subscriptionId: Uuid, query = '') =>
    engine.acme.subscriptions.cancel(subscriptionId, optionsOf(query));

  async function rowsOf(subscriptionId: Uuid): Promise<readonly string[]> {
    const { events } = await engine.acme.getSubscription(subscriptionId);
    return events.map((event) => `${event.eventType} ${event.effective.at.toISOString()}`);
  }

  const linesOf = (): Promise<readonly string[]> => engine.linesOf(accountId);

  describe('in the worked example subscriptions W10 "Cancel matrix"', () => {
    let subscriptionId: Uuid;

    beforeEach(async () => {
      await begin('2024-04-30T08:00:00Z', { billCycleDayLocal: 30 });
      engine.clock.set('2024-05-01T08:00:00Z');
      const phaseType = 'EVERGREEN';
      const made = await engine.acme.createSubscription({ accountId, planName: 'pro-monthly', phaseType });
      subscriptionId = made.subscriptionId;
      await engine.runTo('2024-05-30T08:00:00Z');
      engine.clock.set('2024-06-12T10:00:00Z');
    });

    const table: readonly (readonly [query: string, ends: string])[] = [
      ['', 'ACTIVE 2024-06-30 2024-06-30'],
      ['requestedDate=2024-06-20', 'ACTIVE 2024-06-20 2024-06-30'],
      ['requestedDate=2024-06-20&useRequestedDateForBilling=true', 'ACTIVE 2024-06-20 2024-06-20'],
      ['requestedDate=2024-06-20T15:00:00Z', 'ACTIVE 2024-06-20 2024-06-20'],
      ['entitlementPolicy=END_OF_TERM', 'ACTIVE 2024-06-30 2024-06-30'],
      ['entitlementPolicy=END_OF_TERM&billingPolicy=IMMEDIATE', 'ACTIVE 2024-06-30 2024-06-12'],
      ['billingPolicy=END_OF_TERM&requestedDate=2024-07-15', 'ACTIVE 2024-07-15 2024-06-30'],
      // The remaining policies, which are not in the example.
      ['entitlementPolicy=IMMEDIATE', 'CANCELLED 2024-06-12 2024-06-30'],
      ['entitlementPolicy=IMMEDIATE&billingPolicy=IMMEDIATE', 'CANCELLED 2024-06-12 2024-06-12'],
      ['entitlementPolicy=IMMEDIATE&billingPolicy=END_OF_TERM', 'CANCELLED 2024-06-12 2024-06-30'],
      ['entitlementPolicy=IMMEDIATE&billingPolicy=START_OF_TERM', 'CANCELLED 2024-06-12 2024-05-30'],
      ['entitlementPolicy=END_OF_TERM&billingPolicy=END_OF_TERM', 'ACTIVE 2024-06-30 2024-06-30'],
      ['entitlementPolicy=END_OF_TERM&billingPolicy=START_OF_TERM', 'ACTIVE 2024-06-30 2024-05-30'],
      ['entitlementPolicy=IMMEDIATE&requestedDate=2024-07-15', 'CANCELLED 2024-06-12 2024-06-30'],
      ['billingPolicy=IMMEDIATE&requestedDate=2024-06-20T15:00:00Z', 'ACTIVE 2024-06-20 2024-06-12'],
      ['useRequestedDateForBilling=true', 'CANCELLED 2024-06-12 2024-06-12'],
    ];
    it('ends the service with billing, but not in the past, if only a billing policy is given (subscriptions §9 rule 10)', async () => {
      await cancel(subscriptionId, 'billingPolicy=END_OF_TERM');
      expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE 2024-06-30 2024-06-30');
      await cancel(subscriptionId, 'billingPolicy=IMMEDIATE');
      expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-06-12 2024-06-12');
      await begin('2024-05-01T08:00:00Z', { billCycleDayLocal: 1 });
      const second = await subscribe('solo-now');
      await engine.runTo('2024-05-12T08:00:00Z');
      await cancel(second, 'billingPolicy=START_OF_TERM');
      expect(await engine.endsOf(second)).to.equal('CANCELLED 2024-05-12 2024-05-01');
    });

    for (const [query, ends] of table)
      it(`ends service and billing as specified for ${query || 'no parameter'}`, async () => {
        await cancel(subscriptionId, query);
        expect(await engine.endsOf(subscriptionId)).to.equal(ends);
      });

    it('adds the reference time to a date, and uses a date-time unchanged', async () => {
      await cancel(subscriptionId, 'requestedDate=2024-06-20T15:00:00Z');
      expect(await rowsOf(subscriptionId)).to.eql([
        'START_ENTITLEMENT 2024-05-01T08:00:00.000Z',
        'START_BILLING 2024-05-01T08:00:00.000Z',
        'STOP_ENTITLEMENT 2024-06-20T15:00:00.000Z',
        'STOP_BILLING 2024-06-20T15:00:00.000Z',
      ]);
      await engine.acme.subscriptions.uncancel(subscriptionId);
      await cancel(subscriptionId, 'requestedDate=2024-06-20');
      expect((await rowsOf(subscriptionId)).slice(2)).to.eql([
        'STOP_ENTITLEMENT 2024-06-20T08:00:00.000Z',
        'STOP_BILLING 2024-06-30T08:00:00.000Z',
      ]);
    });

    const refused: readonly (readonly [query: string, code: ErrorName])[] = [
      ['requestedDate=2024-04-15', 'SUBSCRIPTION_INVALID_REQUESTED_DATE'],
      ['requestedDate=2024-05-01T07:59:59Z', 'SUBSCRIPTION_INVALID_REQUESTED_DATE'],
      ['requestedDate=2024-04-30&billingPolicy=IMMEDIATE', 'SUBSCRIPTION_INVALID_REQUESTED_DATE'],
      ['billingPolicy=ILLEGAL', 'INVALID_PARAMETER'],
      ['requestedDate=9000-01-01', 'INVALID_PARAMETER'],
    ];
    for (const [query, code] of refused)
      it(`rejects ${query} and stores nothing`, async () => {
        const before = await rowsOf(subscriptionId);
        await expectCode(cancel(subscriptionId, query), code);
        expect(await rowsOf(subscriptionId)).to.eql(before);
        expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE - -');
      });

    it('ends the charges of a subscription exactly at the end of billing', async () => {
      await cancel(subscriptionId);
      await engine.runTo('2024-12-01');
      expect(await linesOf()).to.eql([
        'RECURRING 2024-05-01..2024-05-30 241.62',
        'RECURRING 2024-05-30..2024-06-30 249.95',
      ]);
    });

    it('repairs the invoiced days after the end of billing when that end arrives', async () => {
      await engine.settle(cancel(subscriptionId, 'requestedDate=2024-06-20&useRequestedDateForBilling=true'));
      expect(await linesOf()).to.have.length(2);
      await engine.runTo('2024-06-20T08:00:00Z');
      expect(await repairs()).to.eql(['REPAIR_ADJ 2024-06-20..2024-06-30 -80.63']);
      expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-06-20 2024-06-20');
    });

    it('causes the repaired days to be billed again when undone', async () => {
      await cancel(subscriptionId, 'requestedDate=2024-06-20&useRequestedDateForBilling=true');
      await engine.settle(engine.acme.generateInvoice({ accountId, targetDate: '2024-06-20' }));
      expect(await repairs()).to.eql(['REPAIR_ADJ 2024-06-20..2024-06-30 -80.63']);
      await engine.acme.subscriptions.uncancel(subscriptionId);
      await engine.runTo('2024-07-01');
      const recurring = (await linesOf()).filter((line) => line.startsWith('RECURRING'));
      expect(recurring.slice(-2)).to.eql([
        'RECURRING 2024-06-20..2024-06-30 80.63',
        'RECURRING 2024-06-30..2024-07-30 249.95',
      ]);
    });

    it('is rejected for a subscription that is already canceled', async () => {
      await cancel(subscriptionId, 'entitlementPolicy=IMMEDIATE');
      await expectCode(cancel(subscriptionId), 'SUBSCRIPTION_CANCEL_BAD_STATE');
    });

    it('replaces a later pending end, but is rejected if a pending end is earlier', async () => {
      await cancel(subscriptionId, 'entitlementPolicy=END_OF_TERM');
      await cancel(subscriptionId, 'requestedDate=2024-06-20&useRequestedDateForBilling=true');
      expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE 2024-06-20 2024-06-20');
      await expectCode(
        cancel(subscriptionId, 'entitlementPolicy=END_OF_TERM'),
        'SUBSCRIPTION_CANCEL_BAD_STATE',
      );
      await engine.acme.subscriptions.uncancel(subscriptionId);
      expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE - -');
      await engine.runTo('2024-08-01');
      expect((await linesOf()).at(-1)).to.equal('RECURRING 2024-07-30..2024-08-30 249.95');
    });

    it('can be undone after the end of service until the end of billing', async () => {
      await cancel(subscriptionId, 'entitlementPolicy=IMMEDIATE');
      expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-06-12 2024-06-30');
      await engine.acme.subscriptions.uncancel(subscriptionId);
      expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE - -');

      const uncancel = () => engine.acme.subscriptions.uncancel(subscriptionId);
      await expectCode(uncancel(), 'ENTITLEMENT_UNCANCEL_BAD_STATE');
      await cancel(subscriptionId);
      await engine.runTo('2024-06-30T08:00:00Z');
      await expectCode(uncancel(), 'SUBSCRIPTION_UNCANCEL_BAD_STATE');
    });
  });

  it('can end a term early, and is rejected after the term (subscriptions W18 "Fixed term")', async () => {
    await begin('2023-01-01T00:00:00Z');
    const subscriptionId = await subscribe('term-3m');
    engine.clock.set('2023-02-10T00:00:00Z');
    await expectCode(
      cancel(subscriptionId, 'requestedDate=2023-05-01&useRequestedDateForBilling=true'),
      'SUBSCRIPTION_CANCEL_BAD_STATE',
    );
    await cancel(subscriptionId, 'requestedDate=2023-03-01&useRequestedDateForBilling=true');
    expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE 2023-03-01 2023-03-01');
    await engine.acme.subscriptions.uncancel(subscriptionId);
    await engine.runTo('2023-04-01');
    expect(await engine.endsOf(subscriptionId)).to.equal('EXPIRED - -');
    await expectCode(cancel(subscriptionId), 'SUBSCRIPTION_CANCEL_BAD_STATE');
    await expectCode(engine.acme.subscriptions.uncancel(subscriptionId), 'SUBSCRIPTION_UNCANCEL_BAD_STATE');
  });

  it('ends billing at the start of the trial with START_OF_TERM (subscriptions W9 a)', async () => {
    await begin('2024-05-31T00:00:00Z');
    const subscriptionId = await subscribe('pro-annual');
    engine.clock.set('2024-06-05T00:00:00Z');
    await cancel(subscriptionId, 'entitlementPolicy=IMMEDIATE&billingPolicy=START_OF_TERM');
    expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-06-05 2024-05-31');
  });

  it('ends billing at the start of the current term with START_OF_TERM after the trial (subscriptions W9 b)', async () => {
    await begin('2024-05-31T00:00:00Z');
    const subscriptionId = await subscribe('pro-annual');
    await engine.runTo('2024-07-04T00:00:00Z');
    await cancel(subscriptionId, 'entitlementPolicy=IMMEDIATE&billingPolicy=START_OF_TERM');
    expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-07-04 2024-06-30');
    await engine.settle();
    expect(await repairs()).to.eql(['REPAIR_ADJ 2024-06-30..2025-06-30 -2399.95']);
  });

  it('repairs a full item in proportion to 30 fixed days (invoicing E11 "Fixed days 30")', async () => {
    const configuration = { 'org.service.invoice.proration.fixed.days': '30' };
    engine = await openEngine(open, { now: '2023-05-15T00:00:00Z', configuration });
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 15 })).id;
    const subscriptionId = await subscribe('solo-now');
    engine.clock.set('2023-05-23T00:00:00Z');
    await engine.settle(cancel(subscriptionId, 'useRequestedDateForBilling=true'));
    expect(await repairs()).to.eql(['REPAIR_ADJ 2023-05-23..2023-06-15 -14.63']);
  });

  it('repairs the days after the cancellation and gives credit for them (invoicing E15 "Void chain")', async () => {
    engine = await openEngine(open, { now: '2013-06-15T00:00:00Z' });
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 15 })).id;
    const subscriptionId = await subscribe('solo-now');
    engine.clock.set('2013-07-01T00:00:00Z');
    await engine.settle(cancel(subscriptionId, 'billingPolicy=IMMEDIATE'));
    expect(await linesOf()).to.eql([
      'RECURRING 2013-06-15..2013-07-15 19.95',
      'REPAIR_ADJ 2013-07-01..2013-07-15 -9.31',
      'CBA_ADJ 2013-07-01..2013-07-01 9.31',
    ]);
  });

  it('ends a trial immediately according to the rule for trial phases, so that nothing is due', async () => {
    await begin('2024-01-01T00:00:00Z');
    const subscriptionId = await subscribe('pro-monthly');
    engine.clock.set('2024-01-10T00:00:00Z');
    await cancel(subscriptionId);
    await engine.runTo('2024-06-01');
    expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-01-10 2024-01-10');
    expect(await linesOf()).to.eql(['FIXED 2024-01-01..2024-01-31 0']);
  });

  it('takes effect at the start of a subscription that has not started yet', async () => {
    await begin('2024-01-01T00:00:00Z');
    const { subscriptionId } = await engine.acme.createSubscription(
      { accountId, planName: 'solo-now' },
      { billingDate: '2024-02-01', entitlementDate: '2024-02-01' },
    );
    await cancel(subscriptionId);
    expect(await engine.endsOf(subscriptionId)).to.equal('PENDING 2024-02-01 2024-02-01');
    await engine.acme.subscriptions.uncancel(subscriptionId);
    expect(await engine.endsOf(subscriptionId)).to.equal('PENDING - -');
    await cancel(subscriptionId);
    await engine.runTo('2024-06-01');
    expect(await engine.endsOf(subscriptionId)).to.equal('CANCELLED 2024-02-01 2024-02-01');
    expect(await linesOf()).to.eql([]);
  });

  it('restores all phases after a pending end when undone, even phases that were not stored because of that end', async () => {
    await begin('2024-01-01T00:00:00Z');
    const subscriptionId = await subscribe('club-monthly');
    await cancel(subscriptionId, 'requestedDate=2024-05-01&useRequestedDateForBilling=true');
    await engine.runTo('2024-02-15');
    await engine.acme.subscriptions.uncancel(subscriptionId);
    expect((await rowsOf(subscriptionId)).slice(2)).to.eql([
      'PHASE 2024-01-31T00:00:00.000Z',
      'PHASE 2024-07-31T00:00:00.000Z',
    ]);
    await cancel(subscriptionId, 'requestedDate=2024-05-01&useRequestedDateForBilling=true');
    await engine.acme.subscriptions.uncancel(subscriptionId);
    await engine.runTo('2024-08-01');
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ phaseType: 'EVERGREEN' });
    expect((await linesOf()).at(-1)).to.equal('RECURRING 2024-07-31..2024-08-31 599.95');
  });

  it('keeps a PHASE event at the same instant, but bills nothing for that phase', async () => {
    await begin('2024-01-01T00:00:00Z');
    const subscriptionId = await subscribe('pro-monthly');
    await engine.runTo('2024-01-31T00:00:00Z');
    await engine.settle(cancel(subscriptionId, 'billingPolicy=IMMEDIATE'));
    expect((await rowsOf(subscriptionId)).slice(2)).to.eql([
      'PHASE 2024-01-31T00:00:00.000Z',
      'STOP_ENTITLEMENT 2024-01-31T00:00:00.000Z',
      'STOP_BILLING 2024-01-31T00:00:00.000Z',
    ]);
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ phaseType: 'EVERGREEN' });
    expect((await linesOf()).filter((line) => !line.startsWith('CBA_ADJ')).slice(1)).to.eql([
      'RECURRING 2024-01-31..2024-02-29 249.95',
      'REPAIR_ADJ 2024-01-31..2024-02-29 -249.95',
    ]);
  });

  it("is possible only for subscriptions of the caller's tenant", async () => {
    await begin('2024-01-01T00:00:00Z');
    const subscriptionId = await subscribe('solo-now');
    const { acme: eve } = await openShop(engine.billing, null);
    const unknown = 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID';
    await expectCode(eve.subscriptions.cancel(subscriptionId), unknown);
    await expectCode(eve.subscriptions.uncancel(subscriptionId), unknown);
    expect(await engine.endsOf(subscriptionId)).to.equal('ACTIVE - -');
  });

  const repairs = async () => (await linesOf()).filter((line) => line.startsWith('REPAIR_ADJ'));
});

function optionsOf(query: string): HostInput<CancelSubscriptionOptions> {
  const { requestedDate, useRequestedDateForBilling, ...policies } = Object.fromEntries(
    new URLSearchParams(query),
  );
  return {
    ...policies,
    requestedDate: requestedDate ?? null,
    useRequestedDateForBilling: useRequestedDateForBilling === 'true',
  };
}
