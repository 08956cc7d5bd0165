import { expect } from 'chai';
import type {
  ComboPaymentTransaction,
  InvoiceItem,
  InvoicePaymentTransaction,
  Payment,
  PaymentTransaction,
} from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

const WAITS = ['ACTION_RETURN_PLUGIN_STATUS_PENDING=true'];
const DECLINES = ['ACTION_RETURN_PLUGIN_STATUS_ERROR=true'];
const KEY = 'paula';

/** Casts a transaction to the package's types, which have enumerations for plain strings. */
const transaction = (members: object) => members as PaymentTransaction & InvoicePaymentTransaction;
const lastOf = ({ transactions = [] }: Payment) => transactions.at(-1);

export function describePayments(journey: JourneyOf): void {
  describe('payments', () => {
    let accountId: string;
    let methodId: string;

    const begin = async (members: object, properties: string[] = []): Promise<Payment> => {
      const { account } = journey().client;
      const body = transaction({ amount: 10, currency: 'USD', ...members });
      return (await account.processPayment(body, accountId, BY, methodId, [], properties)).data;
    };
    const idOf = ({ paymentId }: Payment): string => String(paymentId);

    it('are authorized, captured and refunded, by id and by external key', async () => {
      const { account, payment } = journey().client;
      const { data: paula } = await account.createAccount({ externalKey: KEY, currency: 'USD' }, BY);
      accountId = String(paula.accountId);
      const method = { pluginName: 'killbill-payment-test' };
      methodId = String(
        (await account.createPaymentMethod(method, accountId, BY, true)).data.paymentMethodId,
      );

      const first = await begin({ transactionType: 'AUTHORIZE' });
      expect(first).to.deep.include({
        accountId,
        paymentMethodId: methodId,
        authAmount: 10,
        capturedAmount: 0,
      });
      const captured = await payment.captureAuthorization(transaction({ amount: 6 }), idOf(first), BY);
      expect(captured.status).to.equal(201);
      expect(captured.data).to.include({ paymentId: first.paymentId, capturedAmount: 6 });
      const refunded = await payment.refundPayment(
        transaction({ amount: 2 }),
        idOf(first),
        BY,
        [],
        ['a=b'],
        'a reason',
      );
      expect(refunded.data).to.include({ refundedAmount: 2, capturedAmount: 6 });

      const body = transaction({
        transactionType: 'AUTHORIZE',
        amount: 5,
        currency: 'USD',
        paymentExternalKey: 'by-key',
      });
      expect((await account.processPaymentByExternalKey(body, KEY, BY)).status).to.equal(201);
      const ofKey = (members: object) => transaction({ paymentExternalKey: 'by-key', ...members });
      expect(
        (await payment.captureAuthorizationByExternalKey(ofKey({ amount: 5 }), BY)).data.capturedAmount,
      ).to.equal(5);
      expect(
        (await payment.refundPaymentByExternalKey(ofKey({ amount: 1 }), BY)).data.refundedAmount,
      ).to.equal(1);
    });

    it('are voided', async () => {
      const { payment } = journey().client;
      const first = await begin({ transactionType: 'AUTHORIZE', paymentExternalKey: 'voided' });
      expect((await payment.voidPayment(transaction({}), idOf(first), BY)).status).to.equal(204);
      const again = await failureOf(
        payment.voidPaymentByExternalKey(transaction({ paymentExternalKey: 'voided' }), BY),
      );
      expect(again).to.nested.include({ status: 400, 'body.code': 7032 });
      await begin({ transactionType: 'AUTHORIZE', paymentExternalKey: 'voided-by-key' });
      const body = transaction({ paymentExternalKey: 'voided-by-key' });
      expect((await payment.voidPaymentByExternalKey(body, BY)).status).to.equal(204);
      expect((await payment.getPaymentByExternalKey('voided-by-key')).data.authAmount).to.equal(0);
    });

    it('have chargebacks and reversals', async () => {
      const { payment } = journey().client;
      const paymentExternalKey = 'disputed';
      const first = await begin({ transactionType: 'PURCHASE', paymentExternalKey });
      const dispute = transaction({ amount: 4, currency: 'USD', transactionExternalKey: 'C1' });
      expect((await payment.chargebackPayment(dispute, idOf(first), BY)).data.purchasedAmount).to.equal(6);
      const won = transaction({ transactionExternalKey: 'C1' });
      expect((await payment.chargebackReversalPayment(won, idOf(first), BY)).data.purchasedAmount).to.equal(
        10,
      );
      const byKey = { paymentExternalKey, transactionExternalKey: 'C2' };
      const again = transaction({ ...byKey, amount: 3, currency: 'USD' });
      expect((await payment.chargebackPaymentByExternalKey(again, BY)).data.purchasedAmount).to.equal(7);
      const ended = await payment.chargebackReversalPaymentByExternalKey(transaction(byKey), BY);
      expect(ended.data.purchasedAmount).to.equal(10);
    });

    it('are completed by id, by key, by a notified status or by an administrator', async () => {
      const { payment, paymentTransaction, admin } = journey().client;
      const first = await begin({ transactionType: 'PURCHASE', transactionExternalKey: 'T1' }, WAITS);
      expect(lastOf(first)).to.include({ status: 'PENDING', transactionExternalKey: 'T1' });
      expect((await payment.completeTransaction(transaction({}), idOf(first), BY)).status).to.equal(204);
      const done = await paymentTransaction.getPaymentByTransactionExternalKey('T1', true, true);
      expect(done.data.purchasedAmount).to.equal(10);

      await begin({ transactionType: 'PURCHASE', paymentExternalKey: 'waits' }, WAITS);
      const ofKey = transaction({ paymentExternalKey: 'waits' });
      expect((await payment.completeTransactionByExternalKey(ofKey, BY)).status).to.equal(204);

      const pending = await begin({ transactionType: 'PURCHASE' }, WAITS);
      const { transactionId = '' } = lastOf(pending) ?? {};
      const outcome = transaction({ paymentId: pending.paymentId, status: 'SUCCESS' });
      const notified = await paymentTransaction.notifyStateChanged(outcome, transactionId, BY);
      expect(notified.status).to.equal(201);
      expect(notified.data.purchasedAmount).to.equal(10);
      const byId = await paymentTransaction.getPaymentByTransactionId(transactionId);
      expect(byId.data.paymentId).to.equal(pending.paymentId);

      const fixed = await begin({ transactionType: 'PURCHASE' }, WAITS);
      const wrong = lastOf(fixed)?.transactionId ?? '';
      const state = { transactionStatus: 'PAYMENT_FAILURE' };
      const { status } = await admin.updatePaymentTransactionState(state, idOf(fixed), wrong, BY);
      expect(status).to.equal(204);
      expect(lastOf((await payment.getPayment(idOf(fixed))).data)?.status).to.equal('PAYMENT_FAILURE');
    });

    it('are declined by the gateway and retried with the same key', async () => {
      const { account, payment } = journey().client;
      const body = {
        transactionType: 'PURCHASE',
        paymentExternalKey: 'declined',
        transactionExternalKey: 'T2',
      };
      const request = transaction({ ...body, amount: 10, currency: 'USD' });
      const declined = await failureOf(
        account.processPayment(request, accountId, BY, undefined, [], DECLINES),
      );
      expect(declined.status).to.equal(402);
      expect((await begin(body)).transactions).to.have.length(2);
      expect((await payment.cancelScheduledPaymentTransactionByExternalKey('T2', BY)).status).to.equal(204);
      const { data } = await payment.getPaymentByExternalKey('declined', true, true, ['a=b'], 'FULL');
      const id = lastOf(data)?.transactionId ?? '';
      expect((await payment.cancelScheduledPaymentTransactionById(id, BY)).status).to.equal(204);
    });

    it('create an account and a method in a combined call', async () => {
      const { account, payment } = journey().client;
      const body = {
        account: { externalKey: 'combo', currency: 'USD' },
        paymentMethod: { pluginName: 'killbill-payment-test', externalKey: 'combo-card' },
        transaction: { transactionType: 'PURCHASE', amount: 10, currency: 'USD' },
      } as ComboPaymentTransaction;
      const made = await payment.createComboPayment(body, BY);
      expect(made.status).to.equal(201);
      const { data } = await account.getAccountByKey('combo');
      expect(made.data).to.include({ accountId: data.accountId, purchasedAmount: 10 });
    });

    it('are listed and searched', async () => {
      const { payment } = journey().client;
      const page = await payment.getPayments(0, 2, 'killbill-payment-test', true, true, ['a=b'], 'FULL');
      expect(page.data).to.have.length(2);
      expect(page.headers['x-killbill-pagination-nextoffset']).to.equal('2');
      const found = await payment.searchPayments('by-key', 0, 10, true, true);
      expect(found.data.map(({ paymentExternalKey }) => paymentExternalKey)).to.include('by-key');
      expect((await payment.searchPayments('VOID_SUCCESS')).data).to.have.length(2);
    });

    it('pay one invoice or all invoices, and are refunded', async () => {
      const { account, invoice, invoicePayment } = journey().client;
      const [autoPayOff] = ['00000000-0000-0000-0000-000000000001'];
      await account.createAccountTags([autoPayOff], accountId, BY);
      const charge = async (amount: number) => {
        const items = [{ amount, currency: 'USD' } as InvoiceItem];
        const [item] = (await invoice.createExternalCharges(items, accountId, BY, undefined, true)).data;
        await journey().serving.billing.settle();
        return { invoiceId: String(item?.invoiceId), invoiceItemId: String(item?.invoiceItemId) };
      };
      const balanceOf = async (invoiceId: string) => (await invoice.getInvoice(invoiceId)).data.balance;

      const { invoiceId, invoiceItemId } = await charge(20);
      const paid = await invoice.createInstantPayment(
        { accountId, purchasedAmount: 15 },
        invoiceId,
        BY,
        false,
      );
      expect(paid.status).to.equal(201);
      expect(paid.data).to.deep.include({ targetInvoiceId: invoiceId, purchasedAmount: 15 });
      const paymentId = String(paid.data.paymentId);
      await invoice.createInstantPayment({ accountId }, invoiceId, BY, true);
      expect(await balanceOf(invoiceId)).to.equal(0);

      const adjustments = [{ invoiceItemId, amount: 5 } as InvoiceItem];
      const refund = transaction({ amount: 6, isAdjusted: true, adjustments });
      const refunded = await invoicePayment.createRefundWithAdjustments(refund, paymentId, BY);
      expect(refunded.status).to.equal(201);
      expect(refunded.data.refundedAmount).to.equal(6);
      expect(await balanceOf(invoiceId)).to.equal(1);

      const dispute = transaction({ amount: 3, currency: 'USD', transactionExternalKey: 'C3' });
      expect((await invoicePayment.createChargeback(dispute, paymentId, BY)).data.purchasedAmount).to.equal(
        12,
      );
      expect(await balanceOf(invoiceId)).to.equal(4);
      const won = transaction({ transactionExternalKey: 'C3' });
      await invoicePayment.createChargebackReversal(won, paymentId, BY);
      expect(await balanceOf(invoiceId)).to.equal(1);

      expect((await account.payAllInvoices(accountId, BY, undefined, false, 1)).status).to.equal(201);
      expect(await balanceOf(invoiceId)).to.equal(0);
      const read = await invoicePayment.getInvoicePayment(paymentId, true, true, ['a=b'], 'FULL');
      expect(read.data).to.include({ targetInvoiceId: invoiceId, refundedAmount: 6 });
    });

    it('are completed for an invoice', async () => {
      const { invoice, invoicePayment } = journey().client;
      const items = [{ amount: 8, currency: 'USD' } as InvoiceItem];
      const [item] = (await invoice.createExternalCharges(items, accountId, BY, undefined, true)).data;
      const invoiceId = String(item?.invoiceId);
      const waiting = await invoice.createInstantPayment({ accountId }, invoiceId, BY, false, [], WAITS);
      const paymentId = String(waiting.data.paymentId);
      expect((await invoice.getInvoice(invoiceId)).data.balance).to.equal(8);
      const { status } = await invoicePayment.completeInvoicePaymentTransaction(
        transaction({}),
        paymentId,
        BY,
      );
      expect(status).to.equal(204);
      expect((await invoice.getInvoice(invoiceId)).data.balance).to.equal(0);
    });
  });
}
