import { SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

anyDatabase.describe('invoice payments (payments §9)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  const purchased = async (invoiceId: Uuid): Promise<number> =>
    Number((await invoices.paymentOf(invoiceId)).totals.purchasedAmount);

  it('are undone by a chargeback of a partial payment and restored by the reversal of the chargeback (payments §14 example 8)', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', PROCESSED_AMOUNT: '10' });
    const { id } = await invoices.add('249.95');
    const { id: paymentId } = await invoices.paymentOf(id);
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([10, 239.95]);
    const { invoicePayments } = engine.acme;
    const charged = await invoicePayments.chargeback({ paymentId, amount: '10' });
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([0, 249.95]);
    const { externalKey: transactionExternalKey } = charged.transaction;
    const reversed = await invoicePayments.reverseChargeback({ paymentId, transactionExternalKey });
    expect(reversed.transaction).to.deep.include({ amount: null, status: 'PAYMENT_FAILURE' });
    expect(Number(reversed.transaction.processedAmount)).to.equal(0);
    expect(reversed.payment.stateName).to.equal('CHARGEBACK_FAILED');
    expect(reversed.payment.transactions).to.have.length(3);
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([10, 239.95]);
  });

  it('are refunded with and without item adjustments (payments §14 example 9)', async () => {
    const { id, itemId: invoiceItemId } = await invoices.add('249.95');
    const { id: paymentId } = await invoices.paymentOf(id);
    const { invoicePayments } = engine.acme;
    const refunded = async () => Number((await invoices.paymentOf(id)).totals.refundedAmount);
    await invoicePayments.refund({ paymentId, amount: '10' });
    expect([await refunded(), await invoices.balanceOf(id)]).to.eql([10, 10]);
    const adjustment = (amount: string) => ({ isAdjusted: true, adjustments: [{ invoiceItemId, amount }] });
    await invoicePayments.refund({ paymentId, amount: '1', ...adjustment('1') });
    expect([await refunded(), await invoices.balanceOf(id)]).to.eql([11, 10]);
    const adjusted = (await engine.acme.invoices.get(id)).items.filter(
      ({ itemType }) => itemType === 'ITEM_ADJ',
    );
    expect(adjusted.map(({ amount }) => Number(amount))).to.eql([-1]);
    await invoicePayments.refund({ paymentId, amount: '10', ...adjustment('10') });
    expect([await refunded(), await invoices.balanceOf(id)]).to.eql([21, 10]);
    const calls = engine.ledger.ofPayment(paymentId).length;
    const less = invoicePayments.refund({ paymentId, amount: '5', ...adjustment('6') });
    await expectCode(less, 'INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST');
    expect([await refunded(), await invoices.balanceOf(id)]).to.eql([21, 10]);
    expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
  });

  it('are refunded separately if two partial payments paid the invoice (payments §14 example 10)', async () => {
    const { id, itemId: invoiceItemId } = await invoices.add('10', { isHeldBack: true });
    const { invoicePayments } = engine.acme;
    const first = await invoicePayments.pay({ invoiceId: id, amount: '4' });
    expect(await invoices.balanceOf(id)).to.equal(6);
    const second = await invoicePayments.pay({ invoiceId: id, amount: '6' });
    expect(await invoices.balanceOf(id)).to.equal(0);
    if (!first || !second) throw new Error('nothing was paid');
    for (const [paid, amount] of [
      [first, '4'],
      [second, '6'],
    ] as const) {
      const adjustments = [{ invoiceItemId, amount }];
      await invoicePayments.refund({ paymentId: paid.payment.id, amount, isAdjusted: true, adjustments });
      expect(await invoices.balanceOf(id)).to.equal(0);
    }
    const rows = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findInvoicePaymentsByInvoices([id]),
    );
    expect(rows.map(({ type, amount }) => [type, Number(amount)])).to.eql([
      ['ATTEMPT', 4],
      ['ATTEMPT', 6],
      ['REFUND', -4],
      ['REFUND', -6],
    ]);
    expect(rows[2]?.linkedInvoicePaymentId).to.equal(rows[0]?.id);
    expect(rows[3]?.linkedInvoicePaymentId).to.equal(rows[1]?.id);
  });

  it('settle the invoice if the gateway processes another currency (payments §14 example 11)', async () => {
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_SLEEP',
      PROCESSED_AMOUNT: '225.44',
      PROCESSED_CURRENCY: 'EUR',
    });
    const { id } = await invoices.add('249.95');
    const { id: paymentId } = await invoices.paymentOf(id);
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([249.95, 0]);
    const { invoicePayments } = engine.acme;
    const charged = await invoicePayments.chargeback({ paymentId, amount: '225.44', currency: 'EUR' });
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([0, 249.95]);
    const { externalKey: transactionExternalKey } = charged.transaction;
    await invoicePayments.reverseChargeback({ paymentId, transactionExternalKey });
    expect([await purchased(id), await invoices.balanceOf(id)]).to.eql([249.95, 0]);
  });

  it('are held back by AUTO_PAY_OFF, and pay the remaining balance when the tag is removed (payments §14 example 13)', async () => {
    const { id } = await invoices.add('249.95', { isHeldBack: true });
    expect(await invoices.balanceOf(id)).to.equal(249.95);
    await engine.acme.invoicePayments.pay({ invoiceId: id, amount: '10' });
    expect(await invoices.balanceOf(id)).to.equal(239.95);
    await engine.acme.tags.remove({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
    await engine.settle();
    expect(await invoices.balanceOf(id)).to.equal(0);
    const amounts = (await engine.acme.payments.invoicePaymentsOfInvoice(id)).map(({ totals }) =>
      Number(totals.purchasedAmount),
    );
    expect(amounts).to.eql([10, 239.95]);
  });

  it('can pay all invoices externally, and turn the excess into credit (payments §14 example 14)', async () => {
    const one = await invoices.add('50', { isHeldBack: true });
    const other = await invoices.add('30');
    const paid = await engine.acme.invoicePayments.payAll({
      accountId: account.id,
      isExternal: true,
      amount: '100',
    });
    expect(paid?.invoiceIds).to.eql([one.id, other.id]);
    expect([await purchased(one.id), await purchased(other.id)]).to.eql([50, 30]);
    const balances = await engine.acme.accounts.balances([account.id]);
    expect(Number(balances.get(account.id)?.accountCBA)).to.equal(20);
  });

  it('pay the oldest invoices first if an external amount does not cover all invoices (payments §14 example 14)', async () => {
    const one = await invoices.add('50', { isHeldBack: true });
    const other = await invoices.add('30');
    await engine.acme.invoicePayments.payAll({ accountId: account.id, isExternal: true, amount: '60' });
    expect([await invoices.balanceOf(one.id), await invoices.balanceOf(other.id)]).to.eql([0, 20]);
    const balances = await engine.acme.accounts.balances([account.id]);
    expect(Number(balances.get(account.id)?.accountCBA)).to.equal(0);
  });

  it('can be refunded externally by a new credit payment (payments §14 example 16)', async () => {
    const { id } = await invoices.add('249.95');
    const { id: paymentId } = await invoices.paymentOf(id);
    const request = { paymentId, amount: '249.95', isExternal: true };
    const refund = await engine.acme.invoicePayments.refund(request);
    expect(refund.payment.id).to.not.equal(paymentId);
    expect(refund.transaction).to.deep.include({ transactionType: 'CREDIT', status: 'SUCCESS' });
    expect(Number((await invoices.paymentOf(id)).totals.refundedAmount)).to.equal(0);
    const rows = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findInvoicePaymentsByPayments([paymentId]),
    );
    expect(rows.map(({ type, amount }) => [type, Number(amount)])).to.eql([
      ['ATTEMPT', 249.95],
      ['REFUND', -249.95],
    ]);
    expect(await invoices.balanceOf(id)).to.equal(249.95);
  });

  it('turn the excess of an external payment into credit, even if nothing is owed', async () => {
    const pay = { accountId: account.id, isExternal: true, amount: '100' };
    expect(await engine.acme.invoicePayments.payAll(pay)).to.equal(null);
    const balances = await engine.acme.accounts.balances([account.id]);
    expect(Number(balances.get(account.id)?.accountCBA)).to.equal(100);
  });

  it('can be repeated after a failure only with their original method', async () => {
    const { acme, gateway, ledger } = engine;
    const { id } = await invoices.add('20', { isHeldBack: true });
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const keys = { externalKey: 'repeated', transactionExternalKey: 'repeated-1' };
    const failed = await acme.invoicePayments.pay({ invoiceId: id, ...keys });
    expect(failed?.transaction.status).to.equal('PAYMENT_FAILURE');
    const paymentMethodId = (
      await acme.paymentMethods.add({ accountId: account.id, pluginName: gateway.name, isDefault: true })
    ).id;
    const other = acme.invoicePayments.pay({ invoiceId: id, paymentMethodId, ...keys });
    await expectCode(other, 'PAYMENT_INVALID_PARAMETER');
    const direct = acme.payments.purchase({
      accountId: account.id,
      amount: '20',
      externalKey: 'repeated',
      transactionExternalKey: 'repeated-2',
    });
    await expectCode(direct, 'PAYMENT_INVALID_OPERATION');
    const paid = await acme.invoicePayments.pay({ invoiceId: id, ...keys });
    expect(paid?.payment.id).to.equal(failed?.payment.id);
    expect(await invoices.balanceOf(id)).to.equal(0);
    expect(ledger.ofPayment(paid?.payment.id as Uuid)).to.have.length(2);
  });

  it('can continue under a new transaction key after a failure (payments §4.2 rule 2)', async () => {
    const { acme, gateway } = engine;
    const { id } = await invoices.add('20', { isHeldBack: true });
    const pay = (transactionExternalKey: string, externalKey = 'further') =>
      acme.invoicePayments.pay({ invoiceId: id, externalKey, transactionExternalKey });
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 2 });
    const failed = await pay('further-1');
    const again = await pay('further-2');
    const paid = await pay('further-3');
    expect([again?.payment.id, paid?.payment.id]).to.eql([failed?.payment.id, failed?.payment.id]);
    const { transactions } = await invoices.paymentOf(id);
    expect(transactions.map(({ externalKey, status }) => [externalKey, status])).to.eql([
      ['further-1', 'PAYMENT_FAILURE'],
      ['further-2', 'PAYMENT_FAILURE'],
      ['further-3', 'SUCCESS'],
    ]);
    expect(await invoices.balanceOf(id)).to.equal(0);
    const paymentId = paid?.payment.id as Uuid;
    await acme.invoicePayments.refund({ paymentId, amount: '5' });
    await expectCode(
      acme.invoicePayments.refund({ paymentId, amount: '16' }),
      'INVOICE_REFUND_AMOUNT_TOO_HIGH',
    );
    await acme.invoicePayments.chargeback({ paymentId, amount: '3' });
    expect(await invoices.balanceOf(id)).to.equal(8);
    await expectCode(pay('further-4'), 'PAYMENT_INVALID_PARAMETER');
  });

  it('cannot continue under the key of another transaction (payments §4.2 rule 2)', async () => {
    const { acme, gateway } = engine;
    const { id } = await invoices.add('20', { isHeldBack: true });
    await acme.payments.purchase({ accountId: account.id, amount: '1', transactionExternalKey: 'elsewhere' });
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 2 });
    await acme.payments.purchase({ accountId: account.id, amount: '1', transactionExternalKey: 'declined' });
    const pay = (transactionExternalKey: string) =>
      acme.invoicePayments.pay({ invoiceId: id, externalKey: 'stays', transactionExternalKey });
    await pay('stays-1');
    await expectCode(pay('elsewhere'), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
    await expectCode(pay('declined'), 'PAYMENT_INVALID_PARAMETER');
    expect(await invoices.balanceOf(id)).to.equal(20);
  });

  it('cannot continue under a new key while they are pending (payments §4.2 rule 2)', async () => {
    const { acme, gateway } = engine;
    const { id } = await invoices.add('20', { isHeldBack: true });
    const pay = (transactionExternalKey: string) =>
      acme.invoicePayments.pay({ invoiceId: id, externalKey: 'waits', amount: '5', transactionExternalKey });
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
    await pay('waits-1');
    await expectCode(pay('waits-2'), 'PAYMENT_INVALID_PARAMETER');
  });

  it('take effect again if an operator corrects their chargeback to a failure', async () => {
    const { id } = await invoices.add('20');
    const { id: paymentId } = await invoices.paymentOf(id);
    const charged = await engine.acme.invoicePayments.chargeback({ paymentId, amount: '5' });
    expect(await invoices.balanceOf(id)).to.equal(5);
    const transactionId = charged.transaction.id;
    await engine.acme.payments.fixTransaction({ paymentId, transactionId, status: 'PAYMENT_FAILURE' });
    expect(await invoices.balanceOf(id)).to.equal(0);
  });

  it('cannot be refunded in another currency', async () => {
    const { id } = await invoices.add('20');
    const { id: paymentId } = await invoices.paymentOf(id);
    const request = { paymentId, amount: '5', currency: 'EUR', isExternal: true } as const;
    const refund = engine.acme.invoicePayments.refund(request);
    await expectCode(refund, 'PAYMENT_INVALID_PARAMETER');
    expect(await invoices.balanceOf(id)).to.equal(0);
  });
});
