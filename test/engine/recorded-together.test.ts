import { decimal, type Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect, newEvents, payerBeforeEach } from '../support/index.ts';

const PENDING = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];

eachDatabase.describe('several transactions of a payment recorded together (payments §7.1)', (open) => {
  let newTypes: () => Promise<readonly string[]>;
  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const { acme } = engine;
  before(async () => {
    newTypes = newEvents(engine.database);
  });
  const account = payerBeforeEach(engine);

  const ends = (transactionId: Uuid, status: string) =>
    engine.gateway.configure(
      { CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status },
      engine.tenant.id,
    );
  async function paidInvoice(amount: string) {
    const items = [{ amount: decimal(amount) }];
    const input = { accountId: account.id, items, autoCommit: true };
    const [item] = await engine.settle(acme.invoices.addCharges(input));
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(item?.invoiceId ?? '');
    if (!payment || !item) throw new Error('nothing was paid');
    return { paymentId: payment.id, invoiceId: item.invoiceId, invoiceItemId: item.id };
  }
  const shown = async (paymentId: Uuid, options = {}) => {
    const { transactions, stateName, totals } = await acme.payments.get(paymentId, options);
    return [...transactions.slice(1).map(({ status }) => status), stateName, Number(totals.refundedAmount)];
  };

  it('are recorded in creation order if a read with plugin information finds two pending refunds', async () => {
    const { payments } = acme;
    const { payment } = await payments.purchase({ accountId: account.id, amount: '100' });
    const refund = async (amount: string) =>
      (await payments.refund({ paymentId: payment.id, amount, properties: PENDING })).transaction.id;
    const [first, second] = [await refund('10'), await refund('20')];
    ends(first, 'PROCESSED');
    ends(second, 'ERROR');
    await shown(payment.id, { withPluginInfo: true });
    expect(await shown(payment.id)).to.eql(['SUCCESS', 'PAYMENT_FAILURE', 'REFUND_FAILED', 10]);
    const audit = await acme.audit.history({ type: 'PAYMENT', id: payment.id });
    expect(audit.at(-1)?.snapshot).to.deep.include({
      stateName: 'REFUND_FAILED',
      lastSuccessStateName: 'REFUND_SUCCESS',
    });
  });

  it('each adjust the same item if recovery finds two pending refunds of an invoice payment', async () => {
    const { invoicePayments, invoices } = acme;
    const { paymentId, invoiceId, invoiceItemId } = await paidInvoice('100');
    for (const amount of ['60', '30']) {
      const adjustments = [{ invoiceItemId, amount }];
      const input = { paymentId, amount, isAdjusted: true, adjustments, properties: PENDING };
      ends((await invoicePayments.refund(input)).transaction.id, 'PROCESSED');
    }
    await newTypes();
    engine.clock.advance({ hours: 2 });
    await engine.settle();
    expect(await shown(paymentId)).to.eql(['SUCCESS', 'SUCCESS', 'REFUND_SUCCESS', 90]);
    const { balance, items } = await invoices.get(invoiceId);
    expect([Number(balance), ...items.map(({ amount }) => Number(amount))]).to.eql([0, 100, -60, -30]);
    await invoices.adjustItem({ accountId: account.id, invoiceId, invoiceItemId });
    const left = (await invoices.get(invoiceId)).items.map(({ amount }) => Number(amount));
    expect(left.slice(0, 4)).to.eql([100, -60, -30, -10]);
  });

  it('cause events for the payment, the invoice payment and the adjustment, in this order', async () => {
    const { paymentId, invoiceItemId } = await paidInvoice('30');
    await newTypes();
    const adjustments = [{ invoiceItemId, amount: '5' }];
    await acme.invoicePayments.refund({ paymentId, amount: '5', isAdjusted: true, adjustments });
    expect(await newTypes()).to.eql(['PAYMENT_SUCCESS', 'INVOICE_PAYMENT_SUCCESS', 'INVOICE_ADJUSTMENT']);
  });
});
