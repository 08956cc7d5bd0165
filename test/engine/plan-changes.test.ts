import { ErrorCode, formatDecimal, parseLocalDate, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, itOnPostgresql } from '../support/databases.ts';
import { codeOf, expect, expectCode, itemLines, openEngine, type TestEngine } from '../support/index.ts';
import type { InvoiceView } from '../support/plain-views.ts';

const PHASE_TYPE = { phaseType: 'EVERGREEN' } as const;

/**
 * Monthly plans of one price each, and two with longer periods. Changes are immediate and start the phases of the new
 * plan.
 */
const shelf = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  catalogName: 'Shelf',
  products: `${product('S')}${product('Extra', { category: 'STANDALONE' })}`,
  rules: `
    <changePolicy>
      <changePolicyCase><toBillingPeriod>WEEKLY</toBillingPeriod><policy>ILLEGAL</policy></changePolicyCase>
      <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
    </changePolicy>
    <changeAlignment><changeAlignmentCase><alignment>CHANGE_OF_PLAN</alignment></changeAlignmentCase></changeAlignment>
    <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>`,
  plans: [
    plan('s-249', 'S', { price: '249.95' }),
    plan('s-9', 'S', { price: '9.95' }),
    plan('s-29', 'S', { price: '29.95' }),
    plan('s-599', 'S', { price: '599.95' }),
    plan('s-quarterly', 'S', { price: '69.95', period: 'QUARTERLY' }),
    plan('s-annual', 'S', { price: '2399.95', period: 'ANNUAL' }),
    plan('s-weekly', 'S', { price: '3.00', period: 'WEEKLY' }),
    plan('s-term', 'S', { finalPhase: phase('FIXEDTERM', { unit: 'MONTHS', number: 2, price: '12.00' }) }),
    plan('extra', 'Extra', { price: '1.00' }),
  ].join(''),
  priceLists: lists({
    DEFAULT: ['s-249', 's-9', 's-29', 's-599', 's-quarterly', 's-annual', 's-weekly', 's-term', 'extra'],
  }),
});

eachDatabaseByTurns.describe('plan changes', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(now: string, catalog?: string, billCycleDayLocal?: number): Promise<void> {
    engine = await openEngine(open, { now, ...(catalog === undefined ? {} : { catalog }) });
    const account = await engine.payingAccount({
      currency: 'USD',
      ...(billCycleDayLocal === undefined ? {} : { billCycleDayLocal }),
    });
    accountId = account.id;
  }

  async function subscribe(planName: string, request: object = {}): Promise<Uuid> {
    return (await engine.subscribe({ accountId, planName, ...request })).subscriptionId;
  }

  async function change(subscriptionId: Uuid, planName: string, request: object = {}): Promise<void> {
    await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, { planName, ...request }));
  }

  /** Returns the billing rows: `PHASE 2024-01-31 club-monthly-discount`. */
  async function rowsOf(subscriptionId: Uuid): Promise<readonly string[]> {
    const { events } = await engine.acme.getSubscription(subscriptionId);
    return events
      .filter(({ eventType }) => eventType !== 'START_ENTITLEMENT')
      .map((event) => `${event.eventType} ${event.effective.date} ${event.phase}`);
  }

  const invoices = (): Promise<readonly InvoiceView[]> => engine.invoicesOf(accountId);

  async function lastLines(): Promise<readonly string[]> {
    const last = (await invoices()).at(-1);
    return last === undefined ? [] : [...itemLines(last)].sort();
  }

  const expectLast = async (...lines: readonly string[]) => expect(await lastLines()).to.eql(lines);

  it('are listed only once if the second of two changes selects the same plan (subscriptions §18 rule 7)', async () => {
    await begin('2024-01-01T00:00:00Z', undefined, 1);
    const subscriptionId = await subscribe('solo-now');
    for (const date of ['2024-01-11', '2024-01-21']) {
      engine.clock.set(`${date}T00:00:00Z`);
      await change(subscriptionId, 'solo-now', { billingPolicy: 'IMMEDIATE' });
    }
    const listed = ['START_BILLING 2024-01-01 solo-now-evergreen', 'CHANGE 2024-01-11 solo-now-evergreen'];
    expect(await rowsOf(subscriptionId)).to.eql(listed);
    engine.clock.set('2024-01-22T00:00:00Z');
    await change(subscriptionId, 'team-now', { billingPolicy: 'IMMEDIATE' });
    expect(await rowsOf(subscriptionId)).to.eql([...listed, 'CHANGE 2024-01-22 team-now-evergreen']);
  });

  describe('pending changes', () => {
    let subscriptionId: Uuid;

    beforeEach(async () => {
      await begin('2024-01-01T00:00:00Z', undefined, 31);
      subscriptionId = await subscribe('club-monthly');
      await engine.runTo('2024-01-31T00:00:00Z');
      await engine.runTo('2024-02-10T00:00:00Z');
      await change(subscriptionId, 'pro-monthly');
    });

    const begun = ['START_BILLING 2024-01-01 club-monthly-trial', 'PHASE 2024-01-31 club-monthly-discount'];

    it('wait for the end of the term, and remove the next phase (subscriptions W7 "Pending change")', async () => {
      expect(await rowsOf(subscriptionId)).to.eql([...begun, 'CHANGE 2024-02-29 pro-monthly-evergreen']);
      expect(await engine.acme.getSubscription(subscriptionId)).to.include({ planName: 'club-monthly' });
      await engine.runTo('2024-02-29T00:00:00Z');
      expect(await engine.acme.getSubscription(subscriptionId)).to.include({ planName: 'pro-monthly' });
      await expectLast('RECURRING 2024-02-29..2024-03-31 249.95');
    });

    it('are replaced by another change (subscriptions W7 "Pending change, a")', async () => {
      engine.clock.set('2024-02-12T00:00:00Z');
      await change(subscriptionId, 'elite-monthly');
      expect(await rowsOf(subscriptionId)).to.eql([...begun, 'CHANGE 2024-02-12 elite-monthly-evergreen']);
      await expectCode(
        engine.acme.subscriptions.undoChangePlan(subscriptionId),
        'SUBSCRIPTION_UNDO_CHANGE_BAD_STATE',
      );
    });

    it('can be undone (subscriptions W7 "Pending change, b")', async () => {
      engine.clock.set('2024-02-12T00:00:00Z');
      await engine.acme.subscriptions.undoChangePlan(subscriptionId);
      expect(await rowsOf(subscriptionId)).to.eql([...begun, 'PHASE 2024-07-31 club-monthly-evergreen']);
      await engine.runTo('2024-08-01T00:00:00Z');
      await expectLast('RECURRING 2024-07-31..2024-08-31 599.95');
    });

    it('are all removed when undone, including replaced changes (subscriptions W7 "Pending change")', async () => {
      await change(subscriptionId, 'solo-monthly', { requestedDate: '2024-03-15', billCycleDayLocal: 5 });
      expect(await rowsOf(subscriptionId)).to.have.length(4);
      await change(subscriptionId, 'elite-monthly', { requestedDate: '2024-02-20', quantity: 3 });
      expect(await rowsOf(subscriptionId)).to.eql([...begun, 'CHANGE 2024-02-20 elite-monthly-evergreen']);
      await engine.acme.subscriptions.undoChangePlan(subscriptionId);
      expect(await rowsOf(subscriptionId)).to.eql([...begun, 'PHASE 2024-07-31 club-monthly-evergreen']);
      await engine.runTo('2024-04-01T00:00:00Z');
      expect(await engine.acme.getSubscription(subscriptionId)).to.include({
        billCycleDayLocal: 31,
        quantity: 1,
      });
    });

    it('are removed by a cancellation, and restored when the cancellation is undone (subscriptions W7 "Pending change")', async () => {
      const end = '2024-02-20';
      await engine.cancelAt(subscriptionId, end);
      await expectCode(change(subscriptionId, 'elite-monthly'), 'SUBSCRIPTION_CHANGE_FUTURE_CANCELLED');
      await engine.acme.subscriptions.uncancel(subscriptionId);
      expect((await rowsOf(subscriptionId)).at(-1)).to.equal('CHANGE 2024-02-29 pro-monthly-evergreen');
      await engine.acme.subscriptions.undoChangePlan(subscriptionId);
      expect((await rowsOf(subscriptionId)).at(-1)).to.equal('PHASE 2024-07-31 club-monthly-evergreen');
    });
  });

  it('remain undone after a later cancellation is undone (subscriptions W7 "Pending change")', async () => {
    await begin('2024-01-01T00:00:00Z', undefined, 31);
    const subscriptionId = await subscribe('solo-monthly');
    await engine.runTo('2024-01-31T00:00:00Z');
    await engine.runTo('2024-02-10T00:00:00Z');
    await change(subscriptionId, 'club-monthly', { requestedDate: '2024-02-15' });
    expect((await rowsOf(subscriptionId)).at(-1)).to.equal('PHASE 2024-07-31 club-monthly-evergreen');
    await engine.cancelAt(subscriptionId, '2024-06-01');
    await engine.acme.subscriptions.undoChangePlan(subscriptionId);
    await engine.acme.subscriptions.uncancel(subscriptionId);
    expect(await rowsOf(subscriptionId)).to.eql([
      'START_BILLING 2024-01-01 solo-monthly-trial',
      'PHASE 2024-01-31 solo-monthly-evergreen',
    ]);
  });

  it('replace the plan from the start if they are dated on the start instant (subscriptions W8)', async () => {
    await begin('2024-08-01T00:00:00Z');
    const start = { billingDate: '2024-08-01' };
    const made = await engine.subscribe({ accountId, planName: 'solo-now' }, start);
    engine.clock.set('2024-08-11T00:00:00Z');
    await change(made.subscriptionId, 'team-now', { requestedDate: start.billingDate });
    expect(await rowsOf(made.subscriptionId)).to.eql(['START_BILLING 2024-08-01 team-now-evergreen']);
    await expectLast('RECURRING 2024-08-01..2024-09-01 29.95', 'REPAIR_ADJ 2024-08-01..2024-09-01 -19.95');
  });

  it('can set the bill cycle day, like a subscription creation (subscriptions W16 "BCD with create and change")', async () => {
    await begin('2018-06-21T00:00:00Z', undefined, 21);
    const subscriptionId = await subscribe('solo-now', { billCycleDayLocal: 15 });
    await engine.runTo('2018-07-15T00:00:00Z');
    await change(subscriptionId, 'team-now', { billCycleDayLocal: 21 });
    expect((await rowsOf(subscriptionId)).at(-1)).to.equal('CHANGE 2018-08-15 team-now-evergreen');
    await engine.runTo('2018-08-15T00:00:00Z');
    await expectLast('RECURRING 2018-08-15..2018-08-21 5.8');
    await engine.runTo('2018-08-21T00:00:00Z');
    await expectLast('RECURRING 2018-08-21..2018-09-21 29.95');
  });

  it('use the current price of a plan, even in a change back to that plan (catalog W2 "Grandfathering")', async () => {
    const parts = { catalogName: 'W2', products: product('A') };
    const listed = (...names: string[]) => lists({ DEFAULT: names });
    await begin(
      '2024-03-05T00:00:00Z',
      catalogXml({
        ...parts,
        plans: plan('a-monthly', 'A', { price: '30.00' }),
        priceLists: listed('a-monthly'),
      }),
    );
    await engine.acme.uploadCatalog(
      catalogXml({
        ...parts,
        effectiveDate: '2024-04-01T00:00:00Z',
        plans: plan('a-monthly', 'A', { price: '36.00' }) + plan('b-monthly', 'A', { price: '50.00' }),
        priceLists: listed('a-monthly', 'b-monthly'),
      }),
    );
    const subscriptionId = await subscribe('a-monthly');
    await expectLast('RECURRING 2024-03-05..2024-04-05 30');
    await engine.runTo('2024-04-05T00:00:00Z');
    await expectLast('RECURRING 2024-04-05..2024-05-05 30');

    engine.clock.set('2024-04-05T09:00:00Z');
    await change(subscriptionId, 'b-monthly');
    await expectLast('RECURRING 2024-04-05..2024-05-05 50', 'REPAIR_ADJ 2024-04-05..2024-05-05 -30');
    engine.clock.set('2024-04-05T10:00:00Z');
    await change(subscriptionId, 'a-monthly');
    await expectLast(
      'CBA_ADJ 2024-04-05..2024-04-05 14',
      'RECURRING 2024-04-05..2024-05-05 36',
      'REPAIR_ADJ 2024-04-05..2024-05-05 -50',
    );

    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
    await subscribe('a-monthly');
    await expectLast('RECURRING 2024-04-05..2024-05-05 36');
  });

  it('repair no more than the remainder of an adjusted item (invoicing E4 "Change with an adjusted item")', async () => {
    await begin('2012-05-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-249');
    const [first] = await invoices();
    const item = first?.items[0];
    if (first === undefined || item === undefined) throw new Error('nothing is invoiced');
    await engine.acme.invoices.adjustItem({
      accountId,
      invoiceId: first.id,
      invoiceItemId: item.id,
      amount: '10.00',
    });
    engine.clock.set('2012-05-02T00:00:00Z');
    await change(subscriptionId, 's-9');
    await expectLast(
      'CBA_ADJ 2012-05-02..2012-05-02 230.32',
      'RECURRING 2012-05-02..2012-06-01 9.63',
      'REPAIR_ADJ 2012-05-02..2012-06-01 -239.95',
    );
  });

  it('repair and credit the previous charge each time if two occur in one month (invoicing E5 "Two changes")', async () => {
    await begin('2012-05-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-599');
    engine.clock.set('2012-05-07T00:00:00Z');
    await change(subscriptionId, 's-9');
    await expectLast(
      'CBA_ADJ 2012-05-07..2012-05-07 475.81',
      'RECURRING 2012-05-07..2012-06-01 8.02',
      'REPAIR_ADJ 2012-05-07..2012-06-01 -483.83',
    );
    engine.clock.set('2012-05-08T00:00:00Z');
    await change(subscriptionId, 's-29');
    await expectLast(
      'CBA_ADJ 2012-05-08..2012-05-08 -15.49',
      'RECURRING 2012-05-08..2012-06-01 23.19',
      'REPAIR_ADJ 2012-05-08..2012-06-01 -7.7',
    );
    await engine.runTo('2012-06-01T00:00:00Z');
    await expectLast('CBA_ADJ 2012-06-01..2012-06-01 -29.95', 'RECURRING 2012-06-01..2012-07-01 29.95');
    const balance = (await engine.acme.accounts.balances([accountId])).get(accountId);
    expect(balance && formatDecimal(balance.accountCBA)).to.equal('430.37');
  });

  it('credit the annual charge and move the charged-through date back (invoicing E6 "Annual to monthly, same day")', async () => {
    await begin('2012-05-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-annual');
    await change(subscriptionId, 's-249');
    await expectLast(
      'CBA_ADJ 2012-05-01..2012-05-01 2150',
      'RECURRING 2012-05-01..2012-06-01 249.95',
      'REPAIR_ADJ 2012-05-01..2013-05-01 -2399.95',
    );
    const { chargedThrough } = await engine.acme.getSubscription(subscriptionId);
    expect(chargedThrough?.date).to.equal('2012-06-01');
  });

  it('prorate the first quarter (invoicing E7 "Monthly to quarterly")', async () => {
    await begin('2012-05-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-29');
    engine.clock.set('2012-05-12T00:00:00Z');
    await change(subscriptionId, 's-quarterly');
    await expectLast('RECURRING 2012-05-12..2012-08-01 61.59', 'REPAIR_ADJ 2012-05-12..2012-06-01 -19.32');
    await engine.runTo('2012-08-01T00:00:00Z');
    await expectLast('RECURRING 2012-08-01..2012-11-01 69.95');
  });

  it('multiply the new price by the quantity (invoicing E13 "Quantity")', async () => {
    await begin('2022-11-27T00:00:00Z', shelf, 27);
    const subscriptionId = await subscribe('s-29', { quantity: 7 });
    engine.clock.set('2022-12-12T00:00:00Z');
    await change(subscriptionId, 's-29', { quantity: 10 });
    await expectLast('RECURRING 2022-12-12..2022-12-27 149.75', 'REPAIR_ADJ 2022-12-12..2022-12-27 -104.83');
    expect(await engine.acme.getSubscription(subscriptionId)).to.include({ quantity: 10 });
  });

  it('can start in the requested phase with their own price overrides', async () => {
    await begin('2024-01-01T00:00:00Z');
    const subscriptionId = await subscribe('solo-monthly');
    await change(subscriptionId, 'pro-monthly', {
      ...PHASE_TYPE,
      billingPolicy: 'IMMEDIATE',
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '200' }],
    });
    expect(await rowsOf(subscriptionId)).to.eql(['START_BILLING 2024-01-01 pro-monthly-1-evergreen']);
    await expectLast('RECURRING 2024-01-01..2024-01-31 193.55');
  });

  it('end the subscription at the end of the term of the new plan', async () => {
    await begin('2024-01-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-249');
    engine.clock.set('2024-01-11T00:00:00Z');
    await change(subscriptionId, 's-term');
    expect((await rowsOf(subscriptionId)).at(-1)).to.equal('STOP_BILLING 2024-03-11 s-term-fixedterm');
    await expectCode(
      change(subscriptionId, 's-249', { requestedDate: '2024-04-01' }),
      'SUBSCRIPTION_CHANGE_FUTURE_EXPIRED',
    );
    await engine.runTo('2024-03-11T00:00:00Z');
    await expectCode(change(subscriptionId, 's-249'), 'SUBSCRIPTION_CHANGE_NON_ACTIVE');
  });

  describe('rejected changes', () => {
    const date = (text: string) => ({ requestedDate: text });
    const table: Readonly<Record<string, readonly [request: object, code: keyof typeof ErrorCode]>> = {
      'a missing plan': [{}, 'MISSING_OR_INVALID_FIELD'],
      'a product without a billing period': [{ productName: 'S' }, 'MISSING_OR_INVALID_FIELD'],
      'an invalid bill cycle day': [{ planName: 's-9', billCycleDayLocal: 32 }, 'MISSING_OR_INVALID_FIELD'],
      'an invalid quantity': [{ planName: 's-9', quantity: 0 }, 'MISSING_OR_INVALID_FIELD'],
      'an override without a price': [{ planName: 's-9', priceOverrides: [{}] }, 'MISSING_OR_INVALID_FIELD'],
      'a date with a policy': [
        { planName: 's-9', ...date('2024-02-01'), billingPolicy: 'IMMEDIATE' },
        'INVALID_PARAMETER',
      ],
      'the policy ILLEGAL': [{ planName: 's-9', billingPolicy: 'ILLEGAL' }, 'INVALID_PARAMETER'],
      'an unknown plan': [{ planName: 'none' }, 'CATALOG_NO_SUCH_PLAN'],
      'a missing billing period': [{ productName: 'S', billingPeriod: 'DAILY' }, 'CATALOG_PLAN_NOT_FOUND'],
      'an illegal change': [{ planName: 's-weekly' }, 'CATALOG_ILLEGAL_CHANGE_REQUEST'],
      'an illegal change at a date': [
        { planName: 's-weekly', ...date('2024-02-01') },
        'CATALOG_ILLEGAL_CHANGE_REQUEST',
      ],
      'an illegal change by a policy': [
        { planName: 's-weekly', billingPolicy: 'END_OF_TERM' },
        'CATALOG_ILLEGAL_CHANGE_REQUEST',
      ],
      'a different product category': [{ planName: 'extra' }, 'SUBSCRIPTION_CHANGE_INVALID'],
      'a phase that does not exist': [
        { planName: 's-9', phaseType: 'TRIAL' },
        'SUBSCRIPTION_CREATE_BAD_PHASE',
      ],
      'a date before the start': [
        { planName: 's-9', ...date('2023-12-31') },
        'SUBSCRIPTION_CHANGE_NON_ACTIVE',
      ],
    };
    for (const [name, [request, code]] of Object.entries(table))
      it(`store nothing for ${name}`, async () => {
        await begin('2024-01-01T00:00:00Z', shelf, 1);
        const subscriptionId = await subscribe('s-249');
        await expectCode(engine.acme.subscriptions.changePlan(subscriptionId, request), code);
        expect(await rowsOf(subscriptionId)).to.eql(['START_BILLING 2024-01-01 s-249-evergreen']);
        expect(await invoices()).to.have.length(1);
      });

    it('store nothing if the subscription is pending and no date is given', async () => {
      await begin('2024-01-01T00:00:00Z', shelf, 1);
      const start = '2024-02-01';
      const { subscriptionId } = await engine.acme.createSubscription(
        { accountId, planName: 's-249' },
        { billingDate: start, entitlementDate: start },
      );
      await expectCode(change(subscriptionId, 's-9'), 'SUBSCRIPTION_CHANGE_NON_ACTIVE');
      await change(subscriptionId, 's-9', { billingPolicy: 'IMMEDIATE' });
      expect(await rowsOf(subscriptionId)).to.eql(['START_BILLING 2024-02-01 s-9-evergreen']);
    });

    it('store nothing if the catalog version in force on the date forbids the change', async () => {
      await begin('2024-01-01T00:00:00Z', shelf, 1);
      const forbidding = shelf
        .replace('2012-01-01T00:00:00Z', '2024-03-01T00:00:00Z')
        .replace('<toBillingPeriod>WEEKLY</toBillingPeriod>', '');
      await engine.acme.uploadCatalog(forbidding);
      const subscriptionId = await subscribe('s-249');
      await expectCode(change(subscriptionId, 's-9', date('2024-03-01')), 'CATALOG_ILLEGAL_CHANGE_REQUEST');
      await change(subscriptionId, 's-9', date('2024-02-29'));
      expect((await rowsOf(subscriptionId)).at(-1)).to.equal('CHANGE 2024-02-29 s-9-evergreen');
    });
  });

  itOnPostgresql('run in sequence when made at the same time', async () => {
    await begin('2024-01-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-249');
    engine.clock.set('2024-01-11T00:00:00Z');
    const at = parseLocalDate('2024-01-21');
    const plans = ['s-9', 's-29', 's-599', 's-9'];
    const done = await Promise.allSettled(
      plans.map((planName) =>
        engine.acme.subscriptions.changePlan(subscriptionId, { planName, requestedDate: { date: at } }),
      ),
    );
    expect(done.map(({ status }) => status)).to.eql(plans.map(() => 'fulfilled'));
    const rows = await rowsOf(subscriptionId);
    expect(rows).to.have.length(2);
    expect(rows[1]).to.match(/^CHANGE 2024-01-21 s-(9|29|599)-evergreen$/);
    await engine.acme.subscriptions.undoChangePlan(subscriptionId);
    expect(await rowsOf(subscriptionId)).to.have.length(1);
    await expectCode(
      engine.acme.subscriptions.undoChangePlan(subscriptionId),
      'SUBSCRIPTION_UNDO_CHANGE_BAD_STATE',
    );
  });

  it('are rejected or removed by a simultaneous cancellation', async () => {
    await begin('2024-01-01T00:00:00Z', shelf, 1);
    const subscriptionId = await subscribe('s-249');
    engine.clock.set('2024-01-11T00:00:00Z');
    const [changed, cancelled] = await Promise.all([
      codeOf(engine.acme.subscriptions.changePlan(subscriptionId, { planName: 's-9' })),
      codeOf(engine.acme.subscriptions.cancel(subscriptionId)),
    ]);
    expect(cancelled).to.equal('no error');
    const rows = (await rowsOf(subscriptionId)).map((row) => row.split(' ')[0]);
    const refused = ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE;
    expect(changed).to.be.oneOf(['no error', refused]);
    // A cancellation in the same second as the change removes the change if it comes second.
    expect(rows).to.eql(['START_BILLING', 'STOP_ENTITLEMENT', 'STOP_BILLING']);
  });
});
