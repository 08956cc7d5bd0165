import { expect } from 'chai';
import {
  decimal,
  ErrorCode,
  formatDecimal,
  type InvoiceItemView,
  type ItemExplanation,
  parseLocalDate,
  type Uuid,
} from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { pricedCatalog } from '../support/priced-catalog.ts';
import { openShop } from '../support/shop.ts';

eachDatabase((_kind, open) => {
  describe('the explanation of an item', () => {
    let engine: TestEngine;
    let accountId: Uuid;
    let statements: string[] = [];

    afterEach(() => engine.close());

    async function begin(now: string, options: { catalog?: string; bcd?: number } = {}): Promise<void> {
      const { catalog, bcd = 1 } = options;
      engine = await openEngine(open, {
        now,
        trace: (text) => statements.push(text),
        ...(catalog === undefined ? {} : { catalog }),
      });
      const account = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: bcd });
      accountId = account.id;
    }

    async function subscribe(planName: string, request: object = {}) {
      const made = await engine.acme.createSubscription({ accountId, planName, ...request });
      await engine.settle();
      return made;
    }

    async function items(): Promise<readonly InvoiceItemView[]> {
      const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
      return invoices.flatMap((invoice) => invoice.items);
    }

    async function explained(itemType: string, index = 0): Promise<ItemExplanation> {
      const item = (await items()).filter((each) => each.itemType === itemType)[index];
      if (item === undefined) throw new Error(`no ${itemType}`);
      return engine.acme.invoices.explain(item.id);
    }

    /** Every item of the account comes to its amount. */
    async function expectAllRight(): Promise<void> {
      for (const { id, itemType, amount } of await items()) {
        const { computedAmount } = await engine.acme.invoices.explain(id);
        expect(formatDecimal(computedAmount), itemType).to.equal(formatDecimal(amount));
      }
    }

    it('tells the events, the version, the days and the rounding of what runs charge', async () => {
      await begin('2024-01-15T00:00:00Z');
      const { subscriptionId } = await subscribe('team-now', { quantity: 3 });
      await subscribe('pro-monthly');
      expect((await explained('RECURRING')).text).to.equal(
        'Monthly price of plan team-now, phase team-now-evergreen for 2024-01-15 to 2024-02-01, billed in advance: since QUANTITY_CHANGE of 2024-01-15 it is 29.95 USD, by the catalog in effect from 2010-01-01T00:00:00.000Z. ' +
          'The first stretch, 2024-01-15 to 2024-02-01, goes from QUANTITY_CHANGE of 2024-01-15 to the next date of bill cycle day 1 of the account. ' +
          '29.95 USD × 3 = 89.85 USD, 89.85 USD × 17/31 days = 49.27258066545, rounded half up to 49.27 USD.',
      );
      expect((await explained('FIXED')).text).to.equal(
        'One-time price of plan pro-monthly, phase pro-monthly-trial, charged on 2024-01-15: by the catalog in effect from 2010-01-01T00:00:00.000Z, CREATE of 2024-01-15 brings 0 USD. 0 USD.',
      );
      await engine.runTo('2024-02-11T00:00:00Z');
      const whole = await explained('RECURRING', 1);
      expect(whole.basis).to.include({ kind: 'RECURRING', rule: 'WHOLE', quantity: 3, share: null });
      await engine.acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      await engine.settle();
      expect((await explained('REPAIR_ADJ')).text).to.equal(
        'Credit for 2024-02-11 to 2024-03-01, days of plan team-now, phase team-now-evergreen of 2024-02-01 to 2024-03-01 that are no longer due after CANCEL of 2024-02-11. ' +
          'Of that charge 89.85 USD was in force for 2024-02-01 to 2024-03-01, and 89.85 USD was left to credit. ' +
          '89.85 USD × 19/29 days = 58.8672413979, rounded half up to 58.87 USD, so the item is -58.87 USD.',
      );
    });

    it('of account credit, made and used, and of what people give', async () => {
      await begin('2024-01-01T00:00:00Z');
      const { acme } = engine;
      const [charge] = await acme.invoices.addCharges({
        accountId,
        autoCommit: true,
        items: [{ amount: decimal('20'), description: 'Set-up' }],
      });
      await engine.settle();
      if (charge === undefined) throw new Error('no charge');
      await acme.invoices.adjustItem({
        accountId,
        invoiceId: charge.invoiceId,
        invoiceItemId: charge.id,
        amount: decimal('5'),
      });
      await acme.invoices.addCredits({ accountId, autoCommit: true, items: [{ amount: decimal('7') }] });
      await acme.invoices.addTaxes({ accountId, autoCommit: true, items: [{ amount: decimal('2.5') }] });
      await expectAllRight();
      expect((await explained('EXTERNAL_CHARGE')).text).to.equal(
        'External charge of 20.00 USD, the amount that was asked for.',
      );
      expect((await explained('TAX')).text).to.equal('Tax of 2.50 USD, the amount that was given.');
      expect((await explained('CREDIT_ADJ')).text).to.equal(
        'Credit of 7.00 USD given to the account, so -7.00 USD on the invoice.',
      );
      expect((await explained('ITEM_ADJ')).text).to.equal(
        'Adjustment of -5.00 USD of the 20.00 USD charged for Set-up, the amount that was asked for or all that was left of it.',
      );
      expect((await explained('CBA_ADJ')).text).to.equal(
        'The balance of the invoice was -5.00 USD, so the customer got the difference as account credit. So the item is 5.00 USD.',
      );
      const used = (await items()).findIndex(
        ({ itemType, amount }) => itemType === 'CBA_ADJ' && amount.isNegative(),
      );
      const use = (await items())[used];
      if (use === undefined) throw new Error('no credit is used');
      expect((await acme.invoices.explain(use.id)).text).to.equal(
        'The invoice owed 2.50 USD and the account had 12.00 USD of credit, which pays as much of it as it can. ' +
          'The smaller of 2.50 USD and 12.00 USD is 2.50 USD, so the item is -2.50 USD.',
      );
    });

    it('stays what it was after changes, uploads and repairs', async () => {
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
        .cancel(subscriptionId, {
          requestedDate: { date: parseLocalDate('2024-01-20') },
          useRequestedDateForBilling: true,
        })
        .catch(() => null);
      await engine.acme.subscriptions
        .cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' })
        .catch(() => null);
      await engine.settle();
      const after = await Promise.all(before.map(({ itemId }) => engine.acme.invoices.explain(itemId)));
      expect(after).to.deep.equal(before);
      expect((await items()).map(({ itemType }) => itemType)).to.include('REPAIR_ADJ');
      const newer = (await items()).filter(({ rate }) => rate?.equals(33));
      expect(newer).to.have.length.greaterThan(0);
      for (const { id } of newer) {
        const { basis, text } = await engine.acme.invoices.explain(id);
        expect(basis).to.deep.include({ kind: 'RECURRING', price: decimal('33') });
        expect(text).to.contain(
          'since CHANGE of 2024-02-04 it is 33.00 USD, by the catalog in effect from 2024-02-04',
        );
      }
      await expectAllRight();
    });

    it('takes the same few statements whatever the history', async () => {
      await begin('2023-01-01T00:00:00Z');
      await subscribe('solo-now');
      const count = async (): Promise<number> => {
        const item = (await items()).at(-1);
        statements = [];
        if (item) await engine.acme.invoices.explain(item.id);
        return statements.filter((text) => /select/i.test(text)).length;
      };
      await count();
      const few = await count();
      await engine.runTo('2024-01-15T00:00:00Z');
      expect(await count()).to.equal(few);
      expect(few).to.be.lessThan(6);
    });

    it('of an unknown item, or of another tenant’s: there is none', async () => {
      await begin('2024-01-01T00:00:00Z');
      await subscribe('solo-now');
      const [item] = await items();
      if (item === undefined) throw new Error('no item');
      const other = await openShop(engine.billing, null);
      expect(await codeOf(other.acme.invoices.explain(item.id))).to.equal(ErrorCode.INVOICE_ITEM_NOT_FOUND);
      expect(await codeOf(engine.acme.invoices.explain(accountId))).to.equal(
        ErrorCode.INVOICE_ITEM_NOT_FOUND,
      );
    });
  });
});
