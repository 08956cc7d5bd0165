import { LeaseLostError, type Storage, type WriteSession } from '../../lib/ports/storage/index.ts';
import { eachDatabaseByTurns, expect, migrated, storageOf, withParts } from '../support/index.ts';
import { DeathPoint, MortalProcess } from '../support/payments/mortal-process.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';

const SUCCEEDED = ['PAYMENT_SUCCESS', 'INVOICE_PAYMENT_SUCCESS'];
const START = '2012-05-31T00:03:42Z';

/** Returns the storage with its write sessions changed by `adapt`. */
function withSessions(storage: Storage<never>, adapt: (session: WriteSession) => Partial<WriteSession>) {
  const write: Storage<never>['write'] = (tenant, authorship, work) =>
    storage.write(tenant, authorship, (session) => work(withParts(session, adapt(session))));
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

eachDatabaseByTurns.describe('payment recovery', (open) => {
  let stage: PaymentStage;
  afterEach(() => stage.stop());

  for (const [death, name] of [
    [DeathPoint.DURING_CALL, 'during the call'],
    [DeathPoint.AFTER_CALL, 'before the answer is recorded'],
  ] as const)
    it(`finds the outcome after a crash ${name} (payments §14 example 15)`, async () => {
      const storage = storageOf(await open(migrated));
      const mortal = new MortalProcess(death);
      const scripted = new ScriptedGateway(Behaviour.PROMPT, () => Promise.resolve());
      stage = await PaymentStage.open(storage, START, {
        gateway: mortal.gateway(scripted.port(false)),
        handlerStorage: mortal.storage(storage),
      });
      const invoiceId = await stage.invoice(await stage.account('scripted'), '249.95');
      await stage.settle().catch(() => undefined);
      expect(mortal.isDead).to.equal(true);
      mortal.succeeded();
      await stage.startProcess();
      await stage.settle();
      const left = {
        transactions: ['UNKNOWN'],
        attempts: ['INIT'],
        rows: ['INIT 249.95'],
        balance: '249.95',
      };
      expect(await stage.story(invoiceId)).to.deep.include(left);
      expect(scripted.effects).to.have.length(1);
      await stage.goTo('2012-05-31T00:09:41Z'); // one second before lease end + 5 minutes
      expect(await stage.story(invoiceId)).to.deep.include(left);
      expect(stage.takeEvents()).to.eql([]);
      await stage.goTo('2012-05-31T00:09:42Z');
      expect(await stage.story(invoiceId)).to.eql({
        payments: ['PURCHASE_SUCCESS'],
        transactions: ['SUCCESS'],
        attempts: ['SUCCESS'],
        rows: ['SUCCESS 249.95'],
        balance: '0',
      });
      expect(stage.takeEvents()).to.eql(SUCCEEDED);
      expect(scripted.effects).to.have.length(1);
    });

  it('retries a call if a gateway with a complete ledger never received it', async () => {
    const storage = storageOf(await open(migrated));
    const mortal = new MortalProcess(DeathPoint.AFTER_RESERVE);
    const scripted = new ScriptedGateway(Behaviour.PROMPT, () => Promise.resolve());
    stage = await PaymentStage.open(storage, START, {
      gateway: mortal.gateway(scripted.port(true)),
      handlerStorage: mortal.storage(storage),
    });
    const invoiceId = await stage.invoice(await stage.account('scripted'), '249.95');
    await stage.settle().catch(() => undefined);
    mortal.succeeded();
    await stage.startProcess();
    await stage.goTo('2012-05-31T00:09:42Z');
    expect(await stage.story(invoiceId)).to.deep.include({
      transactions: ['PLUGIN_FAILURE'],
      attempts: ['RETRIED', 'SCHEDULED'],
      balance: '249.95',
    });
    expect(stage.takeEvents()).to.eql(['PAYMENT_FAILED', 'INVOICE_PAYMENT_FAILED']);
    await stage.goTo('2012-05-31T00:14:42Z');
    expect(await stage.story(invoiceId)).to.deep.include({ attempts: ['RETRIED', 'SUCCESS'], balance: '0' });
    expect(scripted.effects).to.have.length(1);
  });

  it('keeps a final outcome that a late response contradicts, and logs the contradiction', async () => {
    const storage = storageOf(await open(migrated));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const scripted = new ScriptedGateway(Behaviour.LATE_ANSWER, () => released);
    const port = scripted.port(true);
    const lying: typeof port = {
      ...port,
      getPaymentInfo: async (...asked) =>
        (await port.getPaymentInfo(...asked)).map((told) => ({ ...told, status: 'ERROR' })),
    };
    const config = { retryDays: [], failureRetry: noRetry };
    stage = await PaymentStage.open(storage, START, { gateway: lying, config });
    const invoiceId = await stage.invoice(await stage.account('scripted'), '249.95');
    const settling = stage.settle();
    await stage.timers.fire(30_000);
    await settling;
    await stage.goTo('2012-05-31T00:08:42Z');
    const decided = await stage.story(invoiceId);
    expect(decided).to.deep.include({ transactions: ['PAYMENT_FAILURE'], balance: '249.95' });
    stage.takeEvents();
    release();
    await new Promise((resolve) => setImmediate(resolve));
    await stage.settle();
    await stage.settle();
    expect(await stage.story(invoiceId)).to.eql(decided);
    expect(stage.takeEvents()).to.eql([]);
    expect(stage.logger.lines.map(({ message }) => message)).to.include(
      'a late answer contradicts the recorded outcome; check it with the gateway',
    );
  });

  it('records a response even if the claim on its queue entry was lost in the meantime', async () => {
    const storage = storageOf(await open(migrated));
    let lost = 2; // once in the batch, once alone
    const handlerStorage = withSessions(storage, (session) => ({
      finish: async (entries) => {
        if (stage.sandbox.ledger.all().length > 0 && lost-- > 0)
          throw new LeaseLostError('the claim was lost');
        return session.finish(entries);
      },
    }));
    stage = await PaymentStage.open(storage, START, { handlerStorage });
    const invoiceId = await stage.invoice(await stage.account(), '249.95');
    await stage.settle();
    expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['SUCCESS'], balance: '0' });
    expect(stage.takeEvents()).to.eql(SUCCEEDED);
  });

  it('waits for a busy account before a gateway call, or records the response later if the account is busy after the call', async () => {
    const storage = storageOf(await open(migrated));
    const tries: string[] = [];
    const handlerStorage = withSessions(storage, (session) => ({
      tryLockAccounts: async (recordIds) => {
        tries.push(stage.sandbox.ledger.all().length === 0 ? 'before' : 'after');
        return tries.length === 1 || tries.at(-1) === 'after' ? [] : session.tryLockAccounts(recordIds);
      },
    }));
    stage = await PaymentStage.open(storage, START, { handlerStorage });
    const invoiceId = await stage.invoice(await stage.account(), '249.95');
    await stage.settle();
    expect(tries).to.eql(['before', 'before', 'after']);
    expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['SUCCESS'], balance: '0' });
    expect(stage.sandbox.ledger.all()).to.have.length(1);
  });

  it('does not call a gateway if the lease ends before the call', async () => {
    const storage = storageOf(await open(migrated));
    const handlerStorage = withSessions(storage, (session) => ({
      payments: {
        ...session.payments,
        insertTransactions: async (transactions) => {
          const stored = await session.payments.insertTransactions(transactions);
          stage.clock.advance({ minutes: 10 });
          return stored;
        },
      },
    }));
    stage = await PaymentStage.open(storage, START, { handlerStorage, config: { failureRetry: noRetry } });
    const invoiceId = await stage.invoice(await stage.account(), '249.95');
    await stage.settle();
    expect(stage.sandbox.ledger.all()).to.eql([]);
    expect(await stage.story(invoiceId)).to.deep.include({
      transactions: ['PLUGIN_FAILURE'],
      balance: '249.95',
    });
  });

  it('records a missing success on a payment row before it decides whether a payment is due', async () => {
    stage = await PaymentStage.open(storageOf(await open(migrated)), START);
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    const account = await stage.account();
    const invoiceId = await stage.invoice(account, '249.95');
    await stage.settle();
    await stage.storage.write(stage.tenant, stage.authorship(), async (session) => {
      const rows = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
      const ids = rows.flatMap(({ paymentId }) => paymentId ?? []);
      const transactions = await session.payments.findTransactions(ids);
      await session.payments.updateTransactions(
        transactions.map((transaction) => ({
          transaction: { ...transaction, status: 'SUCCESS', processedAmount: transaction.amount },
          expected: transaction.status,
        })),
      );
    });
    stage.takeEvents();
    await stage.goTo('2012-06-08T00:03:42Z');
    expect(await stage.rows(invoiceId)).to.eql(['SUCCESS 249.95']);
    expect(await stage.balance(invoiceId)).to.equal('0');
    expect(await stage.accountBalance(account)).to.eql(['0', '0']);
    expect(stage.takeEvents()).to.eql(['INVOICE_PAYMENT_SUCCESS']);
    expect(stage.sandbox.ledger.all()).to.have.length(1);
  });
});

const noRetry = { startSeconds: 300, multiplier: 2, maxAttempts: 0 };
