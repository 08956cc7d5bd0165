import { stripeGateway } from '../../adapters/stripe/index.ts';
import { decimal, ErrorCode, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { anyDatabase, codeOf, expect, migrated, populate } from '../support/http/index.ts';
import { type Serving, serve } from '../support/http/serving.ts';
import { closeDispute, newMethod, openDispute } from '../support/stripe/payment-intents.ts';
import { API_KEY, StripeDouble, signed, WEBHOOK_SECRET } from '../support/stripe/stripe-double.ts';

type Sent = ReturnType<StripeDouble['notification']>;

const anonymous = {
  authorization: undefined,
  'x-service-apikey': undefined,
  'x-service-apisecret': undefined,
  'x-service-createdby': undefined,
};

anyDatabase.describe('Stripe events (payments §11.2)', (open) => {
  const double = new StripeDouble();
  let serving: Serving;
  let acme: TenantBilling;

  before(async () => {
    await double.start();
    const gateway = stripeGateway({
      credentials: { apiKey: API_KEY, webhookSecret: ['whsec_of_before', WEBHOOK_SECRET] },
      client: double.client,
    });
    serving = await serve(await open(migrated), { gateways: [gateway] });
    const { tenantId } = await populate(serving);
    acme = serving.billing.as({ tenant: tenantId as Uuid, user: 'test' });
  });
  after(async () => {
    await serving.close();
    await double.stop();
  });

  const sent = async ({ rawBody, headers }: Sent, apiKey = 'bob'): Promise<number> => {
    const given = { ...anonymous, 'content-type': 'application/json; charset=utf-8', ...headers };
    return (await serving.call('POST', `/gateways/${apiKey}/stripe`, { body: rawBody, headers: given }))
      .status;
  };

  async function charged(token = 'pm_card_visa') {
    const { id: accountId } = await acme.createAccount({ currency: 'USD' });
    const details = { externalPaymentMethodId: token };
    await acme.addPaymentMethod({ accountId, pluginName: 'stripe', isDefault: true, details });
    const items = [{ amount: decimal('20') }];
    const [item] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
    await serving.billing.settle();
    const invoiceId = item?.invoiceId as Uuid;
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(invoiceId);
    const transactionId = payment?.transactions[0]?.id as Uuid;
    return { accountId, invoiceId, transactionId, intent: double.intentOf(transactionId) };
  }
  const balanceOf = async (invoiceId: Uuid) => Number((await acme.invoices.get(invoiceId)).balance);

  it('mark the invoice as paid when a delayed debit arrives', async () => {
    const { invoiceId, transactionId } = await charged('pm_sepaDebit');
    expect(await balanceOf(invoiceId)).to.equal(20);
    double.settle(transactionId);
    expect(await sent(double.notification('payment_intent.succeeded'))).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('leave the invoice unpaid and schedule a retry when the bank rejects a debit', async () => {
    const { invoiceId, transactionId } = await charged('pm_sepaDebit');
    double.settle(transactionId, 'FAILS');
    expect(await sent(double.notification('payment_intent.payment_failed'))).to.equal(200);
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(invoiceId, { withAttempts: true });
    expect(payment?.transactions[0]).to.include({
      status: 'PAYMENT_FAILURE',
      gatewayErrorCode: 'insufficient_funds',
    });
    expect(payment?.attempts?.at(-1)?.stateName).to.equal('SCHEDULED');
  });

  it('prevent a customer from completing a failed payment on a page that is still open', async () => {
    const { accountId, invoiceId } = await charged('pm_card_chargeCustomerFail');
    const { id: paymentMethodId } = await acme.addPaymentMethod({
      accountId,
      pluginName: 'stripe',
      details: { externalPaymentMethodId: 'pm_card_authenticationRequired' },
    });
    const properties = [{ key: 'off_session', value: 'false', isUpdatable: false }];
    const paid = await acme.invoicePayments.pay({ invoiceId, paymentMethodId, properties });
    const transactionId = paid?.transaction.id as Uuid;
    expect(paid?.transaction.status).to.equal('PENDING');
    double.settle(transactionId, 'FAILS');
    expect(await sent(double.notification('payment_intent.payment_failed'))).to.equal(200);
    const { transactions } = await acme.payments.get(paid?.payment.id as Uuid);
    expect(transactions.at(-1)).to.include({
      status: 'PAYMENT_FAILURE',
      gatewayErrorCode: 'insufficient_funds',
    });
    expect(() => double.settle(transactionId)).to.throw('status of canceled');
    expect(await balanceOf(invoiceId)).to.equal(20);
  });

  it('record a dispute as a chargeback of the invoice and reverse the chargeback when the dispute is won', async () => {
    const { invoiceId, intent } = await charged();
    expect(await balanceOf(invoiceId)).to.equal(0);
    const dispute = openDispute(double.books, intent, {});
    const opened = double.notification('charge.dispute.created');
    for (const _ of [1, 2]) expect(await sent(opened)).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(20);
    closeDispute(double.books, dispute, 'won');
    expect(await sent(double.notification('charge.dispute.closed'))).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
    // A late and outdated notification: the gateway queries the current state.
    expect(await sent(opened)).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(invoiceId);
    const keys = payment?.transactions.map((each) => each.externalKey).slice(1);
    expect(keys).to.eql([dispute.id, dispute.id]);
  });

  it('record a dispute as won even if less money returns because of the exchange rate', async () => {
    const { invoiceId, intent } = await charged();
    const dispute = openDispute(double.books, intent, {});
    expect(await sent(double.notification('charge.dispute.created'))).to.equal(200);
    closeDispute(double.books, dispute, { reinstated: dispute.amount - 1 });
    expect(await sent(double.notification('charge.dispute.closed'))).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('record a lost dispute over part of a payment', async () => {
    const { invoiceId, intent } = await charged();
    const dispute = openDispute(double.books, intent, { amount: 550 });
    await sent(double.notification('charge.dispute.created'));
    closeDispute(double.books, dispute, 'lost');
    await sent(double.notification('charge.dispute.closed'));
    expect(await balanceOf(invoiceId)).to.equal(5.5);
  });

  it('move no money and record no chargeback for an inquiry', async () => {
    const { invoiceId, intent } = await charged();
    openDispute(double.books, intent, { isInquiry: true });
    expect(await sent(double.notification('charge.dispute.created'))).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
  });

  it('never reach another tenant with the same Stripe account', async () => {
    const { invoiceId, intent } = await charged();
    openDispute(double.books, intent, {});
    const logged = serving.log.lines.length;
    expect(await sent(double.notification('charge.dispute.created'), 'eve')).to.equal(200);
    expect(await balanceOf(invoiceId)).to.equal(0);
    expect(serving.log.lines.slice(logged).filter(({ level }) => level === 'warn')).to.eql([]);
  });

  it('are accepted only if the endpoint’s secret signed them within the last five minutes', async () => {
    const event = double.books.events.at(-1);
    if (event === undefined) throw new Error('Stripe sent no event');
    expect(await sent(signed(event))).to.equal(200);
    expect(await sent(signed(event, { secret: 'whsec_of_before' }))).to.equal(200);
    expect(await sent(signed(event, { secret: 'whsec_other' }))).to.equal(401);
    expect(await sent(signed(event, { ageSeconds: 600 }))).to.equal(401);
    const { rawBody, headers } = signed(event);
    expect(await sent({ rawBody: rawBody.replace('evt_', 'evt-'), headers })).to.equal(401);
    expect(await sent({ rawBody, headers: {} })).to.equal(401);
  });

  it('leave a pending payment for recovery and do not cancel it if Stripe is unavailable during completion', async () => {
    const { accountId } = await charged();
    double.bank = 'IS_SLOW';
    const { payment, transaction } = await acme.payments.purchase({ accountId, amount: '3' });
    double.bank = 'BY_METHOD';
    double.settle(transaction.id);
    await double.stop();
    const statusOf = async (withPluginInfo: boolean) =>
      (await acme.payments.get(payment.id, { withPluginInfo })).transactions[0]?.status;
    try {
      const completed = acme.payments.complete({ paymentId: payment.id, transactionId: transaction.id });
      expect(await codeOf(completed)).to.equal(ErrorCode.PAYMENT_INTERNAL_ERROR);
      expect(await statusOf(false)).to.equal('UNKNOWN');
    } finally {
      await double.start();
    }
    expect(await statusOf(true)).to.equal('SUCCESS');
  });

  it('are not required for a refresh that imports a chargeable method saved only at Stripe', async () => {
    const { accountId, intent } = await charged();
    const method = newMethod(double.books, 'succeeds', intent.customer);
    double.books.methods.set(method.id, method);
    await acme.paymentMethods.refresh({ accountId, pluginNames: ['stripe'] });
    const methods = await acme.paymentMethods.ofAccount(accountId, { withPluginInfo: true });
    const found = methods.find(({ externalKey }) => externalKey === method.id);
    const { transaction } = await acme.payments.purchase({
      accountId,
      amount: '3',
      paymentMethodId: found?.id as Uuid,
    });
    expect(transaction.status).to.equal('SUCCESS');
    expect(double.intentOf(transaction.id).payment_method).to.equal(method.id);
  });
});
