import type { Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, payerBeforeEach, soundAfterEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

eachDatabaseByTurns('what comes again under the keys of a payment of an invoice (payments §4.2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  soundAfterEach(engine);

  it('payments §4.2: a payment of an invoice that comes again under its keys while it is pending is completed, for what is stored', async () => {
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

  it('payments §4.2: a payment of an invoice that comes again under its keys while its outcome is unknown is asked about first', async () => {
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
    const elsewhere = isExternal ? ' elsewhere' : '';

    it(`payments §4.2: a refund${elsewhere} of a whole item that comes again under its key is done already`, async () => {
      const { id, itemId: invoiceItemId, paymentId } = await invoices.paid('20');
      const refund = {
        paymentId,
        isExternal,
        transactionExternalKey: `refunded${elsewhere}`,
        isAdjusted: true,
        adjustments: [{ invoiceItemId }],
      };
      await engine.acme.invoicePayments.refund(refund);
      await expectCode(engine.acme.invoicePayments.refund(refund), 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
      expect(await invoices.adjustmentsOf(id)).to.eql([-20]);
      expect(await invoices.balanceOf(id)).to.equal(0);
    });

    it(`payments §4.2: a refund${elsewhere} of a whole item that is pending is completed by the same call, whatever has become of the item`, async () => {
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
