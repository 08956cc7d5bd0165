import type { GatewayRequest, GatewayResult, PaymentGateway, PluginStatus, Uuid } from '../../lib/index.ts';
import type { TestEngine } from '../support/index.ts';
import { anyDatabase, eachDatabase, engineBefore, expect, expectCode, openEngine } from '../support/index.ts';
import type { Account, PaymentResult } from '../support/plain-views.ts';

/** A gateway whose purchases wait until a test answers them with a status. */
class HeldGateway {
  /** Requests in order of arrival, each with a function that answers it. */
  readonly requests: { readonly answer: (status: PluginStatus) => void }[] = [];
  /** The status that recovery finds; null if the gateway does not know the transaction. */
  known: PluginStatus | null = null;
  #arrived: () => void = () => undefined;

  /** Resolves at the next request. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  port(): PaymentGateway {
    let last: GatewayRequest | undefined;
    const resultOf = (request: GatewayRequest, status: PluginStatus, at: GatewayResult['createdDate']) => ({
      kbPaymentId: request.paymentId,
      kbTransactionPaymentId: request.transactionId,
      transactionType: 'PURCHASE' as const,
      status,
      createdDate: at,
      effectiveDate: at,
      properties: [],
    });
    return {
      name: 'held',
      purchase: (request, { now }) => {
        last = request;
        return new Promise((resolve) => {
          this.requests.push({ answer: (status) => resolve(resultOf(request, status, now)) });
          this.#arrived();
        });
      },
      getPaymentInfo: async (_request, { now }) =>
        last && this.known ? [resultOf(last, this.known, now)] : [],
      addPaymentMethod: async () => undefined,
      getPaymentMethodDetail: async () => ({
        externalPaymentMethodId: null,
        isDefaultPaymentMethod: false,
        properties: [],
      }),
      setDefaultPaymentMethod: async () => undefined,
    };
  }
}

anyDatabase.describe('payment transaction leases (payments §5.1 rule 3)', (open) => {
  let engine: TestEngine;
  let held: HeldGateway;
  let accountId: Uuid;

  beforeEach(async () => {
    held = new HeldGateway();
    engine = await openEngine(open, { now: '2012-05-01T10:00:00Z', catalog: null, gateways: [held.port()] });
    ({ id: accountId } = await engine.acme.createAccount({ currency: 'USD' }));
    await engine.acme.addPaymentMethod({ accountId, pluginName: 'held', isDefault: true });
  });

  const statusNow = async (id: Uuid) => {
    const { transactions } = await engine.acme.payments.get(id);
    return transactions.map(({ status }) => status);
  };
  /** Starts a purchase that stays with the gateway until its lease has expired and recovery has found it pending. */
  async function overtaken() {
    const arrived = held.next();
    const first = engine.acme.payments.purchase({ accountId, amount: '10' }).catch((error) => error);
    await arrived;
    const [payment] = await engine.acme.payments.ofAccount(accountId);
    if (payment === undefined) throw new Error('the payment is missing');
    const { id } = payment;
    held.known = 'PENDING';
    await engine.runTo('2012-05-01T10:10:00Z');
    expect(await statusNow(id)).to.eql(['PENDING']);
    return { id, first };
  }

  it('prevent a late response from being recorded while another call holds the lease', async () => {
    const { id, first } = await overtaken();
    const arrived = held.next();
    const second = engine.acme.payments.complete({ paymentId: id });
    await arrived;
    held.requests[0]?.answer('ERROR');
    await first;
    expect(await statusNow(id)).to.eql(['PENDING']);
    held.requests[1]?.answer('PROCESSED');
    expect((await second).transaction.status).to.equal('SUCCESS');
    expect(await statusNow(id)).to.eql(['SUCCESS']);
  });

  it('allow a late response to be recorded once recovery has ended the lease', async () => {
    const { id, first } = await overtaken();
    held.requests[0]?.answer('PROCESSED');
    await first;
    expect(await statusNow(id)).to.eql(['SUCCESS']);
  });

  it('keep the outcome found by recovery if the late response is UNKNOWN', async () => {
    const { id, first } = await overtaken();
    held.requests[0]?.answer('UNDEFINED');
    await first;
    expect(await statusNow(id)).to.eql(['PENDING']);
  });
});

/** Returns a gateway whose next call never returns if the test requests it, as if its process had died. */
function mortalGateway() {
  const results = new Map<Uuid, GatewayResult>();
  const dead: (() => void)[] = [];
  let dies: (() => void) | null = null;
  let isPending = false;
  const runs = (transactionType: GatewayResult['transactionType']): PaymentGateway['purchase'] => {
    return async ({ paymentId, transactionId, amount, currency }, { now }) => {
      const died = dies;
      dies = null;
      if (died !== null) {
        died();
        return new Promise((_, reject) => dead.push(() => reject(new Error('the process is gone'))));
      }
      const status = isPending ? 'PENDING' : 'PROCESSED';
      isPending = false;
      const result: GatewayResult = {
        ...{ kbPaymentId: paymentId, kbTransactionPaymentId: transactionId, transactionType, status },
        ...{ amount, currency, createdDate: now, effectiveDate: now, properties: [] },
      };
      results.set(transactionId, result);
      return result;
    };
  };
  const gateway: PaymentGateway = {
    name: 'mortal',
    purchase: runs('PURCHASE'),
    authorize: runs('AUTHORIZE'),
    capture: runs('CAPTURE'),
    refund: runs('REFUND'),
    getPaymentInfo: async ({ paymentId }) =>
      [...results.values()].filter(({ kbPaymentId }) => kbPaymentId === paymentId),
  };
  return {
    gateway,
    /** Makes the next call never return; resolves when it was made. */
    dies: () => new Promise<void>((resolve) => (dies = resolve)),
    /** Resolves the callers that wait for dead calls. */
    ends: () => {
      for (const end of dead) end();
    },
    pends: () => {
      isPending = true;
    },
  };
}

eachDatabase.describe('leases of interrupted calls (payments §5.3 rule 3)', (open) => {
  const mortal = mortalGateway();
  let account: Account;
  const engine = engineBefore(open, { now: '2012-05-01T10:00Z', catalog: null, gateways: [mortal.gateway] });
  const { acme } = engine;
  beforeEach(async () => {
    account = await acme.createAccount({ currency: 'USD' });
    await acme.addPaymentMethod({ accountId: account.id, pluginName: 'mortal', isDefault: true });
  });
  after(() => {
    mortal.ends();
    return engine.close();
  });

  /** Starts an operation whose call never returns; a minute later, its lease expires. */
  async function crashed(operation: () => Promise<PaymentResult>): Promise<void> {
    const died = mortal.dies();
    void operation().catch(() => undefined);
    await died;
    engine.clock.advance({ minutes: 2 });
  }
  const statusOf = async (work: Promise<PaymentResult>) => (await work).transaction.status;
  const purchased = async () =>
    (await acme.payments.purchase({ accountId: account.id, amount: '100' })).payment.id;

  it('allow a new refund of up to the remaining amount after a crash', async () => {
    const { payments } = acme;
    const paymentId = await purchased();
    await crashed(() => payments.refund({ paymentId, amount: '60' }));
    await expectCode(payments.refund({ paymentId, amount: '40.01' }), 'PAYMENT_INVALID_PARAMETER');
    expect(await statusOf(payments.refund({ paymentId, amount: '30' }))).to.equal('SUCCESS');
    expect(await statusOf(payments.chargeback({ paymentId, amount: '5' }))).to.equal('SUCCESS');
    const { transactions } = await payments.get(paymentId);
    expect(transactions.map(({ status }) => status)).to.eql(['SUCCESS', 'UNKNOWN', 'SUCCESS', 'SUCCESS']);
  });

  it('allow a new capture, but no void, after a crash', async () => {
    const { payments } = acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '100' });
    const paymentId = payment.id;
    await crashed(() => payments.capture({ paymentId, amount: '60' }));
    await expectCode(payments.void({ paymentId }), 'PAYMENT_INVALID_OPERATION');
    expect(await statusOf(payments.capture({ paymentId, amount: '30' }))).to.equal('SUCCESS');
  });

  it('allow a chargeback to be recorded despite an interrupted refund', async () => {
    const { payments } = acme;
    const paymentId = await purchased();
    await crashed(() => payments.refund({ paymentId, amount: '60' }));
    expect(await statusOf(payments.chargeback({ paymentId, amount: '10' }))).to.equal('SUCCESS');
  });

  it('allow a pending transaction to be completed again after an interrupted completion', async () => {
    const { payments } = acme;
    const paymentId = await purchased();
    mortal.pends();
    await payments.refund({ paymentId, amount: '10', transactionExternalKey: 'R' });
    await crashed(() => payments.complete({ paymentId }));
    expect(await statusOf(payments.refund({ paymentId, amount: '20' }))).to.equal('SUCCESS');
    expect(await statusOf(payments.complete({ paymentId, transactionExternalKey: 'R' }))).to.equal('SUCCESS');
  });

  it('are ended by recovery if the gateway does not know the transaction', async () => {
    const { payments } = acme;
    const paymentId = await purchased();
    await crashed(() => payments.refund({ paymentId, amount: '60' }));
    const leases = async () => {
      const found = await engine.storage.read(engine.tenant, (session) =>
        session.payments.findTransactions([paymentId]),
      );
      return found.filter(({ leaseUntil }) => leaseUntil !== null).length;
    };
    expect(await leases()).to.equal(1);
    engine.clock.advance({ minutes: 10 });
    await engine.settle();
    expect(await leases()).to.equal(0);
    expect((await payments.get(paymentId)).transactions[1]?.status).to.equal('UNKNOWN');
  });
});
