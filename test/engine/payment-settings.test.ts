import { ErrorCode } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

const CONFIGURATION = 'PER_TENANT_CONFIG';

anyDatabase.describe('payment settings and ownership rules (payments §13)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  afterEach(() => acme.keyValues.delete(CONFIGURATION));

  const set = (values: Readonly<Record<string, string>>) =>
    acme.keyValues.add(CONFIGURATION, JSON.stringify(values));
  const findings = async () => (await engine.breaches()).map(({ invariant }) => invariant);

  it('let the gateway limit refunds of a payment without an invoice (payments §13 overRefund.allowed)', async () => {
    const { payments, invoicePayments } = acme;
    const { payment } = await payments.purchase({ accountId: account.id, amount: '10' });
    const more = { paymentId: payment.id, amount: '10.01' };
    await expectCode(payments.refund(more), 'PAYMENT_INVALID_PARAMETER');
    await set({ 'org.service.payment.overRefund.allowed': 'true' });
    const { transaction } = await payments.refund(more);
    expect(transaction.status).to.equal('SUCCESS');
    expect(engine.ledger.ofPayment(payment.id)).to.have.length(2);
    expect(await findings()).to.eql([]);
    const { paymentId } = await invoices.paid('10');
    for (const refund of [payments.refund, invoicePayments.refund])
      await expectCode(refund({ paymentId, amount: '10.01' }), 'INVOICE_REFUND_AMOUNT_TOO_HIGH');
    await acme.keyValues.delete(CONFIGURATION);
    expect(await findings()).to.eql(['REFUNDS']);
  });

  it('allow a payment of 0 for an invoice without debt (payments §13 allow.emptyInvoice)', async () => {
    const { invoicePayments } = acme;
    const { id } = await invoices.paid('20');
    expect(await invoicePayments.pay({ invoiceId: id })).to.equal(null);
    await set({ 'org.service.payment.allow.emptyInvoice': 'true' });
    const paid = await invoicePayments.pay({ invoiceId: id });
    expect(paid?.transaction.status).to.equal('SUCCESS');
    expect(Number(paid?.transaction.amount)).to.equal(0);
    expect(await invoices.balanceOf(id)).to.equal(0);
    await expectCode(invoicePayments.pay({ invoiceId: id, amount: '1' }), 'PAYMENT_PLUGIN_EXCEPTION');
    const attempt = await invoicePayments.pay({ invoiceId: id, amount: '0' });
    expect(attempt?.transaction.status).to.equal('SUCCESS');
    const { id: owed } = await invoices.add('20', { isHeldBack: true });
    for (const [invoiceId, amount] of [
      [id, '-1'],
      [owed, '0'],
      [owed, '-1'],
    ] as const)
      await expectCode(invoicePayments.pay({ invoiceId, amount }), 'PAYMENT_INVALID_PARAMETER');
    expect(await invoices.balanceOf(owed)).to.equal(20);
  });

  it('reject a payment without a default method with 7021 (payments §9.2 rule 7)', async () => {
    const poor = await acme.createAccount({ currency: 'USD' });
    const { id } = await new PaidInvoices(engine, poor).add('20');
    const none = ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD;
    await expectCode(acme.invoicePayments.pay({ invoiceId: id }), none);
    await expectCode(acme.invoicePayments.payAll({ accountId: poor.id }), none);
    expect(await acme.payments.invoicePaymentsOfInvoice(id)).to.eql([]);
    const paid = await acme.invoicePayments.pay({ invoiceId: id, isExternal: true });
    expect(paid?.transaction.status).to.equal('SUCCESS');
  });

  it('reject a payment or key of another account with 7034 or 7035 (payments §4.1 rule 3)', async () => {
    const { payments } = acme;
    const other = await engine.payingAccount({ currency: 'USD' });
    const keys = { externalKey: `P-${account.id}`, transactionExternalKey: `T-${account.id}` };
    const { payment } = await payments.authorize({ accountId: account.id, amount: '10', ...keys });
    const asOther = { accountId: other.id, amount: '10' };
    const calls = engine.ledger.all().length;
    for (const attempt of [
      () => payments.capture({ ...asOther, paymentId: payment.id }),
      () => payments.capture({ ...asOther, externalKey: keys.externalKey }),
      () => payments.purchase({ ...asOther, externalKey: keys.externalKey }),
      () => payments.capture({ ...asOther, transactionExternalKey: keys.transactionExternalKey }),
    ])
      await expectCode(attempt(), 'PAYMENT_DIFFERENT_ACCOUNT_ID');
    const fresh = { externalKey: `P-${other.id}`, transactionExternalKey: keys.transactionExternalKey };
    await expectCode(payments.purchase({ ...asOther, ...fresh }), 'PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID');
    expect(engine.ledger.all()).to.have.length(calls);
  });
});
