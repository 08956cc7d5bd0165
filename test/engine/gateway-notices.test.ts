import type { NotificationAnswer, Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

eachDatabaseByTurns.describe('gateway notifications (payments §11.2 rule 3)', (open) => {
  let answer: NotificationAnswer = {};
  let number = 0;

  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  before(async () => {
    Object.assign(engine.gateway, { processNotification: async () => answer });
  });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  beforeEach(async () => {
    number += 1;
  });
  soundAfterEach(engine);

  const notified = (notice: NotificationAnswer) => {
    answer = notice;
    const pluginName = engine.gateway.name;
    return engine.acme.paymentGateways.processNotification({ pluginName, body: 'x' });
  };
  const disputed = (
    kbPaymentId: Uuid,
    { amount = '20', stands = true, name = 'dispute' }: Record<string, unknown> = {},
  ) => {
    const reference = `${String(name)}-${number}`;
    const dispute = { reference, amount, currency: 'USD', stands } as never;
    return notified({ kbPaymentId, dispute });
  };
  const warnings = () => engine.logger.lines.map((line) => JSON.stringify(line)).join('\n');

  it('trigger a query of a pending payment, and record the response', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING' });
    const request = { accountId: account.id, amount: '12' };
    const { payment, transaction } = await engine.acme.payments.purchase(request);
    await notified({ kbPaymentId: payment.id });
    expect((await engine.acme.payments.get(payment.id)).transactions[0]?.status).to.equal('PENDING');
    const ended = { transactionId: transaction.id, status: 'PROCESSED' } as const;
    engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', ...ended });
    await notified({ kbPaymentId: payment.id });
    const after = await engine.acme.payments.get(payment.id);
    expect(after.transactions[0]?.status).to.equal('SUCCESS');
    expect(Number(after.totals.purchasedAmount)).to.equal(12);
  });

  it('record an open dispute as a chargeback once, and reverse the chargeback when the dispute no longer stands', async () => {
    const { id, paymentId } = await invoices.paid('20');
    for (const _ of [1, 2]) {
      await disputed(paymentId);
      expect(await invoices.rowsOf(paymentId)).to.eql(['ATTEMPT SUCCESS 20', 'CHARGED_BACK SUCCESS -20']);
      expect(await invoices.balanceOf(id)).to.equal(20);
    }
    for (const _ of [1, 2]) {
      await disputed(paymentId, { stands: false });
      expect(await invoices.balanceOf(id)).to.equal(0);
    }
    const { transactions } = await invoices.paymentOf(id);
    expect(transactions.map(({ transactionType, status }) => `${transactionType} ${status}`)).to.eql([
      'PURCHASE SUCCESS',
      'CHARGEBACK SUCCESS',
      'CHARGEBACK PAYMENT_FAILURE',
    ]);
  });

  it('change nothing for a dispute in which no money was taken', async () => {
    const { id, paymentId } = await invoices.paid('20');
    await disputed(paymentId, { stands: false });
    expect((await invoices.paymentOf(id)).transactions).to.have.length(1);
  });

  it('are accepted and logged for a dispute over more than the remaining amount', async () => {
    const { id, paymentId } = await invoices.paid('20');
    const { status } = await disputed(paymentId, { amount: '20.01', name: 'too-much' });
    expect(status).to.equal(200);
    expect((await invoices.paymentOf(id)).transactions).to.have.length(1);
    expect(warnings()).to.contain(`too-much-${number}`);
  });

  it('are ignored for a payment of another gateway or an unknown payment', async () => {
    const accountId = account.id;
    const pluginName = '__EXTERNAL_PAYMENT__';
    const { id: paymentMethodId } = await engine.acme.paymentMethods.add({ accountId, pluginName });
    const { payment } = await engine.acme.payments.purchase({ accountId, paymentMethodId, amount: '20' });
    await disputed(payment.id);
    expect((await engine.acme.payments.get(payment.id)).transactions).to.have.length(1);
    await disputed(account.id);
    expect(warnings()).to.contain(account.id);
  });

  const unreadable = [
    ['no reference', { name: '' }],
    ['an amount of 0', { amount: '0' }],
    ['an invalid amount', { amount: 'much' }],
    ['an invalid state', { stands: 'yes' }],
  ] as const;
  for (const [what, given] of unreadable)
    it(`are rejected as unreadable if a dispute has ${what}`, async () => {
      const { id, paymentId } = await invoices.paid('20');
      const reference = 'name' in given ? '' : `dispute-${number}`;
      const dispute = { reference, amount: '20', currency: 'USD', stands: true, ...given } as never;
      await expectCode(notified({ kbPaymentId: paymentId, dispute }), 'PAYMENT_INTERNAL_ERROR');
      expect((await invoices.paymentOf(id)).transactions).to.have.length(1);
    });
});
