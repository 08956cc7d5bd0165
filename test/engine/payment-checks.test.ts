import { anyDatabase, engineBeforeEach, expect, payerBeforeEach, rowsOf } from '../support/index.ts';

/** Impossible payments: the damage, the invariant that finds it, and the expected message. */
const damages = [
  [
    'INVOICE_PAYMENT',
    `update bw_payment_transactions set status = 'PAYMENT_FAILURE' where transaction_type = 'PURCHASE'`,
    'counts ATTEMPT',
  ],
  [
    'INVOICE_PAYMENT',
    `update bw_invoice_payments set status = 'INIT' where type = 'REFUND'`,
    'does not count it',
  ],
  [
    'INVOICE_PAYMENT',
    `update bw_invoice_payments set status = 'INIT' where type = 'CHARGED_BACK'`,
    'does not count it',
  ],
  ['DEFAULT_METHOD', `update bw_payment_methods set is_active = false`, 'is deleted'],
  [
    'QUEUED',
    `update bw_payment_transactions set lease_until = created_date where transaction_type = 'REFUND'`,
    'recovery of transaction',
  ],
] as const;

anyDatabase.describe('payment consistency check', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    const items = [{ amount: '50' }];
    const [item] = await acme.invoices.addCharges({ accountId: account.id, items, autoCommit: true });
    await engine.settle();
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(item?.invoiceId ?? '');
    const paymentId = payment?.id ?? '';
    await acme.invoicePayments.refund({ paymentId, amount: '5' });
    await acme.invoicePayments.chargeback({ paymentId, amount: '7', transactionExternalKey: 'lost' });
    await acme.invoicePayments.chargeback({ paymentId, amount: '3', transactionExternalKey: 'won' });
    await acme.invoicePayments.reverseChargeback({ paymentId, transactionExternalKey: 'won' });
    await acme.invoicePayments.refund({ paymentId, amount: '4', isExternal: true });
    await acme.payments.authorize({ accountId: account.id, amount: '8' });
  });

  const breaches = () => Array.fromAsync(engine.billing.checks.breaches(null));

  it('finds no errors after regular payment operations', async () => {
    expect(await breaches()).to.eql([]);
  });

  for (const [invariant, damage, words] of damages)
    it(`reports ${invariant} after ${damage}`, async () => {
      await rowsOf(engine.database, damage);
      const found = (await breaches()).filter((breach) => breach.invariant === invariant);
      expect(found.map(({ message }) => message).join('\n')).to.contain(words);
      expect(new Set(found.map(({ accountId }) => accountId))).to.eql(new Set([account.id]));
    });
});
