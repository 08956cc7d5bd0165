import { formatDecimal, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

eachDatabaseByTurns('payments 10.1 rule 7: payAllUnpaidInvoices', (open) => {
  let account: Account;

  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z' });
  beforeEach(async () => {
    account = await engine.acme.createAccount({ currency: 'USD' });
  });

  async function charge(amount: string, accountId: Uuid = account.id): Promise<Uuid> {
    return (await engine.settle(engine.charge(accountId, amount))).id;
  }

  const add = (more: { isDefault?: boolean; pluginName?: string; payAllUnpaidInvoices?: boolean } = {}) =>
    engine.acme.addPaymentMethod({
      accountId: account.id,
      pluginName: engine.gateway.name,
      payAllUnpaidInvoices: true,
      ...more,
    });
  const charged = () => engine.ledger.all().map(({ amount }) => amount && formatDecimal(amount));
  const owed = async () =>
    (await engine.acme.invoices.ofAccount({ accountId: account.id, unpaidOnly: true })).map(({ balance }) =>
      formatDecimal(balance),
    );

  it('payAllUnpaidInvoices pays what is unpaid with the new method, the oldest first, whatever the account’s tags hold back', async () => {
    await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await charge('10');
    await engine.runTo('2024-01-02T00:00:00Z');
    await charge('5');
    const method = await add({ isDefault: true });
    expect([charged(), await owed()]).to.eql([['10', '5'], []]);
    const payments = await engine.acme.payments.ofAccount(account.id, { withAttempts: true });
    expect(payments.map(({ paymentMethodId }) => paymentMethodId)).to.eql([method.id, method.id]);
    await engine.runTo('2024-02-02T00:00:00Z');
    expect(charged()).to.eql(['10', '5']);
  });

  it('payAllUnpaidInvoices with a default pays with the method that is added, and makes it no default', async () => {
    await add({ isDefault: true, payAllUnpaidInvoices: false });
    await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.MANUAL_PAY]);
    await charge('10');
    const { paymentMethodId } = await engine.acme.getAccount(account.id);
    const method = await add();
    const [payment] = await engine.acme.payments.ofAccount(account.id);
    expect([payment?.paymentMethodId, await owed()]).to.eql([method.id, []]);
    expect((await engine.acme.getAccount(account.id)).paymentMethodId).to.equal(paymentMethodId);
  });

  it('payAllUnpaidInvoices adds nothing where invoices are unpaid and there would be no default', async () => {
    await charge('10');
    await expectCode(add(), 'INVALID_PARAMETER');
    expect(await engine.acme.paymentMethods.ofAccount(account.id)).to.eql([]);
    expect([charged(), await owed()]).to.eql([[], ['10']]);
  });

  it('payAllUnpaidInvoices needs no default where nothing is unpaid', async () => {
    await add();
    expect(await engine.acme.paymentMethods.ofAccount(account.id)).to.have.length(1);
    expect(charged()).to.eql([]);
  });

  it('payAllUnpaidInvoices goes on after one that is declined, and tries none again by itself', async () => {
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

  it('payAllUnpaidInvoices passes over what is being paid, and pays the rest', async () => {
    await add({ isDefault: true, payAllUnpaidInvoices: false });
    engine.gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING',
      METHODS: 'purchasePayment',
      TIMES: 1,
    });
    await charge('10');
    await engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await charge('5');
    const method = await add();
    expect(await owed()).to.eql(['10']);
    const payments = await engine.acme.payments.ofAccount(account.id);
    expect(payments.map(({ paymentMethodId }) => paymentMethodId === method.id)).to.eql([false, true]);
  });

  it('payAllUnpaidInvoices records external payments with the method', async () => {
    await charge('10');
    await add({ isDefault: true, pluginName: '__EXTERNAL_PAYMENT__' });
    expect([charged(), await owed()]).to.eql([[], []]);
  });

  it('payments 10.4: pays when the default is set', async () => {
    const method = await add();
    await charge('10');
    const on = { accountId: account.id, paymentMethodId: method.id };
    await engine.acme.paymentMethods.setDefault({ ...on, payAllUnpaidInvoices: true });
    expect([charged(), await owed()]).to.eql([['10'], []]);
    await engine.acme.paymentMethods.setDefault({ ...on, payAllUnpaidInvoices: true });
    expect(charged()).to.eql(['10']);
  });

  it('payAllUnpaidInvoices leaves to the parent what the parent pays', async () => {
    const parent = await engine.acme.createAccount({ currency: 'USD' });
    await charge('3');
    await engine.acme.updateAccount(account.id, {
      changes: { parentAccountId: parent.id, isPaymentDelegatedToParent: true },
    });
    await charge('10');
    await engine.runTo('2024-01-02T00:00:00Z');
    await add({ isDefault: true });
    expect(charged()).to.eql([]);
  });
});
