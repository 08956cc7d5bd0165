import {
  BillingError,
  type GatewayRequest,
  type GatewayResult,
  type PaymentControlContext,
  type PaymentGateway,
  type PriorCallResult,
} from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

const START = '2024-01-01T10:00:00Z';
const LATER = '2024-01-01T11:00:00Z';
const GIVEN = [{ key: 'a', value: 'b', isUpdatable: false }];
const processed = ({ paymentId, transactionId, amount, currency }: GatewayRequest): GatewayResult => ({
  kbPaymentId: paymentId,
  kbTransactionPaymentId: transactionId,
  transactionType: 'PURCHASE',
  status: 'PROCESSED',
  amount,
  currency,
  createdDate: '2012-05-01',
  effectiveDate: new Date('2012-05-01'),
  properties: [],
});

/** Invalid entries that a gateway may return instead of a transaction. */
const unreadable: readonly (readonly [what: string, of: (known: GatewayResult) => unknown])[] = [
  ['null', () => null],
  ['undefined', () => undefined],
  ['a text', () => 'PROCESSED'],
  [
    'a getter that throws',
    (known) => ({
      ...known,
      get status() {
        return oops();
      },
    }),
  ],
  ['an amount without a text', (known) => ({ ...known, amount: Object.create(null) })],
];
function oops(): never {
  throw new Error('not to be read');
}

eachDatabaseByTurns.describe('plugin inputs and responses (payments §2.2, §2.3)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let plugin: ScriptedControl;
  let answer: (request: GatewayRequest) => unknown;
  let info: (known: GatewayResult) => unknown;
  const known = new Map<string, GatewayResult>();

  const gatewayOf = (capabilities: PaymentGateway['capabilities']): PaymentGateway => ({
    name: 'odd',
    ...(capabilities && { capabilities }),
    purchase: async (request) => {
      known.set(request.paymentId, processed(request));
      return answer(request) as GatewayResult;
    },
    getPaymentInfo: async ({ paymentId }) => {
      const result = known.get(paymentId);
      return (result ? info(result) : []) as readonly GatewayResult[];
    },
  });

  async function begin(capabilities?: PaymentGateway['capabilities']): Promise<void> {
    known.clear();
    answer = () => null;
    info = (result) => [result];
    plugin = new ScriptedControl('ctl');
    const gateways = [gatewayOf(capabilities)];
    engine = await openEngine(open, { now: START, catalog: null, gateways, paymentControls: [plugin] });
    account = await engine.acme.createAccount({ currency: 'USD' });
    await engine.acme.addPaymentMethod({ accountId: account.id, pluginName: 'odd', isDefault: true });
  }

  const outcome = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof BillingError ? error.code : error),
    );
  const buy = (key: string, more: object = {}) =>
    engine.acme.payments.purchase({ accountId: account.id, amount: '10', externalKey: key, ...more });
  const stateOf = async (key: string) =>
    (await engine.acme.payments.getByKey(key)).transactions.map(
      ({ status, amount }) => `${status} ${amount}`,
    );

  for (const [what, oddly] of unreadable) {
    it(`do not prevent operations, reads or recovery if a gateway’s list of transactions contains ${what}`, async () => {
      await begin();
      expect(await outcome(buy('odd'))).to.equal(7019);
      expect(await outcome(buy('other'))).to.equal(7019);
      const [oddId] = known.keys();
      info = (result) => (result.kbPaymentId === oddId ? [oddly(result)] : [result]);
      expect(await outcome(buy('odd'))).to.equal(7032);
      const options = { withPluginInfo: true };
      expect((await engine.acme.payments.getByKey('odd', options)).transactions[0]?.pluginInfo).to.equal(
        null,
      );
      expect(await outcome(engine.acme.payments.page({ offset: 0, limit: 10 }))).to.equal('done');
      await engine.runTo(LATER);
      expect(await stateOf('odd')).to.eql(['UNKNOWN 10']);
      expect(await stateOf('other')).to.eql(['SUCCESS 10']);
    });

    it(`leave the other transactions readable if a gateway’s list contains ${what}`, async () => {
      await begin();
      expect(await outcome(buy('odd'))).to.equal(7019);
      info = (result) => [oddly(result), result, oddly(result)];
      expect(await outcome(buy('odd'))).to.equal(7032);
      expect(await stateOf('odd')).to.eql(['SUCCESS 10']);
    });

    it(`leave the outcome unknown if the response to a purchase contains ${what}`, async () => {
      await begin();
      answer = (request) => oddly(processed(request));
      expect(await outcome(buy('odd'))).to.be.a('number');
      expect(await stateOf('odd')).to.eql(['UNKNOWN 10']);
    });
  }

  it('do not prove the absence of a payment if part of a complete ledger is unreadable', async () => {
    await begin({ completeLedger: true });
    await outcome(buy('odd'));
    info = () => [null];
    await engine.runTo(LATER);
    expect(await stateOf('odd')).to.eql(['UNKNOWN 10']);
    info = () => [];
    await engine.runTo('2024-01-03T11:00:00Z');
    expect(await stateOf('odd')).to.eql(['PLUGIN_FAILURE 10']);
  });

  /** Returns whether each change that a plugin makes to its input was rejected. */
  const refused = (...changes: readonly (() => unknown)[]): readonly boolean[] =>
    changes.map((change) => {
      try {
        change();
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    });

  it('remain unchanged if a control plugin tries to modify its input', async () => {
    await begin();
    answer = (request) => processed(request);
    const tried: boolean[] = [];
    const greedily = (context: PaymentControlContext, properties: readonly { key: string }[]): null => {
      const given = properties as { key: string; value: string }[];
      tried.push(
        ...refused(
          () => Object.assign(context, { amount: '1', paymentMethodId: null }),
          () => given.push({ key: 'cardNumber', value: '4111' }),
          () => Object.assign(given[0] ?? Object.freeze({}), { value: 'changed' }),
        ),
      );
      context.amount?.d.splice(0, 1, 1);
      return null;
    };
    plugin.priorCall = async (context, properties) => greedily(context, properties);
    plugin.onSuccessCall = async (context, properties) => greedily(context, properties);
    const properties = structuredClone(GIVEN);
    expect(await outcome(buy('k', { controlPlugins: ['ctl'], properties }))).to.equal('done');
    expect(tried).to.eql(Array(6).fill(true));
    expect(await stateOf('k')).to.eql(['SUCCESS 10']);
    const { attempts } = await engine.acme.payments.getByKey('k', { withAttempts: true });
    expect(attempts?.map(({ amount, pluginProperties }) => [String(amount), pluginProperties])).to.eql([
      ['10', GIVEN],
    ]);
    expect(properties).to.eql(GIVEN);
  });

  it('remain unchanged in memory and in storage if a gateway tries to modify its request', async () => {
    await begin();
    const tried: boolean[] = [];
    answer = (request) => {
      const given = request.properties as { key: string; value: string }[];
      tried.push(
        ...refused(
          () => given.push({ key: 'cardNumber', value: '4111' }),
          () => Object.assign(given[0] ?? Object.freeze({}), { value: '4111' }),
          () => Object.assign(request, { amount: '1' }),
        ),
      );
      return processed(request);
    };
    const properties = structuredClone(GIVEN);
    expect(await outcome(buy('k', { controlPlugins: ['ctl'], properties }))).to.equal('done');
    expect(tried).to.eql([true, true, true]);
    const { attempts } = await engine.acme.payments.getByKey('k', { withAttempts: true });
    expect(attempts?.map(({ pluginProperties }) => pluginProperties)).to.eql([GIVEN]);
    expect(properties).to.eql(GIVEN);
  });

  const unreadablePriors: Readonly<Record<string, object>> = {
    'a getter that throws': {
      get isAborted() {
        return oops();
      },
    },
    'an amount whose getter throws': {
      get adjustedAmount() {
        return oops();
      },
    },
    'an amount without a text': { adjustedAmount: Object.create(null) },
    'an invalid amount': { adjustedAmount: 'ten' },
    'an invalid payment method id': { adjustedPaymentMethodId: 'garbage' },
    'a numeric payment method id': { adjustedPaymentMethodId: 42 },
    'a payment method without a text': { adjustedPaymentMethodId: Object.create(null) },
  };
  for (const [what, claimed] of Object.entries(unreadablePriors))
    it(`cause error 7019 and an ABORTED attempt if the response to a prior call contains ${what} (payments §2.3 rule 8)`, async () => {
      await begin();
      answer = (request) => processed(request);
      account = await engine.acme.createAccount({ currency: 'USD' });
      if (!('adjustedPaymentMethodId' in claimed))
        await engine.acme.addPaymentMethod({ accountId: account.id, pluginName: 'odd', isDefault: true });
      plugin.priorOf = () => claimed as PriorCallResult;
      expect(await outcome(buy('k', { controlPlugins: ['ctl'] }))).to.equal(7019);
      const { tenant, storage } = engine;
      const attempts = await storage.read(tenant, (session) =>
        session.payments.findAttemptsByPaymentKeys(['k']),
      );
      expect(attempts.map(({ stateName }) => stateName)).to.eql(['ABORTED']);
      expect(known.size).to.equal(0);
    });
});
