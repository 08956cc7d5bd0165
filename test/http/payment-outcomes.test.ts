import type {
  GatewayContext,
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
  PaymentControl,
  PaymentGateway,
} from '../../lib/index.ts';
import { GatewayError, TransactionType } from '../../lib/index.ts';
import { aliasHeaders, configure, createAccount, createdId } from '../support/http/index.ts';
import { expectRefusal, expectStatus, type Reply, type Serving, serve } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, migrated } from '../support/index.ts';

/** Outcome of a gateway call, set by a plugin property with this value. */
type Answer =
  | 'PROCESSED'
  | 'PENDING'
  | 'ERROR'
  | 'CANCELED'
  | 'UNDEFINED'
  | 'NO_STATUS'
  | 'TIMEOUT'
  | 'DECLARED_ERROR'
  | 'THROW'
  | 'NULL';

interface Row {
  readonly answer: Answer;
  readonly transaction: string;
  readonly suffix: string;
  /** The error response; null if the route succeeds. */
  readonly failure: { readonly status: number; readonly code: number; readonly message: RegExp } | null;
  readonly hasLocation: boolean;
}

const declined = /^Payment decline by gateway\. Error message: no funds$/;
const moved = /^The outcome of payment <payment> is unknown; money may have moved: /;
const unclear = /^Payment in unknown status, failed to receive gateway response\.$/;

const rows: readonly Row[] = (
  [
    ['PROCESSED', 'SUCCESS', 'SUCCESS', null, true],
    ['PENDING', 'PENDING', 'PENDING', null, true],
    ['ERROR', 'PAYMENT_FAILURE', 'FAILED', [402, 7009, declined], true],
    ['CANCELED', 'PLUGIN_FAILURE', 'ERRORED', [502, 7199, /^Failed to submit payment transaction$/], true],
    ['UNDEFINED', 'UNKNOWN', 'ERRORED', [503, 7019, unclear], true],
    ['NO_STATUS', 'UNKNOWN', 'ERRORED', [503, 7019, unclear], true],
    ['TIMEOUT', 'UNKNOWN', 'ERRORED', [504, 7100, moved], false],
    ['DECLARED_ERROR', 'UNKNOWN', 'ERRORED', [400, 7199, moved], false],
    ['THROW', 'UNKNOWN', 'ERRORED', [500, 7019, moved], false],
    ['NULL', 'UNKNOWN', 'ERRORED', [500, 7019, moved], false],
  ] as const
).map(([answer, transaction, suffix, failed, hasLocation]) => {
  const [status, code, message] = failed ?? [];
  const failure = status === undefined ? null : { status, code, message };
  return { answer, transaction, suffix, failure, hasLocation };
});

const GATEWAY = 'scripted';
const TIMEOUT = '150ms';

/** A gateway that answers each call as its plugin property specifies, after the promise `held`. */
class OutcomeGateway {
  readonly called: string[] = [];
  held: Promise<void> | null = null;

  port(name: string): PaymentGateway {
    const operation =
      (transactionType: TransactionType) =>
      async (
        gatewayRequest: GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>,
        { now }: GatewayContext,
      ): Promise<GatewayResult | null> => {
        this.called.push(transactionType);
        const answer = gatewayRequest.properties.find(({ key }) => key === 'answer')?.value as
          | Answer
          | undefined;
        if (this.held !== null) await this.held;
        const result = {
          kbPaymentId: gatewayRequest.paymentId,
          kbTransactionPaymentId: gatewayRequest.transactionId,
          transactionType,
          ...(gatewayRequest.amount && { amount: gatewayRequest.amount }),
          ...(gatewayRequest.currency && { currency: gatewayRequest.currency }),
          createdDate: now,
          effectiveDate: now,
          properties: [],
        };
        return answered(result, answer ?? 'PROCESSED');
      };
    return {
      name,
      purchase: operation(TransactionType.PURCHASE),
      authorize: operation(TransactionType.AUTHORIZE),
      capture: operation(TransactionType.CAPTURE),
      refund: operation(TransactionType.REFUND),
      credit: operation(TransactionType.CREDIT),
      void: operation(TransactionType.VOID),
      getPaymentInfo: () => Promise.resolve([]),
    };
  }
}

async function answered(result: GatewayResult, answer: Answer): Promise<GatewayResult | null> {
  switch (answer) {
    case 'NO_STATUS':
      return result;
    case 'TIMEOUT':
      return new Promise(() => undefined);
    case 'DECLARED_ERROR':
      throw new GatewayError('limit reached');
    case 'THROW':
      throw new Error('connection reset');
    case 'NULL':
      return null;
    case 'ERROR':
      return { ...result, status: answer, gatewayError: 'no funds', gatewayErrorCode: 'E1' };
    default:
      return { ...result, status: answer };
  }
}

const broken: PaymentControl = { name: 'broken', priorCall: () => Promise.reject(new Error('not today')) };
const aborting: PaymentControl = { name: 'aborting', priorCall: async () => ({ isAborted: true }) };

interface Operation {
  readonly name: string;
  readonly type: string;
  readonly prefix: string;
  readonly success: number;
  readonly hasLocation: boolean;
  /** Calls the route with this query, after creating what it requires. */
  run(stage: Stage, query: string, headers?: object): Promise<Reply>;
}

interface Stage {
  readonly call: Serving['call'];
  readonly accountId: string;
}

const amount = { amount: 10, currency: 'USD' };

async function begin({ call, accountId }: Stage, transactionType: string, query = ''): Promise<Reply> {
  return call('POST', `/1.0/kb/accounts/${accountId}/payments${query}`, {
    body: { transactionType, ...amount },
  });
}

function first(type: string, prefix: string): Operation {
  return {
    name: `POST /accounts/{id}/payments ${type}`,
    type,
    prefix,
    success: 201,
    hasLocation: true,
    run: ({ call, accountId }, query, headers = {}) =>
      call('POST', `/1.0/kb/accounts/${accountId}/payments${query}`, {
        body: { transactionType: type, ...amount },
        headers: headers as never,
      }),
  };
}

function later(
  operation: Omit<Operation, 'run'>,
  before: string,
  request: (id: string) => [string, string, object],
): Operation {
  return {
    ...operation,
    async run(stage, query, headers = {}) {
      const [method, path, body] = request(createdId(await begin(stage, before)));
      return stage.call(method, `/1.0/kb${path}${query}`, { body, headers: headers as never });
    },
  };
}

const operations: readonly Operation[] = [
  first('PURCHASE', 'PURCHASE'),
  first('AUTHORIZE', 'AUTH'),
  first('CREDIT', 'CREDIT'),
  later(
    { name: 'POST /payments/{id}', type: 'CAPTURE', prefix: 'CAPTURE', success: 201, hasLocation: true },
    'AUTHORIZE',
    (id) => ['POST', `/payments/${id}`, amount],
  ),
  later(
    {
      name: 'POST /payments/{id}/refunds',
      type: 'REFUND',
      prefix: 'REFUND',
      success: 201,
      hasLocation: true,
    },
    'PURCHASE',
    (id) => ['POST', `/payments/${id}/refunds`, amount],
  ),
  later(
    { name: 'DELETE /payments/{id}', type: 'VOID', prefix: 'VOID', success: 204, hasLocation: false },
    'AUTHORIZE',
    (id) => ['DELETE', `/payments/${id}`, {}],
  ),
];

eachDatabaseByTurns.describe('payment operations over HTTP (payments §2.2)', (open) => {
  const gateway = new OutcomeGateway();
  let serving: Serving;
  let stage: Stage;

  before(async () => {
    const database = await open(migrated);
    const early = await serve(database, { gateways: [new OutcomeGateway().port('gone')] });
    const gone = await newAccount(early, 'gone');
    await early.close();
    serving = await serve(database, {
      gateways: [gateway.port(GATEWAY)],
      paymentControls: [broken, aborting],
    });
    const settings = {
      'org.killbill.payment.plugin.timeout': TIMEOUT,
      'org.killbill.payment.globalLock.retries': '2',
    };
    await configure(serving, settings);
    stage = { call: serving.call, accountId: await newAccount(serving, GATEWAY) };
    goneId = gone;
  });
  let goneId: string;
  after(() => serving.close());

  /** Returns the payment at the `Location` of a response, otherwise the one in its message. */
  const paymentOf = async (reply: Reply) => {
    const location = reply.headers.get('location');
    const named = /payment ([0-9a-f-]{36})/.exec(reply.text)?.[1];
    const id = location === null ? named : createdId(reply);
    const { json } = await serving.get(`/payments/${id}`);
    return json as { paymentId: string; transactions: { status: string; transactionType: string }[] };
  };
  const newestPayment = async () => {
    const { json } = await serving.get(`/accounts/${stage.accountId}/payments`);
    return (json as Awaited<ReturnType<typeof paymentOf>>[]).at(-1);
  };

  for (const operation of operations) {
    for (const row of rows) {
      const status = row.failure?.status ?? operation.success;
      it(`map the gateway result ${row.answer} of ${operation.name} to ${status}`, async () => {
        const reply = await operation.run(stage, `?pluginProperty=answer%3D${row.answer}`);
        expect(reply.status, reply.text).to.equal(status);
        const hasLocation = row.hasLocation && (row.failure !== null || operation.hasLocation);
        expect(reply.headers.has('location')).to.equal(hasLocation);
        const newest = await newestPayment();
        if (hasLocation)
          expect(reply.headers.get('location')).to.equal(
            `${serving.url}/1.0/kb/payments/${newest?.paymentId}`,
          );
        if (row.failure === null) expect(reply.text).to.equal('');
        else {
          const { code, message } = reply.json as { code: number; message: string };
          expect(code).to.equal(row.failure.code);
          expect(message.replace(newest?.paymentId ?? '', '<payment>')).to.match(row.failure.message);
        }
        const last = newest?.transactions.at(-1);
        expect(last).to.include({ status: row.transaction, transactionType: operation.type });
        const { id, recordId } = await serving.billing.tenants.getByApiKey('bob');
        const [stored] = await serving.storage.read({ id, recordId }, (session) =>
          session.payments.findByIds([newest?.paymentId as never]),
        );
        expect(stored?.stateName).to.equal(`${operation.prefix}_${row.suffix}`);
        const isDone = row.transaction === 'SUCCESS';
        expect(stored?.lastSuccessStateName === stored?.stateName).to.equal(isDone);
      });
    }
  }

  for (const row of rows.filter(({ answer }) => answer !== 'PENDING')) {
    const status = row.failure?.status ?? 204;
    it(`map the gateway result ${row.answer} of PUT /payments/{id} to ${status} (payments §6.1 rule 3)`, async () => {
      const id = createdId(await begin(stage, 'PURCHASE', '?pluginProperty=answer%3DPENDING'));
      const path = `/1.0/kb/payments/${id}?pluginProperty=answer%3D${row.answer}`;
      const reply = expectStatus(await serving.call('PUT', path, { body: {} }), status);
      expect(reply.headers.has('location')).to.equal(row.hasLocation && row.failure !== null);
      expect((await newestPayment())?.transactions.map((each) => each.status)).to.eql([row.transaction]);
    });
  }

  it('return the same statuses in dialect K as in dialect D', async () => {
    for (const { answer, failure } of rows.filter((row) => row.answer !== 'TIMEOUT')) {
      const [purchase] = operations;
      const reply = await purchase?.run(stage, `?pluginProperty=answer%3D${answer}`, aliasHeaders);
      expect(reply?.status, answer).to.equal(failure?.status ?? 201);
    }
  });

  it('return no transaction if the plugin is not registered', async () => {
    const reply = await begin({ call: serving.call, accountId: goneId }, 'PURCHASE');
    expectRefusal(reply, 400, 7028);
    expect(reply.headers.has('location')).to.equal(false);
    expect((await serving.get(`/accounts/${goneId}/payments`)).json).to.eql([]);
  });

  it('return 422 without Location on an abort and do not call the gateway (payments §2.3 rule 5)', async () => {
    const calls = gateway.called.length;
    const reply = await begin(stage, 'PURCHASE', '?controlPluginName=aborting');
    expectRefusal(reply, 422, 7106);
    expect(reply.headers.has('location')).to.equal(false);
    expect(gateway.called.length).to.equal(calls);
  });

  const unpaidInvoice = async () => {
    await serving.post(`/accounts/${stage.accountId}/tags`, ['00000000-0000-0000-0000-000000000001']);
    const path = `/1.0/kb/invoices/charges/${stage.accountId}?autoCommit=true`;
    const body = [{ accountId: stage.accountId, amount: 20, currency: 'USD' }];
    const { json } = await serving.call('POST', path, { body });
    return (json as { invoiceId: string }[])[0]?.invoiceId ?? '';
  };

  for (const { answer, transaction, failure } of rows) {
    const isThrown = failure !== null && failure.message === moved;
    const status = isThrown ? failure.status : 201;
    it(`map the gateway result ${answer} of POST /invoices/{id}/payments to ${status} (payments §9.6 rule 1)`, async () => {
      const path = `/1.0/kb/invoices/${await unpaidInvoice()}/payments?pluginProperty=answer%3D${answer}`;
      const reply = await serving.call('POST', path, { body: { accountId: stage.accountId } });
      expect(reply.status, reply.text).to.equal(status);
      expect(reply.headers.has('location')).to.equal(!isThrown);
      const newest = await newestPayment();
      expect(newest?.transactions.at(-1)?.status).to.equal(transaction);
      if (!isThrown)
        expect(reply.headers.get('location')).to.equal(
          `${serving.url}/1.0/kb/invoicePayments/${newest?.paymentId}`,
        );
    });
  }

  it('return 201 for a declined invoice refund and show the decline in the transaction (payments §9.5 rule 1e)', async () => {
    const path = `/1.0/kb/invoices/${await unpaidInvoice()}/payments`;
    const id = createdId(await serving.call('POST', path, { body: { accountId: stage.accountId } }));
    const refund = `/1.0/kb/invoicePayments/${id}/refunds?pluginProperty=answer%3DERROR`;
    const reply = await serving.call('POST', refund, { body: amount });
    const location = `${serving.url}/1.0/kb/invoicePayments/${id}`;
    expect([reply.status, reply.headers.get('location')]).to.eql([201, location]);
    const { transactions } = await paymentOf(reply);
    expect(transactions.map((each) => each.status)).to.eql(['SUCCESS', 'PAYMENT_FAILURE']);
  });

  it('return 402 without Location for a declined completion on the invoice payment routes (http-api §12)', async () => {
    const path = `/1.0/kb/invoices/${await unpaidInvoice()}/payments?pluginProperty=answer%3DPENDING`;
    const id = createdId(await serving.call('POST', path, { body: { accountId: stage.accountId } }));
    const complete = `/1.0/kb/invoicePayments/${id}?pluginProperty=answer%3DERROR`;
    const reply = expectStatus(await serving.call('PUT', complete, { body: {} }), 402);
    expect(reply.headers.has('location')).to.equal(false);
  });

  for (const { answer, failure, hasLocation } of rows) {
    const status = failure?.status ?? 201;
    it(`repeat the response ${status} to ${answer} for the same Idempotency-Key without a second payment (http-api §11 rule 2)`, async () => {
      const headers = { 'idempotency-key': `outcome-${answer}` };
      const purchase = () => operations[0]?.run(stage, `?pluginProperty=answer%3D${answer}`, headers);
      const one = await purchase();
      const calls = gateway.called.length;
      const again = await purchase();
      expect([again?.status, again?.text]).to.eql([status, one?.text]);
      expect(again?.headers.get('location')).to.equal(one?.headers.get('location'));
      expect(again?.headers.has('location')).to.equal(hasLocation);
      expect(one?.headers.has('idempotency-replayed')).to.equal(false);
      expect(again?.headers.get('idempotency-replayed')).to.equal('true');
      expect(gateway.called.length).to.equal(calls);
    });
  }

  it('do not store the 409 for a busy payment, so that a retry with the same key runs again (http-api §11 rule 2)', async () => {
    const id = createdId(await begin(stage, 'AUTHORIZE'));
    const capture = (headers = {}) =>
      serving.post(`/payments/${id}`, { amount: 3, currency: 'USD' }, headers);
    await configure(serving, { 'org.killbill.payment.globalLock.retries': '2' });
    const { promise, resolve } = Promise.withResolvers<void>();
    gateway.held = promise;
    const calls = gateway.called.length;
    const running = capture();
    while (gateway.called.length === calls) await new Promise((done) => setImmediate(done));
    const headers = { 'idempotency-key': 'busy' };
    const busy = await capture(headers);
    expectRefusal(busy, 409, 7019);
    expect((busy.json as { message: string }).message).to.include('nothing was attempted');
    expect(busy.headers.has('location')).to.equal(false);
    gateway.held = null;
    resolve();
    expect((await running).status).to.equal(201);
    const later = await capture(headers);
    expect([later.status, later.headers.has('idempotency-replayed')]).to.eql([201, false]);
    const again = await capture(headers);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.eql([201, 'true']);
    expect(gateway.called.length).to.equal(calls + 2);
  });

  it('store no response for a failure before the first attempt (http-api §11 rule 2)', async () => {
    const headers = { 'idempotency-key': 'broken-control' };
    const runBroken = (query: string) => operations[0]?.run(stage, query, headers);
    const failed = await runBroken('?controlPluginName=broken');
    expect(failed?.status, failed?.text).to.equal(500);
    expect(failed?.json).to.include({ code: 7019 });
    const again = await runBroken('?controlPluginName=broken');
    expect([again?.status, again?.headers.has('idempotency-replayed')]).to.eql([500, false]);
  });
});

async function newAccount({ call }: Serving, pluginName: string): Promise<string> {
  const accountId = await createAccount({ call });
  await call('POST', `/1.0/kb/accounts/${accountId}/paymentMethods?isDefault=true`, { body: { pluginName } });
  return accountId;
}
