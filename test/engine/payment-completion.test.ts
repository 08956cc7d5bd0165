import { ErrorCode, type Uuid } from '../../lib/index.ts';
import {
  codeOf,
  eachDatabaseByTurns,
  engineBefore,
  expect,
  expectCode,
  payerBeforeEach,
  soundAfterEach,
} from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import type { PaymentResult } from '../support/plain-views.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const BAD = ErrorCode.PAYMENT_INVALID_PARAMETER;
const does = (key: string, value = 'true') => [{ key, value, isUpdatable: false }];
const PENDING = does('ACTION_RETURN_PLUGIN_STATUS_PENDING');

eachDatabaseByTurns.describe('completion of pending transactions (payments §6)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  /** Creates a purchase of 20 and two pending refunds of 5 and 6. */
  async function twoPending() {
    const { payments } = acme;
    const { payment } = await payments.purchase({ accountId: account.id, amount: '20' });
    const paymentId = payment.id;
    const refund = (amount: string, transactionExternalKey: string) =>
      payments.refund({ paymentId, amount, transactionExternalKey, properties: PENDING });
    const five = (await refund('5', `five-${paymentId}`)).transaction;
    const six = (await refund('6', `six-${paymentId}`)).transaction;
    return { paymentId, five, six, purchase: payment.transactions[0]?.id ?? NOWHERE };
  }
  const statuses = ({ payment }: PaymentResult) => payment.transactions.map(({ status }) => status);

  it('requires an id or key if several transactions are pending (payments §6.1 rule 2)', async () => {
    const { payments } = acme;
    const { paymentId, five, six } = await twoPending();
    const calls = engine.ledger.ofPayment(paymentId).length;
    await expectCode(payments.complete({ paymentId }), BAD);
    await expectCode(payments.complete({ paymentId, transactionType: 'REFUND' }), BAD);
    expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
    const one = await payments.complete({ paymentId, transactionId: six.id });
    expect(statuses(one)).to.eql(['SUCCESS', 'PENDING', 'SUCCESS']);
    const other = await payments.complete({ paymentId, transactionExternalKey: five.externalKey });
    expect(statuses(other)).to.eql(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });

  it('requires all given values to match one transaction that has not failed (payments §6.1 rule 1)', async () => {
    const { payments } = acme;
    const { paymentId, five, six } = await twoPending();
    const failed = { paymentId, transactionId: five.id };
    await payments.complete({ ...failed, properties: does('ACTION_RETURN_PLUGIN_STATUS_ERROR') });
    for (const choice of [
      { transactionId: six.id, transactionExternalKey: five.externalKey },
      { transactionId: six.id, transactionType: 'PURCHASE' },
      { transactionId: five.id },
      { transactionId: NOWHERE },
      { transactionExternalKey: 'unheard-of' },
      { transactionType: 'VOID' },
    ] as const)
      await expectCode(payments.complete({ paymentId, ...choice }), BAD);
    expect(statuses(await payments.complete({ paymentId }))).to.eql([
      'SUCCESS',
      'PAYMENT_FAILURE',
      'SUCCESS',
    ]);
  });

  it('has no effect on a successful transaction (payments §6.1 rule 2)', async () => {
    const { payments } = acme;
    const { paymentId, purchase } = await twoPending();
    const calls = engine.ledger.ofPayment(paymentId).length;
    const done = await payments.complete({ paymentId, transactionType: 'PURCHASE' });
    expect(done.transaction).to.include({ id: purchase, status: 'SUCCESS' });
    expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
  });

  it('calls the operation of the same type with the same transaction id (payments §6.1 rule 3)', async () => {
    const { payments } = acme;
    const { paymentId, six, five } = await twoPending();
    await payments.complete({ paymentId, transactionId: five.id });
    const again = await payments.complete({ paymentId, transactionId: six.id, properties: PENDING });
    expect(again.transaction.status).to.equal('PENDING');
    await payments.complete({ paymentId, transactionId: six.id });
    const gatewayCalls = engine.ledger
      .ofPayment(paymentId)
      .filter(({ kbTransactionPaymentId: id }) => id === six.id);
    expect(new Set(gatewayCalls.map(({ transactionType }) => transactionType))).to.eql(new Set(['REFUND']));
    expect(gatewayCalls.at(-1)?.status).to.equal('PROCESSED');
  });

  it('also completes a pending void (payments §6.1 rule 3)', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '20' });
    const paymentId = payment.id;
    await payments.void({ paymentId, properties: PENDING });
    const completed = await payments.complete({ paymentId });
    expect(completed.transaction).to.include({ transactionType: 'VOID', status: 'SUCCESS' });
    expect(completed.payment.stateName).to.equal('VOID_SUCCESS');
    expect(Number(completed.payment.totals.authAmount)).to.equal(0);
  });

  it('does not check the amounts again (payments §6.1 rule 3)', async () => {
    const { payments } = acme;
    const { payment } = await payments.purchase({ accountId: account.id, amount: '20' });
    const paymentId = payment.id;
    await payments.refund({ paymentId, amount: '20', properties: PENDING });
    await payments.chargeback({ paymentId, amount: '20' });
    const completed = await payments.complete({ paymentId, transactionType: 'REFUND' });
    expect(completed.transaction.status).to.equal('SUCCESS');
    expect(Number(completed.payment.totals.refundedAmount)).to.equal(20);
  });

  it('turns the amount of an invoice payment into credit if the invoice no longer has a balance (payments §6.1 rule 3)', async () => {
    const { acme, gateway } = engine;
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
    const { id, itemId, paymentId } = await invoices.paid('20');
    await acme.invoices.adjustItem({
      accountId: account.id,
      invoiceId: id,
      invoiceItemId: itemId,
      amount: '20',
    });
    expect((await acme.invoicePayments.complete({ paymentId })).transaction.status).to.equal('SUCCESS');
    expect([await invoices.balanceOf(id), await invoices.credit()]).to.eql([0, 20]);
  });

  for (const path of ['payments', 'invoicePayments'] as const) {
    it(`rejects a different currency for an invoice payment (${path}), but accepts a different amount (payments §4.3 rule 7)`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
      const { id, paymentId } = await invoices.paid('20');
      const gatewayCalls = engine.ledger.ofPayment(paymentId).length;
      const { complete } = acme[path];
      for (const amount of ['1', '20', null])
        await expectCode(complete({ paymentId, amount, currency: 'EUR' }), BAD);
      expect(engine.ledger.ofPayment(paymentId)).to.have.length(gatewayCalls);
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT PENDING 20']);
      await complete({ paymentId, amount: '1', currency: 'USD' });
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 1']);
      expect(await invoices.balanceOf(id)).to.equal(19);
    });

    it(`pays the invoice of a pending invoice payment (${path}, payments §6.1 rule 4)`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
      const { id, paymentId } = await invoices.paid('20');
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT PENDING 20']);
      expect(await invoices.balanceOf(id)).to.equal(20);
      await acme[path].complete({ paymentId });
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20']);
      expect(await invoices.balanceOf(id)).to.equal(0);
    });
  }

  for (const [status, row, balance] of [
    ['SUCCESS', 'ATTEMPT SUCCESS 20', 0],
    ['PAYMENT_FAILURE', 'ATTEMPT INIT 0', 20],
    ['PLUGIN_FAILURE', 'ATTEMPT INIT 0', 20],
  ] as const)
    it(`records the given outcome ${status} of an invoice payment without calling the gateway (payments §6.2)`, async () => {
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
      const { id, paymentId } = await invoices.paid('20');
      const { transactions } = await invoices.paymentOf(id);
      const transactionId = transactions[0]?.id ?? NOWHERE;
      const calls = engine.ledger.ofPayment(paymentId).length;
      const outcome = await acme.payments.recordNotifiedOutcome({ paymentId, transactionId, status });
      expect(outcome.transaction.status).to.equal(status === 'SUCCESS' ? 'SUCCESS' : 'PAYMENT_FAILURE');
      expect(await invoices.rowsOf(paymentId)).to.eql([row]);
      expect(await invoices.balanceOf(id)).to.equal(balance);
      expect(engine.ledger.ofPayment(paymentId)).to.have.length(calls);
    });

  it('rejects transactions that are not pending or belong to another payment, and invalid statuses (payments §6.2)', async () => {
    const { payments } = acme;
    const { paymentId, five, purchase } = await twoPending();
    const other = await payments.purchase({ accountId: account.id, amount: '5' });
    const notify = (transactionId: Uuid, status: string, of = paymentId) =>
      codeOf(payments.recordNotifiedOutcome({ paymentId: of, transactionId, status: status as 'SUCCESS' }));
    const none = ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT;
    expect(await notify(purchase, 'SUCCESS')).to.equal(none);
    expect(await notify(NOWHERE, 'SUCCESS')).to.equal(none);
    expect(await notify(five.id, 'SUCCESS', other.payment.id)).to.equal(none);
    for (const status of ['PENDING', 'UNKNOWN', 'PAYMENT_SYSTEM_OFF', 'DONE'])
      expect(await notify(five.id, status)).to.equal(BAD);
    expect(await notify(five.id, 'SUCCESS')).to.equal('no error');
  });
});

eachDatabaseByTurns.describe('invoice payment service with repeated keys (payments §4.2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  soundAfterEach(engine);

  it('pays the stored invoice if a request repeats the key of a pending payment', async () => {
    const { acme, gateway, ledger } = engine;
    const { id } = await invoices.add('20', { isHeldBack: true });
    const keys = { invoiceId: id, transactionExternalKey: 'sent twice' };
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 2 });
    const first = await acme.invoicePayments.pay({ ...keys, externalKey: 'twice', amount: '15' });
    const [card] = await acme.paymentMethods.ofAccount(account.id);
    const other = await acme.paymentMethods.add({ accountId: account.id, pluginName: gateway.name });
    const elsewhere = { ...keys, paymentMethodId: other.id };
    await expectCode(acme.invoicePayments.pay(elsewhere), 'PAYMENT_INVALID_PARAMETER');
    const stranger = { ...keys, externalKey: 'another payment' };
    await expectCode(acme.invoicePayments.pay(stranger), 'PAYMENT_INVALID_PARAMETER');
    const still = await acme.invoicePayments.pay({ ...keys, externalKey: 'twice', amount: '15' });
    expect(still?.transaction.status).to.equal('PENDING');
    expect(await invoices.balanceOf(id)).to.equal(20);
    const again = await acme.invoicePayments.pay({ ...keys, paymentMethodId: card?.id ?? null });
    expect(again?.payment.id).to.equal(first?.payment.id);
    expect(again?.transaction.id).to.equal(first?.transaction.id);
    expect(again?.transaction.status).to.equal('SUCCESS');
    expect(await invoices.balanceOf(id)).to.equal(5);
    expect(ledger.ofPayment(again?.payment.id as Uuid)).to.have.length(1);
    await expectCode(acme.invoicePayments.pay(keys), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
  });

  it('queries the gateway before a repeated payment if the outcome is unknown', async () => {
    const { acme, gateway, ledger } = engine;
    const unknown = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED', TIMES: 1 } as const;
    const sent = async (externalKey: string) => {
      const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
      const keys = { invoiceId, externalKey, transactionExternalKey: `${externalKey}-1` };
      gateway.configure(unknown);
      const paid = await acme.invoicePayments.pay(keys);
      const transactionId = paid?.transaction.id as Uuid;
      expect(paid?.transaction.status).to.equal('UNKNOWN');
      await expectCode(acme.invoicePayments.pay(keys), 'PAYMENT_INVALID_OPERATION');
      return { keys, transactionId };
    };
    const overridden = async (status: 'PROCESSED' | 'ERROR', transactionId: Uuid) =>
      gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status });
    const well = await sent('went well');
    await overridden('PROCESSED', well.transactionId);
    await expectCode(acme.invoicePayments.pay(well.keys), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
    expect(await invoices.balanceOf(well.keys.invoiceId)).to.equal(0);
    const failed = await sent('went wrong');
    await overridden('ERROR', failed.transactionId);
    const paid = await acme.invoicePayments.pay(failed.keys);
    expect(paid?.payment.transactions.map(({ status }) => status)).to.eql(['PAYMENT_FAILURE', 'SUCCESS']);
    expect(await invoices.balanceOf(failed.keys.invoiceId)).to.equal(0);
    expect(ledger.ofPayment(paid?.payment.id as Uuid)).to.have.length(2);
  });

  for (const isExternal of [false, true]) {
    const elsewhere = isExternal ? ' outside the gateway' : '';

    it(`rejects a repeated refund${elsewhere} of a whole item`, async () => {
      const { id, itemId: invoiceItemId, paymentId } = await invoices.paid('20');
      const refund = {
        paymentId,
        isExternal,
        transactionExternalKey: `refunded${elsewhere}`,
        isAdjusted: true,
        adjustments: [{ invoiceItemId }],
      };
      await acme.invoicePayments.refund(refund);
      await expectCode(acme.invoicePayments.refund(refund), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
      expect(await invoices.adjustmentsOf(id)).to.eql([-20]);
      expect(await invoices.balanceOf(id)).to.equal(0);
    });

    it(`completes a pending refund${elsewhere} of a whole item, even if the item has changed`, async () => {
      const { acme, gateway } = engine;
      const { id, itemId: invoiceItemId, paymentId } = await invoices.paid('20');
      const method = await acme.paymentMethods.add({ accountId: account.id, pluginName: gateway.name });
      const refund = {
        paymentId,
        isExternal,
        transactionExternalKey: `refunded slowly${elsewhere}`,
        isAdjusted: true,
        adjustments: [{ invoiceItemId }],
        ...(isExternal && { paymentMethodId: method.id }),
      };
      gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
      const first = await acme.invoicePayments.refund(refund);
      expect(first.transaction.status).to.equal('PENDING');
      await acme.invoices.adjustItem({ accountId: account.id, invoiceId: id, invoiceItemId, amount: '20' });
      const again = await acme.invoicePayments.refund(refund);
      expect(again.transaction.id).to.equal(first.transaction.id);
      expect(again.transaction.status).to.equal('SUCCESS');
      expect(Number(again.transaction.processedAmount)).to.equal(20);
      expect(await invoices.adjustmentsOf(id)).to.eql([-20]);
    });
  }
});
