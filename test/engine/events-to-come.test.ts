import type { Uuid } from '../../lib/index.ts';
import { addDays, formatLocalDate, parseLocalDate } from '../../lib/index.ts';
import { plan, TRIAL } from '../support/catalogs/catalog-document.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, shelfOf, subscribed } from '../support/index.ts';

const catalog = shelfOf({
  'basic-trial': plan('basic-trial', 'S', { initialPhases: TRIAL, price: '50.00' }),
  'pro-100': plan('pro-100', 'S', { price: '100.00' }),
  'other-8': plan('other-8', 'T', { price: '8.00', period: 'WEEKLY' }),
});

eachDatabaseByTurns.describe('future events', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;
  let subscriptionId: Uuid;
  let bundleId: Uuid;

  /** Creates a trial whose PHASE event of 11-19 a plan change removes on 10-31, after a run has scheduled it. */
  async function begin(): Promise<void> {
    const now = '2024-10-20T06:00:00Z';
    const request = { now, catalog, billCycleDayLocal: 28, planName: 'basic-trial' };
    ({ engine, accountId, subscriptionId, bundleId } = await subscribed(open, request));
    await engine.runTo('2024-10-31T06:00:00Z');
    const { subscriptions } = engine.acme;
    await subscriptions.changePlan(subscriptionId, { planName: 'pro-100', billingPolicy: 'IMMEDIATE' });
    await engine.settle();
    expect(await linesOf(subscriptionId)).to.eql([
      'FIXED 2024-10-20..2024-11-19 0',
      'RECURRING 2024-10-31..2024-11-28 90.32',
    ]);
  }

  async function linesOf(id: Uuid): Promise<readonly string[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const charged = invoices.flatMap(({ items }) => items).filter((item) => item.subscriptionId === id);
    const ids = new Set(charged.map((item) => item.id));
    return invoices.flatMap(({ items }) => {
      const own = items.filter(
        ({ id: itemId, linkedItemId }) => ids.has(itemId) || (linkedItemId !== null && ids.has(linkedItemId)),
      );
      return itemLines({ items: own } as never);
    });
  }

  /** Returns `day: item` for each day up to the last one. The engine does the due work of each day. */
  async function dayByDay(last: string, eachDay?: () => Promise<void>): Promise<readonly string[]> {
    const found: string[] = [];
    for (let day = parseLocalDate('2024-11-01'); day <= parseLocalDate(last); day = addDays(day, 1)) {
      const before = (await linesOf(subscriptionId)).length;
      await engine.runTo(`${formatLocalDate(day)}T06:00:00Z`);
      await eachDay?.();
      const made = (await linesOf(subscriptionId)).slice(before);
      found.push(...made.map((line) => `${formatLocalDate(day).slice(5)}: ${line}`));
    }
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
    return found;
  }

  async function generate(): Promise<void> {
    try {
      await engine.acme.generateInvoice({ accountId });
    } catch (error) {
      await expectCode(Promise.reject(error), 'INVOICE_NOTHING_TO_DO');
    }
    await engine.settle();
  }

  const onOtherBillCycleDay = ['11-25: RECURRING 2024-11-28..2024-12-25 90'];
  const forTwo = [
    '11-24: RECURRING 2024-11-24..2024-11-28 25.81',
    '11-24: REPAIR_ADJ 2024-11-24..2024-11-28 -12.9',
  ];

  async function moveBillCycleDay(): Promise<void> {
    const { effective } = await engine.acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal: 25,
      effectiveFromDate: '2024-11-24',
    });
    expect(effective.date).to.equal('2024-11-25');
    await engine.settle();
  }

  async function doubleQuantity(): Promise<void> {
    const change = { quantity: 2, effectiveFromDate: '2024-11-24' };
    await engine.acme.subscriptions.changeQuantity(subscriptionId, change);
    await engine.settle();
  }

  it('cause no repair if a PHASE is withdrawn before a bill cycle day change (invoicing §5.5 rule 3)', async () => {
    await begin();
    await moveBillCycleDay();
    expect(await dayByDay('2024-11-27')).to.eql(onOtherBillCycleDay);
  });

  it('cause no repair if a PHASE is withdrawn before a quantity change (invoicing §5.5 rule 3)', async () => {
    await begin();
    await doubleQuantity();
    expect(await dayByDay('2024-11-27')).to.eql(forTwo);
  });

  it('cause no repair if a run bills another subscription before a bill cycle day change (invoicing §6 rule 3)', async () => {
    await begin();
    await moveBillCycleDay();
    await engine.subscribe({ accountId, planName: 'other-8' });
    expect(await dayByDay('2024-11-27')).to.eql(onOtherBillCycleDay);
  });

  it('cause no repair in daily explicit runs until a quantity change takes effect (invoicing §6 rule 3)', async () => {
    await begin();
    await doubleQuantity();
    expect(await dayByDay('2024-11-27', generate)).to.eql(forTwo);
  });

  it('cause the repair for a pause in daily explicit runs only when the pause starts (invoicing §6 rule 3)', async () => {
    await begin();
    await engine.acme.blocking.pauseBundle(bundleId, { requestedDate: '2024-11-24' });
    expect(await dayByDay('2024-11-27', generate)).to.eql(['11-24: REPAIR_ADJ 2024-11-24..2024-11-28 -12.9']);
  });

  it('cause no repair if they are withdrawn before their day (invoicing §6 rule 3)', async () => {
    await begin();
    await engine.acme.subscriptions.cancel(subscriptionId, {
      requestedDate: '2024-11-20',
      billingPolicy: null,
      useRequestedDateForBilling: true,
    });
    await engine.runTo('2024-11-05T06:00:00Z');
    await generate();
    await engine.acme.subscriptions.uncancel(subscriptionId);
    expect(await dayByDay('2024-11-28', generate)).to.eql(['11-28: RECURRING 2024-11-28..2024-12-28 100']);
  });
});
