import type { GatewayResult, PaymentGateway, Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect, expectCode } from '../support/index.ts';
import type { Account, PaymentResult } from '../support/plain-views.ts';

/** A gateway whose next call never comes back where a test says so, as if its process had died. */
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
    /** The next call dies; resolves when it has. */
    dies: () => new Promise<void>((resolve) => (dies = resolve)),
    /** Lets those that wait for dead calls go. */
    ends: () => {
      for (const end of dead) end();
    },
    pends: () => {
      isPending = true;
    },
  };
}

eachDatabase('leases of calls that a crash has ended (payments §5.3 rule 3)', (open) => {
  const mortal = mortalGateway();
  let account: Account;
  const engine = engineBefore(open, {
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    gateways: [mortal.gateway],
  });
  beforeEach(async () => {
    account = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.addPaymentMethod({ accountId: account.id, pluginName: 'mortal', isDefault: true });
  });
  after(() => {
    mortal.ends();
    return engine.close();
  });

  /** Begins an operation whose call never ends; a minute later its lease is over. */
  async function crashed(operation: () => Promise<PaymentResult>): Promise<void> {
    const died = mortal.dies();
    void operation().catch(() => undefined);
    await died;
    engine.clock.advance({ minutes: 2 });
  }
  const statusOf = async (work: Promise<PaymentResult>) => (await work).transaction.status;
  const purchased = async () =>
    (await engine.acme.payments.purchase({ accountId: account.id, amount: '100' })).payment.id;

  it('a refund begins beside one that a crash has ended, within what that one leaves', async () => {
    const { payments } = engine.acme;
    const paymentId = await purchased();
    await crashed(() => payments.refund({ paymentId, amount: '60' }));
    await expectCode(payments.refund({ paymentId, amount: '40.01' }), 'PAYMENT_INVALID_PARAMETER');
    expect(await statusOf(payments.refund({ paymentId, amount: '30' }))).to.equal('SUCCESS');
    expect(await statusOf(payments.chargeback({ paymentId, amount: '5' }))).to.equal('SUCCESS');
    const { transactions } = await payments.get(paymentId);
    expect(transactions.map(({ status }) => status)).to.eql(['SUCCESS', 'UNKNOWN', 'SUCCESS', 'SUCCESS']);
  });

  it('a capture begins beside one that a crash has ended, a void does not', async () => {
    const { payments } = engine.acme;
    const { payment } = await payments.authorize({ accountId: account.id, amount: '100' });
    const paymentId = payment.id;
    await crashed(() => payments.capture({ paymentId, amount: '60' }));
    await expectCode(payments.void({ paymentId }), 'PAYMENT_INVALID_OPERATION');
    expect(await statusOf(payments.capture({ paymentId, amount: '30' }))).to.equal('SUCCESS');
  });

  it('a chargeback is recorded beside a refund that a crash has ended', async () => {
    const { payments } = engine.acme;
    const paymentId = await purchased();
    await crashed(() => payments.refund({ paymentId, amount: '60' }));
    expect(await statusOf(payments.chargeback({ paymentId, amount: '10' }))).to.equal('SUCCESS');
  });

  it('a completion that a crash has ended leaves the pending transaction to be completed again', async () => {
    const { payments } = engine.acme;
    const paymentId = await purchased();
    mortal.pends();
    await payments.refund({ paymentId, amount: '10', transactionExternalKey: 'R' });
    await crashed(() => payments.complete({ paymentId }));
    expect(await statusOf(payments.refund({ paymentId, amount: '20' }))).to.equal('SUCCESS');
    expect(await statusOf(payments.complete({ paymentId, transactionExternalKey: 'R' }))).to.equal('SUCCESS');
  });

  it('recovery ends the lease of a transaction that its gateway knows nothing of', async () => {
    const { payments } = engine.acme;
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
