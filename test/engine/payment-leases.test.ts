import type { GatewayRequest, GatewayResult, PaymentGateway, PluginStatus, Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';

/** A gateway whose purchases are answered when a test says so, each with the status that it says. */
class HeldGateway {
  /** Requests in the order in which they came, and how they are answered. */
  readonly asked: { readonly answer: (status: PluginStatus) => void }[] = [];
  /** What it says when recovery asks. */
  known: PluginStatus | null = null;
  #arrived: () => void = () => undefined;

  /** Resolves when one more request has come. */
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
          this.asked.push({ answer: (status) => resolve(resultOf(request, status, now)) });
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

anyDatabase('leases of payment transactions (payments §5.1 rule 3)', (open) => {
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
  /** A purchase that is with the gateway until its lease has ended and recovery has found it pending. */
  async function overtaken() {
    const arrived = held.next();
    const first = engine.acme.payments.purchase({ accountId, amount: '10' }).catch((error) => error);
    await arrived;
    const [payment] = await engine.acme.payments.ofAccount(accountId);
    if (payment === undefined) throw new Error('the payment is not there');
    const { id } = payment;
    held.known = 'PENDING';
    await engine.runTo('2012-05-01T10:10:00Z');
    expect(await statusNow(id)).to.eql(['PENDING']);
    return { id, first };
  }

  it('a late answer to a call whose lease another call has by now is left to that call', async () => {
    const { id, first } = await overtaken();
    const arrived = held.next();
    const second = engine.acme.payments.complete({ paymentId: id });
    await arrived;
    held.asked[0]?.answer('ERROR');
    await first;
    expect(await statusNow(id)).to.eql(['PENDING']);
    held.asked[1]?.answer('PROCESSED');
    expect((await second).transaction.status).to.equal('SUCCESS');
    expect(await statusNow(id)).to.eql(['SUCCESS']);
  });

  it('a late answer to a call whose lease recovery has ended is recorded as what recovery learns', async () => {
    const { id, first } = await overtaken();
    held.asked[0]?.answer('PROCESSED');
    await first;
    expect(await statusNow(id)).to.eql(['SUCCESS']);
  });

  it('a late answer that knows nothing does not undo what recovery has learnt', async () => {
    const { id, first } = await overtaken();
    held.asked[0]?.answer('UNDEFINED');
    await first;
    expect(await statusNow(id)).to.eql(['PENDING']);
  });
});
