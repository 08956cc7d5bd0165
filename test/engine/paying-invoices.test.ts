import { formatDecimal, localDate, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import type { Account } from '../support/plain-views.ts';

const EXTERNAL = '__EXTERNAL_PAYMENT__';
const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 } as const;

eachDatabaseByTurns.describe('requested invoice payments (payments §9.6)', (open) => {
  const engine = engineBeforeEach(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);
  beforeEach(async () => {
    await acme.tags.add({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
  });

  const payAll = (more: Partial<Parameters<typeof engine.acme.invoicePayments.payAll>[0]> = {}) =>
    acme.invoicePayments.payAll({ accountId: account.id, ...more });
  const balancesOf = (...ids: readonly Uuid[]) => Promise.all(ids.map((id) => invoices.balanceOf(id)));

  it('create a method for an external payment without making it the default (rule 1)', async () => {
    const { id } = await invoices.add('20');
    const { paymentMethodId } = await acme.getAccount(account.id);
    const paid = await acme.invoicePayments.pay({ invoiceId: id, isExternal: true });
    expect(await acme.invoicePayments.pay({ invoiceId: id, isExternal: true })).to.equal(null);
    const methods = await acme.paymentMethods.ofAccount(account.id);
    const external = methods.filter(({ pluginName }) => pluginName === EXTERNAL);
    expect(external.map((each) => each.id)).to.eql([paid?.payment.paymentMethodId]);
    expect((await acme.getAccount(account.id)).paymentMethodId).to.equal(paymentMethodId);
    expect(engine.ledger.all()).to.eql([]);
  });

  it('cannot specify a payment method if they are external (rule 1)', async () => {
    const { id } = await invoices.add('20');
    const { paymentMethodId } = await acme.getAccount(account.id);
    const pay = acme.invoicePayments.pay({ invoiceId: id, isExternal: true, paymentMethodId });
    await expectCode(pay, 'INVALID_PARAMETER');
    await expectCode(payAll({ isExternal: true, paymentMethodId }), 'INVALID_PARAMETER');
  });

  it('are rejected for an invoice of another account (rule 1)', async () => {
    const { id } = await invoices.add('20');
    const other = await engine.payingAccount({ currency: 'USD' });
    await expectCode(acme.invoicePayments.pay({ invoiceId: id, accountId: other.id }), 'INVOICE_NOT_FOUND');
  });

  it('use the given keys for an instant payment (rule 1)', async () => {
    const { id } = await invoices.add('20');
    const keys = { externalKey: 'payment-key', transactionExternalKey: 'transaction-key' };
    const paid = await acme.invoicePayments.pay({ invoiceId: id, ...keys });
    expect(paid?.payment.externalKey).to.equal('payment-key');
    expect(paid?.transaction.externalKey).to.equal('transaction-key');
  });

  it('pay the oldest invoices first, up to the requested amount (rule 2)', async () => {
    const { id: first } = await invoices.add('20');
    const { id: second } = await invoices.add('30');
    await engine.runTo('2012-05-02T10:00:00Z');
    const { id: third } = await invoices.add('40');
    const paid = await payAll({ amount: '45' });
    expect(await balancesOf(first, second, third)).to.eql([0, 5, 40]);
    expect(paid).to.eql({ invoiceIds: [first, second], startDate: '2012-05-01', endDate: '2012-05-01' });
    const rest = await payAll({ amount: '100' });
    expect(await balancesOf(first, second, third)).to.eql([0, 0, 0]);
    expect(rest?.invoiceIds).to.eql([second, third]);
    expect(rest?.endDate).to.equal('2012-05-02');
    expect(await invoices.credit()).to.equal(0);
    expect(await payAll({ amount: '100' })).to.equal(null);
  });

  it('pay the whole debt by default (rule 2)', async () => {
    const { id: first } = await invoices.add('20');
    const { id: second } = await invoices.add('30');
    await payAll();
    expect(await balancesOf(first, second)).to.eql([0, 0]);
  });

  it('pay only invoices up to the target date (rule 2)', async () => {
    const { id: first } = await invoices.add('20');
    await engine.runTo('2012-05-03T10:00:00Z');
    const { id: second } = await invoices.add('30');
    expect((await payAll({ targetDate: localDate(2012, 5, 2) }))?.invoiceIds).to.eql([first]);
    expect(await balancesOf(first, second)).to.eql([0, 30]);
    expect(await payAll({ targetDate: localDate(2012, 5, 2) })).to.equal(null);
  });

  it('skip drafts, written-off and migrated invoices (rule 2)', async () => {
    const accountId = account.id;
    const { id: writtenOff } = await invoices.add('20');
    await acme.tags.add({ id: writtenOff, type: 'INVOICE' }, [SystemTag.WRITTEN_OFF]);
    await acme.invoices.addCharges({ accountId, items: [{ amount: '30' }], autoCommit: false });
    await acme.invoices.createMigrationInvoice({
      accountId,
      items: [{ itemType: 'EXTERNAL_CHARGE', amount: '40', startDate: localDate(2012, 4, 1) }],
    });
    expect(await payAll()).to.equal(null);
    expect(await acme.payments.ofAccount(accountId)).to.eql([]);
  });

  it('continue after one payment fails, and list the invoice of the failed payment (rule 2)', async () => {
    const { id: first } = await invoices.add('20');
    const { id: second } = await invoices.add('30');
    engine.gateway.configure(DECLINE);
    expect((await payAll())?.invoiceIds).to.eql([first, second]);
    const balances = await balancesOf(first, second);
    expect(balances.toSorted((a, b) => a - b)).to.eql([0, balances[0] === 0 ? 30 : 20]);
    expect((await acme.payments.ofAccount(account.id)).length).to.equal(2);
  });

  it('credit the part of an external amount that would have paid a skipped invoice (rule 2)', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
    const { id: first } = await invoices.add('20');
    await acme.invoicePayments.pay({ invoiceId: first });
    const { id: second } = await invoices.add('30');
    expect((await payAll({ isExternal: true, amount: '60' }))?.invoiceIds).to.eql([first, second]);
    expect(await balancesOf(first, second)).to.eql([20, 0]);
    expect(await invoices.credit()).to.equal(30);
  });

  for (const amount of ['0', '-5'])
    it(`reject an amount of ${amount} with 7031 for one invoice or all invoices, and store nothing (payments §4.3 rule 2)`, async () => {
      const { acme, gateway } = engine;
      const { id: invoiceId } = await invoices.add('20');
      gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
      const keys = { invoiceId, externalKey: 'tried again', transactionExternalKey: 'its key' };
      await acme.invoicePayments.pay(keys);
      const callsBefore = engine.ledger.all().length;
      for (const isExternal of [false, true]) {
        const paid = acme.invoicePayments.pay({ invoiceId, amount, isExternal });
        await expectCode(paid, 'PAYMENT_INVALID_PARAMETER');
        await expectCode(payAll({ amount, isExternal }), 'PAYMENT_INVALID_PARAMETER');
      }
      await expectCode(acme.invoicePayments.pay({ ...keys, amount }), 'PAYMENT_INVALID_PARAMETER');
      expect(engine.ledger.all()).to.have.length(callsBefore);
      expect(await acme.payments.invoicePaymentsOfInvoice(invoiceId)).to.have.length(1);
      expect(await invoices.balanceOf(invoiceId)).to.equal(20);
      await acme.invoicePayments.pay({ invoiceId, isExternal: true });
      expect(await invoices.balanceOf(invoiceId)).to.equal(0);
    });

  it('pay all invoices with the requested method (rule 2)', async () => {
    const { acme, gateway } = engine;
    await invoices.add('20');
    const { id } = await acme.paymentMethods.add({ accountId: account.id, pluginName: gateway.name });
    await payAll({ paymentMethodId: id });
    expect((await acme.payments.ofAccount(account.id)).map((each) => each.paymentMethodId)).to.eql([id]);
    const { paymentMethodId } = await acme.getAccount((await engine.payingAccount({ currency: 'USD' })).id);
    await invoices.add('20');
    await expectCode(payAll({ paymentMethodId }), 'PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID');
  });
});

eachDatabaseByTurns.describe('payAllUnpaidInvoices requests (payments §10.1 rule 7)', (open) => {
  let account: Account;

  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  const { acme } = engine;
  beforeEach(async () => {
    account = await acme.createAccount({ currency: 'USD' });
  });

  async function charge(amount: string, accountId: Uuid = account.id): Promise<Uuid> {
    return (await engine.settle(engine.charge(accountId, amount))).id;
  }

  const add = (more: { isDefault?: boolean; pluginName?: string; payAllUnpaidInvoices?: boolean } = {}) =>
    acme.addPaymentMethod({
      accountId: account.id,
      pluginName: engine.gateway.name,
      payAllUnpaidInvoices: true,
      ...more,
    });
  const charged = () => engine.ledger.all().map(({ amount }) => amount && formatDecimal(amount));
  const owed = async () =>
    (await acme.invoices.ofAccount({ accountId: account.id, unpaidOnly: true })).map(({ balance }) =>
      formatDecimal(balance),
    );

  it('pay unpaid invoices with the new method, oldest first, despite the tags of the account', async () => {
    await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await charge('10');
    await engine.runTo('2024-01-02T00:00:00Z');
    await charge('5');
    const method = await add({ isDefault: true });
    expect([charged(), await owed()]).to.eql([['10', '5'], []]);
    const payments = await acme.payments.ofAccount(account.id, { withAttempts: true });
    expect(payments.map(({ paymentMethodId }) => paymentMethodId)).to.eql([method.id, method.id]);
    await engine.runTo('2024-02-02T00:00:00Z');
    expect(charged()).to.eql(['10', '5']);
  });

  it('use the added method without making it the default', async () => {
    await add({ isDefault: true, payAllUnpaidInvoices: false });
    await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.MANUAL_PAY]);
    await charge('10');
    const { paymentMethodId } = await acme.getAccount(account.id);
    const method = await add();
    const [payment] = await acme.payments.ofAccount(account.id);
    expect([payment?.paymentMethodId, await owed()]).to.eql([method.id, []]);
    expect((await acme.getAccount(account.id)).paymentMethodId).to.equal(paymentMethodId);
  });

  it('add no method if the account has unpaid invoices and would have no default method', async () => {
    await charge('10');
    await expectCode(add(), 'INVALID_PARAMETER');
    expect(await acme.paymentMethods.ofAccount(account.id)).to.eql([]);
    expect([charged(), await owed()]).to.eql([[], ['10']]);
  });

  it('require no default method if all invoices are paid', async () => {
    await add();
    expect(await acme.paymentMethods.ofAccount(account.id)).to.have.length(1);
    expect(charged()).to.eql([]);
  });

  it('continue after a decline, and schedule no retry', async () => {
    await charge('10');
    await charge('5');
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      METHODS: 'purchasePayment',
      TIMES: 1,
    });
    await add({ isDefault: true });
    expect(await owed()).to.eql(['10']);
    await engine.runTo('2024-03-01T00:00:00Z');
    expect(await owed()).to.eql(['10']);
  });

  it('skip invoices with a payment in progress, and pay the others', async () => {
    await add({ isDefault: true, payAllUnpaidInvoices: false });
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING',
      METHODS: 'purchasePayment',
      TIMES: 1,
    });
    await charge('10');
    await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await charge('5');
    const method = await add();
    expect(await owed()).to.eql(['10']);
    const payments = await acme.payments.ofAccount(account.id);
    expect(payments.map(({ paymentMethodId }) => paymentMethodId === method.id)).to.eql([false, true]);
  });

  it('record external payments if the added method is external', async () => {
    await charge('10');
    await add({ isDefault: true, pluginName: '__EXTERNAL_PAYMENT__' });
    expect([charged(), await owed()]).to.eql([[], []]);
  });

  it('pay unpaid invoices when they select a default method (payments §10.4)', async () => {
    const method = await add();
    await charge('10');
    const on = { accountId: account.id, paymentMethodId: method.id };
    await acme.paymentMethods.setDefault({ ...on, payAllUnpaidInvoices: true });
    expect([charged(), await owed()]).to.eql([['10'], []]);
    await acme.paymentMethods.setDefault({ ...on, payAllUnpaidInvoices: true });
    expect(charged()).to.eql(['10']);
  });

  it('leave the invoices of a child to the paying parent', async () => {
    const parent = await acme.createAccount({ currency: 'USD' });
    await charge('3');
    await acme.updateAccount(account.id, {
      changes: { parentAccountId: parent.id, isPaymentDelegatedToParent: true },
    });
    await charge('10');
    await engine.runTo('2024-01-02T00:00:00Z');
    await add({ isDefault: true });
    expect(charged()).to.eql([]);
  });
});
