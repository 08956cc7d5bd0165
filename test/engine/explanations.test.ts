import { decimal, type Uuid } from '../../lib/index.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { expectExplained } from '../support/explained-amount.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, openShop } from '../support/index.ts';
import type { InvoiceItemView, ItemExplanation } from '../support/plain-views.ts';

eachDatabaseByTurns.describe('item explanation', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(now: string, options: { catalog?: string; bcd?: number } = {}): Promise<void> {
    const { catalog, bcd = 1 } = options;
    engine = await openEngine(open, { now, ...(catalog === undefined ? {} : { catalog }) });
    accountId = (await engine.payingAccount({ currency: 'USD', billCycleDayLocal: bcd })).id;
  }

  const subscribe = (planName: string, request: object = {}) =>
    engine.subscribe({ accountId, planName, ...request });

  async function items(): Promise<readonly InvoiceItemView[]> {
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.flatMap((invoice) => invoice.items);
  }

  async function explained(itemType: string, index = 0): Promise<ItemExplanation> {
    const item = (await items()).filter((each) => each.itemType === itemType)[index];
    if (item === undefined) throw new Error(`no ${itemType}`);
    return engine.acme.invoices.explain(item.id);
  }

  /** Expects every item of the account to be explained with its exact amount. */
  async function expectAllRight(): Promise<void> {
    const all = await items();
    expect(all).not.to.have.length(0);
    for (const { id } of all) expectExplained(await engine.acme.invoices.explain(id));
  }

  it('contains the events, catalog version, days and rounding that produced a charge of a run', async () => {
    await begin('2024-01-15T00:00:00Z');
    const { subscriptionId } = await subscribe('team-now', { quantity: 3 });
    await subscribe('pro-monthly');
    expect((await explained('RECURRING')).text).to.equal(
      'Monthly price of plan team-now, phase team-now-evergreen for 2024-01-15 to 2024-02-01 (17 days), billed in advance: 29.95 USD for each of 3 since the start on 2024-01-15, by the catalog in effect from 2010-01-01. ' +
        'It goes from the start on 2024-01-15 to the next bill cycle date. ' +
        'The bill cycle day is 1, that of the account (billing alignment for all plans: ACCOUNT). ' +
        '29.95 USD × 3 = 89.85 USD, 89.85 USD × 17/31 days = 49.27258066545, rounded half up to 49.27 USD.',
    );
    expect((await explained('FIXED')).text).to.equal(
      'One-time price of plan pro-monthly, phase pro-monthly-trial, charged on 2024-01-15 with the start: 0 USD, by the catalog in effect from 2010-01-01.',
    );
    await engine.runTo('2024-02-11T00:00:00Z');
    const whole = await explained('RECURRING', 1);
    expect(whole.basis).to.include({ kind: 'RECURRING', rule: 'WHOLE', quantity: 3, share: null });
    await engine.settle(engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }));
    expect((await explained('REPAIR_ADJ')).text).to.equal(
      'Credit for 2024-02-11 to 2024-03-01 (19 days) of the charge of plan team-now, phase team-now-evergreen for 2024-02-01 to 2024-03-01, no longer due after the cancellation on 2024-02-11. ' +
        'The cancellation takes effect on 2024-02-11 by the requested policy IMMEDIATE. ' +
        'Of that charge 89.85 USD was in force for 2024-02-01 to 2024-03-01, all of which could be credited. ' +
        '89.85 USD × 19/29 days = 58.8672413979, rounded half up to 58.87 USD, so the item is -58.87 USD.',
    );
  });

  it('covers created and used account credit, and items that users add', async () => {
    await begin('2024-01-01T00:00:00Z');
    const { acme } = engine;
    const charges = { accountId, autoCommit: true, items: [{ amount: '20', description: 'Set-up' }] };
    const [charge] = await acme.invoices.addCharges(charges);
    await engine.settle();
    if (charge === undefined) throw new Error('no charge');
    const adjustment = { accountId, invoiceId: charge.invoiceId, invoiceItemId: charge.id, amount: '5' };
    await acme.invoices.adjustItem(adjustment);
    await acme.invoices.addCredits({ accountId, autoCommit: true, items: [{ amount: '7' }] });
    await acme.invoices.addTaxes({ accountId, autoCommit: true, items: [{ amount: '2.5' }] });
    await expectAllRight();
    expect((await explained('EXTERNAL_CHARGE')).text).to.equal(
      'External charge of 20.00 USD, the requested amount.',
    );
    expect((await explained('TAX')).text).to.equal('Tax of 2.50 USD, the given amount.');
    expect((await explained('CREDIT_ADJ')).text).to.equal(
      'Credit of 7.00 USD given to the account, so -7.00 USD on the invoice.',
    );
    expect((await explained('ITEM_ADJ')).text).to.equal(
      'Adjustment of -5.00 USD of the 20.00 USD charged for Set-up, the requested amount or all that was left.',
    );
    expect((await explained('CBA_ADJ')).text).to.equal(
      'The invoice total was -5.00 USD, so 5.00 USD was added to the account credit.',
    );
    const used = (await items()).findIndex(
      ({ itemType, amount }) => itemType === 'CBA_ADJ' && amount.isNegative(),
    );
    const use = (await items())[used];
    if (use === undefined) throw new Error('no credit is used');
    expect((await acme.invoices.explain(use.id)).text).to.equal(
      'The invoice owed 2.50 USD and the account had 12.00 USD of credit, of which 2.50 USD was used: the item is -2.50 USD.', // words: ok
    );
  });

  it('stays the same after changes, uploads and repairs', async () => {
    await begin('2024-01-15T00:00:00Z', {
      catalog: pricedCatalog({ effectiveDate: '2024-01-01T00:00:00Z', price: '10.00' }),
    });
    const { subscriptionId } = await subscribe('heat-monthly');
    await engine.runTo('2024-02-05T00:00:00Z');
    const before = await Promise.all((await items()).map(({ id }) => engine.acme.invoices.explain(id)));
    expect(before).to.have.length.greaterThan(1);
    await engine.acme.uploadCatalog(
      pricedCatalog({
        effectiveDate: '2024-02-04T00:00:00Z',
        price: '33.00',
        forExisting: '2024-02-04T00:00:00Z',
      }),
    );
    await engine.settle();
    await engine.acme.generateInvoice({ accountId }).catch(() => null);
    await engine.runTo('2024-02-20T00:00:00Z');
    await engine.acme.subscriptions
      .cancel(subscriptionId, { requestedDate: '2024-01-20', useRequestedDateForBilling: true })
      .catch(() => null);
    await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' }).catch(() => null);
    await engine.settle();
    const after = await Promise.all(before.map(({ itemId }) => engine.acme.invoices.explain(itemId)));
    expect(after).to.eql(before);
    expect((await items()).map(({ itemType }) => itemType)).to.include('REPAIR_ADJ');
    const newer = (await items()).filter(({ rate }) => rate?.equals(33));
    expect(newer).to.have.length.greaterThan(0);
    for (const { id } of newer) {
      const { basis, text } = await engine.acme.invoices.explain(id);
      expect(basis).to.deep.include({ kind: 'RECURRING', price: decimal('33') });
      expect(text).to.contain(
        '33.00 USD since the change of price on 2024-02-04, by the catalog in effect from 2024-02-04',
      );
    }
    await expectAllRight();
  });

  it("names the rule case, the subscription's bill cycle day, the block or the transfer that caused a charge or credit", async () => {
    await begin('2024-01-05T08:00:00Z');
    const { acme } = engine;
    const other = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 12 });
    const base = await subscribe('pro-monthly');
    const annual = await acme.createSubscription({ accountId: other.id, planName: 'pro-annual' });
    const own = await subscribe('solo-now', { billCycleDayLocal: 15, quantity: 2 });
    await engine.runTo('2024-01-15T00:00:00Z');
    const backup = await subscribe('backup-monthly', { bundleId: base.bundleId });
    const archive = await subscribe('archive-monthly', { bundleId: base.bundleId });
    await engine.runTo('2024-02-20T00:00:00Z');
    await acme.subscriptions.changePlan(annual.subscriptionId, { planName: 'elite-monthly' });
    await acme.subscriptions.changeQuantity(own.subscriptionId, { quantity: 5 });
    await acme.blocking.pauseBundle(base.bundleId);
    await engine.runTo('2024-02-26T00:00:00Z');
    await acme.blocking.resumeBundle(base.bundleId);
    const service = 'overdue';
    const owned = { type: 'SUBSCRIPTION', id: own.subscriptionId } as const;
    await acme.blocking.add(owned, { service, stateName: 'UNPAID', isBlockBilling: true });
    await engine.runTo('2024-03-05T00:00:00Z');
    await acme.subscriptions.cancel(backup.subscriptionId, { entitlementPolicy: 'IMMEDIATE' });
    await acme.subscriptions.changePlan(own.subscriptionId, {
      planName: 'team-now',
      billingPolicy: 'START_OF_TERM',
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '7' }],
    });
    await engine.settle();
    await acme.blocking.add(owned, { service, stateName: 'CLEAR' });
    await engine.runTo('2024-03-12T00:00:00Z');
    await acme.bundles.transfer(base.bundleId, { accountId: other.id, billingPolicy: 'IMMEDIATE' });
    await engine.runTo('2024-04-15T00:00:00Z');
    await expectAllRight();

    const cases: readonly (readonly [type: string, of: string, from: string, ...texts: string[]])[] = [
      [
        'FIXED',
        backup.subscriptionId,
        '2024-01-15',
        'The phases of the plan count from 2024-01-05, the start of the bundle (create alignment for all plans: START_OF_BUNDLE).',
      ],
      [
        'RECURRING',
        archive.subscriptionId,
        '2024-02-14',
        'since the start of the phase on 2024-02-14',
        'The bill cycle day is 4, that of the base of the bundle (billing alignment for product category ADD_ON: BUNDLE).',
        'count from 2024-01-15, the start of the subscription (create alignment for product Archive: START_OF_SUBSCRIPTION).',
      ],
      ['REPAIR_ADJ', base.subscriptionId, '2024-02-20', 'after the pause of its bundle on 2024-02-20.'],
      ['RECURRING', base.subscriptionId, '2024-02-26', 'since the resumption of its bundle on 2024-02-26'],
      [
        'REPAIR_ADJ',
        base.subscriptionId,
        '2024-03-12',
        'The transfer to another account takes effect on 2024-03-12 by the policy IMMEDIATE of the transfer.',
      ],
      [
        'REPAIR_ADJ',
        backup.subscriptionId,
        '2024-03-12',
        'after the end caused by its base subscription on 2024-03-12.',
      ],
      [
        'RECURRING',
        own.subscriptionId,
        '2024-02-20',
        '19.95 USD for each of 5 since the change of quantity on 2024-02-20',
        'The bill cycle day is 15, as requested for this subscription.',
      ],
      [
        'REPAIR_ADJ',
        own.subscriptionId,
        '2024-02-26',
        'after the pause of billing on 2024-02-26 (service overdue: UNPAID).',
      ],
      [
        'RECURRING',
        own.subscriptionId,
        '2024-03-05',
        '7.00 USD for each of 5 since the return of billing on 2024-03-05 (service overdue: CLEAR), with its own prices.',
      ],
      [
        'REPAIR_ADJ',
        own.subscriptionId,
        '2024-02-20',
        'takes effect on 2024-02-20 by the requested policy START_OF_TERM.',
      ],
      [
        'RECURRING',
        annual.subscriptionId,
        '2024-02-04',
        '(billing alignment for billing period ANNUAL: SUBSCRIPTION)',
      ],
      [
        'RECURRING',
        annual.subscriptionId,
        '2024-02-20',
        'The change of plan takes effect on 2024-02-20 by the catalog’s change policy for a change to product Elite: IMMEDIATE.',
        '(change alignment for all plans: START_OF_SUBSCRIPTION)',
      ],
    ];
    const invoices = await acme.invoices.ofAccount({ accountId: other.id, withItems: true });
    const all = [...(await items()), ...invoices.flatMap((invoice) => invoice.items)];
    const ofItem = new Map(all.map((item) => [item.id, item.subscriptionId]));
    for (const [type, of, from, ...texts] of cases) {
      const found = all.filter(
        ({ itemType, startDate, subscriptionId, linkedItemId }) =>
          itemType === type &&
          startDate === from &&
          (subscriptionId ?? (linkedItemId && ofItem.get(linkedItemId))) === of,
      );
      const explanations = await Promise.all(found.map(({ id }) => acme.invoices.explain(id)));
      const allTexts = explanations.map(({ text }) => text).join('\n');
      for (const text of texts) expect(allTexts, `${type} ${from}`).to.contain(text);
    }
    const changed = all.find(({ planName }) => planName === 'elite-monthly');
    const { rules, events } = await acme.invoices.explain(changed?.id as Uuid);
    expect(rules.map(({ rule, result, conditions }) => ({ rule, result, conditions }))).to.eql([
      { rule: 'BILLING_ALIGNMENT', result: 'ACCOUNT', conditions: {} },
      { rule: 'CHANGE_POLICY', result: 'IMMEDIATE', conditions: { toProduct: 'Elite' } },
      { rule: 'CHANGE_ALIGNMENT', result: 'START_OF_SUBSCRIPTION', conditions: {} },
    ]);
    expect(events.event?.reason?.datedBy).to.equal('CATALOG_RULE');
  });

  it('needs a small, constant number of SQL statements regardless of the length of the history', async () => {
    await begin('2023-01-01T00:00:00Z');
    await subscribe('solo-now');
    const count = async (): Promise<number> => {
      const item = (await items()).at(-1);
      const statements = await engine.statementsOf(() => engine.acme.invoices.explain(item?.id as Uuid));
      return statements.filter((text) => /select/i.test(text)).length;
    };
    await count();
    const few = await count();
    await engine.runTo('2024-01-15T00:00:00Z');
    expect(await count()).to.equal(few);
    expect(few).to.be.lessThan(6);
  });

  it('is missing for an unknown item or an item of another tenant', async () => {
    await begin('2024-01-01T00:00:00Z');
    await subscribe('solo-now');
    const [item] = await items();
    if (item === undefined) throw new Error('no item');
    const other = await openShop(engine.billing, null);
    await expectCode(other.acme.invoices.explain(item.id), 'INVOICE_ITEM_NOT_FOUND');
    await expectCode(engine.acme.invoices.explain(accountId), 'INVOICE_ITEM_NOT_FOUND');
  });
});
