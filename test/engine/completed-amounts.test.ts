import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import type { PaymentResult } from '../support/plain-views.ts';

const BAD_PARAMETER = ErrorCode.PAYMENT_INVALID_PARAMETER;
const PENDING = [{ key: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', value: 'true', isUpdatable: false }];

anyDatabase.describe('completion amounts (payments §4.3 rule 7)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const account = payerBeforeEach(engine);

  const callsOf = (paymentId: Uuid) => engine.ledger.ofPayment(paymentId).length;
  const purchased = (amount: string) => engine.acme.payments.purchase({ accountId: account.id, amount });
  const processed = ({ transaction }: PaymentResult) => [
    transaction.status,
    Number(transaction.amount),
    Number(transaction.processedAmount),
  ];
  async function paidInvoice(amount: string): Promise<Uuid> {
    const items = [{ amount: amount }];
    const [item] = await engine.acme.invoices.addCharges({ accountId: account.id, items, autoCommit: true });
    await engine.settle();
    const [payment] = await engine.acme.payments.invoicePaymentsOfInvoice(item?.invoiceId ?? '');
    if (!payment) throw new Error('nothing was paid');
    return payment.id;
  }

  it('must be positive for a purchase, and are checked before the gateway is called', async () => {
    const { payments } = engine.acme;
    const keys = { externalKey: 'P', transactionExternalKey: 'T' };
    const input = { accountId: account.id, amount: '10', ...keys };
    const { payment } = await payments.purchase({ ...input, properties: PENDING });
    const before = callsOf(payment.id);
    for (const amount of ['-5', '0']) {
      await expectCode(payments.complete({ paymentId: payment.id, amount }), BAD_PARAMETER);
      await expectCode(payments.purchase({ ...input, amount }), BAD_PARAMETER);
    }
    expect(callsOf(payment.id)).to.equal(before);
    const completed = await payments.complete({ paymentId: payment.id, amount: '7' });
    expect(processed(completed)).to.eql(['SUCCESS', 10, 7]);
  });

  it("can be 0 for an authorization, and must be in the payment's currency for a refund", async () => {
    const { payments } = engine.acme;
    const checked = await payments.authorize({ accountId: account.id, amount: '10', properties: PENDING });
    const completed = await payments.complete({ paymentId: checked.payment.id, amount: '0' });
    expect(processed(completed)).to.eql(['SUCCESS', 10, 0]);
    const { id: paymentId } = (await purchased('100')).payment;
    await payments.refund({ paymentId, amount: '10', properties: PENDING });
    await expectCode(payments.complete({ paymentId, amount: '10', currency: 'EUR' }), BAD_PARAMETER);
  });

  it('cannot exceed the refundable amount, from which the pending refund itself is not deducted', async () => {
    const { payments } = engine.acme;
    const { id: paymentId } = (await purchased('100')).payment;
    const key = { paymentId, transactionExternalKey: 'R' };
    await payments.refund({ paymentId, amount: '30', properties: PENDING });
    await payments.refund({ ...key, amount: '10', properties: PENDING });
    const before = callsOf(paymentId);
    await expectCode(payments.refund({ ...key, amount: '5000' }), BAD_PARAMETER);
    await expectCode(payments.complete({ ...key, amount: '70.01' }), BAD_PARAMETER);
    expect(callsOf(paymentId)).to.equal(before);
    expect(processed(await payments.refund({ ...key, amount: '70' }))).to.eql(['SUCCESS', 10, 70]);
  });

  it('cannot exceed the amount of an invoice payment less its other refunds', async () => {
    const { invoicePayments, payments } = engine.acme;
    const paymentId = await paidInvoice('100');
    const key = { paymentId, transactionExternalKey: 'R2' };
    const { transaction } = await invoicePayments.refund({ ...key, amount: '10', properties: PENDING });
    await invoicePayments.refund({ paymentId, amount: '20', isExternal: true });
    const { INVOICE_REFUND_AMOUNT_TOO_HIGH: TOO_HIGH } = ErrorCode;
    for (const refused of [
      invoicePayments.refund({ ...key, amount: '80.01' }),
      payments.refund({ ...key, amount: '80.01' }),
      payments.complete({ paymentId, transactionId: transaction.id, amount: '80.01' }),
    ])
      await expectCode(refused, TOO_HIGH);
    const completed = await invoicePayments.complete({ paymentId, amount: '80' });
    expect(processed(completed)).to.eql(['SUCCESS', 10, 80]);
  });

  it('cannot exceed the requested amount of a pending external refund', async () => {
    const { invoicePayments, payments } = engine.acme;
    const paymentId = await paidInvoice('100');
    const method = { accountId: account.id, pluginName: engine.gateway.name };
    const card = await engine.acme.addPaymentMethod(method);
    const { payment } = await invoicePayments.refund({
      paymentId,
      amount: '20',
      isExternal: true,
      paymentMethodId: card.id,
      properties: PENDING,
    });
    await expectCode(payments.complete({ paymentId: payment.id, amount: '20.01' }), BAD_PARAMETER);
    const completed = await payments.complete({ paymentId: payment.id, amount: '15' });
    expect(processed(completed)).to.eql(['SUCCESS', 20, 15]);
  });
});
