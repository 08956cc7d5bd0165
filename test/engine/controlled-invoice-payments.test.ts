import type {
  BillingError,
  PaymentControl,
  PaymentControlContext,
  PriorCallResult,
  Uuid,
} from '../../lib/index.ts';
import { decimal, ErrorCode, SystemTag } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, payerBeforeEach } from '../support/index.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;

anyDatabase.describe('instant payments with control plugins (payments §9.6, §8.1)', (open) => {
  let invoiceId: Uuid;
  let heard: { readonly call: string; readonly context: PaymentControlContext }[] = [];
  let prior: () => PriorCallResult | null = () => null;

  const note = (call: string, context: PaymentControlContext) => {
    if (context.paymentApiType === 'PAYMENT_TRANSACTION') heard.push({ call, context });
  };
  const plugin: PaymentControl = {
    name: 'plugin',
    priorCall: async (context) => {
      note('prior', context);
      return context.paymentApiType === 'PAYMENT_TRANSACTION' ? prior() : null;
    },
    onSuccessCall: async (context) => {
      note('success', context);
      return null;
    },
    onFailureCall: async (context) => {
      note('failure', context);
      return null;
    },
  };
  const controlPlugins = [plugin.name];

  const engine = engineBefore(open, {
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    paymentControls: [plugin],
  });
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    heard = [];
    prior = () => null;
    await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    invoiceId = (await engine.settle(engine.charge(account.id, '100'))).id;
  });

  const calls = () => heard.map(({ call }) => call);
  const balance = async () => Number((await engine.acme.invoices.get(invoiceId)).balance);
  const attempts = async () => {
    const id = heard[0]?.context.attemptId;
    const found = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByIds(id ? [id] : []),
    );
    return found.map(({ stateName, isApiPayment }) => `${stateName} ${isApiPayment ? 'api' : 'automatic'}`);
  };

  it('call the requested plugins before and after the payment', async () => {
    prior = () => ({ adjustedAmount: heard[0]?.context.amount?.dividedBy(4) ?? null });
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins });
    expect(calls()).to.eql(['prior', 'success']);
    expect(heard[1]?.context).to.include({
      isApiPayment: true,
      paymentId: paid?.payment.id,
      transactionId: paid?.transaction.id,
    });
    expect(await balance()).to.equal(75);
    expect(await attempts()).to.eql(['SUCCESS api']);
    const read = await engine.acme.payments.get(paid?.payment.id ?? NOWHERE, { withAttempts: true });
    expect(read.attempts).to.have.length(1);
  });

  it('pay nothing and cause no error if a control plugin aborts', async () => {
    prior = () => ({ isAborted: true });
    expect(await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins })).to.equal(null);
    expect(calls()).to.eql(['prior']);
    expect(await attempts()).to.eql(['ABORTED api']);
    expect(await balance()).to.equal(100);
  });

  for (const [amount, currency] of [
    ['0', 'USD'],
    ['-5', 'USD'],
    ['0', 'EUR'],
    ['-5', 'EUR'],
  ] as const)
    it(`are rejected if a control plugin adjusts the amount to ${amount} ${currency} (payments §4.3 rule 2)`, async () => {
      prior = () => ({ adjustedAmount: decimal(amount), adjustedCurrency: currency });
      const paid = engine.acme.invoicePayments.pay({ invoiceId, controlPlugins });
      expect(await paid.catch((error: BillingError) => error.code)).to.equal(
        ErrorCode.PAYMENT_INTERNAL_ERROR,
      );
      expect(await attempts()).to.eql(['ABORTED api']);
      expect(await engine.acme.payments.invoicePaymentsOfInvoice(invoiceId)).to.eql([]);
      expect(await balance()).to.equal(100);
    });

  it('round amounts converted by a control plugin to whole minor units (payments §2.3 rule 6)', async () => {
    prior = () => ({ adjustedAmount: decimal('92.3456'), adjustedCurrency: 'EUR' });
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins });
    expect(paid?.transaction.amount?.toFixed()).to.equal('92.35');
    expect(await balance()).to.equal(0);
  });

  it('fail and pay nothing if their control plugin fails', async () => {
    prior = () => {
      throw new Error('no');
    };
    const failed = await engine.acme.invoicePayments
      .pay({ invoiceId, controlPlugins })
      .catch((error: BillingError) => error.code);
    expect(failed).to.equal(ErrorCode.PAYMENT_INTERNAL_ERROR);
    expect(await attempts()).to.eql(['ABORTED api']);
    expect(await balance()).to.equal(100);
  });

  it('report a decline to their plugins, and can be repeated under the same key', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    const input = { invoiceId, controlPlugins, externalKey: 'instant', transactionExternalKey: 'instant-1' };
    const declined = await engine.acme.invoicePayments.pay(input);
    expect(declined?.transaction.status).to.equal('PAYMENT_FAILURE');
    expect(calls()).to.eql(['prior', 'failure']);
    expect(await attempts()).to.eql(['ABORTED api']);
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    expect((await engine.acme.invoicePayments.pay(input))?.payment.id).to.equal(declined?.payment.id);
    expect(calls()).to.eql(['prior', 'failure', 'prior', 'success']);
    expect(await balance()).to.equal(0);
  });

  it('leave no open attempt if they are rejected', async () => {
    const tooMuch = engine.acme.invoicePayments.pay({ invoiceId, amount: '200', controlPlugins });
    expect(await tooMuch.catch((error: BillingError) => error.code)).to.equal(7199);
    expect(await balance()).to.equal(100);
    expect(calls()).to.eql([]);
  });

  const refund = (paymentId: Uuid | undefined, more: object) =>
    engine.acme.invoicePayments.refund({ paymentId: paymentId ?? NOWHERE, controlPlugins, ...more });

  it('are refunded with the amount as adjusted by the plugins (payments §9.5)', async () => {
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins: [] });
    prior = () => ({ adjustedAmount: decimal('30') });
    const { transaction } = await refund(paid?.payment.id, { amount: '20' });
    expect([heard[0]?.context.amount, transaction.amount].map(Number)).to.eql([20, 30]);
    expect(await balance()).to.equal(30);
    prior = () => ({ adjustedAmount: decimal('71') });
    const tooMuch = refund(paid?.payment.id, { amount: '20' });
    expect(await tooMuch.catch((error: BillingError) => error.code)).to.equal(4906);
    prior = () => ({ adjustedCurrency: 'EUR' });
    const foreign = refund(paid?.payment.id, { amount: '20' });
    expect(await foreign.catch((error: BillingError) => error.code)).to.equal(7031);
    expect(calls()).to.eql(['prior', 'success', 'prior', 'failure', 'prior', 'failure']);
    expect(await balance()).to.equal(30);
  });

  it('cannot be refunded if a control plugin lowers the refund below the item adjustments (payments §9.5)', async () => {
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins: [] });
    const [item] = (await engine.acme.invoices.get(invoiceId)).items;
    const adjustments = [{ invoiceItemId: item?.id ?? NOWHERE, amount: '20' }];
    prior = () => ({ adjustedAmount: decimal('10') });
    const less = refund(paid?.payment.id, { isAdjusted: true, adjustments });
    expect(await less.catch((error: BillingError) => error.code)).to.equal(4907);
    expect(Number(heard[0]?.context.amount)).to.equal(20);
    prior = () => ({ adjustedAmount: decimal('25') });
    await refund(paid?.payment.id, { isAdjusted: true, adjustments });
    expect(await balance()).to.equal(5);
  });

  it('let a control plugin see the method and choose the amount of an external refund (payments §9.5 rule 2)', async () => {
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins: [] });
    prior = () => ({ adjustedAmount: decimal('7') });
    const { payment, transaction } = await refund(paid?.payment.id, { amount: '20', isExternal: true });
    expect(heard[0]?.context).to.include({
      paymentPluginName: '__EXTERNAL_PAYMENT__',
      paymentMethodId: payment.paymentMethodId,
      transactionType: 'CREDIT',
      paymentId: null,
    });
    expect(Number(transaction.amount)).to.equal(7);
    expect(await balance()).to.equal(7);
  });

  it('are reported to their plugins even if they have no external effect', async () => {
    await engine.acme.invoicePayments.pay({ invoiceId, isExternal: true, controlPlugins });
    expect(calls()).to.eql(['prior', 'success']);
    expect(await balance()).to.equal(0);
  });
});
