import type {
  Currency,
  HostInput,
  InvoiceRefundInput,
  PaymentControl,
  PaymentControlContext,
  Uuid,
} from '../../lib/index.ts';
import { SystemTag } from '../../lib/index.ts';
import { anyDatabase } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';
import type { PaymentView } from '../support/plain-views.ts';

const EUROS = { currency: 'EUR', each: '0.9' } as const;
const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;

anyDatabase.describe('invoice payments converted by a control plugin (payments §9.4)', (open) => {
  let requests: string[] = [];
  let rate: { readonly currency: Currency; readonly each: string } = EUROS;
  let meanwhile: () => Promise<unknown> = async () => null;

  /** Converts dollars to another currency: nine euros for ten dollars by default. */
  const exchange: PaymentControl = {
    name: 'exchange',
    priorCall: async (context: PaymentControlContext) => {
      const { paymentApiType, amount, currency } = context;
      if (paymentApiType !== 'PAYMENT_TRANSACTION' || currency !== 'USD' || !amount) return null;
      requests.push(`${amount.toFixed()} ${currency}`);
      await meanwhile();
      return { adjustedAmount: amount.times(rate.each), adjustedCurrency: rate.currency };
    },
  };
  const controlPlugins = [exchange.name];

  const engine = engineBefore(open, {
    now: '2024-01-31T12:00:00Z',
    catalog: null,
    paymentControls: [exchange],
    configuration: { 'org.service.payment.invoice.plugin': exchange.name },
  });
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    requests = [];
    rate = EUROS;
    meanwhile = async () => null;
  });
  soundAfterEach(engine);

  async function invoiced(amount: string, { isHeldBack = false } = {}): Promise<Uuid> {
    const object = { id: account.id, type: 'ACCOUNT' } as const;
    if (isHeldBack) await engine.acme.tags.add(object, [SystemTag.AUTO_PAY_OFF]);
    return (await engine.settle(engine.charge(account.id, amount))).id;
  }
  const balanceOf = async (invoiceId: Uuid) => Number((await engine.acme.invoices.get(invoiceId)).balance);
  const paymentsOf = (invoiceId: Uuid): Promise<readonly PaymentView[]> =>
    engine.acme.payments.invoicePaymentsOfInvoice(invoiceId, { withAttempts: true });
  const transactionLines = ({ transactions }: PaymentView) =>
    transactions.map(({ status, amount, currency }) => `${status} ${amount?.toFixed()} ${currency}`);
  const story = async (invoiceId: Uuid) => (await paymentsOf(invoiceId)).flatMap(transactionLines);

  it('settle part of an invoice in another currency', async () => {
    const invoiceId = await invoiced('249.95', { isHeldBack: true });
    await engine.acme.invoicePayments.pay({ invoiceId, amount: '50' });
    expect(await story(invoiceId)).to.eql(['SUCCESS 45 EUR']);
    expect(await balanceOf(invoiceId)).to.equal(199.95);
  });

  it('start from the original amount at every retry (payments §8.3)', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 2 });
    const invoiceId = await invoiced('100');
    for (const days of [8, 8]) {
      engine.clock.advance({ days });
      await engine.settle();
    }
    expect(requests).to.eql(['100 USD', '100 USD', '100 USD']);
    expect(await story(invoiceId)).to.eql([
      'PAYMENT_FAILURE 90 EUR',
      'PAYMENT_FAILURE 90 EUR',
      'SUCCESS 90 EUR',
    ]);
    expect(await balanceOf(invoiceId)).to.equal(0);
    const [payment] = await paymentsOf(invoiceId);
    expect(payment?.attempts?.map(({ amount, currency }) => `${amount?.toFixed()} ${currency}`)).to.eql([
      '100 USD',
      '100 USD',
      '100 USD',
    ]);
  });

  it('reserve the amount to settle while they are pending (payments §9.2 rule 8)', async () => {
    const invoiceId = await invoiced('100', { isHeldBack: true });
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 2 });
    const { invoicePayments, payments } = engine.acme;
    await invoicePayments.pay({ invoiceId, amount: '40' });
    await invoicePayments.pay({ invoiceId });
    expect(await story(invoiceId)).to.eql(['PENDING 36 EUR', 'PENDING 54 EUR']);
    expect(await invoicePayments.pay({ invoiceId })).to.equal(null);
    expect(await engine.breaches()).to.eql([]);
    for (const { id: paymentId } of await paymentsOf(invoiceId)) await payments.complete({ paymentId });
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('can be completed only with their stored amount and currency if they are pending (payments §4.3 rule 7)', async () => {
    const invoiceId = await invoiced('20', { isHeldBack: true });
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
    const paymentId = (await engine.acme.invoicePayments.pay({ invoiceId }))?.payment.id ?? NOWHERE;
    const { complete } = engine.acme.invoicePayments;
    for (const [amount, currency] of [
      ['1', 'EUR'],
      ['1', null],
      ['20', null],
      ['20', 'USD'],
      [null, 'USD'],
    ] as const)
      await expectCode(complete({ paymentId, amount, currency }), 'PAYMENT_INVALID_PARAMETER');
    expect(await balanceOf(invoiceId)).to.equal(20);
    await complete({ paymentId, amount: '18.00', currency: 'EUR' });
    expect(await story(invoiceId)).to.eql(['SUCCESS 18 EUR']);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('settle the requested amount if recovery or an operator later finds that they succeeded', async () => {
    const invoiceId = await invoiced('100', { isHeldBack: true });
    const statuses = ['UNDEFINED', 'ERROR'] as const;
    const tried: { readonly paymentId: Uuid; readonly transactionId: Uuid }[] = [];
    for (const [index, amount] of ['40', '25'].entries()) {
      const CONFIGURE_ACTION = `ACTION_RETURN_PLUGIN_STATUS_${statuses[index] ?? 'ERROR'}` as const;
      engine.gateway.configure({ CONFIGURE_ACTION, TIMES: 1 });
      const paid = await engine.acme.invoicePayments.pay({ invoiceId, amount });
      const transactionId = paid?.transaction.id ?? NOWHERE;
      tried.push({ paymentId: paid?.payment.id ?? NOWHERE, transactionId });
      if (index > 0) continue;
      engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
      await engine.acme.payments.get(paid?.payment.id ?? NOWHERE, { withPluginInfo: true });
      expect(await balanceOf(invoiceId)).to.equal(60);
    }
    await engine.acme.payments.fixTransaction({ ...(tried[1] ?? fail()), status: 'SUCCESS' });
    expect(await balanceOf(invoiceId)).to.equal(35);
  });

  async function halfPaid(): Promise<{ readonly invoiceId: Uuid; readonly paymentId: Uuid }> {
    const invoiceId = await invoiced('100', { isHeldBack: true });
    const paid = await engine.acme.invoicePayments.pay({ invoiceId, amount: '50' });
    return { invoiceId, paymentId: paid?.payment.id ?? NOWHERE };
  }
  const refund = ({ amount = null, ...input }: HostInput<InvoiceRefundInput>) =>
    engine.acme.invoicePayments.refund({ currency: rate.currency, controlPlugins: [], amount, ...input });

  it('reopen the corresponding part of the invoice when they are refunded (payments §9.5 rule 1)', async () => {
    const { invoiceId, paymentId } = await halfPaid();
    await expectCode(refund({ paymentId, amount: '46' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    expect((await refund({ paymentId, amount: '18' })).transaction.status).to.equal('SUCCESS');
    expect(await balanceOf(invoiceId)).to.equal(70);
    await expectCode(refund({ paymentId, amount: '27.01' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    await refund({ paymentId, amount: '27' });
    expect(await balanceOf(invoiceId)).to.equal(100);
  });

  it('can be fully refunded in a currency with small units, with the remaining amount in the last refund (payments §9.5 rule 1)', async () => {
    rate = { currency: 'JPY', each: '140' };
    const { invoiceId, paymentId } = await halfPaid();
    await refund({ paymentId, amount: '2334' });
    expect(await balanceOf(invoiceId)).to.equal(66.67);
    await refund({ paymentId, amount: '2333' });
    expect(await balanceOf(invoiceId)).to.equal(83.33);
    await expectCode(refund({ paymentId, amount: '2334' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    await refund({ paymentId, amount: '2333' });
    expect(await balanceOf(invoiceId)).to.equal(100);
  });

  it('cannot be refunded beyond the paid amount, even by simultaneous refunds (payments §9.5 rule 1)', async () => {
    rate = { currency: 'JPY', each: '140' };
    const { invoiceId, paymentId } = await halfPaid();
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 3 });
    const open: Uuid[] = [];
    for (const amount of ['2334', '2333', '2333'])
      open.push((await refund({ paymentId, amount })).transaction.id);
    for (const transactionId of open)
      engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
    await engine.acme.payments.get(paymentId, { withPluginInfo: true });
    expect(await balanceOf(invoiceId)).to.equal(100);
    await expectCode(refund({ paymentId, amount: '1' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
  });

  it('must be refunded with an amount that covers the item adjustments (payments §9.5 rule 1)', async () => {
    const { invoiceId, paymentId } = await halfPaid();
    const [item] = (await engine.acme.invoices.get(invoiceId)).items;
    const invoiceItemId = item?.id ?? NOWHERE;
    const adjusted = { isAdjusted: true, adjustments: [{ invoiceItemId, amount: '10' }] };
    await expectCode(
      refund({ paymentId, amount: '8.99', ...adjusted }),
      'INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST',
    );
    await refund({ paymentId, amount: '9', ...adjusted });
    expect(await balanceOf(invoiceId)).to.equal(50);
    const { transaction } = await refund({ paymentId, ...adjusted });
    expect(transaction.amount?.toFixed()).to.equal('9');
    expect(await balanceOf(invoiceId)).to.equal(50);
  });

  it('count external refunds against the refundable amount (payments §9.5 rule 2)', async () => {
    const { invoiceId, paymentId } = await halfPaid();
    await refund({ paymentId, amount: '20', currency: 'USD', isExternal: true });
    expect(await balanceOf(invoiceId)).to.equal(70);
    await expectCode(refund({ paymentId, amount: '27.01' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    await refund({ paymentId, amount: '27' });
    expect(await balanceOf(invoiceId)).to.equal(100);
  });

  it('are converted again if the balance falls during the conversion', async () => {
    const invoiceId = await invoiced('100', { isHeldBack: true });
    const { invoicePayments } = engine.acme;
    meanwhile = async () => {
      meanwhile = async () => null;
      await invoicePayments.pay({ invoiceId, amount: '60', isExternal: true, controlPlugins: [] });
    };
    await invoicePayments.pay({ invoiceId, controlPlugins });
    expect(requests).to.eql(['100 USD', '40 USD']);
    expect(await story(invoiceId)).to.have.members(['SUCCESS 60 USD', 'SUCCESS 36 EUR']);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });
});

function fail(): never {
  throw new Error('nothing was tried');
}
