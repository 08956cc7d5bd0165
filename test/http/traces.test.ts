import { eachDatabaseByTurns, expect, migrated } from '../support/http/index.ts';
import { createAccount, exampleCatalog, type Serving, serve, xmlType } from '../support/http/serving.ts';
import { pathOf, recordedTraces } from '../support/tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

eachDatabaseByTurns.describe('request traces', (open) => {
  const traces = recordedTraces();
  let serving: Serving;
  let accountId: string;

  before(async () => {
    const pushSender = { resolve: async () => ['192.0.2.1'], send: async () => ({ status: 204 }) };
    serving = await serve(await open(migrated), { tracer: traces.tracer, pushSender });
    const { call, post } = serving;
    await post('/catalog', await exampleCatalog(), xmlType);
    await post('/tenants/registerNotificationCallback?cb=https://receiver.example/cb');
    accountId = await createAccount({ call });
    await post(`/accounts/${accountId}/paymentMethods?isDefault=true`, {
      pluginName: 'killbill-payment-test',
    });
    await serving.billing.settle();
  });
  beforeEach(() => traces.forget());
  after(() => serving.close());

  it("add the request, its transaction, entry, invoice, gateway call and push to the caller's trace (platform §13.1)", async () => {
    const reply = await serving.post(
      '/subscriptions',
      { accountId, planName: 'canopy-monthly' },
      { traceparent: `00-${TRACE}-${CALLER}-01` },
    );
    expect(reply.status, reply.text).to.equal(201);
    await serving.billing.settle();
    const own = traces.spans().filter(({ traceId }) => traceId === TRACE);
    const [request] = own;
    expect(request).to.deep.include({ name: 'POST /1.0/kb/subscriptions', parentId: CALLER });
    expect(request?.attributes).to.deep.include({
      'http.response.status_code': 201,
      'http.route': '/1.0/kb/subscriptions',
    });
    const of = (name: string) => own.filter((span) => span.name === name).map((span) => pathOf(span, own));
    const call = ['POST /1.0/kb/subscriptions', 'createSubscription', 'transaction'];
    const run = [...call, 'invoice-service:run'];
    const payment = [...run, 'transaction', 'payment-service:automatic-payment'];
    expect(of('invoice-service:run')).to.deep.include(run);
    expect(of('invoice')).to.eql([[...run, 'invoice']]);
    expect(of('gateway PURCHASE')).to.eql([[...payment, 'gateway PURCHASE']]);
    expect(of('push ENTITLEMENT_CREATION')).to.eql([[...call, 'push ENTITLEMENT_CREATION']]);
    expect(of('push INVOICE_CREATION')).to.eql([[...run, 'transaction', 'push INVOICE_CREATION']]);
    expect(of('push PAYMENT_SUCCESS')).to.eql([[...payment, 'transaction', 'push PAYMENT_SUCCESS']]);
    const gateway = own.find(({ name }) => name === 'gateway PURCHASE');
    expect(gateway?.attributes).to.deep.include({
      'billwright.plugin.name': 'killbill-payment-test',
      'billwright.account.id': accountId,
      'billwright.outcome': 'PROCESSED',
    });
    expect(own.filter(({ hasFailed }) => hasFailed)).to.eql([]);
  });

  it('have a new id if the trace parent is invalid', async () => {
    await serving.get(`/accounts/${accountId}`, { traceparent: `00-${TRACE}-${CALLER}-01-nonsense` });
    const request = traces.spans().find(({ attributes }) => 'http.request.method' in attributes);
    expect(request?.name).to.equal('GET /1.0/kb/accounts/{accountId}');
    expect(request?.parentId).to.equal(undefined);
    expect(request?.traceId).to.not.equal(TRACE);
  });

  it('mark a request for a missing object as successful and omit the id from the span name', async () => {
    await serving.get(`/accounts/${serving.nextId()}`);
    await serving.get(`/nonsense/${serving.nextId()}`);
    const requests = traces.spans().filter(({ attributes }) => 'http.request.method' in attributes);
    expect(requests.map(({ name, hasFailed }) => [name, hasFailed])).to.eql([
      ['GET /1.0/kb/accounts/{accountId}', false],
      ['GET none', false],
    ]);
  });

  it('add their id to the log lines of a request and of the work that the request causes', async () => {
    const requestId = serving.nextId();
    const { log, get, put } = serving;
    log.lines.length = 0;
    const body = { name: 'Ada' };
    await put(`/accounts/${accountId}`, body, { 'x-request-id': requestId });
    await get(`/accounts/${accountId}`, { 'x-request-id': 'my own' });
    expect(log.lines.map(({ fields }) => (fields as { requestId?: string }).requestId)).to.eql([
      requestId,
      'my own',
    ]);
    for (const { fields } of log.lines)
      expect(fields)
        .to.have.property('traceId')
        .that.matches(/^[0-9a-f]{32}$/);
  });
});
