import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { sum } from '../../lib/values/money/index.ts';
import { catalogXml, lists, phase, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { expect, expectCode, itemLines, newEvents, openEngine } from '../support/index.ts';

const shelf = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  catalogName: 'Shelf',
  products: product('S'),
  rules:
    '<changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy><cancelPolicy><cancelPolicyCase><policy>END_OF_TERM</policy></cancelPolicyCase></cancelPolicy>',
  plans: [
    plan('s-29', 'S', { price: '29.95' }),
    plan('s-fee', 'S', {
      initialPhases: phase('DISCOUNT', { unit: 'MONTHS', number: 1, fixed: '5.00' }),
      price: '10.00',
    }),
    plan('s-100', 'S', { price: '100.00' }),
    plan('s-year', 'S', { price: '100.00', period: 'ANNUAL' }),
    plan('s-late', 'S', {
      price: '100.00',
      period: 'QUARTERLY',
      more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>',
    }),
    plan('s-week', 'S', { price: '70.00', period: 'WEEKLY' }),
  ].join(''),
  priceLists: lists({ DEFAULT: ['s-29', 's-fee', 's-100', 's-year', 's-late', 's-week'] }),
});

eachDatabaseByTurns.describe('quantity changes', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let events: ReturnType<typeof newEvents>;

  async function begin(now: string, billCycleDayLocal = 1): Promise<void> {
    engine = await openEngine(open, { now, catalog: shelf });
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal })).id;
    events = newEvents(engine.database);
  }

  async function subscribe(request: object, options: object = {}): Promise<Uuid> {
    return (await engine.subscribe({ accountId, ...request }, options)).subscriptionId;
  }

  async function change(subscriptionId: Uuid, quantity: number, from: object = {}): Promise<string> {
    const changed = await engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity, ...from });
    await engine.settle();
    return changed.effective.at.toISOString();
  }

  async function lastLines(): Promise<readonly string[]> {
    const last = (await engine.invoicesOf(accountId)).at(-1);
    return last === undefined ? [] : [...itemLines(last)].sort();
  }

  const expectLast = async (...lines: readonly string[]) => expect(await lastLines()).to.eql(lines);

  it('add a charge for the new quantity and repair the old charge (invoicing E13 "Quantity")', async () => {
    await begin('2022-11-27T00:00:00Z', 27);
    const subscriptionId = await subscribe({ planName: 's-29', quantity: 7 });
    await expectLast('RECURRING 2022-11-27..2022-12-27 209.65');
    expect(await change(subscriptionId, 10, { effectiveFromDate: '2022-12-12' })).to.equal(
      '2022-12-12T00:00:00.000Z',
    );
    await engine.runTo('2022-12-12T00:00:00Z');
    await expectLast('RECURRING 2022-12-12..2022-12-27 149.75', 'REPAIR_ADJ 2022-12-12..2022-12-27 -104.83');
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ quantity: 10 });
  });

  it('take effect immediately by default, and cause an event and an invoice', async () => {
    await begin('2022-11-01T09:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' });
    await events();
    engine.clock.set('2022-11-16T12:30:00Z');
    expect(await change(subscriptionId, 2)).to.equal('2022-11-16T12:30:00.000Z');
    expect((await events()).slice(0, 2)).to.eql(['SUBSCRIPTION_QUANTITY', 'SUBSCRIPTION_QUANTITY']);
    await expectLast('RECURRING 2022-11-16..2022-12-01 29.95', 'REPAIR_ADJ 2022-11-16..2022-12-01 -14.98');
  });

  it('take effect at the reference time of a later date, but immediately if dated today', async () => {
    await begin('2022-11-01T09:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' });
    engine.clock.set('2022-11-16T12:30:00Z');
    expect(await change(subscriptionId, 2, { effectiveFromDate: '2022-11-16' })).to.equal(
      '2022-11-16T12:30:00.000Z',
    );
    expect(await change(subscriptionId, 3, { effectiveFromDate: '2022-11-20' })).to.equal(
      '2022-11-20T09:00:00.000Z',
    );
  });

  it('take effect at the start of billing if they are dated earlier', async () => {
    await begin('2022-11-01T00:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' }, { billingDate: '2022-11-20' });
    expect(await change(subscriptionId, 4)).to.equal('2022-11-20T00:00:00.000Z');
    await engine.runTo('2022-11-20T00:00:00Z');
    await expectLast('RECURRING 2022-11-20..2022-12-01 43.93');
  });

  it('do not cause a one-time price to be charged again', async () => {
    await begin('2022-11-01T00:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-fee' });
    await expectLast('FIXED 2022-11-01..2022-12-01 5');
    engine.clock.set('2022-11-10T00:00:00Z');
    await change(subscriptionId, 3);
    await expectLast('FIXED 2022-11-01..2022-12-01 5');
    await engine.runTo('2022-12-01T00:00:00Z');
    await expectLast('RECURRING 2022-12-01..2023-01-01 30');
  });

  it('require allowPastDate for a date before today, and bill the past days again', async () => {
    await begin('2022-11-01T00:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' });
    engine.clock.set('2022-11-20T00:00:00Z');
    await events();
    const late = { effectiveFromDate: '2022-11-10' };
    await expectCode(change(subscriptionId, 2, late), 'INVALID_PARAMETER');
    expect(await events()).to.eql([]);
    await change(subscriptionId, 2, { ...late, allowPastDate: true });
    await expectLast('RECURRING 2022-11-10..2022-12-01 41.93', 'REPAIR_ADJ 2022-11-10..2022-12-01 -20.97');
  });

  it('are charged up to the renewal date, as dry runs and explanations show (invoicing E20 "Seats of a year")', async () => {
    await begin('2026-01-01T00:00:00Z');
    const { acme } = engine;
    const subscriptionId = await subscribe({ planName: 's-year', quantity: 10 });
    await engine.runTo('2026-06-01T00:00:00Z');
    await change(subscriptionId, 15);
    await expectLast('RECURRING 2026-06-01..2027-01-01 879.45', 'REPAIR_ADJ 2026-06-01..2027-01-01 -586.3');
    const { chargedThrough } = await acme.getSubscription(subscriptionId);
    expect(chargedThrough?.at.toISOString()).to.equal('2027-01-01T00:00:00.000Z');
    const upcoming = await acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
    expect(upcoming && itemLines(upcoming)).to.eql(['RECURRING 2027-01-01..2028-01-01 1500']);
    const seats = (await acme.invoices.ofAccount({ accountId, withItems: true })).at(-1)?.items[0];
    expect((await acme.invoices.explain(seats?.id as Uuid)).text).to.include(
      'goes from the change of quantity on 2026-06-01 to the next bill cycle date',
    );
    await engine.runTo('2026-10-10T00:00:00Z');
    await change(subscriptionId, 12, { effectiveFromDate: '2026-09-01', allowPastDate: true });
    expect(await lastLines(), 'dated back').to.include.members([
      'RECURRING 2026-09-01..2027-01-01 401.1',
      'REPAIR_ADJ 2026-09-01..2027-01-01 -501.37',
    ]);
    await engine.runTo('2027-01-01T00:00:00Z');
    expect(await lastLines()).to.include('RECURRING 2027-01-01..2028-01-01 1200');
    expect(await acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('keep the billing cycle that a resume or a change of the bill cycle day started', async () => {
    await begin('2026-01-01T00:00:00Z');
    const { subscriptionId, bundleId } = await engine.acme.createSubscription({
      accountId,
      planName: 's-year',
    });
    await engine.runTo('2026-03-10T00:00:00Z');
    await engine.acme.blocking.pauseBundle(bundleId);
    await engine.runTo('2026-04-01T00:00:00Z');
    await engine.settle(engine.acme.blocking.resumeBundle(bundleId));
    expect(await lastLines()).to.include('RECURRING 2026-04-01..2027-04-01 100');
    await engine.runTo('2026-07-01T00:00:00Z');
    await change(subscriptionId, 2);
    expect(await lastLines()).to.include('RECURRING 2026-07-01..2027-04-01 150.14');
    await engine.acme.subscriptions.changeBillCycleDay(subscriptionId, { billCycleDayLocal: 15 });
    await engine.runTo('2026-07-15T00:00:00Z');
    expect(await lastLines()).to.include('RECURRING 2027-04-01..2027-07-15 57.53');
    await engine.runTo('2026-09-01T00:00:00Z');
    await change(subscriptionId, 1);
    expect(await lastLines()).to.include('RECURRING 2026-09-01..2027-07-15 86.85');
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('split a quarter billed in arrears, and a week of a weekly plan', async () => {
    await begin('2026-01-01T00:00:00Z');
    const late = await subscribe({ planName: 's-late' });
    await engine.runTo('2026-02-10T00:00:00Z');
    await change(late, 3);
    await expectLast('RECURRING 2026-01-01..2026-02-10 44.44');
    await engine.runTo('2026-04-01T00:00:00Z');
    await expectLast('RECURRING 2026-02-10..2026-04-01 166.67');
    await engine.acme.subscriptions.cancel(late, { billingPolicy: 'IMMEDIATE' });
    const week = await subscribe({ planName: 's-week' });
    await expectLast('RECURRING 2026-04-01..2026-04-08 70');
    await engine.runTo('2026-04-04T00:00:00Z');
    await change(week, 2);
    await expectLast('RECURRING 2026-04-04..2026-04-08 80', 'REPAIR_ADJ 2026-04-04..2026-04-08 -40');
    await engine.runTo('2026-04-08T00:00:00Z');
    await expectLast('RECURRING 2026-04-08..2026-04-15 140');
  });

  it('result in the same total for any run dates (invoicing E21 "Seats that come and go")', async () => {
    const totals: string[] = [];
    for (const runs of ['in time', 'late'] as const) {
      await begin('2026-03-01T00:00:00Z');
      if (runs === 'late')
        await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      const subscriptionId = await subscribe({ planName: 's-100' });
      await engine.runTo('2026-03-10T00:00:00Z');
      await change(subscriptionId, 2);
      await engine.runTo('2026-03-20T00:00:00Z');
      await change(subscriptionId, 1);
      if (runs === 'late')
        await engine.acme.tags.remove({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      await engine.settle();
      const invoices = await engine.acme.invoices.ofAccount({ accountId });
      totals.push(formatDecimal(sum(invoices.map(({ amount }) => amount))));
    }
    expect(totals).to.eql(['132.26', '132.26']);
  });

  it('have no effect after the end of the term if the subscription is canceled with END_OF_TERM', async () => {
    await begin('2022-11-01T00:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' });
    await change(subscriptionId, 2, { effectiveFromDate: '2022-12-05' });
    await engine.acme.subscriptions.cancel(subscriptionId);
    await engine.runTo('2023-02-01T00:00:00Z');
    await expectLast('RECURRING 2022-11-01..2022-12-01 29.95');
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ quantity: 1 });
  });

  it('are rejected if the quantity is invalid, and nothing is stored', async () => {
    await begin('2022-11-01T00:00:00Z');
    const subscriptionId = await subscribe({ planName: 's-29' });
    await events();
    for (const quantity of [null, undefined, 0, -3, 1.5, 2 ** 31]) {
      const pendingChange = engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity });
      await expectCode(pendingChange, 'MISSING_OR_INVALID_FIELD', `${quantity}`);
    }
    expect(await events()).to.eql([]);
  });

  it('are rejected for canceled and unknown subscriptions', async () => {
    await begin('2022-11-01T00:00:00Z');
    const cancelled = await subscribe({ planName: 's-29' });
    await engine.acme.subscriptions.cancel(cancelled, { billingPolicy: 'IMMEDIATE' });
    await expectCode(change(cancelled, 2), 'SUBSCRIPTION_CHANGE_NON_ACTIVE');
    await expectCode(change(accountId, 2), 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID');
  });
});
