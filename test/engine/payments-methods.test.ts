import type { Account, PaymentGateway, Uuid } from '../../lib/index.ts';
import { BillingError, ErrorCode, GatewayError } from '../../lib/index.ts';
import type { PaymentMethodInput } from '../../lib/payments/index.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import { engineBefore, expect, expectCode, migrated, payerBeforeEach, storageOf } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { author, paymentMethod } from '../support/storage/stored-records.ts';

const SANDBOX = 'sandbox';
const EXTERNAL = '__EXTERNAL_PAYMENT__';

const refusing: PaymentGateway = {
  name: 'refusing',
  purchase: () => Promise.resolve(null),
  getPaymentInfo: () => Promise.resolve([]),
  addPaymentMethod: () => Promise.reject(new GatewayError('no such card')),
  getPaymentMethodDetail: () => Promise.reject(new GatewayError('no such card')),
  setDefaultPaymentMethod: () => Promise.reject(new GatewayError('no such card')),
};

eachDatabaseByTurns.describe('payment service (payments §10)', (open) => {
  let stage: PaymentStage;
  let account: Account;

  before(async () => {
    stage = await PaymentStage.open(storageOf(await open(migrated)), '2012-05-31T00:03:42Z', {
      gateway: refusing,
    });
  });
  beforeEach(async () => {
    account = await stage.account(null);
  });
  after(() => stage.stop());

  const add = (input: Partial<PaymentMethodInput> = {}) =>
    stage.methods.add(stage.context(), { accountId: account.id, pluginName: SANDBOX, ...input });
  const list = async () => stage.methodReads.ofAccount(stage.context(), account.id);
  const unknownId = (): Uuid => stage.ids.next();

  it('uses the id of a method as its key by default, and does not make the method the default', async () => {
    const method = await add();
    expect(method).to.deep.include({
      externalKey: method.id,
      pluginName: SANDBOX,
      isActive: true,
      isDefault: false,
    });
    expect(await list()).to.eql([method]);
    expect((await stage.load(account.id)).paymentMethodId).to.equal(null);
  });

  it('makes a method the default on request', async () => {
    const [first, second] = [await add({ isDefault: true }), await add({ isDefault: true })];
    expect((await list()).map(({ id, isDefault }) => [id, isDefault])).to.eql([
      [first.id, false],
      [second.id, true],
    ]);
  });

  it('uses the given key of a method, or the gateway id if no other method has that id as its key', async () => {
    const details = { externalPaymentMethodId: `tok_${account.id}` };
    expect((await add({ externalKey: `my-${account.id}`, details })).externalKey).to.equal(
      `my-${account.id}`,
    );
    expect((await add({ details })).externalKey).to.equal(details.externalPaymentMethodId);
    const third = await add({ details });
    expect(third.externalKey).to.equal(third.id);
  });

  it('rejects a key that is taken or too long, and stores nothing', async () => {
    await add({ externalKey: `taken-${account.id}` });
    await expectCode(add({ externalKey: `taken-${account.id}` }), 7031);
    await expectCode(add({ externalKey: 'x'.repeat(256) }), 5);
    expect(await list()).to.have.length(1);
  });

  it('requires an existing account and gateway for a method', async () => {
    await expectCode(add({ accountId: unknownId() }), 3002);
    await expectCode(add({ pluginName: 'nobody' }), 7028);
    await expectCode(stage.methodReads.ofAccount(stage.context(), unknownId()), 3002);
  });

  it('does not store a method that the gateway rejects', async () => {
    await expectCode(add({ pluginName: 'refusing' }), 7005);
    expect(await list()).to.eql([]);
  });

  it('stores at most one external method per account', async () => {
    await add({ pluginName: EXTERNAL });
    await expectCode(add({ pluginName: EXTERNAL }), 7023);
  });

  it('writes nothing if the new default method is already the default', async () => {
    const method = await add();
    const setDefault = () =>
      stage.methods.setDefault(stage.context(), { accountId: account.id, paymentMethodId: method.id });
    await setDefault();
    const changed = await stage.load(account.id);
    expect(changed.paymentMethodId).to.equal(method.id);
    stage.clock.advance({ minutes: 1 });
    await setDefault();
    expect(await stage.load(account.id)).to.eql(changed);
  });

  it('rejects a default method that is unknown or belongs to another account', async () => {
    const method = await add();
    const stranger = await stage.account(null);
    const setDefault = (accountId: Uuid, paymentMethodId: Uuid) =>
      stage.methods.setDefault(stage.context(), { accountId, paymentMethodId });
    await expectCode(setDefault(account.id, unknownId()), 7000);
    await expectCode(setDefault(stranger.id, method.id), 7033);
    await expectCode(setDefault(unknownId(), method.id), 3002);
  });
});

eachDatabaseByTurns.describe('payment service in reads (payments §4.4, §11)', (open) => {
  let stage: PaymentStage;
  before(async () => {
    stage = await PaymentStage.open(storageOf(await open(migrated)), '2012-05-31T00:03:42Z');
  });
  after(() => stage.stop());

  it('lists the payments of an account or invoice, oldest first, with attempts on request', async () => {
    const account = await stage.account();
    const stranger = await stage.account();
    const invoices = [await stage.invoice(account, '10'), await stage.invoice(account, '20')];
    await stage.invoice(stranger, '99');
    await stage.settle();
    const payments = await stage.reads.ofAccount(stage.context(), account.id);
    expect(payments.map(({ totals }) => totals.purchasedAmount.toFixed())).to.eql(['10', '20']);
    expect(payments.map(({ attempts }) => attempts)).to.eql([null, null]);
    const paid = await stage.reads.invoicePaymentsOfAccount(stage.context(), account.id, {
      withAttempts: true,
    });
    expect(paid.map(({ targetInvoiceId }) => targetInvoiceId)).to.eql(invoices);
    expect(paid.map(({ attempts }) => attempts?.length)).to.eql([1, 1]);
    const [first] = invoices;
    if (first === undefined) throw new Error('no invoice');
    const [only, ...others] = await stage.reads.invoicePaymentsOfInvoice(stage.context(), first);
    expect(only).to.deep.include({ id: payments[0]?.id, targetInvoiceId: first });
    expect(others).to.eql([]);
  });

  it('rejects unknown accounts and invoices', async () => {
    const context = stage.context();
    const codes = await Promise.all(
      [
        stage.reads.ofAccount(context, stage.ids.next()),
        stage.reads.invoicePaymentsOfAccount(context, stage.ids.next()),
        stage.reads.invoicePaymentsOfInvoice(context, stage.ids.next()),
      ].map((work) => work.catch((error: unknown) => (error instanceof BillingError ? error.code : error))),
    );
    expect(codes).to.eql([3002, 3002, 4006]);
  });
});

const NO_PLUGIN = ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN;
const OF_OTHER = ErrorCode.PAYMENT_DIFFERENT_ACCOUNT_ID;
const KEY_OF_OTHER = ErrorCode.PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID;
const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];

eachDatabaseByTurns.describe('payment service with unusable methods (payments §2.2, §4.1, §9.2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-31T00:03:42Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  const invoices = new PaidInvoices(engine, account);

  /** Creates a payment method of a gateway that the host has removed. */
  async function methodOfThePast(): Promise<Uuid> {
    const { id: accountId, recordId: accountRecordId } = account;
    const method = paymentMethod({ accountId, accountRecordId }, { pluginName: 'gone' });
    await engine.storage.write(engine.tenant, author(), (session) =>
      session.payments.insertMethods([method]),
    );
    return method.id;
  }

  it('rejects payments with 7028 if the gateway of the method is not registered (payments §9.2 rule 7)', async () => {
    const { invoicePayments, payments } = acme;
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

  it('rejects the repetition of a failed payment with 7000 if its method has been deleted (payments §4.1)', async () => {
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

  it('rejects a payment if its keys belong to another account (payments §4.1 rule 3)', async () => {
    const other = await engine.payingAccount({ currency: 'USD' });
    const { id: invoiceId } = await invoices.add('20', { isHeldBack: true });
    for (const action of ['PROCESSED', 'PENDING', 'UNDEFINED', 'ERROR']) {
      const keys = { externalKey: `of ${action}`, transactionExternalKey: `${action} of another` };
      await acme.payments.purchase({
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
        await expectCode(acme.payments.purchase({ accountId: account.id, amount: '20', ...own }), code);
        await expectCode(acme.invoicePayments.pay({ invoiceId, ...own }), code);
      }
    }
    expect(await acme.payments.ofAccount(account.id)).to.eql([]);
  });
});
