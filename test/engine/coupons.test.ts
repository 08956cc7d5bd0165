import type { Uuid } from '../../lib/index.ts';
import { invoiceAmounts } from '../support/coupons/invoice-amounts.ts';
import { lampCatalog } from '../support/coupons/lamp-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabase, expect, expectCode, openEngine } from '../support/index.ts';

eachDatabase.describe('coupons', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let subscriptionId: Uuid;

  async function begin(now: string): Promise<void> {
    engine = await openEngine(open, { now, catalog: lampCatalog.toXml() });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
  }

  async function subscribe(planName: string, ...coupons: readonly string[]): Promise<void> {
    ({ subscriptionId } = await engine.subscribe({ accountId, planName, coupons }));
  }

  const invoices = () => invoiceAmounts(engine, accountId);

  const spring = (duration: 'ONCE' | 'FOREVER' | { periods: number } | { months: number }, more = {}) =>
    engine.acme.coupons.create({ code: 'SPRING', percentOff: '20', duration, ...more });

  it('reduce the price by 20 % for three periods (coupons C1)', async () => {
    await begin('2026-01-01');
    await spring({ periods: 3 });
    await subscribe('lamp', 'spring');
    await engine.runTo('2026-04-02');
    expect(await invoices()).to.eql(['01-01 24', '02-01 24', '03-01 24', '04-01 30']);
  });

  it('reduce a leading partial period by 50 % (coupons C2)', async () => {
    await begin('2026-01-16');
    await spring('ONCE', { percentOff: '50' });
    await subscribe('lamp', 'SPRING');
    await engine.runTo('2026-02-02');
    expect(await invoices()).to.eql(['01-16 7.74', '02-01 30']);
  });

  it('do not count a trial as a period (coupons C3)', async () => {
    await begin('2026-01-01');
    await spring({ periods: 2 });
    await subscribe('lamp-trial', 'SPRING');
    await engine.runTo('2026-03-02');
    expect(await invoices()).to.eql(['01-01 0', '01-15 13.16', '02-01 24', '03-01 30']);
  });

  for (const [name, plans, later] of [
    [
      'still discount an upgrade to a plan that they cover (coupons C4)',
      null,
      ['01-11 33.6 -16.26', '02-01 49.6', '03-01 49.6', '04-01 62'],
    ],
    [
      'do not discount an upgrade to a plan that they do not cover (coupons C5)',
      ['lamp'],
      ['01-11 42 -16.26', '02-01 62', '03-01 62', '04-01 62'],
    ],
  ] as const)
    it(name, async () => {
      await begin('2026-01-01');
      await spring({ periods: 3 }, { plans });
      await subscribe('lamp', 'SPRING');
      await engine.runTo('2026-01-11');
      await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'sun' }));
      await engine.runTo('2026-04-02');
      const [first, ...others] = await invoices();
      expect(first).to.equal('01-01 24');
      expect(others.map((line) => line.split(' ').toSorted().join(' '))).to.eql(
        later.map((line) => line.split(' ').toSorted().join(' ')),
      );
    });

  it('apply percentages before amounts, down to an item of 0 (coupons C6 and C7)', async () => {
    await begin('2026-01-01');
    await engine.acme.coupons.create({ code: 'TEN', amountOff: { USD: '10' }, duration: 'FOREVER' });
    await spring('ONCE', { percentOff: '50' });
    await engine.acme.coupons.create({ code: 'FORTY', amountOff: { USD: '40' }, duration: 'ONCE' });
    await subscribe('lamp', 'TEN', 'SPRING');
    expect(await invoices()).to.eql(['01-01 5']);
    await subscribe('lamp', 'FORTY');
    expect(await invoices()).to.eql(['01-01 5', '01-01 0']);
  });

  it('discount a running subscription from the next period on (coupons C8)', async () => {
    await begin('2026-01-01');
    await spring({ periods: 2 });
    await subscribe('lamp');
    await engine.runTo('2026-02-10');
    const redemption = await engine.acme.coupons.redeem({ code: 'SPRING', subscriptionId });
    expect(redemption.discounts).to.eql([
      { subscriptionId, startDate: '2026-03-01', endDate: '2026-05-01', periodsLeft: 2 },
    ]);
    await engine.runTo('2026-05-02');
    expect((await invoices()).slice(1)).to.eql(['02-01 30', '03-01 24', '04-01 24', '05-01 30']);
  });

  it('repair a billed period if they are redeemed with rebill (coupons C9)', async () => {
    await begin('2026-01-01');
    await spring({ periods: 2 });
    await subscribe('lamp');
    await engine.runTo('2026-02-10');
    const request = { code: 'SPRING', subscriptionId, from: '2026-02-01' };
    await expectCode(engine.acme.coupons.redeem(request), 'COUPON_CHANGES_BILLED_DAYS');
    await engine.settle(engine.acme.coupons.redeem({ ...request, rebill: true }));
    await engine.runTo('2026-04-02');
    expect((await invoices()).slice(2)).to.eql(['02-10 24 -30', '03-01 24', '04-01 30']);
    expect(await engine.breaches()).to.eql([]);
  });

  it('can be redeemed only once in simultaneous calls if one redemption is left (coupons C10)', async () => {
    await begin('2026-01-01');
    await spring('ONCE', { maxRedemptions: 1 });
    const accounts = await Promise.all(
      Array.from({ length: 16 }, () => engine.acme.createAccount({ currency: 'USD' })),
    );
    const outcomes = await Promise.allSettled(
      accounts.map(({ id }) =>
        engine.acme.createSubscription({ accountId: id, planName: 'lamp', coupons: ['SPRING'] }),
      ),
    );
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refused).to.eql(Array(15).fill(62_005));
    expect(await engine.acme.coupons.get('spring')).to.include({ redeemedCount: 1 });
  });

  it('reduce the price once or per unit (coupons C11)', async () => {
    await begin('2026-01-01');
    const terms = { amountOff: { USD: '2' }, duration: 'FOREVER' } as const;
    await engine.acme.coupons.create({ code: 'EACH', perQuantity: true, ...terms });
    await engine.acme.coupons.create({ code: 'WHOLE', ...terms });
    for (const code of ['EACH', 'WHOLE'])
      await engine.subscribe({ accountId, planName: 'lamp', quantity: 5, coupons: [code] });
    expect(await invoices()).to.eql(['01-01 140', '01-01 148']);
  });

  it('reduce an annual price by 10 % (coupons C12)', async () => {
    await begin('2026-01-01');
    await spring({ months: 12 }, { percentOff: '10' });
    await subscribe('lamp-annual', 'SPRING');
    await engine.acme.subscriptions.cancel(subscriptionId);
    await engine.runTo('2027-02-01');
    expect(await invoices()).to.eql(['01-01 270']);
  });
});
