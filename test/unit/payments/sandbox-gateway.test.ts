import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxConfiguration, SandboxGatewayOptions } from '../../../adapters/payments/index.ts';
import { fileLedger, sandboxGateway } from '../../../adapters/payments/index.ts';
import type { GatewayRequest, GatewayResult } from '../../../lib/ports/plugins/payment-gateway.ts';
import { GatewayError } from '../../../lib/ports/plugins/payment-gateway.ts';
import { ACCOUNT_ID, NOW, nextId, PAYMENT_ID } from '../../support/payments/payment-records.ts';
import { decimal, expect } from '../../support/unit.ts';

const context = { tenantId: nextId(), userName: 'test', userToken: nextId(), now: new Date(NOW) };

function request(members: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    accountId: ACCOUNT_ID,
    paymentId: PAYMENT_ID,
    transactionId: nextId(),
    paymentMethodId: nextId(),
    amount: decimal('249.95'),
    currency: 'USD',
    properties: [],
    ...members,
  };
}

const outcomeOf = (result: GatewayResult | null | undefined) =>
  result && [result.status, result.amount?.toString(), result.currency];
const property = (key: string, value = 'true') => ({ properties: [{ key, value }] });

describe('sandbox gateway (payments §2.4)', () => {
  const gatewayOf = (options: SandboxGatewayOptions = {}) => sandboxGateway(options);
  const info = (gateway: ReturnType<typeof gatewayOf>) =>
    gateway.getPaymentInfo({ accountId: ACCOUNT_ID, paymentId: PAYMENT_ID, properties: [] }, context);

  it('processes each operation as requested', async () =>
    expect(outcomeOf(await gatewayOf().purchase(request(), context))).to.eql(['PROCESSED', '249.95', 'USD']));

  for (const status of ['ERROR', 'CANCELED', 'PENDING', 'UNDEFINED'] as const)
    it(`returns ${status} only to a call that requests it`, async () => {
      const gateway = gatewayOf();
      const scripted = request(property(`ACTION_RETURN_PLUGIN_STATUS_${status}`));
      expect((await gateway.purchase(scripted, context))?.status).to.equal(status);
      expect((await gateway.purchase(request(), context))?.status).to.equal('PROCESSED');
    });

  it('throws or returns nothing on request, and still records the call in the ledger', async () => {
    const gateway = gatewayOf();
    const fails = (key: string) =>
      gateway.purchase(request(property(key)), context).catch((error: unknown) => error);
    expect(await fails('ACTION_THROW_EXCEPTION')).to.be.instanceOf(GatewayError);
    expect(await fails('ACTION_THROW_RUNTIME'))
      .to.be.instanceOf(Error)
      .and.not.instanceOf(GatewayError);
    expect(await fails('RETURN_NIL')).to.equal(null);
    expect(gateway.ledger.all().map(({ status }) => status)).to.eql(Array(3).fill('UNDEFINED'));
  });

  it('keeps a sticky configuration until it is cleared', async () => {
    const gateway = gatewayOf();
    gateway.configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      METHODS: 'purchasePayment,refundPayment',
    });
    expect(gateway.status().states).to.eql({
      purchasePayment: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      refundPayment: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
    });
    expect((await gateway.purchase(request(), context))?.status).to.equal('ERROR');
    expect((await gateway.purchase(request(), context))?.status).to.equal('ERROR');
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    expect((await gateway.purchase(request(), context))?.status).to.equal('PROCESSED');
  });

  it('applies a configuration only to the listed methods', async () => {
    const gateway = gatewayOf();
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', METHODS: 'refundPayment' });
    expect((await gateway.purchase(request(), context))?.status).to.equal('PROCESSED');
  });

  it('applies a configuration with TIMES to only the specified number of calls', async () => {
    const gateway = gatewayOf();
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 2 });
    const statuses: unknown[] = [];
    for (let call = 0; call < 3; call += 1)
      statuses.push((await gateway.purchase(request(), context))?.status);
    expect(statuses).to.eql(['ERROR', 'ERROR', 'PROCESSED']);
  });

  it('returns the configured amounts and errors', async () => {
    const gateway = gatewayOf();
    gateway.configure({
      CONFIGURE_ACTION: 'ACTION_SLEEP',
      PROCESSED_AMOUNT: '225.44',
      PROCESSED_CURRENCY: 'EUR',
      GATEWAY_ERROR_CODE: '05',
      GATEWAY_ERROR: 'do not honor',
    });
    const result = await gateway.purchase(request(), context);
    expect(outcomeOf(result)).to.eql(['PROCESSED', '225.44', 'EUR']);
    expect(result).to.deep.include({ gatewayErrorCode: '05', gatewayError: 'do not honor' });
  });

  it('sleeps on the given timer after recording the charge', async () => {
    const slept: number[] = [];
    const gateway = gatewayOf({
      sleep: async (ms) => {
        slept.push(ms, gateway.ledger.all().length);
      },
    });
    await gateway.purchase(request(property('SLEEP_TIME_SEC', '6')), context);
    await gateway.purchase(request(property('sleepFor', '2')), context);
    expect(slept).to.eql([6_000, 1, 2_000, 2]);
  });

  it('charges a transaction id only once, and returns the recorded result for repeated calls', async () => {
    const gateway = gatewayOf();
    const once = request(property('ACTION_RETURN_PLUGIN_STATUS_ERROR'));
    const first = await gateway.purchase(once, context);
    expect(await gateway.purchase({ ...once, amount: decimal('1'), properties: [] }, context)).to.eql(first);
    expect(gateway.ledger.all()).to.have.length(1);
  });

  it('completes a pending transaction on the next request', async () => {
    const gateway = gatewayOf();
    const once = request(property('ACTION_RETURN_PLUGIN_STATUS_PENDING'));
    await gateway.purchase(once, context);
    const again = await gateway.purchase({ ...once, properties: [] }, context);
    expect(outcomeOf(again)).to.eql(['PROCESSED', '249.95', 'USD']);
    expect(gateway.ledger.all().map(({ status }) => status)).to.eql(['PROCESSED']);
  });

  it('reports an overridden status', async () => {
    const gateway = gatewayOf();
    const sent = request(property('ACTION_RETURN_PLUGIN_STATUS_UNDEFINED'));
    await gateway.purchase(sent, context);
    const { transactionId } = sent;
    gateway.configure({
      CONFIGURE_ACTION: 'OVERRIDE_STATUS',
      transactionId,
      status: 'PROCESSED',
      amount: '7',
    });
    expect((await info(gateway)).map(outcomeOf)).to.eql([['PROCESSED', '7', 'USD']]);
  });

  it('rejects invalid configurations', () => {
    const gateway = gatewayOf();
    const configure = (configuration: SandboxConfiguration) => () => gateway.configure(configuration);
    expect(configure({ CONFIGURE_ACTION: 'ACTION_DANCE' as 'ACTION_SLEEP' })).to.throw('ACTION_DANCE');
    expect(configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', PROCESSED_AMOUNT: 'x' })).to.throw('"x"');
    expect(
      configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId: nextId(), status: 'ERROR' }),
    ).to.throw('has no transaction');
  });

  it('keeps payment method details', async () => {
    const gateway = gatewayOf();
    const paymentMethodId = nextId();
    const details = { externalPaymentMethodId: 'tok_1', isDefaultPaymentMethod: true, properties: [] };
    const method = { accountId: ACCOUNT_ID, paymentMethodId, properties: [] };
    await gateway.addPaymentMethod({ ...method, details, setDefault: true }, context);
    expect(await gateway.getPaymentMethodDetail(method, context)).to.eql(details);
  });

  describe('the ledger file', () => {
    let directory: string;
    let path: string;
    const opened: { close(): void }[] = [];
    const reopened = () => {
      const ledger = fileLedger(path);
      opened.push(ledger);
      return gatewayOf({ ledger });
    };
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'billwright-ledger-'));
      path = join(directory, 'ledger');
    });
    afterEach(() => {
      for (const ledger of opened.splice(0)) ledger.close();
      rmSync(directory, { recursive: true });
    });

    it('preserves all charges across a restart, to the last digit', async () => {
      const sent = request({ amount: decimal('123456789012345.000000001') });
      const before = await reopened().purchase(sent, context);
      const gateway = reopened();
      expect(await gateway.purchase(sent, context)).to.eql(before);
      expect((await info(gateway)).map(outcomeOf)).to.eql([
        ['PROCESSED', '123456789012345.000000001', 'USD'],
      ]);
      expect(readFileSync(path, 'utf8').split('\n')).to.have.length(2);
    });

    it('shares the ledger file between concurrent processes', async () => {
      const [one, other] = [reopened(), reopened()];
      const sent = request();
      await one.purchase(sent, context);
      await other.purchase(sent, context);
      expect(other.ledger.all()).to.have.length(1);
      other.configure({
        CONFIGURE_ACTION: 'OVERRIDE_STATUS',
        transactionId: sent.transactionId,
        status: 'ERROR',
      });
      expect((await info(one)).map(({ status }) => status)).to.eql(['ERROR']);
    });

    it('ignores an incomplete last line of the ledger file after a crash', async () => {
      await reopened().purchase(request(), context);
      appendFileSync(path, '{"kind":"ENTRY","entry":{"kbPay');
      const gateway = reopened();
      await gateway.purchase(request(), context);
      expect(gateway.ledger.all()).to.have.length(2);
      expect(reopened().ledger.all()).to.have.length(2);
    });
  });
});
