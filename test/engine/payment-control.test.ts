import { BillingError, decimal, ErrorCode } from '../../lib/index.ts';
import { anyDatabase, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

const DECLINE = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true', isUpdatable: false }];

anyDatabase('control plugins of payments (payments §2.3, §8)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let first: ScriptedControl;
  let second: ScriptedControl;

  beforeEach(async () => {
    first = new ScriptedControl('first');
    second = new ScriptedControl('second');
    const paymentControls = [first, second];
    engine = await openEngine(open, { now: '2024-01-01T10:00:00Z', catalog: null, paymentControls });
    account = await engine.payingAccount({ currency: 'USD' });
  });

  const purchase = (more: object = {}) =>
    engine.acme.payments.purchase({
      accountId: account.id,
      amount: '10',
      externalKey: 'controlled',
      controlPlugins: ['first', 'second'],
      ...more,
    });
  const attempts = async () => {
    const payment = await engine.acme.payments.getByKey('controlled', { withAttempts: true });
    return (payment.attempts ?? []).map(({ stateName, amount, pluginNames }) => [
      stateName,
      Number(amount),
      pluginNames.join(','),
    ]);
  };
  /** Of runs that have made no payment. */
  const storedAttempts = async () =>
    engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys(['controlled']),
    );

  it('plugins run in their order, each with what those before have adjusted', async () => {
    first.prior = { adjustedAmount: decimal('7') };
    const { payment, transaction } = await purchase();
    expect(Number(transaction.amount)).to.equal(7);
    expect(second.asked.map(([call, { amount }]) => [call, Number(amount)])).to.eql([
      ['priorCall', 7],
      ['onSuccessCall', 7],
    ]);
    const [, told] = second.asked[1] ?? [];
    expect(told?.paymentId).to.equal(payment.id);
    expect(told?.transactionId).to.equal(transaction.id);
    expect(Number(told?.processedAmount)).to.equal(7);
    expect(await attempts()).to.eql([['SUCCESS', 7, 'first,second']]);
  });

  it('payments §2.3 rule 6: an amount that a plugin adjusts is rounded to the minor unit of its currency', async () => {
    first.prior = { adjustedAmount: decimal('7.005') };
    const { transaction } = await purchase();
    expect(Number(transaction.amount)).to.equal(7.01);
    expect(Number(second.asked[0]?.[1].amount)).to.equal(7.01);
    expect(await attempts()).to.eql([['SUCCESS', 7.01, 'first,second']]);
  });

  it('the first abort stops everything: no transaction, no later plugin, an ABORTED attempt', async () => {
    first.prior = { isAborted: true };
    await expectCode(purchase(), 'PAYMENT_PLUGIN_API_ABORTED');
    expect(second.calls()).to.eql([]);
    expect(first.calls()).to.eql(['priorCall']);
    expect((await storedAttempts()).map(({ stateName }) => stateName)).to.eql(['ABORTED']);
    expect(engine.ledger.all()).to.eql([]);
  });

  it('a payment error that a prior call throws is answered, any other as 7019', async () => {
    first.prior = new BillingError({ code: ErrorCode.PAYMENT_INVALID_PARAMETER, message: 'not so' });
    await expectCode(purchase(), 'PAYMENT_INVALID_PARAMETER');
    first.prior = new Error('broken');
    await expectCode(purchase(), 'PAYMENT_INTERNAL_ERROR');
    expect((await storedAttempts()).map(({ stateName }) => stateName)).to.eql(['ABORTED', 'ABORTED']);
  });

  it('a payment method that is named may not be replaced', async () => {
    const other = await engine.acme.paymentMethods.add({
      accountId: account.id,
      pluginName: engine.gateway.name,
    });
    first.prior = { adjustedPaymentMethodId: other.id };
    await expectCode(purchase(), 'PAYMENT_INTERNAL_ERROR');
    expect(engine.ledger.all()).to.eql([]);
  });

  it('the earliest retry date wins, the retry is shown, and runs with the same keys', async () => {
    first.failure = { nextRetryDate: new Date('2024-01-05T10:00:00Z') };
    second.failure = { nextRetryDate: new Date('2024-01-03T10:00:00Z') };
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const { transaction } = await purchase({ transactionExternalKey: 'again' });
    expect(transaction.status).to.equal('PAYMENT_FAILURE');
    expect((await attempts()).map(([state]) => state)).to.eql(['RETRIED', 'SCHEDULED']);
    await engine.runTo('2024-01-03T09:59:59Z');
    expect((await attempts()).map(([state]) => state)).to.eql(['RETRIED', 'SCHEDULED']);
    await engine.runTo('2024-01-03T10:00:00Z');
    expect((await attempts()).map(([state]) => state)).to.eql(['RETRIED', 'SUCCESS']);
    const payment = await engine.acme.payments.getByKey('controlled');
    expect(payment.transactions.map(({ status, externalKey }) => [status, externalKey])).to.eql([
      ['PAYMENT_FAILURE', 'again'],
      ['SUCCESS', 'again'],
    ]);
    expect(first.asked.at(-1)?.[1].isApiPayment).to.equal(false);
  });

  it('a decline without a retry date ends the attempt', async () => {
    await purchase({ properties: DECLINE });
    expect(first.calls()).to.eql(['priorCall', 'onFailureCall']);
    expect(await attempts()).to.eql([['ABORTED', 10, 'first,second']]);
  });

  for (const [action, status] of [
    ['ACTION_RETURN_PLUGIN_STATUS_ERROR', 'PAYMENT_FAILURE'],
    ['ACTION_RETURN_PLUGIN_STATUS_CANCELED', 'PLUGIN_FAILURE'],
    ['ACTION_RETURN_PLUGIN_STATUS_UNDEFINED', 'UNKNOWN'],
  ] as const)
    it(`payments §2.3 rule 3: plugins hear of ${status} as of a failure`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: action, TIMES: 1 });
      expect((await purchase()).transaction.status).to.equal(status);
      expect(first.calls()).to.eql(['priorCall', 'onFailureCall']);
      expect(Number(first.asked[1]?.[1].processedAmount)).to.equal(0);
      expect((await attempts()).map(([state]) => state)).to.eql(['ABORTED']);
    });

  it('payments §2.3 rule 4: plugins are told who asks for what, and of which tenant', async () => {
    await engine.acme.payments.purchase({
      accountId: account.id,
      amount: '10',
      externalKey: 'controlled',
      transactionExternalKey: 'told',
      controlPlugins: ['first'],
    });
    const [attempt] = await storedAttempts();
    const [, context] = first.asked[0] ?? [];
    expect(context).to.include({
      tenantId: engine.tenant.id,
      accountId: account.id,
      paymentMethodId: account.paymentMethodId ?? (await engine.acme.getAccount(account.id)).paymentMethodId,
      paymentPluginName: engine.gateway.name,
      attemptId: attempt?.id,
      paymentId: null,
      paymentExternalKey: 'controlled',
      transactionId: null,
      transactionExternalKey: 'told',
      paymentApiType: 'PAYMENT_TRANSACTION',
      transactionType: 'PURCHASE',
      hppType: null,
      currency: 'USD',
      processedAmount: null,
      processedCurrency: null,
      isApiPayment: true,
    });
    expect(context?.userName).to.be.a('string');
    expect(context).to.include.keys('reasonCode', 'comments', 'userToken');
  });

  it('payments §2.3 rule 7: a throw of a plugin ends the round of failures with the earliest date so far', async () => {
    first.failure = { nextRetryDate: new Date('2024-01-05T10:00:00Z') };
    second.onFailureCall = async () => {
      throw new Error('broken');
    };
    await purchase({ controlPlugins: ['first', 'second', 'first'], properties: DECLINE });
    expect(first.calls()).to.eql(['priorCall', 'priorCall', 'onFailureCall']);
    expect((await attempts()).map(([state]) => state)).to.eql(['RETRIED', 'SCHEDULED']);
  });

  it('an operation that is refused behind the prior calls is told to the plugins', async () => {
    const { payment } = await purchase();
    first.asked.splice(0);
    first.prior = { adjustedAmount: decimal('11') };
    const refund = engine.acme.payments.refund({
      paymentId: payment.id,
      amount: '5',
      controlPlugins: ['first'],
    });
    await expectCode(refund, 'PAYMENT_INVALID_PARAMETER');
    expect(first.calls()).to.eql(['priorCall', 'onFailureCall']);
    expect((await attempts()).map(([state]) => state)).to.eql(['SUCCESS', 'ABORTED']);
  });

  it('a refund is not repeated, whatever date a plugin gives, refused or declined', async () => {
    const { payment } = await purchase();
    first.failure = { nextRetryDate: new Date('2024-01-03T10:00:00Z') };
    const refund = () =>
      engine.acme.payments.refund({
        paymentId: payment.id,
        amount: '5',
        controlPlugins: ['first'],
        properties: DECLINE,
      });
    first.prior = { adjustedAmount: decimal('11') };
    await expectCode(refund(), 'PAYMENT_INVALID_PARAMETER');
    first.prior = null;
    expect((await refund()).transaction.status).to.equal('PAYMENT_FAILURE');
    expect((await attempts()).map(([state]) => state)).to.eql(['SUCCESS', 'ABORTED', 'ABORTED']);
  });

  it('a plugin that nobody has registered is passed over with a warning', async () => {
    const { transaction } = await purchase({ controlPlugins: ['nobody'] });
    expect(transaction.status).to.equal('SUCCESS');
    expect(engine.logger.lines.some(({ message }) => message.includes('is not registered'))).to.equal(true);
  });

  it('properties are stored only once a plugin could strip them', async () => {
    const secret = { key: 'cvv', value: '123', isUpdatable: false };
    first.success = { adjustedProperties: [] };
    first.prior = {};
    const seen: unknown[] = [];
    const read = second.priorCall.bind(second);
    second.priorCall = async (context, properties) => {
      seen.push((await storedAttempts()).map(({ pluginProperties }) => pluginProperties));
      return read(context, properties);
    };
    await purchase({ properties: [secret] });
    expect(seen).to.eql([[null]]);
    expect((await storedAttempts()).map(({ pluginProperties }) => pluginProperties)).to.eql([[]]);
  });

  it('the completion of a pending transaction tells the plugins of its attempt', async () => {
    const pending = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];
    const { payment } = await purchase({ properties: pending });
    first.asked.splice(0);
    await engine.acme.payments.complete({ paymentId: payment.id });
    expect(first.calls()).to.eql(['onSuccessCall']);
    expect((await attempts()).map(([state]) => state)).to.eql(['SUCCESS']);
  });
});
