import { decimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const PENDING = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];

anyDatabase.describe('recorded payments, refunds and chargebacks (payments §5.2, §9.5)', (open) => {
  const engine = engineBefore(open, { now: '2024-01-31T12:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  soundAfterEach(engine);

  async function chargedInvoice(amount: string): Promise<{ id: Uuid; itemId: Uuid }> {
    const items = [{ amount: decimal(amount) }];
    const [item] = await acme.invoices.addCharges({ accountId: account.id, items, autoCommit: true });
    await engine.settle();
    if (!item) throw new Error('no charge was made');
    return { id: item.invoiceId, itemId: item.id };
  }
  /** Creates an invoice that is paid automatically. */
  async function paidInvoice(amount: string): Promise<{ id: Uuid; itemId: Uuid; paymentId: Uuid }> {
    const charged = await chargedInvoice(amount);
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(charged.id);
    if (!payment) throw new Error('the invoice has no payment');
    return { ...charged, paymentId: payment.id };
  }
  const balanceOf = async (invoiceId: Uuid) => Number((await acme.invoices.get(invoiceId)).balance);
  const adjustmentsOf = async (invoiceId: Uuid): Promise<readonly number[]> =>
    (await acme.invoices.get(invoiceId)).items
      .filter(({ itemType }) => itemType === 'ITEM_ADJ')
      .map(({ amount }) => Number(amount));

  it('adjust an item by the total if a refund specifies that item twice', async () => {
    const { id, itemId: invoiceItemId, paymentId } = await paidInvoice('100');
    const adjustments = [
      { invoiceItemId, amount: '5' },
      { invoiceItemId, amount: '3' },
    ];
    const { transaction } = await acme.invoicePayments.refund({ paymentId, isAdjusted: true, adjustments });
    expect([transaction.status, Number(transaction.amount)]).to.eql(['SUCCESS', 8]);
    expect(await adjustmentsOf(id)).to.eql([-8]);
    expect(await balanceOf(id)).to.equal(0);
  });

  it('adjust an item in sequence, up to its remaining amount, if two payments are refunded simultaneously', async () => {
    await acme.tags.add({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
    const { id: invoiceId, itemId: invoiceItemId } = await chargedInvoice('100');
    for (const amount of ['60', '40']) {
      const paid = await acme.invoicePayments.pay({ invoiceId, amount });
      const { transaction } = await acme.invoicePayments.refund({
        paymentId: paid?.payment.id ?? NOWHERE,
        isAdjusted: true,
        adjustments: [{ invoiceItemId, amount }],
        properties: PENDING,
      });
      const transactionId = transaction.id;
      engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
    }
    await acme.payments.ofAccount(account.id, { withPluginInfo: true });
    expect(await adjustmentsOf(invoiceId)).to.eql([-60, -40]);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  const countedOf = async (invoiceId: Uuid) => {
    const rows = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findInvoicePaymentsByInvoices([invoiceId]),
    );
    return rows.map(({ type, status, amount }) => `${type} ${status} ${amount.toFixed()}`);
  };
  const fix = (paymentId: Uuid, transactionId: Uuid | undefined, status: 'SUCCESS' | 'PLUGIN_FAILURE') =>
    acme.payments.fixTransaction({ paymentId, transactionId: transactionId ?? NOWHERE, status });

  it('can reuse the key of a failed refund for another payment (payments §4.2 rule 4)', async () => {
    const [first, second] = [await paidInvoice('50'), await paidInvoice('60')];
    const transactionExternalKey = `R-${first.paymentId}`;
    const refund = (paymentId: Uuid, properties: typeof PENDING = []) =>
      acme.invoicePayments.refund({ paymentId, amount: '10', transactionExternalKey, properties });
    const { transaction } = await refund(first.paymentId, PENDING);
    await acme.payments.recordNotifiedOutcome({
      paymentId: first.paymentId,
      transactionId: transaction.id,
      status: 'PAYMENT_FAILURE',
    });
    expect((await refund(second.paymentId)).transaction.status).to.equal('SUCCESS');
    expect([await balanceOf(first.id), await balanceOf(second.id)]).to.eql([0, 10]);
    expect(await countedOf(first.id)).to.eql(['ATTEMPT SUCCESS 50', 'REFUND INIT 0']);
    expect(await countedOf(second.id)).to.eql(['ATTEMPT SUCCESS 60', 'REFUND SUCCESS -10']);
  });

  it('can reuse the key of a reversed chargeback for another payment (payments §4.2 rule 4)', async () => {
    const [first, second] = [await paidInvoice('50'), await paidInvoice('70')];
    const transactionExternalKey = `C-${first.paymentId}`;
    const { invoicePayments } = acme;
    await invoicePayments.chargeback({ paymentId: first.paymentId, amount: '5', transactionExternalKey });
    await invoicePayments.reverseChargeback({ paymentId: first.paymentId, transactionExternalKey });
    await invoicePayments.chargeback({ paymentId: second.paymentId, amount: '7', transactionExternalKey });
    expect([await balanceOf(first.id), await balanceOf(second.id)]).to.eql([0, 7]);
    await invoicePayments.reverseChargeback({ paymentId: second.paymentId, transactionExternalKey });
    expect([await balanceOf(first.id), await balanceOf(second.id)]).to.eql([0, 0]);
  });

  it('are not affected by the correction of an earlier failed invoice payment with the same key (payments §9.4)', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const { id, paymentId } = await paidInvoice('100');
    engine.clock.advance({ days: 8 });
    await engine.settle();
    const { transactions } = await acme.payments.get(paymentId);
    expect(transactions.map(({ status }) => status)).to.eql(['PAYMENT_FAILURE', 'SUCCESS']);
    await fix(paymentId, transactions[0]?.id, 'PLUGIN_FAILURE');
    expect(await countedOf(id)).to.eql(['ATTEMPT SUCCESS 100']);
    expect(await balanceOf(id)).to.equal(0);
    await fix(paymentId, transactions[1]?.id, 'PLUGIN_FAILURE');
    expect(await balanceOf(id)).to.equal(100);
    await fix(paymentId, transactions[0]?.id, 'SUCCESS');
    expect(await balanceOf(id)).to.equal(0);
  });

  it('are not affected by the correction of an earlier failed refund with the same key (payments §9.4)', async () => {
    const { id, paymentId } = await paidInvoice('50');
    const transactionExternalKey = `RR-${paymentId}`;
    const properties = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true', isUpdatable: false }];
    const request = { paymentId, amount: '20', transactionExternalKey };
    const failed = await acme.invoicePayments.refund({ ...request, properties });
    expect((await acme.invoicePayments.refund(request)).transaction.status).to.equal('SUCCESS');
    await fix(paymentId, failed.transaction.id, 'PLUGIN_FAILURE');
    expect(await countedOf(id)).to.eql(['ATTEMPT SUCCESS 50', 'REFUND SUCCESS -20']);
    expect(await balanceOf(id)).to.equal(20);
  });

  it('are not affected by the correction of an earlier reversed chargeback with the same key (payments §9.4)', async () => {
    const { id, paymentId } = await paidInvoice('50');
    const request = { paymentId, transactionExternalKey: `CC-${paymentId}` };
    const { invoicePayments } = acme;
    const first = await invoicePayments.chargeback({ ...request, amount: '20' });
    await invoicePayments.reverseChargeback(request);
    await invoicePayments.chargeback({ ...request, amount: '20' });
    await fix(paymentId, first.transaction.id, 'PLUGIN_FAILURE');
    expect(await balanceOf(id)).to.equal(20);
  });

  it('reserve their amount while they are in progress (payments §9.5 rule 3)', async () => {
    const { id, paymentId } = await paidInvoice('100');
    await acme.invoicePayments.refund({ paymentId, amount: '100', properties: PENDING });
    const disputed = acme.invoicePayments.chargeback({ paymentId, amount: '100' });
    await expectCode(disputed, 'INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH');
    await acme.payments.complete({ paymentId });
    expect(await balanceOf(id)).to.equal(100);
  });
});
