import { setImmediate } from 'node:timers/promises';
import type { Account, GatewayResult, PaymentGateway, PaymentMethodDetails } from '../../lib/index.ts';
import { BillingError, formatInstant, GatewayError } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../lib/values/limits.ts';
import { eachDatabaseByTurns, expect, migrated, storageOf } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';

const START = '2012-05-31T00:03:42Z';
const SANDBOX = 'sandbox';
const EXTERNAL = '__EXTERNAL_PAYMENT__';
const ASKING = { withPluginInfo: true };

/** A gateway whose query results a test scripts. It records the queries and how many run at once. */
class TalkativeGateway {
  detail: () => Promise<PaymentMethodDetails> = () => Promise.reject(new GatewayError('out of order'));
  info: (gatewayResults: readonly GatewayResult[]) => Promise<readonly GatewayResult[]> = (gatewayResults) =>
    Promise.resolve(gatewayResults);
  requests: object[] = [];
  running = 0;
  mostRunning = 0;
  readonly #gatewayResults: GatewayResult[] = [];

  port(capabilities: PaymentGateway['capabilities'] = {}): PaymentGateway {
    return {
      name: 'talkative',
      capabilities,
      purchase: ({ paymentId, transactionId, amount, currency }, { now }) => {
        const result = {
          kbPaymentId: paymentId,
          kbTransactionPaymentId: transactionId,
          transactionType: 'PURCHASE' as const,
          status: 'PROCESSED' as const,
          amount,
          currency,
          createdDate: now,
          effectiveDate: now,
          firstPaymentReferenceId: 'first',
          secondPaymentReferenceId: 'second',
          properties: [{ key: 'avs', value: 'Y' }],
        };
        this.#gatewayResults.push(result);
        return Promise.resolve(result);
      },
      getPaymentInfo: (request) => this.#count(request, () => this.info(this.#gatewayResults)),
      addPaymentMethod: () => Promise.resolve(),
      getPaymentMethodDetail: (request) => this.#count(request, () => this.detail()),
      setDefaultPaymentMethod: () => Promise.resolve(),
    };
  }

  async #count<T>(request: object, answer: () => Promise<T>): Promise<T> {
    this.requests.push(request);
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await answer();
    } finally {
      this.running -= 1;
    }
  }
}

const detail: PaymentMethodDetails = {
  externalPaymentMethodId: 'tok_1',
  isDefaultPaymentMethod: true,
  properties: [{ key: 'last4', value: '4242', isUpdatable: false }],
};

const never = (): Promise<never> => new Promise(() => undefined);

eachDatabaseByTurns.describe('payment data (payments §1.4, §2.1, §10.2)', (open) => {
  let gateway: TalkativeGateway;
  let stage: PaymentStage;
  let openSessions = 0;
  afterEach(() => stage.stop());

  /** Counts the open sessions, so that a call inside a session is noticed. */
  function watched(storage: Storage<never>): Storage<never> {
    return new Proxy(storage, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name !== 'read' && name !== 'readInOneStatement' && name !== 'write') return member.bind(target);
        return async (...given: readonly unknown[]) => {
          openSessions += 1;
          try {
            return await Reflect.apply(member, target, given);
          } finally {
            openSessions -= 1;
          }
        };
      },
    });
  }

  async function begin(capabilities: PaymentGateway['capabilities'] = {}): Promise<void> {
    gateway = new TalkativeGateway();
    const port = gateway.port(capabilities);
    stage = await PaymentStage.open(watched(storageOf(await open(migrated))), START, { gateway: port });
  }

  const warnings = () => stage.logger.lines.filter(({ level }) => level === 'warn');

  describe('about payment methods', () => {
    let account: Account;

    async function withMethods(...pluginNames: readonly string[]): Promise<void> {
      account = await stage.account(null);
      for (const pluginName of pluginNames)
        await stage.methods.add(stage.context(), { accountId: account.id, pluginName });
      stage.logger.lines.splice(0);
      gateway.requests = [];
    }

    const infos = async (options: object = ASKING) => {
      const methods = await stage.methodReads.ofAccount(stage.context(), account.id, options);
      return methods.map(({ pluginInfo }) => pluginInfo);
    };
    const only = async () => {
      const [method] = await stage.methodReads.ofAccount(stage.context(), account.id);
      if (!method) throw new Error('no method');
      return method;
    };

    it('contains plugin information only on request', async () => {
      await begin();
      await withMethods('talkative');
      expect(await infos({})).to.eql([null]);
      expect((await stage.methodReads.get(stage.context(), (await only()).id)).pluginInfo).to.equal(null);
      expect(gateway.requests).to.eql([]);
    });

    it('contains gateway details that are read outside any database session', async () => {
      await begin();
      await withMethods('talkative');
      let sessionsThen = -1;
      gateway.detail = () => {
        sessionsThen = openSessions;
        return Promise.resolve(detail);
      };
      const properties = [{ key: 'locale', value: 'de' }];
      const method = await only();
      expect(await infos({ ...ASKING, properties })).to.eql([detail]);
      const read = await stage.methodReads.get(stage.context(), method.id, { ...ASKING, properties });
      expect(read).to.eql({ ...method, pluginInfo: detail });
      const request = { accountId: account.id, paymentMethodId: method.id, properties };
      expect(gateway.requests).to.eql([request, request]);
      expect(sessionsThen).to.equal(0);
    });

    it('is null in lists if a gateway fails, but cannot be read individually (error 7004)', async () => {
      await begin();
      await withMethods('talkative', SANDBOX);
      expect(await infos()).to.eql([
        null,
        { externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] },
      ]);
      expect(warnings()).to.have.length(1);
      expect(warnings()[0]?.fields).to.include({ pluginName: 'talkative', failure: 'out of order' });
      const error = await stage.methodReads
        .get(stage.context(), (await only()).id, ASKING)
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(BillingError);
      expect(error).to.include({ code: 7004 });
    });

    it('contains null with a logged warning if the gateway returns null', async () => {
      await begin();
      await withMethods('talkative');
      gateway.detail = () => Promise.resolve(null as never);
      expect(await infos()).to.eql([null]);
      expect(warnings()).to.have.length(1);
    });

    it('contains null for a gateway that stores no methods, without querying that gateway', async () => {
      await begin({ holdsPaymentMethods: false });
      await withMethods('talkative', EXTERNAL);
      expect(await infos()).to.eql([null, null]);
      expect((await stage.methodReads.get(stage.context(), (await only()).id, ASKING)).pluginInfo).to.equal(
        null,
      );
      expect(gateway.requests).to.eql([]);
      expect(warnings()).to.eql([]);
    });

    it('is read from gateways with limited concurrency and one common time limit', async () => {
      await begin();
      const count = MAX_CONCURRENT_GATEWAY_CALLS + 5;
      await withMethods(...Array<string>(count).fill('talkative'));
      gateway.detail = async () => {
        await setImmediate();
        return detail;
      };
      expect(await infos()).to.eql(Array(count).fill(detail));
      expect(gateway.mostRunning).to.equal(MAX_CONCURRENT_GATEWAY_CALLS);
      gateway.detail = never;
      const reading = infos();
      await stage.timers.fire(30_000, MAX_CONCURRENT_GATEWAY_CALLS);
      await stage.timers.fire(30_000, 5);
      expect(await reading).to.eql(Array(count).fill(null));
      expect(warnings()).to.have.length(count);
    });
  });

  describe('about payments', () => {
    async function paid(pluginName = 'talkative') {
      const account = await stage.account(pluginName);
      const invoiceId = await stage.invoice(account, '10');
      await stage.settle();
      stage.logger.lines.splice(0);
      gateway.requests = [];
      return { account, invoiceId };
    }

    const gatewayResults = {
      firstPaymentReferenceId: 'first',
      secondPaymentReferenceId: 'second',
      properties: [{ key: 'avs', value: 'Y', isUpdatable: false }],
    };
    const infosOf = (payments: Awaited<ReturnType<PaymentStage['reads']['ofAccount']>>) =>
      payments.flatMap(({ transactions }) => transactions.map(({ pluginInfo }) => pluginInfo));

    it('contains references and properties of transactions on request', async () => {
      await begin();
      const { account, invoiceId } = await paid();
      const { reads } = stage;
      expect(infosOf(await reads.ofAccount(stage.context(), account.id))).to.eql([null]);
      expect(gateway.requests).to.eql([]);
      let sessionsThen = -1;
      gateway.info = (results) => {
        sessionsThen = openSessions;
        return Promise.resolve(results);
      };
      const properties = [{ key: 'a', value: 'b' }];
      const payments = await reads.ofAccount(stage.context(), account.id, { ...ASKING, properties });
      expect(infosOf(payments)).to.eql([gatewayResults]);
      expect(gateway.requests).to.eql([{ accountId: account.id, paymentId: payments[0]?.id, properties }]);
      expect(sessionsThen).to.equal(0);
      for (const found of [
        await reads.invoicePaymentsOfAccount(stage.context(), account.id, ASKING),
        await reads.invoicePaymentsOfInvoice(stage.context(), invoiceId, ASKING),
      ]) {
        expect(infosOf(found)).to.eql([gatewayResults]);
        expect(found[0]?.targetInvoiceId).to.equal(invoiceId);
      }
    });

    it('contains null with a warning if a gateway fails, and without a warning if the gateway stores nothing', async () => {
      await begin();
      const { account } = await paid();
      gateway.info = () => Promise.reject(new Error('down'));
      expect(infosOf(await stage.reads.ofAccount(stage.context(), account.id, ASKING))).to.eql([null]);
      expect(warnings()).to.have.length(1);
      expect(warnings()[0]?.fields).to.include({ pluginName: 'talkative', failure: 'down' });
      const other = await paid(EXTERNAL);
      expect(infosOf(await stage.reads.ofAccount(stage.context(), other.account.id, ASKING))).to.eql([null]);
      expect(warnings()).to.eql([]);
    });

    it('includes a newer status from the gateway only if the read requests plugin information, and that status is then stored', async () => {
      await begin();
      stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING', TIMES: 1 });
      const { account, invoiceId } = await paid(SANDBOX);
      const [pending] = await stage.payments(invoiceId);
      const transactionId = pending?.transactions[0]?.id;
      if (!transactionId) throw new Error('no transaction');
      stage.sandbox.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED' });
      stage.takeEvents();
      await stage.reads.ofAccount(stage.context(), account.id);
      expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['PENDING'], balance: '10' });
      const [payment] = await stage.reads.ofAccount(stage.context(), account.id, ASKING);
      expect(payment).to.include({ stateName: 'PURCHASE_SUCCESS' });
      expect(payment?.totals.purchasedAmount.toFixed()).to.equal('10');
      expect(await stage.story(invoiceId)).to.deep.include({ transactions: ['SUCCESS'], balance: '0' });
      await stage.settle();
      expect(stage.takeEvents()).to.eql(['PAYMENT_SUCCESS', 'INVOICE_PAYMENT_SUCCESS']);
      await stage.goTo('2012-06-30T00:00:00Z');
      expect(stage.takeEvents()).to.eql([]);
    });
  });
});

eachDatabaseByTurns.describe('payment data of planned attempts (payments §8.2)', (open) => {
  let stage: PaymentStage;
  before(async () => {
    stage = await PaymentStage.open(storageOf(await open(migrated)), START);
  });
  after(() => stage.stop());

  it('shows the status SCHEDULED until the attempt runs', async () => {
    stage.sandbox.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 2 });
    const invoiceId = await stage.invoice(await stage.account(), '10');
    await stage.invoice(await stage.account(), '20');
    await stage.settle();
    const shown = async () => (await stage.payments(invoiceId)).flatMap(({ attempts }) => attempts ?? []);
    const [first, scheduled, ...others] = await shown();
    expect(others).to.eql([]);
    expect(first?.transactionId).to.be.a('string');
    expect(scheduled).to.eql({
      ...first,
      stateName: 'SCHEDULED',
      transactionId: null,
      effectiveDate: scheduled?.effectiveDate,
    });
    expect(first && formatInstant(first.effectiveDate)).to.equal('2012-05-31T00:03:42.000Z');
    expect(scheduled && formatInstant(scheduled.effectiveDate)).to.equal('2012-06-08T00:03:42.000Z');
    await stage.goTo('2012-06-08T00:03:42Z');
    expect((await shown()).map(({ stateName }) => stateName)).to.eql(['RETRIED', 'SUCCESS']);
  });
});
