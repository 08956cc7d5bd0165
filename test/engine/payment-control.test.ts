import { BillingError, decimal, ErrorCode } from '../../lib/index.ts';
import { anyDatabase, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

const DECLINE = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true', isUpdatable: false }];

anyDatabase.describe('payment control plugins (payments §2.3, §8)', (open) => {
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
  /** Reads the attempts of runs that made no payment. */
  const storedAttempts = async () =>
    engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys(['controlled']),
    );

  it('are called in order, and receive the adjustments of the previous plugins', async () => {
    first.prior = { adjustedAmount: decimal('7') };
    const { payment, transaction } = await purchase();
    expect(Number(transaction.amount)).to.equal(7);
    expect(second.invocations.map(([call, { amount }]) => [call, Number(amount)])).to.eql([
      ['priorCall', 7],
      ['onSuccessCall', 7],
    ]);
    const [, successContext] = second.invocations[1] ?? [];
    expect(successContext?.paymentId).to.equal(payment.id);
    expect(successContext?.transactionId).to.equal(transaction.id);
    expect(Number(successContext?.processedAmount)).to.equal(7);
    expect(await attempts()).to.eql([['SUCCESS', 7, 'first,second']]);
  });

  it('can adjust an amount, which is then rounded to the minor unit of its currency (rule 6)', async () => {
    first.prior = { adjustedAmount: decimal('7.005') };
    const { transaction } = await purchase();
    expect(Number(transaction.amount)).to.equal(7.01);
    expect(Number(second.invocations[0]?.[1].amount)).to.equal(7.01);
    expect(await attempts()).to.eql([['SUCCESS', 7.01, 'first,second']]);
  });

  it('stop the operation and later plugin calls at the first abort, leaving only an ABORTED attempt', async () => {
    first.prior = { isAborted: true };
    await expectCode(purchase(), 'PAYMENT_PLUGIN_API_ABORTED');
    expect(second.calls()).to.eql([]);
    expect(first.calls()).to.eql(['priorCall']);
    expect((await storedAttempts()).map(({ stateName }) => stateName)).to.eql(['ABORTED']);
    expect(engine.ledger.all()).to.eql([]);
  });

  it('can throw a payment error in a prior call, but cause error 7019 with any other error', async () => {
    first.prior = new BillingError({ code: ErrorCode.PAYMENT_INVALID_PARAMETER, message: 'not so' });
    await expectCode(purchase(), 'PAYMENT_INVALID_PARAMETER');
    first.prior = new Error('broken');
    await expectCode(purchase(), 'PAYMENT_INTERNAL_ERROR');
    expect((await storedAttempts()).map(({ stateName }) => stateName)).to.eql(['ABORTED', 'ABORTED']);
  });

  it('cannot replace a payment method that the caller specifies', async () => {
    const other = await engine.acme.paymentMethods.add({
      accountId: account.id,
      pluginName: engine.gateway.name,
    });
    first.prior = { adjustedPaymentMethodId: other.id };
    await expectCode(purchase(), 'PAYMENT_INTERNAL_ERROR');
    expect(engine.ledger.all()).to.eql([]);
  });

  it('can request a retry with the same keys on the earliest of their requested dates', async () => {
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
    expect(first.invocations.at(-1)?.[1].isApiPayment).to.equal(false);
  });

  it('end the attempt after a decline if they give no retry date', async () => {
    await purchase({ properties: DECLINE });
    expect(first.calls()).to.eql(['priorCall', 'onFailureCall']);
    expect(await attempts()).to.eql([['ABORTED', 10, 'first,second']]);
  });

  for (const [action, status] of [
    ['ACTION_RETURN_PLUGIN_STATUS_ERROR', 'PAYMENT_FAILURE'],
    ['ACTION_RETURN_PLUGIN_STATUS_CANCELED', 'PLUGIN_FAILURE'],
    ['ACTION_RETURN_PLUGIN_STATUS_UNDEFINED', 'UNKNOWN'],
  ] as const)
    it(`are notified of ${status} as a failure (rule 3)`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: action, TIMES: 1 });
      expect((await purchase()).transaction.status).to.equal(status);
      expect(first.calls()).to.eql(['priorCall', 'onFailureCall']);
      expect(Number(first.invocations[1]?.[1].processedAmount)).to.equal(0);
      expect((await attempts()).map(([state]) => state)).to.eql(['ABORTED']);
    });

  it('receive the caller, the request and the tenant (rule 4)', async () => {
    await engine.acme.payments.purchase({
      accountId: account.id,
      amount: '10',
      externalKey: 'controlled',
      transactionExternalKey: 'properties',
      controlPlugins: ['first'],
    });
    const [attempt] = await storedAttempts();
    const [, context] = first.invocations[0] ?? [];
    expect(context).to.include({
      tenantId: engine.tenant.id,
      accountId: account.id,
      paymentMethodId: account.paymentMethodId ?? (await engine.acme.getAccount(account.id)).paymentMethodId,
      paymentPluginName: engine.gateway.name,
      attemptId: attempt?.id,
      paymentId: null,
      paymentExternalKey: 'controlled',
      transactionId: null,
      transactionExternalKey: 'properties',
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

  it('receive no further failure calls once one plugin throws, but keep the earliest retry date so far (rule 7)', async () => {
    first.failure = { nextRetryDate: new Date('2024-01-05T10:00:00Z') };
    second.onFailureCall = async () => {
      throw new Error('broken');
    };
    await purchase({ controlPlugins: ['first', 'second', 'first'], properties: DECLINE });
    expect(first.calls()).to.eql(['priorCall', 'priorCall', 'onFailureCall']);
    expect((await attempts()).map(([state]) => state)).to.eql(['RETRIED', 'SCHEDULED']);
  });

  it('are notified if an operation is rejected after the prior calls', async () => {
    const { payment } = await purchase();
    first.invocations.splice(0);
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

  it('cannot schedule a retry of a refund, whether the refund is rejected or declined', async () => {
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

  it('are skipped with a warning if they are not registered', async () => {
    const { transaction } = await purchase({ controlPlugins: ['nobody'] });
    expect(transaction.status).to.equal('SUCCESS');
    expect(engine.logger.lines.some(({ message }) => message.includes('is not registered'))).to.equal(true);
  });

  it('can remove all properties before the properties are stored', async () => {
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

  it('are notified when a pending transaction of their attempt is completed', async () => {
    const pending = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];
    const { payment } = await purchase({ properties: pending });
    first.invocations.splice(0);
    await engine.acme.payments.complete({ paymentId: payment.id });
    expect(first.calls()).to.eql(['onSuccessCall']);
    expect((await attempts()).map(([state]) => state)).to.eql(['SUCCESS']);
  });
});
