import { expect } from 'chai';
import { type Account, decimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const PENDING = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];

anyDatabase((_kind, open) => {
  describe('what a gateway has refunded or was told of a chargeback is recorded (payments §5.2, §9.5)', () => {
    let engine: TestEngine;
    let account: Account;

    before(async () => {
      engine = await openEngine(open, { now: '2024-01-31T12:00:00Z', catalog: null });
    });
    beforeEach(async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
      account = await engine.payingAccount({ currency: 'USD' });
    });
    after(() => engine.close());

    async function chargedInvoice(amount: string): Promise<{ id: Uuid; itemId: Uuid }> {
      const items = [{ amount: decimal(amount) }];
      const [item] = await engine.acme.invoices.addCharges({
        accountId: account.id,
        items,
        autoCommit: true,
      });
      await engine.settle();
      if (!item) throw new Error('no charge was made');
      return { id: item.invoiceId, itemId: item.id };
    }
    /** It is paid automatically. */
    async function paidInvoice(amount: string): Promise<{ id: Uuid; itemId: Uuid; paymentId: Uuid }> {
      const charged = await chargedInvoice(amount);
      const [payment] = await engine.acme.payments.invoicePaymentsOfInvoice(charged.id);
      if (!payment) throw new Error('the invoice has no payment');
      return { ...charged, paymentId: payment.id };
    }
    const balanceOf = async (invoiceId: Uuid): Promise<number> =>
      Number((await engine.acme.invoices.get(invoiceId)).balance);
    const adjustmentsOf = async (invoiceId: Uuid): Promise<readonly number[]> =>
      (await engine.acme.invoices.get(invoiceId)).items
        .filter(({ itemType }) => itemType === 'ITEM_ADJ')
        .map(({ amount }) => Number(amount));

    it('a refund that names one item twice adjusts it by the sum', async () => {
      const { id, itemId: invoiceItemId, paymentId } = await paidInvoice('100');
      const adjustments = [
        { invoiceItemId, amount: '5' },
        { invoiceItemId, amount: '3' },
      ];
      const { transaction } = await engine.acme.invoicePayments.refund({
        paymentId,
        isAdjusted: true,
        adjustments,
      });
      expect([transaction.status, Number(transaction.amount)]).to.deep.equal(['SUCCESS', 8]);
      expect(await adjustmentsOf(id)).to.deep.equal([-8]);
      expect(await balanceOf(id)).to.equal(0);
    });

    it('refunds of two payments, settled at once, take what is left of one item, one after the other', async () => {
      await engine.acme.tags.add({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
      const { id: invoiceId, itemId: invoiceItemId } = await chargedInvoice('100');
      for (const amount of ['60', '40']) {
        const paid = await engine.acme.invoicePayments.pay({ invoiceId, amount });
        const { transaction } = await engine.acme.invoicePayments.refund({
          paymentId: paid?.payment.id ?? NOWHERE,
          isAdjusted: true,
          adjustments: [{ invoiceItemId, amount }],
          properties: PENDING,
        });
        const transactionId = transaction.id;
        engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
      }
      await engine.acme.payments.ofAccount(account.id, { withPluginInfo: true });
      expect(await adjustmentsOf(invoiceId)).to.deep.equal([-60, -40]);
      expect(await balanceOf(invoiceId)).to.equal(0);
    });
  });
});
