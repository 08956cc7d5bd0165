import type { BlockedRef, BlockingStateRequest, Uuid } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, product } from '../support/catalogs/catalog-document.ts';
import { type PricedVersion, pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';

const threeMonths = catalogXml({
  effectiveDate: '2023-01-01',
  products: product('Heat'),
  plans: plan('heat-monthly', 'Heat', {
    initialPhases: phase('DISCOUNT', { unit: 'MONTHS', number: 3, fixed: '5' }),
  }),
  priceLists: lists({ DEFAULT: ['heat-monthly'] }),
});

const arrears = catalogXml({
  effectiveDate: '2020-01-01',
  products: product('Heat'),
  plans: plan('heat-monthly', 'Heat', {
    price: '100.00',
    more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>',
  }),
  priceLists: lists({ DEFAULT: ['heat-monthly'] }),
});

const ALIGN = 'org.service.subscription.align.effectiveDateForExistingSubscriptions';

interface Sold {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly subscriptionId: Uuid;
}

interface Begin {
  readonly now: string;
  readonly catalog?: string;
  readonly configuration?: Record<string, boolean | string>;
  readonly timeZone?: string;
  readonly billCycleDayLocal?: number;
}

/** Runs the examples of the unit tests through the public API. */
eachDatabaseByTurns.describe('billing engine', (open) => {
  let engine: TestEngine;

  async function customer({ now, catalog, configuration, ...account }: Begin): Promise<Uuid> {
    engine = await openEngine(open, {
      now,
      ...(catalog === undefined ? {} : { catalog }),
      ...(configuration === undefined ? {} : { configuration }),
    });
    return (await engine.acme.createAccount({ currency: 'USD', ...account })).id;
  }

  interface Dates {
    readonly entitlementDate?: string;
    readonly billingDate?: string;
  }

  async function sell(
    accountId: Uuid,
    request: { readonly planName: string; readonly phaseType?: 'EVERGREEN' },
    dates: Dates = {},
  ): Promise<Sold> {
    const made = await engine.subscribe({ accountId, ...request }, dates);
    return { accountId, ...made };
  }

  const block = (on: BlockedRef, request: BlockingStateRequest, date: string) =>
    engine.acme.blocking.add(on, { ...request, requestedDate: date });

  async function blockBilling(on: BlockedRef, service: string, [from, to]: readonly [string, string]) {
    await block(on, { service, stateName: 'STOP', isBlockBilling: true }, from);
    await block(on, { service, stateName: 'GO' }, to);
  }

  async function linesOf({ accountId }: Pick<Sold, 'accountId'>): Promise<readonly string[]> {
    return (await engine.linesOf(accountId)).filter((line) => !line.startsWith('CBA_ADJ'));
  }

  async function rowsOf({ subscriptionId }: Sold): Promise<readonly string[]> {
    const { events } = await engine.acme.getSubscription(subscriptionId);
    return events.map(({ eventType, effective }) => `${eventType} ${effective.at.toISOString()}`);
  }

  it('uses the zone rules of each date (subscriptions W1 "Zone rules")', async () => {
    const accountId = await customer({ now: '2017-03-02T07:30:00Z', timeZone: 'America/Los_Angeles' });
    const sold = await sell(accountId, { planName: 'pro-monthly' });
    expect((await rowsOf(sold)).at(-1)).to.equal('PHASE 2017-04-01T06:30:00.000Z');
    await engine.runTo('2017-04-01T06:30:00Z');
    expect(await linesOf(sold)).to.eql([
      'FIXED 2017-03-01..2017-03-31 0',
      'RECURRING 2017-03-31..2017-04-30 249.95',
    ]);
    expect((await engine.acme.getAccount(accountId)).billCycleDayLocal).to.equal(31);
    await engine.acme.subscriptions.cancel(sold.subscriptionId, { requestedDate: '2017-07-10' });
    expect((await rowsOf(sold)).find((row) => row.startsWith('STOP_ENTITLEMENT'))).to.equal(
      'STOP_ENTITLEMENT 2017-07-11T06:30:00.000Z',
    );
  });

  it('adds months to the local date, not to the UTC date (subscriptions W2)', async () => {
    const accountId = await customer({
      now: '2023-03-01T03:47:56Z',
      timeZone: 'America/New_York',
      catalog: threeMonths,
    });
    const sold = await sell(accountId, { planName: 'heat-monthly' });
    expect((await rowsOf(sold)).at(-1)).to.equal('PHASE 2023-05-29T02:47:56.000Z');
    expect((await engine.acme.getAccount(accountId)).billCycleDayLocal).to.equal(28);
    await engine.runTo('2023-05-29T02:47:56Z');
    expect(await linesOf(sold)).to.eql([
      'FIXED 2023-02-28..2023-05-28 5',
      'RECURRING 2023-05-28..2023-06-28 10',
    ]);
  });

  it('merges overlapping blocks of several services into one pause (subscriptions W14 "Merging blocks")', async () => {
    const accountId = await customer({ now: '2024-05-19T00:00:00Z' });
    const sold = await sell(accountId, { planName: 'pro-monthly' });
    const { bundleId, subscriptionId } = sold;
    const account: BlockedRef = { type: 'ACCOUNT', id: accountId };
    const subscription: BlockedRef = { type: 'SUBSCRIPTION', id: subscriptionId };
    await blockBilling(account, 'A', ['2024-06-10', '2024-06-20']);
    await blockBilling({ type: 'SUBSCRIPTION_BUNDLE', id: bundleId }, 'B', ['2024-06-15', '2024-06-25']);
    await blockBilling(subscription, 'C', ['2024-06-25', '2024-06-27']);
    await blockBilling(subscription, 'D', ['2024-06-29', '2024-06-29T20:00:00Z']);
    await engine.runTo('2024-06-18T00:00:00Z');
    expect(await linesOf(sold)).to.eql(['FIXED 2024-05-19..2024-06-18 0']);
    await engine.runTo('2024-07-01T00:00:00Z');
    expect(await linesOf(sold)).to.eql([
      'FIXED 2024-05-19..2024-06-18 0',
      'RECURRING 2024-06-27..2024-07-18 174.97',
    ]);
    expect((await engine.acme.getSubscription(subscriptionId)).phaseType).to.equal('EVERGREEN');
  });

  for (const isAligned of [false, true]) {
    const name = `changes the price of an existing subscription on ${isAligned ? 'its bill cycle day' : 'the date of the version'} (subscriptions W17)`;
    it(name, async () => {
      const versions: readonly [PricedVersion, PricedVersion, PricedVersion] = [
        { effectiveDate: '2018-01-01', price: '49.95' },
        { effectiveDate: '2018-04-01', price: '59.95', forExisting: '2018-05-01' },
        { effectiveDate: '2018-07-01', price: '69.95', forExisting: '2018-08-01' },
      ];
      const accountId = await customer({
        now: '2018-03-15T00:00:00Z',
        catalog: pricedCatalog(versions[0]),
        configuration: { [ALIGN]: isAligned },
        billCycleDayLocal: 15,
      });
      for (const version of versions.slice(1)) await engine.acme.uploadCatalog(pricedCatalog(version));
      const sold = await sell(accountId, { planName: 'heat-monthly' });
      await engine.runTo('2018-08-15T00:00:00Z');
      expect(await linesOf(sold)).to.eql(
        isAligned
          ? [
              'RECURRING 2018-03-15..2018-04-15 49.95',
              'RECURRING 2018-04-15..2018-05-15 49.95',
              'RECURRING 2018-05-15..2018-06-15 59.95',
              'RECURRING 2018-06-15..2018-07-15 59.95',
              'RECURRING 2018-07-15..2018-08-15 59.95',
              'RECURRING 2018-08-15..2018-09-15 69.95',
            ]
          : [
              'RECURRING 2018-03-15..2018-04-15 49.95',
              'RECURRING 2018-04-15..2018-05-01 26.64',
              'RECURRING 2018-05-01..2018-05-15 27.98',
              'RECURRING 2018-05-15..2018-06-15 59.95',
              'RECURRING 2018-06-15..2018-07-15 59.95',
              'RECURRING 2018-07-15..2018-08-01 32.88',
              'RECURRING 2018-08-01..2018-08-15 31.59',
              'RECURRING 2018-08-15..2018-09-15 69.95',
            ],
      );
      expect(await rowsOf(sold)).to.eql([
        'START_ENTITLEMENT 2018-03-15T00:00:00.000Z',
        'START_BILLING 2018-03-15T00:00:00.000Z',
      ]);
    });
  }

  it('orders a phase, a block and a pause at the same instant (subscriptions W19 "Same instant")', async () => {
    const accountId = await customer({ now: '2024-04-01T00:00:00Z' });
    const sold = await sell(accountId, { planName: 'pro-monthly' });
    const all = { isBlockChange: true, isBlockEntitlement: true, isBlockBilling: true };
    const late = { service: 'overdue', stateName: 'LATE', ...all };
    await block({ type: 'ACCOUNT', id: accountId }, late, '2024-05-01');
    await engine.acme.blocking.pauseBundle(sold.bundleId, { requestedDate: '2024-05-01' });
    const shown = async () => {
      const { events } = await engine.acme.getSubscription(sold.subscriptionId);
      return events
        .slice(2)
        .map(({ eventType, effective, serviceName }) => [eventType, effective.date, serviceName].join(' '));
    };
    const blocked = ['PAUSE_ENTITLEMENT 2024-05-01 overdue', 'PAUSE_BILLING 2024-05-01 overdue'];
    expect(await shown()).to.eql(['PHASE 2024-05-01 entitlement+billing-service', ...blocked]);
    await engine.acme.subscriptions.cancel(sold.subscriptionId, { requestedDate: '2024-05-01T00:00:00Z' });
    // The PHASE is on the same day as the scheduled end, so it no longer takes effect.
    expect(await shown()).to.eql([
      ...blocked,
      'STOP_ENTITLEMENT 2024-05-01 entitlement-service',
      'STOP_BILLING 2024-05-01 billing-service',
    ]);
    await engine.runTo('2024-05-02T00:00:00Z');
    expect((await engine.acme.getSubscription(sold.subscriptionId)).state).to.equal('CANCELLED');
  });

  it('counts a block of 23.5 hours if it covers a whole calendar day (subscriptions W22 "Gaps a")', async () => {
    const accountId = await customer({ now: '2026-01-10T07:30:00Z', timeZone: 'America/New_York' });
    engine.clock.set('2026-03-01T07:30:00Z');
    const sold = await sell(accountId, { planName: 'solo-now' });
    engine.clock.set('2026-03-10T07:00:00Z');
    await blockBilling({ type: 'SUBSCRIPTION_BUNDLE', id: sold.bundleId }, 'A', ['2026-03-07', '2026-03-08']);
    expect((await rowsOf(sold)).slice(2)).to.eql([
      'PAUSE_BILLING 2026-03-07T07:30:00.000Z',
      'RESUME_BILLING 2026-03-08T07:00:00.000Z',
    ]);
    await engine.settle();
    expect(await linesOf(sold)).to.eql([
      'RECURRING 2026-03-01..2026-04-01 19.95',
      'REPAIR_ADJ 2026-03-07..2026-03-08 -0.64',
    ]);
  });

  const strangeDays = [
    ['(b) repeated hours', 'America/New_York', '2026-06-01T05:30:00Z', '2026-11-01', '2026-11-01T05:30:00'],
    ['(c) Gaps', 'America/Nuuk', '2024-01-11T01:30:00Z', '2024-03-30', '2024-03-31T00:59:59'],
    ['(d) a missing date', 'Pacific/Apia', '2011-11-01T20:00:00Z', '2011-12-30', '2011-12-30T10:00:00'],
    ['(d) the date after', 'Pacific/Apia', '2011-11-01T20:00:00Z', '2011-12-31', '2011-12-30T20:00:00'],
  ] as const;
  for (const [name, timeZone, now, date, instant] of strangeDays)
    it(`starts a subscription at the specified instant for ${name} (subscriptions W22)`, async () => {
      const accountId = await customer({ now, timeZone });
      const both = { entitlementDate: date, billingDate: date };
      const sold = await sell(accountId, { planName: 'solo-now' }, both);
      expect(await rowsOf(sold)).to.eql([
        `START_ENTITLEMENT ${instant}.000Z`,
        `START_BILLING ${instant}.000Z`,
      ]);
      await engine.runTo(`${instant}Z`);
      expect((await engine.acme.getSubscription(sold.subscriptionId)).state).to.equal('ACTIVE');
      expect(await linesOf(sold)).to.have.length(1);
    });

  it('prorates a leading period up to the bill cycle day (invoicing E3 "Leading proration, whole target")', async () => {
    const accountId = await customer({ now: '2014-02-01T00:00:00Z', billCycleDayLocal: 14 });
    const sold = await sell(accountId, { planName: 'pro-monthly', phaseType: 'EVERGREEN' });
    expect(await linesOf(sold)).to.eql(['RECURRING 2014-02-01..2014-02-14 104.82']);
    await engine.runTo('2014-02-14T00:00:00Z');
    expect((await linesOf(sold)).slice(1)).to.eql(['RECURRING 2014-02-14..2014-03-14 249.95']);
  });

  it('bills only the used days in arrears around a pause (invoicing E10 "In arrears")', async () => {
    const now = '2020-01-01T00:00:00Z';
    const accountId = await customer({ now, catalog: arrears, billCycleDayLocal: 1 });
    const sold = await sell(accountId, { planName: 'heat-monthly' });
    const { blocking } = engine.acme;
    const billed = ['RECURRING 2020-01-01..2020-01-15 45.16'];
    expect(await linesOf(sold)).to.eql([]);
    engine.clock.set('2020-01-15T00:00:00Z');
    await engine.settle(blocking.pauseBundle(sold.bundleId));
    expect(await linesOf(sold)).to.eql(billed);
    engine.clock.set('2020-01-20T00:00:00Z');
    await engine.settle(blocking.resumeBundle(sold.bundleId));
    expect(await linesOf(sold)).to.eql(billed);
    await engine.runTo('2020-02-01T00:00:00Z');
    billed.push('RECURRING 2020-01-20..2020-02-01 38.71');
    expect(await linesOf(sold)).to.eql(billed);
    await engine.runTo('2020-03-01T00:00:00Z');
    billed.push('RECURRING 2020-02-01..2020-03-01 100');
    expect(await linesOf(sold)).to.eql(billed);
    await engine.acme.subscriptions.cancel(sold.subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await engine.runTo('2020-06-01T00:00:00Z');
    expect(await linesOf(sold)).to.eql(billed);
  });

  describe('with several repairs of one item', () => {
    const cancelFrom = (sold: Sold, date: string) => engine.cancelAt(sold.subscriptionId, date);

    /** Returns the repairs, in the order of the repaired days. */
    async function repairsOf(sold: Sold): Promise<readonly string[]> {
      return (await linesOf(sold)).filter((line) => line.startsWith('REPAIR_ADJ')).toSorted();
    }

    it('limits the repairs to the remainder of the item (invoicing E12 "No over-repair")', async () => {
      const accountId = await customer({ now: '2013-06-15T00:00:00Z', billCycleDayLocal: 15 });
      const sold = await sell(accountId, { planName: 'solo-now' });
      engine.clock.set('2013-06-28T00:00:00Z');
      const { blocking } = engine.acme;
      await blocking.pauseBundle(sold.bundleId, { requestedDate: '2013-06-21' });
      await engine.settle(blocking.resumeBundle(sold.bundleId, { requestedDate: '2013-06-26' }));
      expect(await repairsOf(sold)).to.eql(['REPAIR_ADJ 2013-06-21..2013-06-26 -3.33']);
      await engine.settle(cancelFrom(sold, '2013-06-15'));
      expect(await repairsOf(sold)).to.eql([
        'REPAIR_ADJ 2013-06-15..2013-06-21 -3.99',
        'REPAIR_ADJ 2013-06-21..2013-06-26 -3.33',
        'REPAIR_ADJ 2013-06-26..2013-07-15 -12.63',
      ]);
    });

    it('limits the repairs of an adjusted item to its remainder (invoicing E12 "No over-repair")', async () => {
      const catalog = pricedCatalog({ effectiveDate: '2024-01-01', price: '100.00' });
      const accountId = await customer({ now: '2024-05-01T00:00:00Z', catalog, billCycleDayLocal: 1 });
      const sold = await sell(accountId, { planName: 'heat-monthly' });
      const { acme } = engine;
      const [invoice] = await acme.invoices.ofAccount({ accountId, withItems: true });
      const item = invoice?.items[0];
      if (invoice === undefined || item === undefined) throw new Error('nothing is billed');
      await acme.invoices.adjustItem({
        accountId,
        invoiceId: invoice.id,
        invoiceItemId: item.id,
        amount: '60',
      });
      engine.clock.set('2024-05-11T00:00:00Z');
      await engine.settle(acme.blocking.pauseBundle(sold.bundleId));
      expect(await repairsOf(sold)).to.eql(['REPAIR_ADJ 2024-05-11..2024-06-01 -40']);
      await engine.settle(cancelFrom(sold, '2024-05-01'));
      expect(await repairsOf(sold)).to.eql([
        'REPAIR_ADJ 2024-05-01..2024-05-11 0',
        'REPAIR_ADJ 2024-05-11..2024-06-01 -40',
      ]);
    });
  });

  describe('with 30 fixed proration days', () => {
    const configuration = { 'org.service.invoice.proration.fixed.days': '30' };

    it('prorates a leading period (invoicing E11 "Fixed days 30")', async () => {
      const now = '2023-05-23T00:00:00Z';
      const accountId = await customer({ now, configuration, billCycleDayLocal: 15 });
      const sold = await sell(accountId, { planName: 'solo-now' });
      expect(await linesOf(sold)).to.eql(['RECURRING 2023-05-23..2023-06-15 14.63']);
    });

    it('repairs the rest of a short first period after a cancellation (invoicing E11 "Fixed days 30")', async () => {
      const now = '2023-05-15T00:00:00Z';
      const accountId = await customer({ now, configuration, billCycleDayLocal: 23 });
      const sold = await sell(accountId, { planName: 'solo-now' });
      engine.clock.set('2023-05-19T00:00:00Z');
      await engine.acme.subscriptions.cancel(sold.subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect(await linesOf(sold)).to.eql([
        'RECURRING 2023-05-15..2023-05-23 5.32',
        'REPAIR_ADJ 2023-05-19..2023-05-23 -2.66',
      ]);
    });

    it('prorates the first year of an annual plan (invoicing E11 "Fixed days 30")', async () => {
      const catalog = pricedCatalog({ effectiveDate: '2025-01-01', price: '1200.00', period: 'ANNUAL' });
      const now = '2025-01-20T00:00:00Z';
      const accountId = await customer({ now, catalog, configuration, billCycleDayLocal: 1 });
      const sold = await sell(accountId, { planName: 'heat-monthly' });
      expect(await linesOf(sold)).to.eql(['RECURRING 2025-01-20..2026-01-01 1136.67']);
    });
  });

  it('evaluates only the days since the earliest change (invoicing E18 "Window")', async () => {
    const catalog = pricedCatalog({ effectiveDate: '2019-03-01', price: '10.00' });
    const accountId = await customer({ now: '2019-03-01T00:00:00Z', catalog, billCycleDayLocal: 1 });
    const sold = await sell(accountId, { planName: 'heat-monthly' });
    await engine.runTo('2024-12-31T00:00:00Z');
    expect(await linesOf(sold)).to.have.length(70);
    await engine.runTo('2025-01-01T00:00:00Z');
    expect((await linesOf(sold)).slice(70)).to.eql(['RECURRING 2025-01-01..2025-02-01 10']);
    await engine.acme.blocking.pauseBundle(sold.bundleId, { requestedDate: '2024-11-10' });
    await engine.settle();
    expect((await linesOf(sold)).slice(71)).to.eql([
      'REPAIR_ADJ 2024-11-10..2024-12-01 -7',
      'REPAIR_ADJ 2024-12-01..2025-01-01 -10',
      'REPAIR_ADJ 2025-01-01..2025-02-01 -10',
    ]);
  });
});
