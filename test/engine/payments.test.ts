import type { Account, Uuid } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { eachDatabaseByTurns, expect, migrated, storageOf, withParts } from '../support/index.ts';
import { dateOf, PaymentStage, type StageOptions } from '../support/payments/payment-stage.ts';

const EXTERNAL = '__EXTERNAL_PAYMENT__';
const SUCCEEDED = ['PAYMENT_SUCCESS', 'INVOICE_PAYMENT_SUCCESS'];
const FAILED = ['PAYMENT_FAILED', 'INVOICE_PAYMENT_FAILED'];

/** Returns a storage that reports these methods as deleted. */
function withDeletedMethods(storage: Storage<never>, deleted: ReadonlySet<Uuid>): Storage<never> {
  const write: Storage<never>['write'] = (tenant, authorship, work) =>
    storage.write(tenant, authorship, (session) =>
      work(
        withParts(session, {
          payments: {
            ...session.payments,
            findMethodsByIds: async (ids) => {
              const methods = await session.payments.findMethodsByIds(ids);
              return methods.map((method) => ({ ...method, isActive: !deleted.has(method.id) }));
            },
          },
        }),
      ),
    );
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

eachDatabaseByTurns.describe('automatic payment', (open) => {
  let stage: PaymentStage;

  const stageAt = async (start: string, options: StageOptions = {}): Promise<PaymentStage> => {
    stage = await PaymentStage.open(storageOf(await open(migrated)), start, options);
    return stage;
  };
  afterEach(() => stage.stop());

  async function invoiced(amount = '249.95', pluginName?: string): Promise<[Uuid, Account]> {
    const account = await stage.account(pluginName);
    const invoiceId = await stage.invoice(account, amount);
    await stage.settle();
    return [invoiceId, account];
  }

  /** Expects the states of the payments, transactions and attempts, the invoice payments and the balance. */
  async function expectStory(invoiceId: Uuid, story: string) {
    const { payments, transactions, attempts, rows, balance } = await stage.story(invoiceId);
    expect([payments, transactions, attempts, rows, balance].join(' | ')).to.equal(story);
  }

  it('pays a committed invoice and publishes the events', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    const [invoiceId, account] = await invoiced();
    await expectStory(invoiceId, 'PURCHASE_SUCCESS | SUCCESS | SUCCESS | SUCCESS 249.95 | 0');
    expect(await stage.accountBalance(account)).to.eql(['0', '0']);
    expect(stage.sandbox.ledger.all()).to.have.length(1);
    const [payment, invoicePayment] = stage.events;
    const [stored] = await stage.payments(invoiceId);
    expect(payment?.payload).to.deep.include({ paymentId: stored?.id, isApiPayment: false });
    expect(JSON.parse(JSON.stringify(payment?.payload.metaData))).to.eql({
      paymentTransactionId: stored?.transactions[0]?.id,
      amount: '249.95',
      currency: 'USD',
      status: 'SUCCESS',
      transactionType: 'PURCHASE',
      effectiveDate: '2012-05-31T00:03:42.000Z',
    });
    expect(invoicePayment?.payload.metaData).to.have.all.keys([
      'paymentId',
      'paymentAttemptId',
      'invoicePaymentType',
      'paymentDate',
      'amount',
      'currency',
      'linkedInvoicePaymentId',
      'paymentCookieId',
      'processedCurrency',
    ]);
    expect(invoicePayment?.payload.invoiceId).to.equal(invoiceId);
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
  });

  it('has no effect on an invoice without a balance', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    const [invoiceId] = await invoiced('0');
    expect(await stage.payments(invoiceId)).to.eql([]);
    expect(stage.takeEvents()).to.eql([]);
  });

  it('reports an account without a payment method, and leaves no open attempt', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    const invoiceId = await stage.invoice(await stage.account(null), '249.95');
    await stage.settle();
    expect(await stage.payments(invoiceId)).to.eql([]);
    expect(stage.events[0]?.payload.metaData).to.deep.include({ paymentId: null });
    expect(stage.takeEvents()).to.eql(['INVOICE_PAYMENT_FAILED']);
    expect(await stage.balance(invoiceId)).to.equal('249.95');
  });

  it('pays with the external method in one step, without recovery', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    const [invoiceId] = await invoiced('249.95', EXTERNAL);
    expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['SUCCESS'], balance: '0' });
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
    await stage.goTo('2012-07-01T00:00:00Z');
    expect(stage.takeEvents()).to.eql([]);
  });

  it('is retried three times on the default days after declines, and then abandoned (payments §14 example 5)', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      GATEWAY_ERROR: 'declined',
    });
    const [invoiceId, account] = await invoiced();
    await expectStory(invoiceId, 'PURCHASE_FAILED | PAYMENT_FAILURE | RETRIED,SCHEDULED | INIT 0 | 249.95');
    expect(stage.takeEvents()).to.eql(FAILED);
    const planned = (await stage.payments(invoiceId))[0]?.attempts?.at(-1);
    expect(planned?.effectiveDate).to.equal(Date.parse('2012-06-08T00:03:42Z'));
    await stage.goTo('2012-06-08T00:03:41Z');
    expect(stage.takeEvents()).to.eql([]);
    for (const day of ['2012-06-08', '2012-06-16', '2012-06-24']) {
      await stage.goTo(`${day}T00:03:42Z`);
      expect(stage.takeEvents()).to.eql(FAILED);
    }
    await stage.goTo('2012-12-31T00:00:00Z');
    expect(stage.takeEvents()).to.eql([]);
    await expectStory(
      invoiceId,
      'PURCHASE_FAILED | PAYMENT_FAILURE,PAYMENT_FAILURE,PAYMENT_FAILURE,PAYMENT_FAILURE | RETRIED,RETRIED,RETRIED,ABORTED | INIT 0 | 249.95',
    );
    const [payment] = await stage.payments(invoiceId);
    expect(new Set(payment?.transactions.map(({ externalKey }) => externalKey))).to.have.property('size', 1);
    expect(payment?.transactions[0]?.gatewayErrorMsg).to.equal('declined');
    expect(payment?.transactions.map(dateOf)).to.eql([
      '2012-05-31T00:03:42.000Z',
      '2012-06-08T00:03:42.000Z',
      '2012-06-16T00:03:42.000Z',
      '2012-06-24T00:03:42.000Z',
    ]);
    expect(await stage.accountBalance(account)).to.eql(['249.95', '0']);
  });

  it('settles the invoice if a retry succeeds (payments §14 example 6)', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const [invoiceId, account] = await invoiced();
    stage.takeEvents();
    await stage.goTo('2012-06-08T00:03:42Z');
    await expectStory(
      invoiceId,
      'PURCHASE_SUCCESS | PAYMENT_FAILURE,SUCCESS | RETRIED,SUCCESS | SUCCESS 249.95 | 0',
    );
    expect(await stage.accountBalance(account)).to.eql(['0', '0']);
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
    await stage.goTo('2012-12-31T00:00:00Z');
    expect(stage.takeEvents()).to.eql([]);
  });

  it('is retried eight times at growing intervals while the gateway is down (payments §14 example 7)', async () => {
    await stageAt('2012-05-31T10:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_CANCELED' });
    const [invoiceId] = await invoiced();
    const times = ['10:05', '10:10', '10:20', '10:40', '11:20', '12:40', '15:20', '20:40'];
    for (const time of times) await stage.goTo(`2012-05-31T${time}:00Z`);
    await stage.goTo('2012-06-30T00:00:00Z');
    const [payment] = await stage.payments(invoiceId);
    expect(payment?.transactions.map((each) => `${each.status} ${dateOf(each).slice(11, 16)}`)).to.eql(
      ['10:00', ...times].map((time) => `PLUGIN_FAILURE ${time}`),
    );
    expect(payment?.attempts?.map((each) => each.stateName)).to.eql([...Array(8).fill('RETRIED'), 'ABORTED']);
  });

  it('leaves the rest due if the gateway charges only part of the amount', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 0, PROCESSED_AMOUNT: '10' });
    const [invoiceId] = await invoiced();
    const [payment] = await stage.payments(invoiceId);
    expect(payment?.totals.purchasedAmount.toFixed()).to.equal('10');
    expect(await stage.balance(invoiceId)).to.equal('239.95');
  });

  it('settles the balance even if the gateway processes another currency', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({
      CONFIGURE_ACTION: 'ACTION_SLEEP',
      PROCESSED_AMOUNT: '225.44',
      PROCESSED_CURRENCY: 'EUR',
    });
    const [invoiceId] = await invoiced();
    const [payment] = await stage.payments(invoiceId);
    expect(payment?.totals.purchasedAmount.toFixed()).to.equal('249.95');
    expect(await stage.balance(invoiceId)).to.equal('0');
  });

  it('credits an amount that a gateway charges beyond the balance', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', PROCESSED_AMOUNT: '300' });
    const [invoiceId, account] = await invoiced();
    expect(await stage.balance(invoiceId)).to.equal('0');
    expect(await stage.accountBalance(account)).to.eql(['-50.05', '50.05']);
  });

  it('is retried after a decline that recovery finds for an unknown outcome (payments §14 example 12)', async () => {
    await stageAt('2012-05-01T00:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED', TIMES: 1 });
    const [invoiceId] = await invoiced();
    await expectStory(invoiceId, 'PURCHASE_ERRORED | UNKNOWN | ABORTED | INIT 0 | 249.95');
    expect(stage.takeEvents()).to.eql(FAILED);
    const [payment] = await stage.payments(invoiceId);
    const transactionId = payment?.transactions[0]?.id;
    if (!transactionId) throw new Error('no transaction');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'ERROR' });
    await stage.goTo('2012-05-01T00:05:00Z');
    await expectStory(invoiceId, 'PURCHASE_FAILED | PAYMENT_FAILURE | RETRIED,SCHEDULED | INIT 0 | 249.95');
    expect(stage.takeEvents()).to.eql(FAILED);
    await stage.goTo('2012-05-09T00:04:59Z');
    expect(stage.takeEvents()).to.eql([]);
    await stage.goTo('2012-05-09T00:05:00Z');
    expect(await stage.story(invoiceId)).to.deep.include({
      transactions: ['PAYMENT_FAILURE', 'SUCCESS'],
      attempts: ['RETRIED', 'SUCCESS'],
      balance: '0',
    });
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
  });

  it('is abandoned with PAYMENT_UNRESOLVED and a warning if the outcome remains unknown (payments §7.2 rule 5)', async () => {
    await stageAt('2012-05-01T00:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_THROW_RUNTIME' });
    const [invoiceId] = await invoiced();
    stage.takeEvents();
    for (const time of ['01T00:05', '01T01:05', '02T01:05', '03T01:05', '04T01:05', '05T01:05']) {
      await stage.goTo(`2012-05-${time}:00Z`);
      expect(stage.takeEvents()).to.eql([]);
    }
    await stage.goTo('2012-05-06T01:05:00Z');
    const [payment] = await stage.payments(invoiceId);
    expect(stage.events[0]?.payload).to.eql({
      accountId: payment?.accountId,
      paymentId: payment?.id,
      paymentTransactionId: payment?.transactions[0]?.id,
      status: 'UNKNOWN',
    });
    expect(stage.takeEvents()).to.eql(['PAYMENT_UNRESOLVED']);
    expect(stage.logger.lines.map(({ message }) => message)).to.include(
      'payment recovery has run out of checks',
    );
    await stage.goTo('2013-01-01T00:00:00Z');
    expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['UNKNOWN'], balance: '249.95' });
  });

  it('logs the gateway and the reason for an unknown outcome', async () => {
    await stageAt('2012-05-01T00:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_THROW_RUNTIME' });
    const [invoiceId] = await invoiced();
    const [payment] = await stage.payments(invoiceId);
    const [transaction] = payment?.transactions ?? [];
    expect(stage.logger.lines).to.deep.include({
      level: 'warn',
      message: 'a payment gateway left the outcome of a transaction unknown',
      fields: {
        pluginName: stage.sandbox.name,
        paymentId: payment?.id,
        transactionId: transaction?.id,
        reason: transaction?.gatewayErrorMsg,
      },
    });
    expect(transaction?.gatewayErrorMsg).to.be.a('string').that.is.not.empty;
  });

  it('pays the invoice once the gateway settles a pending payment', async () => {
    await stageAt('2012-05-01T00:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
    const [invoiceId] = await invoiced();
    await expectStory(invoiceId, 'PURCHASE_PENDING | PENDING | SUCCESS | PENDING 249.95 | 249.95');
    expect(stage.takeEvents()).to.eql(['PAYMENT_SUCCESS', 'INVOICE_PAYMENT_FAILED']);
    const [entry] = stage.sandbox.ledger.all();
    const transactionId = entry?.kbTransactionPaymentId;
    if (!transactionId) throw new Error('no transaction');
    await stage.goTo('2012-05-01T01:00:00Z');
    expect(stage.takeEvents()).to.eql([]);
    stage.sandbox.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
    await stage.goTo('2012-05-02T01:00:00Z');
    expect(await stage.story(invoiceId)).to.deep.include({ rows: ['SUCCESS 249.95'], balance: '0' });
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
  });

  it('applies a response that arrives after the time limit', async () => {
    await stageAt('2012-05-01T00:00:00Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 60 });
    const invoiceId = await stage.invoice(await stage.account(), '249.95');
    const settling = stage.settle();
    await stage.timers.fire(30_000);
    await settling;
    expect(await stage.story(invoiceId)).to.deep.include({
      transactions: ['UNKNOWN'],
      attempts: ['ABORTED'],
    });
    expect(stage.takeEvents()).to.eql(FAILED);
    await stage.timers.fire(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    await stage.settle();
    await stage.settle();
    await expectStory(invoiceId, 'PURCHASE_SUCCESS | SUCCESS | SUCCESS | SUCCESS 249.95 | 0');
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
    await stage.goTo('2012-06-01T00:00:00Z');
    expect(stage.takeEvents()).to.eql([]);
  });

  it('starts a new payment with the new default method if the method of a retry was deleted', async () => {
    const deleted = new Set<Uuid>();
    const storage = storageOf(await open(migrated));
    stage = await PaymentStage.open(storage, '2012-05-31T00:03:42Z', {
      handlerStorage: withDeletedMethods(storage, deleted),
    });
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const [invoiceId, account] = await invoiced();
    stage.takeEvents();
    if (account.paymentMethodId !== null) deleted.add(account.paymentMethodId);
    const replacement = await stage.methods.add(stage.context(), {
      accountId: account.id,
      pluginName: EXTERNAL,
      isDefault: true,
    });
    expect(account.paymentMethodId).to.not.equal(replacement.id);
    await stage.goTo('2012-06-08T00:03:42Z');
    await expectStory(
      invoiceId,
      'PURCHASE_FAILED,PURCHASE_SUCCESS | PAYMENT_FAILURE,SUCCESS | RETRIED,ABORTED,SUCCESS | INIT 0,SUCCESS 249.95 | 0',
    );
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
  });

  it('ends a retry without a new attempt if nothing is left to pay', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    const [invoiceId] = await invoiced();
    stage.takeEvents();
    await stage.storage.write(stage.tenant, stage.authorship(), async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (!invoice) throw new Error('no invoice');
      const { amount, creditAdj, refundAdj } = invoice;
      const rawBalance = amount.minus(amount);
      await session.invoices.setAmounts([{ invoiceId, amount, creditAdj, refundAdj, rawBalance }]);
    });
    await stage.goTo('2012-06-08T00:03:42Z');
    expect(await stage.story(invoiceId)).to.deep.include({
      transactions: ['PAYMENT_FAILURE'],
      attempts: ['RETRIED', 'ABORTED'],
    });
    expect(stage.takeEvents()).to.eql([]);
  });

  it('pays a batch with one gateway call per invoice', async () => {
    await stageAt('2012-05-31T00:03:42Z');
    const accounts: Account[] = [];
    for (let index = 0; index < 60; index += 1) accounts.push(await stage.account());
    const invoices = await stage.invoices(accounts, '10');
    await stage.settle();
    for (const invoiceId of invoices) expect(await stage.balance(invoiceId)).to.equal('0');
    expect(stage.sandbox.ledger.all()).to.have.length(60);
    const numbers = new Set<number>();
    for (const invoiceId of invoices) {
      for (const { paymentNumber } of await stage.payments(invoiceId)) numbers.add(paymentNumber);
    }
    expect(numbers.size).to.equal(60);
  });
});
