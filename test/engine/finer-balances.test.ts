import { SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode, payerBeforeEach, rowsOf } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';

eachDatabaseByTurns('a balance that older data has left finer than its currency', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  const findings = async () =>
    (await engine.breaches()).map(({ invariant, message, accountId }) => ({ invariant, message, accountId }));
  const balanceOf = async (invoiceId: Uuid) => String((await engine.acme.invoices.get(invoiceId)).balance);

  /** An invoice of 20 of which 19.996 was paid, as amounts could be once. */
  async function leftOver() {
    const invoice = await invoices.paid('20');
    for (const statement of [
      `update bw_payment_transactions set amount = '19.996', processed_amount = '19.996'`,
      `update bw_invoice_payments set amount = '19.996'`,
      `update bw_invoices set raw_balance = '0.004'`,
      `update bw_invoicing_states set account_balance = '0.004'`,
    ])
      await rowsOf(engine.database, statement);
    expect(await balanceOf(invoice.id)).to.equal('0.004');
    return invoice;
  }

  it('is named by the check with the adjustment that ends it, and the adjustment ends it', async () => {
    const { id: invoiceId, itemId: invoiceItemId } = await leftOver();
    expect(await findings()).to.eql([
      {
        invariant: 'MINOR_UNIT',
        accountId: account.id,
        message: `invoice ${invoiceId} owes 0.004 USD, finer than its currency. Adjust its item ${invoiceItemId} by 0.004`,
      },
    ]);
    const adjustment = { accountId: account.id, invoiceId, invoiceItemId };
    await expectCode(engine.acme.invoices.adjustItem({ ...adjustment, amount: '0.003' }), 60003);
    await engine.acme.invoices.adjustItem({ ...adjustment, amount: '0.004' });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await findings()).to.eql([]);
  });

  it('can be paid exactly', async () => {
    const { id: invoiceId } = await leftOver();
    await engine.acme.invoicePayments.pay({ invoiceId, amount: '0.004', isExternal: true });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await findings()).to.eql([]);
  });

  it('is taken by an external payment of all invoices, whose rest is credit', async () => {
    const { id: invoiceId } = await leftOver();
    await engine.acme.invoicePayments.payAll({ accountId: account.id, amount: '1', isExternal: true });
    expect(await balanceOf(invoiceId)).to.equal('0');
    expect(await invoices.credit()).to.equal(0.996);
    const [credit, ...others] = await findings();
    expect(others).to.eql([]);
    expect(credit?.message).to.contain('account credit is 0.996 USD, finer than its currency');
    // What it leaves of the next invoice is found in its turn.
    const { id: next, itemId: invoiceItemId } = await invoices.add('5', { isHeldBack: true });
    expect(await balanceOf(next)).to.equal('4.004');
    expect((await findings())[0]?.message).to.contain(`Adjust its item ${invoiceItemId} by 0.004`);
    await engine.acme.invoices.adjustItem({
      accountId: account.id,
      invoiceId: next,
      invoiceItemId,
      amount: '0.004',
    });
    expect(await findings()).to.eql([]);
    expect(await balanceOf(next)).to.equal('4');
  });

  it('is not found of an invoice that is written off', async () => {
    const { id } = await leftOver();
    await engine.acme.tags.add({ id, type: 'INVOICE' }, [SystemTag.WRITTEN_OFF]);
    expect((await findings()).filter(({ invariant }) => invariant === 'MINOR_UNIT')).to.eql([]);
  });

  it('lets a payment be refunded and charged back whole', async () => {
    const { paymentId } = await leftOver();
    const { invoicePayments } = engine.acme;
    await expectCode(invoicePayments.refund({ paymentId, amount: '19.995' }), 60003);
    const { transaction } = await invoicePayments.chargeback({ paymentId, amount: '19.996' });
    await invoicePayments.reverseChargeback({ paymentId, transactionExternalKey: transaction.externalKey });
    await invoicePayments.refund({ paymentId, amount: '19.996' });
    expect(await findings()).to.eql([]);
  });
});
