import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

const TOO_HIGH = ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH;

eachDatabaseByTurns.describe('invoice payment chargebacks (payments §9.5)', (open) => {
  let number = 0;

  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  beforeEach(async () => {
    number += 1;
  });
  soundAfterEach(engine);

  const keyOf = (name: string) => `${name}-${number}`;
  /** Creates an invoice of 100 USD that the gateway processed as 90 EUR. */
  async function paidInEuros() {
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_SLEEP',
      PROCESSED_AMOUNT: '90',
      PROCESSED_CURRENCY: 'EUR',
    });
    const paid = await invoices.paid('100');
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    return paid;
  }
  const euros = (paymentId: Uuid, amount: string, name: string) =>
    engine.acme.invoicePayments.chargeback({
      paymentId,
      amount,
      currency: 'EUR',
      transactionExternalKey: keyOf(name),
    });

  const refused = [
    ['without an amount', null, 4902],
    ['of 0', '0', 4902],
    ['of a negative amount', '-1', 4902],
    ['of more than was paid', '20.01', 4901],
  ] as const;
  for (const [what, amount, code] of refused)
    it(`are rejected with ${code} and not recorded if they are ${what} (rule 3)`, async () => {
      const { id, paymentId } = await invoices.paid('20');
      await expectCode(engine.acme.invoicePayments.chargeback({ paymentId, amount: amount as never }), code);
      expect((await invoices.paymentOf(id)).transactions).to.have.length(1);
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20']);
    });

  it('can be partial, up to the remaining amount of the payment in total (rule 3)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    await invoicePayments.chargeback({ paymentId, amount: '5' });
    await invoicePayments.chargeback({ paymentId, amount: '7' });
    expect(await invoices.balanceOf(id)).to.equal(12);
    await expectCode(invoicePayments.chargeback({ paymentId, amount: '8.01' }), TOO_HIGH);
    await invoicePayments.chargeback({ paymentId, amount: '8' });
    expect(await invoices.balanceOf(id)).to.equal(20);
    expect(Number((await invoices.paymentOf(id)).totals.purchasedAmount)).to.equal(0);
  });

  it('take at most the amount that remains after a refund (rule 3)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    await invoicePayments.refund({ paymentId, amount: '5' });
    await expectCode(invoicePayments.chargeback({ paymentId, amount: '15.01' }), TOO_HIGH);
    await invoicePayments.chargeback({ paymentId, amount: '15' });
    expect(await invoices.balanceOf(id)).to.equal(20);
  });

  it('take the whole payment if they are in another currency, so that a second chargeback is rejected (rule 3)', async () => {
    const { id, paymentId } = await paidInEuros();
    await euros(paymentId, '50', 'one');
    expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 100', 'CHARGED_BACK SUCCESS -100']);
    await expectCode(euros(paymentId, '40', 'two'), TOO_HIGH);
    expect(await invoices.balanceOf(id)).to.equal(100);
  });

  it('take only the amount that remains after earlier refunds and chargebacks if they are in another currency (rule 3)', async () => {
    const { id, paymentId } = await paidInEuros();
    const { invoicePayments } = engine.acme;
    await invoicePayments.refund({ paymentId, amount: '30' });
    await invoicePayments.chargeback({ paymentId, amount: '10' });
    await euros(paymentId, '50', 'foreign');
    expect((await invoices.rowsOf(paymentId)).at(-1)).to.equal('CHARGED_BACK SUCCESS -60');
    expect(await invoices.balanceOf(id)).to.equal(100);
    const transactionExternalKey = keyOf('foreign');
    await invoicePayments.reverseChargeback({ paymentId, transactionExternalKey });
    expect(await invoices.balanceOf(id)).to.equal(40);
    await invoicePayments.refund({ paymentId, amount: '20' });
    await euros(paymentId, '50', 'foreign');
    expect((await invoices.rowsOf(paymentId)).slice(-2)).to.eql([
      'CHARGED_BACK SUCCESS -40',
      'REFUND SUCCESS -20',
    ]);
    expect(await invoices.balanceOf(id)).to.equal(100);
  });

  it('do not take the amount of a pending external refund if they are in another currency (rule 3)', async () => {
    const { id, paymentId } = await paidInEuros();
    const { acme, gateway } = engine;
    const method = await acme.paymentMethods.add({ accountId: account.id, pluginName: gateway.name });
    const open = await acme.invoicePayments.refund({
      paymentId,
      amount: '30',
      isExternal: true,
      paymentMethodId: method.id,
      properties: [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }],
    });
    await euros(paymentId, '50', 'foreign');
    expect(await invoices.balanceOf(id)).to.equal(70);
    await acme.payments.complete({ paymentId: open.payment.id });
    expect(await invoices.rowsOf(paymentId)).to.eql([
      'ATTEMPT SUCCESS 100',
      'REFUND SUCCESS -30',
      'CHARGED_BACK SUCCESS -70',
    ]);
    expect(await invoices.balanceOf(id)).to.equal(100);
  });

  it('can be repeated under their key after a reversal, but the reversal cannot be repeated (rule 4)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const key = { paymentId, transactionExternalKey: keyOf('dispute') };
    await expectCode(invoicePayments.reverseChargeback(key), 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
    await invoicePayments.chargeback({ ...key, amount: '5' });
    const again = invoicePayments.chargeback({ ...key, amount: '5' });
    await expectCode(again, 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
    const other = { paymentId, transactionExternalKey: keyOf('another') };
    await expectCode(invoicePayments.reverseChargeback(other), 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
    await invoicePayments.reverseChargeback(key);
    expect(await invoices.balanceOf(id)).to.equal(0);
    await expectCode(invoicePayments.reverseChargeback(key), 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
    await invoicePayments.chargeback({ ...key, amount: '8' });
    expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20', 'CHARGED_BACK SUCCESS -8']);
    expect(await invoices.balanceOf(id)).to.equal(8);
  });

  it('apply again with their amount if an operator corrects their reversal to a failure (payments §7.4 rule 1)', async () => {
    const { invoicePayments, payments } = engine.acme;
    const { id, paymentId } = await invoices.paid('20');
    const { payment: direct } = await payments.purchase({ accountId: account.id, amount: '20' });
    for (const corrected of [paymentId, direct.id]) {
      const key = { paymentId: corrected, transactionExternalKey: `${keyOf('corrected')}-${corrected}` };
      await payments.chargeback({ ...key, amount: '5' });
      const { transaction } = await payments.reverseChargeback(key);
      const fix = { paymentId: corrected, transactionId: transaction.id };
      for (const status of ['SUCCESS', 'PENDING'] as const) {
        const stateName = 'CHARGEBACK_SUCCESS';
        for (const more of [{}, { processedAmount: '5' }, { stateName } as const])
          await expectCode(payments.fixTransaction({ ...fix, status, ...more }), 'PAYMENT_INVALID_PARAMETER');
      }
      const purchased = async () => Number((await payments.get(corrected)).totals.purchasedAmount);
      expect(await purchased()).to.equal(20);
      await payments.fixTransaction({ ...fix, status: 'PLUGIN_FAILURE' });
      expect(await purchased()).to.equal(15);
    }
    expect(await invoices.balanceOf(id)).to.equal(5);
    const key = { paymentId, transactionExternalKey: `${keyOf('corrected')}-${paymentId}` };
    await invoicePayments.reverseChargeback(key);
    expect(await invoices.balanceOf(id)).to.equal(0);
  });

  it('can be reversed only while they are in effect, regardless of the state of the payment (payments §3.2)', async () => {
    const { invoicePayments, payments } = engine.acme;
    const { paymentId } = await invoices.paid('20');
    const reversal = { paymentId, transactionExternalKey: keyOf('unheard-of') };
    const none = ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT;
    for (const { reverseChargeback } of [invoicePayments, payments])
      await expectCode(reverseChargeback(reversal), none);
    await invoicePayments.refund({ paymentId, amount: '5' });
    await expectCode(payments.reverseChargeback(reversal), none);
    await payments.chargeback({ paymentId, amount: '5', transactionExternalKey: keyOf('heard-of') });
    await expectCode(payments.reverseChargeback(reversal), none);
  });

  it('are reversed individually when the dispute is won, even after a refund (rule 4)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const keys = ['one', 'two', 'three'].map((name) => ({ paymentId, transactionExternalKey: keyOf(name) }));
    const [one, two, three] = keys;
    if (!one || !two || !three) throw new Error('no keys');
    for (const key of keys) await invoicePayments.chargeback({ ...key, amount: '5' });
    await invoicePayments.reverseChargeback(one);
    await invoicePayments.reverseChargeback(two);
    expect(await invoices.balanceOf(id)).to.equal(5);
    await invoicePayments.refund({ paymentId, amount: '2' });
    await invoicePayments.reverseChargeback(three);
    expect(await invoices.balanceOf(id)).to.equal(2);
    expect(Number((await invoices.paymentOf(id)).totals.purchasedAmount)).to.equal(20);
    await expectCode(invoicePayments.reverseChargeback(two), 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
  });

  it('do not change totals, invoices or later transactions if they are recorded as rejected (http-api §4 line 15)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { invoicePayments } = engine.acme;
    const excess = { paymentId, amount: '20.01', recordsExcess: true };
    const refusal = await invoicePayments.chargeback({ ...excess, transactionExternalKey: keyOf('much') });
    expect(refusal.transaction).to.deep.include({ status: 'PAYMENT_FAILURE' });
    expect(Number(refusal.transaction.amount)).to.equal(20.01);
    expect(Number(refusal.transaction.processedAmount)).to.equal(0);
    expect(refusal.payment).to.deep.include({
      stateName: 'CHARGEBACK_FAILED',
      lastSuccessStateName: 'PURCHASE_SUCCESS',
    });
    expect(Number(refusal.payment.totals.purchasedAmount)).to.equal(20);
    expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20']);
    expect(await invoices.balanceOf(id)).to.equal(0);
    const within = { ...excess, amount: '20', transactionExternalKey: keyOf('within') };
    expect((await invoicePayments.chargeback(within)).transaction.status).to.equal('SUCCESS');
    await expectCode(invoicePayments.chargeback(within), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
    for (const amount of ['0', '-1'])
      await expectCode(invoicePayments.chargeback({ ...excess, amount }), 4902);
  });

  it('are recorded as rejected if they are in another currency and the payment is used up (http-api §4 line 15)', async () => {
    const { id, paymentId } = await paidInEuros();
    await euros(paymentId, '50', 'first');
    const request = { paymentId, amount: '40', currency: 'EUR', recordsExcess: true } as const;
    const second = await engine.acme.invoicePayments.chargeback(request);
    expect(second.transaction).to.deep.include({ status: 'PAYMENT_FAILURE', currency: 'EUR' });
    expect(await invoices.balanceOf(id)).to.equal(100);
  });

  it('take at most the remaining amount if an operator corrects a rejected chargeback to a success (rule 3)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { acme } = engine;
    await acme.invoicePayments.refund({ paymentId, amount: '5' });
    const refusal = await acme.invoicePayments.chargeback({ paymentId, amount: '20', recordsExcess: true });
    const transactionId = refusal.transaction.id;
    await acme.payments.fixTransaction({ paymentId, transactionId, status: 'SUCCESS' });
    expect((await invoices.rowsOf(paymentId)).at(-1)).to.equal('CHARGED_BACK SUCCESS -15');
    expect(await invoices.balanceOf(id)).to.equal(20);
  });

  it('affect the invoice even if posted to the payment, as do chargeback reversals and refunds (rule 5)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { payments } = engine.acme;
    await payments.refund({ paymentId, amount: '5' });
    expect(await invoices.balanceOf(id)).to.equal(5);
    await expectCode(payments.refund({ paymentId, amount: '15.01' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    const transactionExternalKey = keyOf('direct');
    await payments.chargeback({ paymentId, amount: '4', transactionExternalKey });
    expect(await invoices.balanceOf(id)).to.equal(9);
    await expectCode(payments.chargeback({ paymentId, amount: '11.01' }), TOO_HIGH);
    await payments.reverseChargeback({ paymentId, transactionExternalKey });
    expect(await invoices.balanceOf(id)).to.equal(5);
    expect(await invoices.rowsOf(paymentId)).to.eql([
      'ATTEMPT SUCCESS 20',
      'REFUND SUCCESS -5',
      'CHARGED_BACK INIT -4',
    ]);
  });

  it('reopen the invoice, like a refund that is posted to the payment and succeeds later (rule 5)', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const properties = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];
    await engine.acme.payments.refund({ paymentId, amount: '5', properties });
    expect(await invoices.balanceOf(id)).to.equal(0);
    await engine.acme.payments.complete({ paymentId });
    expect(await invoices.balanceOf(id)).to.equal(5);
    expect(await invoices.adjustmentsOf(id)).to.eql([]);
  });
});
