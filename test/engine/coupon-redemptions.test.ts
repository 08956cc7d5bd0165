import { type CouponInput, type HostInput, SystemTag, type Uuid } from '../../lib/index.ts';
import { invoiceAmounts } from '../support/coupons/invoice-amounts.ts';
import { lampCatalog } from '../support/coupons/lamp-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine } from '../support/index.ts';

eachDatabaseByTurns.describe('coupon redemptions (coupons §2)', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2026-01-01', catalog: lampCatalog.toXml() });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
  });

  const coupon = (more: Partial<HostInput<CouponInput>> = {}) =>
    engine.acme.coupons.create({ code: 'SPRING', percentOff: '20', duration: 'FOREVER', ...more });

  const subscribe = async (planName: string, ...coupons: readonly string[]): Promise<Uuid> =>
    (await engine.subscribe({ accountId, planName, coupons })).subscriptionId;

  const invoices = () => invoiceAmounts(engine, accountId);

  async function couponEvents(): Promise<readonly string[]> {
    const { events } = await engine.acme.events.list({ types: ['COUPON_REDEEMED', 'COUPON_ENDED'] });
    return events.map(
      ({ eventType, objectType, createdDate }) =>
        `${createdDate.toISOString().slice(0, 10)} ${eventType} ${objectType}`,
    );
  }

  describe('with invalid input', () => {
    it('are rejected for an unknown, inactive, expired or used-up coupon', async () => {
      await expectCode(subscribe('lamp', 'NONE'), 'COUPON_NOT_FOUND');
      await coupon({ isActive: false });
      await expectCode(subscribe('lamp', 'SPRING'), 'COUPON_INACTIVE');
      await coupon({ code: 'OLD', redeemBy: '2025-12-31T23:59:59Z' });
      await expectCode(subscribe('lamp', 'OLD'), 'COUPON_EXPIRED');
      await coupon({ code: 'RARE', maxRedemptions: 1, oncePerAccount: false });
      await subscribe('lamp', 'RARE');
      await expectCode(subscribe('lamp', 'RARE'), 'COUPON_USED_UP');
    });

    it('are rejected for a coupon that the account has already redeemed', async () => {
      await coupon();
      await subscribe('lamp', 'SPRING');
      await expectCode(subscribe('lamp', 'spring'), 'COUPON_ALREADY_REDEEMED');
      await coupon({ code: 'MANY', oncePerAccount: false });
      await subscribe('lamp', 'MANY');
      await subscribe('lamp', 'MANY');
      expect(await engine.acme.coupons.get('many')).to.include({ redeemedCount: 2 });
    });

    it('are rejected for a plan, currency or subscription to which the coupon does not apply', async () => {
      await coupon({ products: ['Sun'] });
      await expectCode(subscribe('lamp', 'SPRING'), 'COUPON_NOT_APPLICABLE');
      await coupon({ code: 'EURO', percentOff: null, amountOff: { EUR: '5' } });
      await expectCode(subscribe('lamp', 'EURO'), 'COUPON_WITHOUT_CURRENCY');
      await coupon({ code: 'ANY' });
      const subscriptionId = await subscribe('lamp');
      await engine.cancelNow(subscriptionId);
      await expectCode(
        engine.acme.coupons.redeem({ code: 'ANY', subscriptionId }),
        'COUPON_SUBSCRIPTION_ENDED',
      );
    });

    it('store nothing if they are rejected', async () => {
      await coupon({ maxRedemptions: 5 });
      await expectCode(subscribe('lamp', 'SPRING', 'NONE'), 'COUPON_NOT_FOUND');
      expect(await engine.acme.subscriptions.list({ accountId })).to.eql([]);
      expect(await engine.acme.coupons.get('SPRING')).to.include({ redeemedCount: 0 });
      expect(await couponEvents()).to.eql([]);
    });

    it('cannot use an invalid coupon, because its creation fails with a list of all problems', async () => {
      const error = await engine.acme.coupons
        .create({
          code: ' x',
          percentOff: '120',
          amountOff: { USD: '1.234' },
          duration: { periods: 0 },
          plans: [],
        })
        .catch((reason: unknown) => reason);
      expect(Reflect.get(Object(error), 'code')).to.equal(62_009);
      expect(Reflect.get(Reflect.get(Object(error), 'facts'), 'problems')).to.have.length(6);
      await coupon();
      for (const faulty of [
        { name: '' },
        { name: 'x'.repeat(256) },
        { maxRedemptions: 1.5 },
        { maxRedemptions: Number.NaN },
        { maxRedemptions: 3_000_000_000 },
      ]) {
        await expectCode(coupon({ code: 'FAULTY', ...faulty }), 'COUPON_INVALID');
        await expectCode(engine.acme.coupons.update('SPRING', faulty), 'COUPON_INVALID');
      }
      await expectCode(coupon({ code: 'spring' }), 'COUPON_ALREADY_EXISTS');
      const [repeated] = await Promise.allSettled([coupon({ code: 'spring' })]);
      expect(String(repeated.status === 'rejected' && repeated.reason)).to.contain('with code "spring"');
    });
  });

  it('discount a plan change starting with the next period', async () => {
    await coupon({ duration: 'ONCE', plans: ['sun'] });
    const subscriptionId = await subscribe('lamp');
    await engine.runTo('2026-01-11');
    await engine.settle(
      engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'sun', coupons: ['SPRING'] }),
    );
    await engine.runTo('2026-03-02');
    expect((await invoices()).slice(2)).to.eql(['02-01 49.6', '03-01 62']);
  });

  it('discount a plan with overridden prices like its parent plan', async () => {
    await coupon({ plans: ['lamp'] });
    const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: '20' }] as const;
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'lamp', priceOverrides });
    await engine.acme.coupons.redeem({ code: 'SPRING', subscriptionId, from: '2026-02-01' });
    await coupon({ code: 'LAMP', plans: ['lamp'], percentOff: '50' });
    await engine.subscribe({ accountId, planName: 'lamp', priceOverrides, coupons: ['LAMP'] });
    await engine.runTo('2026-02-01');
    expect(await invoices()).to.eql(['01-01 20', '01-01 10', '02-01 16 10']);
  });

  it('cannot change billed periods of a bundle that has AUTO_INVOICING_OFF', async () => {
    await coupon();
    await coupon({ code: 'LATER' });
    const { subscriptionId, bundleId } = await engine.subscribe({
      accountId,
      planName: 'lamp',
      coupons: ['SPRING'],
    });
    await engine.acme.tags.add({ type: 'BUNDLE', id: bundleId }, [SystemTag.AUTO_INVOICING_OFF]);
    const [{ id } = { id: '' }] = await engine.acme.coupons.ofSubscription(subscriptionId);
    const removal = engine.acme.coupons.remove(id, { at: '2026-01-01' });
    await expectCode(removal, 'COUPON_CHANGES_BILLED_DAYS');
    const later = { code: 'LATER', subscriptionId, from: '2026-01-02' };
    expect((await engine.acme.coupons.redeem(later)).discounts[0]).to.include({ startDate: '2026-02-01' });
  });

  it('are listed only for the subscriptions that they discount', async () => {
    await coupon({ products: ['Lamp'], duration: { periods: 2 } });
    const lamp = await subscribe('lamp');
    const sun = await subscribe('sun');
    await engine.acme.coupons.redeem({ code: 'SPRING', accountId, from: '2026-03-01' });
    expect(await engine.acme.coupons.ofSubscription(sun)).to.eql([]);
    const [redemption] = await engine.acme.coupons.ofSubscription(lamp);
    expect(redemption?.discounts).to.eql([
      { subscriptionId: lamp, startDate: '2026-03-01', endDate: '2026-05-01', periodsLeft: 2 },
    ]);
  });

  it('can discount a fixed price', async () => {
    await coupon({ appliesTo: 'FIXED', duration: 'ONCE' });
    await coupon({ code: 'BOTH', percentOff: '50', appliesTo: 'BOTH', duration: 'ONCE' });
    await subscribe('lamp-setup', 'SPRING');
    await subscribe('lamp-setup', 'BOTH');
    const lines = await engine.linesOf(accountId);
    expect(lines.toSorted()).to.eql([
      'FIXED 2026-01-01 50',
      'FIXED 2026-01-01 80',
      'RECURRING 2026-01-01..2026-02-01 15',
      'RECURRING 2026-01-01..2026-02-01 30',
    ]);
  });

  it('can apply to all subscriptions of an account, including later subscriptions', async () => {
    await coupon({ products: ['Lamp'], duration: { months: 2 } });
    await subscribe('lamp');
    await engine.runTo('2026-01-10');
    const redemption = await engine.acme.coupons.redeem({ code: 'SPRING', accountId });
    expect(redemption).to.include({ subscriptionId: null, redeemedDate: '2026-01-10' });
    await subscribe('sun');
    await engine.runTo('2026-02-01');
    await subscribe('lamp');
    await engine.runTo('2026-03-20');
    await subscribe('lamp');
    expect((await invoices()).toSorted()).to.eql(
      ['01-01 30', '01-10 44', '02-01 24 62', '02-01 24', '03-01 24 62 24', '03-20 11.61'].toSorted(),
    );
    expect(await engine.breaches()).to.eql([]);
  });

  describe('ended early', () => {
    it('stop discounting at the next period by default when they are removed', async () => {
      await coupon();
      const subscriptionId = await subscribe('lamp', 'SPRING');
      const [redemption] = await engine.acme.coupons.ofSubscription(subscriptionId);
      const removed = await engine.acme.coupons.remove(redemption?.id ?? '');
      expect(removed.endedDate).to.equal('2026-01-02');
      await engine.runTo('2026-02-02');
      expect(await invoices()).to.eql(['01-01 24', '02-01 30']);
      await expectCode(engine.acme.coupons.remove(removed.id), 'REDEMPTION_ENDED');
      await expectCode(engine.acme.coupons.remove(accountId), 'REDEMPTION_NOT_FOUND');
    });

    it('change billed periods only if they are removed with rebill', async () => {
      await coupon();
      const subscriptionId = await subscribe('lamp', 'SPRING');
      const [{ id } = { id: '' }] = await engine.acme.coupons.ofSubscription(subscriptionId);
      const at = '2026-01-01';
      await expectCode(engine.acme.coupons.remove(id, { at }), 'COUPON_CHANGES_BILLED_DAYS');
      await engine.settle(engine.acme.coupons.remove(id, { at, rebill: true }));
      expect((await invoices()).at(-1)).to.match(/^01-01 (30 -24|-24 30)$/);
      expect(await engine.breaches()).to.eql([]);
    });
  });

  describe('of a plan change', () => {
    const LATER = '2026-02-01';

    async function changeLater(billingPeriods: 'NONE' | 'BILLED'): Promise<Uuid> {
      await coupon({ maxRedemptions: 1 });
      const subscriptionId = await subscribe('lamp');
      const change = { planName: 'sun', requestedDate: LATER, coupons: ['SPRING'] };
      await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, change));
      if (billingPeriods === 'BILLED') await engine.acme.invoices.generate({ accountId, targetDate: LATER });
      await engine.settle(engine.acme.subscriptions.undoChangePlan(subscriptionId));
      return subscriptionId;
    }

    it('are undone together with their plan change, so that the coupon can be redeemed again', async () => {
      const subscriptionId = await changeLater('NONE');
      expect(await engine.acme.coupons.ofAccount(accountId)).to.eql([]);
      expect(await engine.acme.coupons.get('SPRING')).to.include({ redeemedCount: 0 });
      expect((await couponEvents()).map((event) => event.slice(11))).to.eql([
        'COUPON_REDEEMED SUBSCRIPTION',
        'COUPON_ENDED SUBSCRIPTION',
      ]);
      await engine.acme.coupons.redeem({ code: 'SPRING', subscriptionId, from: '2026-01-02' });
      await engine.runTo('2026-02-02');
      expect(await invoices()).to.eql(['01-01 30', '02-01 24']);
      expect(await engine.breaches()).to.eql([]);
    });

    it('are kept when their plan change is undone after a discounted period was billed', async () => {
      await changeLater('BILLED');
      expect(await engine.acme.coupons.get('SPRING')).to.include({ redeemedCount: 1 });
      expect(await engine.acme.coupons.ofAccount(accountId)).to.have.length(1);
    });
  });

  it('end exactly once, when the billing of their subscription ends', async () => {
    await coupon();
    await coupon({ code: 'PERIODS', duration: { periods: 9 } });
    const subscriptionId = await subscribe('lamp', 'SPRING', 'PERIODS');
    await coupon({ code: 'ALL' });
    await engine.acme.coupons.redeem({ code: 'ALL', accountId, from: '2026-01-02' });
    await engine.runTo('2026-01-10');
    await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { requestedDate: '2026-01-20' }));
    await engine.runTo('2026-01-31');
    expect(await couponEvents()).to.have.length(3);
    await engine.runTo('2026-02-01');
    await engine.runTo('2026-12-01');
    expect((await couponEvents()).slice(3)).to.eql([
      '2026-02-01 COUPON_ENDED SUBSCRIPTION',
      '2026-02-01 COUPON_ENDED SUBSCRIPTION',
    ]);
    for (const { id, subscriptionId: only } of await engine.acme.coupons.ofAccount(accountId))
      if (only !== null) await expectCode(engine.acme.coupons.remove(id), 'REDEMPTION_ENDED');
  });

  it('continue if the cancellation of their subscription is undone', async () => {
    await coupon();
    const subscriptionId = await subscribe('lamp', 'SPRING');
    await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { requestedDate: '2026-01-20' }));
    await engine.settle(engine.acme.subscriptions.uncancel(subscriptionId));
    await engine.runTo('2026-02-02');
    expect(await couponEvents()).to.eql(['2026-01-01 COUPON_REDEEMED SUBSCRIPTION']);
    expect(await invoices()).to.eql(['01-01 24', '02-01 24']);
  });

  it('wait for the end of a pause before they discount a period', async () => {
    await coupon({ duration: 'ONCE' });
    const { subscriptionId, bundleId } = await engine.subscribe({ accountId, planName: 'lamp' });
    await engine.runTo('2026-01-10');
    await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
    await engine.settle(engine.acme.coupons.redeem({ code: 'SPRING', subscriptionId }));
    await engine.runTo('2026-02-10');
    expect(await couponEvents()).to.have.length(1);
    await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
    await engine.runTo('2026-03-01');
    await engine.runTo('2026-04-02');
    expect((await couponEvents()).slice(1)).to.eql(['2026-03-01 COUPON_ENDED SUBSCRIPTION']);
  });

  it('are rejected with a clear reason if the subscription is blocked from its start', async () => {
    await coupon();
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'lamp' });
    await engine.acme.blocking.add(
      { type: 'SUBSCRIPTION', id: subscriptionId },
      {
        service: 'fraud',
        stateName: 'BLOCKED',
        requestedDate: '2026-01-01',
        isBlockBilling: true,
      },
    );
    const redeem = () => engine.acme.coupons.redeem({ code: 'SPRING', subscriptionId });
    await expectCode(redeem(), 'COUPON_NOT_APPLICABLE');
    const refusal = await redeem().catch(String);
    expect(refusal).to.contain('is blocked from its start');
  });

  it('emit one event when they are stored and another event when the discount ends', async () => {
    await coupon({ duration: { periods: 2 } });
    await subscribe('lamp', 'SPRING');
    await coupon({ code: 'ALL' });
    const { id } = await engine.acme.coupons.redeem({ code: 'ALL', accountId, from: '2026-01-02' });
    await engine.runTo('2026-03-01');
    await engine.runTo('2026-03-02');
    await engine.settle(engine.acme.coupons.remove(id));
    const [ended] = await engine.acme.coupons.ofAccount(accountId);
    await expectCode(engine.acme.coupons.remove(ended?.id ?? ''), 'REDEMPTION_ENDED');
    const rebilled = { at: '2026-01-01', rebill: true };
    await expectCode(engine.acme.coupons.remove(ended?.id ?? '', rebilled), 'REDEMPTION_ENDED');
    await engine.billing.settle();
    expect(await couponEvents()).to.eql([
      '2026-01-01 COUPON_REDEEMED SUBSCRIPTION',
      '2026-01-01 COUPON_REDEEMED ACCOUNT',
      '2026-03-01 COUPON_ENDED SUBSCRIPTION',
      '2026-03-02 COUPON_ENDED ACCOUNT',
    ]);
  });

  it('end later if their subscription is paused', async () => {
    await coupon({ duration: { periods: 2 } });
    const { subscriptionId, bundleId } = await engine.subscribe({
      accountId,
      planName: 'lamp',
      coupons: ['SPRING'],
    });
    await engine.runTo('2026-01-20');
    await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
    await engine.runTo('2026-03-01');
    await engine.runTo('2026-03-10');
    await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
    const [redemption] = await engine.acme.coupons.ofSubscription(subscriptionId);
    expect(redemption?.discounts[0]).to.include({ endDate: '2026-04-01', periodsLeft: 0 });
    await engine.runTo('2026-04-01');
    expect((await couponEvents()).at(-1)).to.equal('2026-04-01 COUPON_ENDED SUBSCRIPTION');
  });

  it('have the same effect in dry runs and previews as on the invoice', async () => {
    await coupon({ duration: 'ONCE' });
    const request = { accountId, planName: 'lamp', coupons: ['SPRING'] };
    const preview = await engine.acme.subscriptions.preview({ change: 'CREATE', ...request });
    const dryRun = await engine.acme.invoices.dryRun({
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'START_BILLING',
      ...request,
    });
    expect(preview.dueNow?.amount.toFixed()).to.equal('24');
    expect(preview.next?.amount.toFixed()).to.equal('30');
    expect(dryRun?.amount.toFixed()).to.equal('24');
    expect(await engine.acme.coupons.get('SPRING')).to.include({ redeemedCount: 0 });
    await engine.subscribe(request);
    expect(await invoices()).to.eql(['01-01 24']);
    await expectCode(
      engine.acme.subscriptions.preview({ change: 'CREATE', ...request }),
      'COUPON_ALREADY_REDEEMED',
    );
  });

  it('prevent later changes to the terms of their coupon', async () => {
    await coupon();
    await coupon({ code: 'OTHER' });
    const terms = { percentOff: null, amountOff: { USD: '5' }, duration: { periods: 2 }, plans: ['lamp'] };
    const changed = await engine.acme.coupons.update('SPRING', { code: 'SUMMER', isActive: false, ...terms });
    expect(changed).to.deep.include({ name: 'SPRING', duration: { periods: 2 }, isActive: false });
    await expectCode(engine.acme.coupons.get('SPRING'), 'COUPON_NOT_FOUND');
    await expectCode(engine.acme.coupons.update('SUMMER', { code: 'other' }), 'COUPON_ALREADY_EXISTS');
    await expectCode(engine.acme.coupons.update('SUMMER', { percentOff: '5' }), 'COUPON_INVALID');
    await engine.acme.coupons.update('summer', { isActive: true });
    await subscribe('lamp', 'SUMMER');
    expect(await invoices()).to.eql(['01-01 25']);
    await engine.acme.coupons.update('SUMMER', { name: 'Summer sale', ...terms });
    for (const change of [
      { duration: 'ONCE' },
      { amountOff: { USD: '6' } },
      { oncePerAccount: false },
    ] as const)
      await expectCode(engine.acme.coupons.update('SUMMER', change), 'COUPON_INVALID');
    expect(await engine.acme.coupons.get('SUMMER')).to.deep.include({
      ...changed,
      name: 'Summer sale',
      isActive: true,
      redeemedCount: 1,
    });
  });

  it('keep the terms of their coupon when the coupon is renamed and deactivated', async () => {
    await coupon();
    const subscriptionId = await subscribe('lamp', 'SPRING');
    await engine.acme.coupons.update('spring', { name: 'Spring sale', isActive: false, maxRedemptions: 1 });
    await expectCode(engine.acme.coupons.update('SPRING', { maxRedemptions: 0 }), 'COUPON_INVALID');
    expect(await engine.acme.coupons.get('SPRING')).to.include({ name: 'Spring sale', isActive: false });
    const [redemption] = await engine.acme.coupons.ofAccount(accountId);
    expect(redemption).to.include({ name: 'SPRING', subscriptionId });
    expect(redemption?.discounts).to.eql([
      { subscriptionId, startDate: '2026-01-01', endDate: null, periodsLeft: null },
    ]);
    const page = await engine.acme.coupons.page({ offset: 0, limit: 10 });
    expect(page.rows.map(({ code }) => code)).to.eql(['SPRING']);
  });
});
