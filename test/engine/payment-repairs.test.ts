import type { PaymentControl, PaymentControlContext, TransactionFixInput, Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBeforeEach, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import type { PaymentView } from '../support/plain-views.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;

anyDatabase.describe('payment corrections (payments §7.4, §8.5)', (open) => {
  let heard: string[] = [];

  const listener: PaymentControl = {
    name: 'listener',
    onSuccessCall: async (context) => note('success', context),
    onFailureCall: async (context) => note('failure', context),
  };
  function note(call: string, { isApiPayment, processedAmount }: PaymentControlContext): null {
    heard.push(`${call} ${isApiPayment ? 'api' : 'automatic'} ${processedAmount}`);
    return null;
  }

  const engine = engineBeforeEach(open, {
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    paymentControls: [listener],
  });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    heard = [];
  });

  const invoiced = async (): Promise<Uuid> => (await engine.settle(engine.charge(account.id, '249.95'))).id;

  async function paymentOf(invoiceId: Uuid): Promise<PaymentView> {
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(invoiceId, { withAttempts: true });
    if (!payment) throw new Error('the invoice has no payment');
    return payment;
  }

  async function fix(payment: PaymentView, input: Omit<TransactionFixInput, 'paymentId' | 'transactionId'>) {
    const transactionId = payment.transactions[0]?.id ?? NOWHERE;
    return acme.payments.fixTransaction({ paymentId: payment.id, transactionId, ...input });
  }

  const attemptsOf = ({ attempts }: PaymentView) => attempts?.map(({ stateName }) => stateName);
  const statesOf = ({ stateName, lastSuccessStateName }: PaymentView) => [stateName, lastSuccessStateName];
  const balanceOf = async (invoiceId: Uuid) => Number((await acme.invoices.get(invoiceId)).balance);

  it('settle the invoice and cancel the retry if they change a decline to a success (payments §7.4 rules 3 and 4)', async () => {
    engine.gateway.configure(DECLINE);
    const invoiceId = await invoiced();
    const declined = await paymentOf(invoiceId);
    expect(attemptsOf(declined)).to.eql(['RETRIED', 'SCHEDULED']);
    const { payment, transaction } = await fix(declined, { status: 'SUCCESS' });
    expect(statesOf(payment)).to.eql(['PURCHASE_SUCCESS', 'PURCHASE_SUCCESS']);
    expect(Number(transaction.processedAmount)).to.equal(249.95);
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['SUCCESS']);
    expect(await balanceOf(invoiceId)).to.equal(0);
    await engine.runTo('2012-06-30');
    expect(engine.ledger.ofPayment(payment.id)).to.have.length(1);
  });

  it('restore the debt without a retry if they change a success to a failure (rule 4)', async () => {
    const invoiceId = await invoiced();
    const { payment } = await fix(await paymentOf(invoiceId), { status: 'PAYMENT_FAILURE' });
    expect(statesOf(payment)).to.eql(['PURCHASE_FAILED', null]);
    expect(Number(payment.transactions[0]?.processedAmount)).to.equal(0);
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['ABORTED']);
    expect(await balanceOf(invoiceId)).to.equal(249.95);
    await engine.runTo('2012-06-30');
    expect(engine.ledger.ofPayment(payment.id)).to.have.length(1);
  });

  it('schedule a retry if they change a success to a failure with IPCD_RETRIES (rule 4)', async () => {
    const invoiceId = await invoiced();
    const properties = [{ key: 'IPCD_RETRIES', value: 'true', isUpdatable: false }];
    const { payment } = await fix(await paymentOf(invoiceId), { status: 'PAYMENT_FAILURE', properties });
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['RETRIED', 'SCHEDULED']);
    await engine.runTo('2012-05-09T10:00:00Z');
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['RETRIED', 'SUCCESS']);
    expect(engine.ledger.ofPayment(payment.id)).to.have.length(2);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('cancel a scheduled retry if they confirm the failure (rule 4)', async () => {
    engine.gateway.configure(DECLINE);
    const invoiceId = await invoiced();
    await fix(await paymentOf(invoiceId), { status: 'PAYMENT_FAILURE' });
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['ABORTED']);
  });

  it('derive states from type, status and earlier successes, or use the given states (payments §7.4 rules 1 and 2)', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '10' });
    await payments.capture({ paymentId: payment.id, amount: '10' });
    const { transaction } = await payments.refund({ paymentId: payment.id, amount: '4' });
    const fixed = (
      input: Omit<TransactionFixInput, 'paymentId' | 'transactionId'>,
      transactionId = transaction.id,
    ) =>
      payments
        .fixTransaction({ paymentId: payment.id, transactionId, ...input })
        .then((each) => statesOf(each.payment));
    expect(await fixed({ status: 'PLUGIN_FAILURE' })).to.eql(['REFUND_ERRORED', 'CAPTURE_SUCCESS']);
    expect(await fixed({ status: 'UNKNOWN' })).to.eql(['REFUND_ERRORED', 'CAPTURE_SUCCESS']);
    expect(await fixed({ status: 'PENDING' })).to.eql(['REFUND_PENDING', 'CAPTURE_SUCCESS']);
    expect(await fixed({ status: 'SUCCESS' })).to.eql(['REFUND_SUCCESS', 'REFUND_SUCCESS']);
    const first = payment.transactions[0]?.id ?? NOWHERE;
    expect(await fixed({ status: 'PAYMENT_FAILURE' }, first)).to.eql(['AUTH_FAILED', 'REFUND_SUCCESS']);
    const states = { stateName: 'CAPTURE_SUCCESS', lastSuccessStateName: 'AUTH_SUCCESS' } as const;
    expect(await fixed({ status: 'SUCCESS', ...states })).to.eql(['CAPTURE_SUCCESS', 'AUTH_SUCCESS']);
  });

  it('can specify the processed amount (rule 3)', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '10' });
    const fixed = await fix(payment, { status: 'SUCCESS', processedAmount: '7' as never });
    expect(Number(fixed.payment.totals.authAmount)).to.equal(7);
  });

  it('reject unknown payments, transactions, statuses and states', async () => {
    const { payments } = acme;
    const { payment, transaction } = await payments.authorize({ accountId: account.id, amount: '10' });
    const known = { paymentId: payment.id, transactionId: transaction.id, status: 'SUCCESS' } as const;
    await expectCode(payments.fixTransaction({ ...known, paymentId: NOWHERE }), 7020);
    await expectCode(payments.fixTransaction({ ...known, transactionId: NOWHERE }), 7020);
    for (const bad of [
      { status: 'PAYMENT_SYSTEM_OFF' },
      { stateName: 'PURCHASE_DONE' },
      { lastSuccessStateName: 'x' },
      { processedCurrency: 'x' },
    ])
      await expectCode(payments.fixTransaction({ ...known, ...bad } as never), 'PAYMENT_INVALID_PARAMETER');
  });

  it('notify the control plugins of the attempt, as API payments do (rule 4)', async () => {
    const { payments } = acme;
    const { payment } = await payments.purchase({
      accountId: account.id,
      amount: '10',
      controlPlugins: ['listener'],
    });
    await fix(payment, { status: 'PLUGIN_FAILURE' });
    await fix(payment, { status: 'SUCCESS' });
    expect(heard).to.eql(['success api 10', 'failure api 0', 'success api 10']);
  });

  it('leave the attempt RETRIED if they cancel its retry (payments §8.5)', async () => {
    engine.gateway.configure(DECLINE);
    const invoiceId = await invoiced();
    const payment = await paymentOf(invoiceId);
    const { id, externalKey } = payment.transactions[0] ?? { id: NOWHERE, externalKey: '' };
    await acme.payments.cancelScheduledRetry({ transactionId: id });
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['RETRIED']);
    await acme.payments.cancelScheduledRetry({ transactionExternalKey: externalKey });
    await engine.runTo('2012-06-30');
    expect(engine.ledger.ofPayment(payment.id)).to.have.length(1);
  });

  it('cancel the retry of the newest attempt if they specify only a key (payments §8.5)', async () => {
    engine.gateway.configure(DECLINE);
    const invoiceId = await invoiced();
    await engine.runTo('2012-05-09T10:00:00Z');
    const payment = await paymentOf(invoiceId);
    expect(attemptsOf(payment)).to.eql(['RETRIED', 'RETRIED', 'SCHEDULED']);
    const transactionExternalKey = payment.transactions[0]?.externalKey ?? '';
    await acme.payments.cancelScheduledRetry({ transactionExternalKey });
    expect(attemptsOf(await paymentOf(invoiceId))).to.eql(['RETRIED', 'RETRIED']);
  });

  it('succeed if no retry is planned, but are rejected for an unknown transaction (payments §8.5)', async () => {
    const { payments } = acme;
    const { transaction } = await payments.purchase({ accountId: account.id, amount: '10' });
    await payments.cancelScheduledRetry({ transactionId: transaction.id });
    await payments.cancelScheduledRetry({ transactionExternalKey: 'unheard-of' });
    await expectCode(payments.cancelScheduledRetry({ transactionId: NOWHERE }), 7020);
    await expectCode(payments.cancelScheduledRetry({}), 7031);
  });
});
