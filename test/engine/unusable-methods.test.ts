import { ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import { author, paymentMethod } from '../support/storage/stored-records.ts';

const NO_PLUGIN = ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN;
const OF_OTHER = ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID;
const KEY_OF_OTHER = ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID;
const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];

eachDatabaseByTurns('payments of invoices by what cannot pay them (payments §2.2, §4.1, §9.2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  /** A method of a gateway that the host had, and has no more. */
  async function methodOfThePast(): Promise<Uuid> {
    const { id: accountId, recordId: accountRecordId } = account;
    const method = paymentMethod({ accountId, accountRecordId }, { pluginName: 'gone' });
    await engine.storage.write(engine.tenant, author(), (session) =>
      session.payments.insertMethods([method]),
    );
    return method.id;
  }

  it('payments §9.2 rule 7: an invoice, or all, that are to be paid by a method whose plugin is not registered are refused with 7028', async () => {
    const { invoicePayments, payments } = engine.acme;
    const paymentMethodId = await methodOfThePast();
    const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
    const [pay, payAll, purchase] = [
      () => invoicePayments.pay({ invoiceId, paymentMethodId }),
      () => invoicePayments.payAll({ accountId: account.id, paymentMethodId }),
      () => payments.purchase({ accountId: account.id, amount: '20', paymentMethodId }),
    ];
    for (const work of [pay, payAll, purchase]) await expectCode(work(), NO_PLUGIN);
    expect(await payments.ofAccount(account.id)).to.eql([]);
    await invoicePayments.pay({ invoiceId });
    expect(await invoices.balanceOf(invoiceId)).to.equal(0);
  });

  it('payments §4.1: a failed payment of an invoice whose method is deleted is not repeated, and told so by 7000', async () => {
    const { acme } = engine;
    const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
    const { id } = await acme.paymentMethods.add({ accountId: account.id, pluginName: engine.gateway.name });
    const keys = { invoiceId, externalKey: 'repeated', transactionExternalKey: 'repeated-1' };
    await acme.invoicePayments.pay({
      ...keys,
      paymentMethodId: id,
      properties: does('ACTION_RETURN_PLUGIN_STATUS_ERROR'),
    });
    await acme.paymentMethods.delete({ paymentMethodId: id });
    await expectCode(acme.invoicePayments.pay(keys), 'PAYMENT_NO_SUCH_PAYMENT_METHOD');
    expect(await invoices.balanceOf(invoiceId)).to.equal(20);
  });

  it('payments §4.1 rule 3: the payment of an invoice under keys of another account is refused as that account has them', async () => {
    const other = await engine.payingAccount({ currency: 'USD' });
    const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
    for (const action of ['PROCESSED', 'PENDING', 'UNDEFINED', 'ERROR']) {
      const keys = { externalKey: `of ${action}`, transactionExternalKey: `${action} of another` };
      await engine.acme.payments.purchase({
        accountId: other.id,
        amount: '5',
        ...keys,
        properties: does(`ACTION_RETURN_PLUGIN_STATUS_${action}`),
      });
      const { externalKey, transactionExternalKey } = keys;
      for (const [own, code] of [
        [{ externalKey }, OF_OTHER],
        [{ transactionExternalKey }, OF_OTHER],
        [{ transactionExternalKey, externalKey: `own ${action}` }, KEY_OF_OTHER],
        [keys, OF_OTHER],
      ] as const) {
        const direct = { accountId: account.id, amount: '20', ...own };
        await expectCode(engine.acme.payments.purchase(direct), code);
        await expectCode(engine.acme.invoicePayments.pay({ invoiceId, ...own }), code);
      }
    }
    expect(await engine.acme.payments.ofAccount(account.id)).to.eql([]);
  });
});
