import { type BillingError, ErrorCode, type Uuid } from '../../lib/index.ts';
import { anyDatabase, eachDatabase } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import type { PaymentResult } from '../support/plain-views.ts';

anyDatabase.describe('direct payments (payments §3 to §6)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);

  const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];
  const DECLINE = does('ACTION_RETURN_PLUGIN_STATUS_ERROR');
  const PENDING = does('ACTION_RETURN_PLUGIN_STATUS_PENDING');
  /** Returns the totals, as numbers, and the state. */
  const shown = ({ payment }: PaymentResult) => {
    const { authAmount, capturedAmount, purchasedAmount, refundedAmount } = payment.totals;
    const amounts = {
      auth: authAmount,
      captured: capturedAmount,
      purchased: purchasedAmount,
      refunded: refundedAmount,
    };
    const entries = Object.entries(amounts).map(([name, amount]) => [name, Number(amount)] as const);
    return { ...Object.fromEntries(entries.filter(([, amount]) => amount !== 0)), state: payment.stateName };
  };

  it('cannot be captured or refunded beyond the authorized or captured amount (payments §14 example 1)', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '100' });
    const paymentId = payment.id;
    expect(payment.stateName).to.equal('AUTH_SUCCESS');
    await payments.capture({ paymentId, amount: '30' });
    expect(shown(await payments.capture({ paymentId, amount: '25' }))).to.eql({
      auth: 100,
      captured: 55,
      state: 'CAPTURE_SUCCESS',
    });
    expect(shown(await payments.refund({ paymentId, amount: '20' }))).to.eql({
      auth: 100,
      captured: 55,
      refunded: 20,
      state: 'REFUND_SUCCESS',
    });
    await expectCode(payments.capture({ paymentId, amount: '10' }), 'PAYMENT_INVALID_OPERATION');
    await expectCode(payments.refund({ paymentId, amount: '36' }), 'PAYMENT_INVALID_PARAMETER');
    expect(shown(await payments.refund({ paymentId, amount: '35' }))).to.deep.include({ refunded: 55 });
    expect(engine.ledger.ofPayment(paymentId).map(({ transactionType }) => transactionType)).to.eql([
      'AUTHORIZE',
      'CAPTURE',
      'CAPTURE',
      'REFUND',
      'REFUND',
    ]);
  });

  it('cannot be captured after a void (payments §14 example 2)', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '50' });
    const voided = await payments.void({ paymentId: payment.id });
    expect(shown(voided)).to.eql({ state: 'VOID_SUCCESS' });
    expect(voided.transaction).to.deep.include({ amount: null, transactionType: 'VOID', status: 'SUCCESS' });
    await expectCode(payments.capture({ paymentId: payment.id, amount: '50' }), 'PAYMENT_INVALID_OPERATION');
  });

  it('can be repeated with the same keys after a decline, but not after a success (payments §14 example 3)', async () => {
    const { payments } = acme;
    const keys = { externalKey: 'P1', transactionExternalKey: 'T1' };
    const input = { accountId: account.id, amount: '10', ...keys };
    const declined = await payments.purchase({ ...input, properties: DECLINE });
    expect(declined.transaction.status).to.equal('PAYMENT_FAILURE');
    expect(shown(declined)).to.eql({ state: 'PURCHASE_FAILED' });
    const again = await payments.purchase(input);
    expect(again.payment.id).to.equal(declined.payment.id);
    expect(again.payment.transactions).to.have.length(2);
    expect(shown(again)).to.eql({ purchased: 10, state: 'PURCHASE_SUCCESS' });
    await expectCode(payments.purchase(input), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
    const other = payments.purchase({ ...input, transactionExternalKey: 'T2' });
    await expectCode(other, 'PAYMENT_INVALID_OPERATION');
  });

  it('cannot use a different payment method to repeat a declined payment', async () => {
    const { payments } = acme;
    const input = { accountId: account.id, amount: '10', externalKey: 'one-card' };
    const declined = await payments.purchase({ ...input, properties: DECLINE });
    const other = await acme.addPaymentMethod({ accountId: account.id, pluginName: engine.gateway.name });
    await expectCode(payments.purchase({ ...input, paymentMethodId: other.id }), 'PAYMENT_INVALID_PARAMETER');
    expect(engine.ledger.ofPayment(declined.payment.id)).to.have.length(1);
    const { paymentMethodId } = declined.payment;
    const again = await payments.purchase({ ...input, paymentMethodId });
    expect(shown(again)).to.eql({ purchased: 10, state: 'PURCHASE_SUCCESS' });
  });

  it('can only be completed while they are pending (payments §14 example 4)', async () => {
    const { payments } = acme;
    const input = { accountId: account.id, amount: '10', transactionExternalKey: 'example-4' };
    const pending = await payments.authorize({ ...input, properties: PENDING });
    const paymentId = pending.payment.id;
    expect(shown(pending)).to.eql({ state: 'AUTH_PENDING' });
    await expectCode(payments.capture({ paymentId, amount: '10' }), 'PAYMENT_INVALID_OPERATION');
    const second = payments.authorize({ ...input, paymentId, transactionExternalKey: 'example-4-2' });
    await expectCode(second, 'PAYMENT_INVALID_OPERATION');
    const properties = [{ key: 'PROCESSED_AMOUNT', value: '7', isUpdatable: false }];
    const completed = await payments.complete({ paymentId, properties });
    expect(completed.payment.transactions).to.have.length(1);
    expect(shown(completed)).to.eql({ auth: 7, state: 'AUTH_SUCCESS' });
    expect(Number(completed.transaction.amount)).to.equal(10);
    expect(Number(completed.transaction.processedAmount)).to.equal(7);
  });

  it('need no gateway call for a chargeback or its reversal', async () => {
    const { payments } = acme;
    const { payment } = await payments.purchase({ accountId: account.id, amount: '10' });
    const paymentId = payment.id;
    const calls = engine.ledger.ofPayment(paymentId).length;
    const charged = await payments.chargeback({ paymentId, amount: '4', transactionExternalKey: 'C1' });
    expect(shown(charged)).to.eql({ purchased: 6, state: 'CHARGEBACK_SUCCESS' });
    await expectCode(payments.chargeback({ paymentId, amount: '7' }), 'PAYMENT_INVALID_PARAMETER');
    const unknown = payments.reverseChargeback({ paymentId, transactionExternalKey: 'C2' });
    await expectCode(unknown, 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
    const reversed = await payments.reverseChargeback({ paymentId, transactionExternalKey: 'C1' });
    expect(shown(reversed)).to.eql({ purchased: 10, state: 'CHARGEBACK_FAILED' });
    expect(reversed.transaction).to.deep.include({ amount: null, currency: null, status: 'PAYMENT_FAILURE' });
    expect(Number(reversed.transaction.processedAmount)).to.equal(0);
    expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
  });

  it('record the final outcome of a pending transaction once, regardless of the gateway’s response', async () => {
    const { payments } = acme;
    const pending = await payments.purchase({ accountId: account.id, amount: '10', properties: PENDING });
    const ids = { paymentId: pending.payment.id, transactionId: pending.transaction.id };
    const outcome = await payments.recordNotifiedOutcome({ ...ids, status: 'SUCCESS' });
    expect(shown(outcome)).to.eql({ purchased: 10, state: 'PURCHASE_SUCCESS' });
    const again = payments.recordNotifiedOutcome({ ...ids, status: 'SUCCESS' });
    await expectCode(again, 'PAYMENT_NO_SUCH_SUCCESS_PAYMENT');
  });

  it('can use the external gateway', async () => {
    const { payments, paymentMethods } = acme;
    const method = await paymentMethods.add({ accountId: account.id, pluginName: '__EXTERNAL_PAYMENT__' });
    const paid = await payments.purchase({ accountId: account.id, amount: '3', paymentMethodId: method.id });
    expect(shown(paid)).to.eql({ purchased: 3, state: 'PURCHASE_SUCCESS' });
  });
});

eachDatabase.describe('direct payment transaction keys (payments §1.7 rule 2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);

  const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];
  const PENDING = does('ACTION_RETURN_PLUGIN_STATUS_PENDING');
  const DECLINE = does('ACTION_RETURN_PLUGIN_STATUS_ERROR');

  it('are rejected before the gateway call for one of two accounts that use them simultaneously', async () => {
    const other = await engine.payingAccount({ currency: 'USD' });
    const { PAYMENT_DIFFERENT_ACCOUNT_ID: ofPayment, PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID: ofKey } =
      ErrorCode;
    for (const [index, refusal] of [ofPayment, ofPayment, ofPayment, ofKey, ofKey, ofKey].entries()) {
      const transactionExternalKey = `shared ${index}`;
      const race = [account, other].map(({ id: accountId }) =>
        acme.payments.purchase({
          accountId,
          amount: '10',
          transactionExternalKey,
          ...(refusal === ofKey && { externalKey: `payment ${index} of ${accountId}` }),
          properties: PENDING,
        }),
      );
      const ended = await Promise.allSettled(race);
      const codes = ended.map((each) =>
        each.status === 'fulfilled' ? each.value.transaction.status : (each.reason as BillingError).code,
      );
      expect(codes).to.have.members(['PENDING', refusal]);
    }
  });

  it('remain unique among successful and open transactions after corrections (payments §7.4)', async () => {
    for (const [transactionExternalKey, properties] of [
      ['corrected beside a success', []],
      ['corrected beside what is pending', PENDING],
    ] as const) {
      const request = { accountId: account.id, amount: '10', transactionExternalKey };
      const declined = await acme.payments.purchase({ ...request, properties: DECLINE });
      const paymentId = declined.payment.id;
      await acme.payments.purchase({ ...request, paymentId, properties });
      const fixed = { paymentId, transactionId: declined.transaction.id };
      for (const status of ['SUCCESS', 'PENDING', 'UNKNOWN'] as const) {
        const work = acme.payments.fixTransaction({ ...fixed, status });
        await expectCode(work, 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
      }
      const statuses = async (id: Uuid) =>
        (await acme.payments.get(id)).transactions.map(({ status }) => status);
      expect((await statuses(paymentId))[0]).to.equal('PAYMENT_FAILURE');
      const corrected: PaymentResult = await acme.payments.fixTransaction({
        ...fixed,
        status: 'PLUGIN_FAILURE',
      });
      expect(corrected.payment.transactions[0]?.status).to.equal('PLUGIN_FAILURE');
    }
  });
});
