import { inspect } from 'node:util';
import type {
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
  PaymentControl,
  PaymentGateway,
  Uuid,
} from '../../lib/index.ts';
import { GatewayError, PluginStatus } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, migrated, type TestDatabase } from '../support/http/index.ts';
import { createdId, type Reply, type Serving, serve } from '../support/http/serving.ts';
import { tablesHolding } from '../support/storage/statement-plans.ts';

const CARD = '4111111111111111';
const card = [{ key: 'cardNumber', value: CARD }];
const CARDS = 'cards';
const query = `pluginProperty=cardNumber%3D${CARD}`;

/** A gateway that receives card numbers in its calls, and returns them on request. */
function cardGateway(heard: { count: number }): PaymentGateway {
  const books: GatewayResult[] = [];
  const hear = (properties: readonly { readonly value: unknown }[]) => {
    if (properties.some(({ value }) => value === CARD)) heard.count += 1;
  };
  const operation =
    (transactionType: GatewayResult['transactionType']) =>
    async (
      request: GatewayTransaction & Partial<GatewayRequest>,
      { now }: { readonly now: GatewayResult['createdDate'] },
    ) => {
      const { properties, amount, currency } = request;
      hear(properties);
      const wanted = properties.find(({ key }) => key === 'wanted')?.value;
      if (wanted === 'REFUSAL') throw new GatewayError('not today');
      if (wanted === 'FAULT') throw new Error('out of order');
      const known = books.findIndex(({ kbTransactionPaymentId: id }) => id === request.transactionId);
      const result: GatewayResult = {
        kbPaymentId: request.paymentId,
        kbTransactionPaymentId: request.transactionId,
        transactionType,
        status: (wanted as PluginStatus | undefined) ?? PluginStatus.PROCESSED,
        ...(amount && { amount }),
        ...(currency && { currency }),
        createdDate: now,
        effectiveDate: now,
        firstPaymentReferenceId: `ref-${request.transactionId}`,
        properties,
      };
      books.splice(known < 0 ? books.length : known, 1, result);
      return result;
    };
  const added: Uuid[] = [];
  return {
    name: CARDS,
    authorize: operation('AUTHORIZE'),
    capture: operation('CAPTURE'),
    purchase: operation('PURCHASE'),
    refund: operation('REFUND'),
    credit: operation('CREDIT'),
    void: operation('VOID'),
    getPaymentInfo: async ({ paymentId, properties }) => {
      hear(properties);
      return books.filter(({ kbPaymentId }) => kbPaymentId === paymentId);
    },
    searchPayments: async ({ properties }) => {
      hear(properties);
      return { rows: [], total: 0 };
    },
    addPaymentMethod: async ({ paymentMethodId, details, properties }) => {
      hear([...details.properties, ...properties]);
      added.push(paymentMethodId);
    },
    setDefaultPaymentMethod: async ({ properties }) => hear(properties),
    deletePaymentMethod: async ({ properties }) => hear(properties),
    getPaymentMethodDetail: async ({ properties }) => {
      hear(properties);
      return {
        externalPaymentMethodId: null,
        isDefaultPaymentMethod: false,
        properties: [{ key: 'cardNumber', value: CARD, isUpdatable: false }],
      };
    },
    getPaymentMethods: async ({ properties }) => {
      hear(properties);
      return added.map((paymentMethodId) => ({ paymentMethodId }));
    },
    buildFormDescriptor: async ({ accountId, customFields, properties }) => {
      hear([...customFields, ...properties]);
      return { kbAccountId: accountId, formUrl: 'https://cards.example.com/form' };
    },
    processNotification: async ({ body, properties }) => {
      hear([{ value: body }, ...properties]);
      return {};
    },
  };
}

const control = (name: string, members: Partial<PaymentControl>): PaymentControl => ({ name, ...members });
const stripping = { adjustedProperties: [] };

eachDatabaseByTurns.describe('card numbers in plugin properties', (open) => {
  const heard = { count: 0 };
  let serving: Serving;
  let database: TestDatabase;
  let accountId: string;
  let number = 0;

  before(async () => {
    database = await open(migrated);
    serving = await serve(database, {
      gateways: [cardGateway(heard)],
      paymentControls: [
        control('strips', {
          priorCall: async (_context, properties) => ({
            adjustedProperties: properties.filter(({ key }) => key !== 'cardNumber'),
          }),
        }),
        control('strips-later', {
          onSuccessCall: async () => stripping,
          onFailureCall: async () => stripping,
        }),
        control('keeps', {}),
      ],
    });
    accountId = createdId(await send('POST', '/accounts', { name: 'Ada', currency: 'USD' }));
  });
  beforeEach(() => {
    heard.count = 0;
  });
  after(() => serving.close());

  /** Sends a request with an `Idempotency-Key`, under which the response is stored. */
  function send(method: string, path: string, body?: unknown): Promise<Reply> {
    const headers = method === 'POST' ? { 'idempotency-key': `card-${++number}` } : {};
    return serving.call(method, `/1.0/kb${path}`, { body, headers });
  }
  const statuses: Record<string, number[]> = {};
  const done = async (step: string, reply: Promise<Reply>): Promise<Reply> => {
    const { [step]: list = [] } = statuses;
    list.push((await reply).status);
    statuses[step] = list;
    return reply;
  };
  const add = (target: string, flags = '') =>
    send('POST', `/accounts/${target}/paymentMethods?${query}${flags}`, {
      pluginName: CARDS,
      pluginInfo: { properties: card },
    });
  const pay = (transactionType: string, more = '') =>
    send('POST', `/accounts/${accountId}/payments?${query}${more}`, {
      transactionType,
      amount: 10,
      properties: card,
    });
  const part = { amount: 5, properties: card };
  /** Expects that no part of the card is stored or logged. */
  const expectNothingKept = async () => {
    expect(await tablesHolding(database, CARD)).to.eql([]);
    expect(inspect(serving.log.lines, { depth: null, maxStringLength: null })).to.not.contain(CARD);
  };

  it('never reach a table or a log line during a series of payments', async () => {
    const first = createdId(await done('method', add(accountId, '&isDefault=true')));
    const second = createdId(await done('method', add(accountId)));
    const methods = `/accounts/${accountId}/paymentMethods`;
    await done('default', send('PUT', `${methods}/${second}/setDefault?${query}`));
    await done('refresh', send('PUT', `${methods}/refresh?${query}`));
    await done('read', send('GET', `${methods}?withPluginInfo=true&${query}`));
    await done('read', send('GET', `/paymentMethods/${first}?withPluginInfo=true&${query}`));

    const purchase = createdId(await done('pay', pay('PURCHASE')));
    await done('refund', send('POST', `/payments/${purchase}/refunds?${query}`, part));
    await done('chargeback', send('POST', `/payments/${purchase}/chargebacks?${query}`, part));
    const promised = createdId(await done('pay', pay('AUTHORIZE')));
    await done('capture', send('POST', `/payments/${promised}?${query}`, part));
    const voided = createdId(await done('pay', pay('AUTHORIZE')));
    await done('void', send('DELETE', `/payments/${voided}?${query}`, { properties: card }));
    await done('pay', pay('CREDIT'));
    const waiting = createdId(await done('pay', pay('PURCHASE', '&pluginProperty=wanted%3DPENDING')));
    await done('complete', send('PUT', `/payments/${waiting}?${query}`, { properties: card }));
    await done('read', send('GET', `/payments/${purchase}?withPluginInfo=true&withAttempts=true&${query}`));
    await done('read', send('GET', `/payments/search/x?pluginName=${CARDS}&${query}`));
    for (const wanted of ['ERROR', 'CANCELED', 'UNDEFINED', 'REFUSAL', 'FAULT'])
      await done('failed', pay('PURCHASE', `&pluginProperty=wanted%3D${wanted}`));

    for (const plugin of ['strips', 'strips-later'])
      for (const wanted of ['PROCESSED', 'ERROR', 'FAULT'])
        await done(
          'controlled',
          pay('PURCHASE', `&controlPluginName=${plugin}&pluginProperty=wanted%3D${wanted}`),
        );

    const charge = [{ accountId, amount: 20, currency: 'USD' }];
    await done('tag', send('POST', `/accounts/${accountId}/tags`, ['00000000-0000-0000-0000-000000000001']));
    const invoiced = await done(
      'charge',
      send('POST', `/invoices/charges/${accountId}?autoCommit=true`, charge),
    );
    const [{ invoiceId }] = invoiced.json as [{ invoiceId: string }];
    const paid = createdId(
      await done('pay invoice', send('POST', `/invoices/${invoiceId}/payments?${query}`, { accountId })),
    );
    await done('refund', send('POST', `/invoicePayments/${paid}/refunds?${query}`, part));

    const fields = { formFields: card };
    await done('form', send('POST', `/paymentGateways/hosted/form/${accountId}?${query}`, fields));
    const parties = {
      account: { name: 'Bo', externalKey: 'bo', currency: 'USD' },
      paymentMethod: { pluginName: CARDS, pluginInfo: { properties: card } },
      paymentMethodPluginProperties: card,
    };
    await done(
      'form',
      send('POST', `/paymentGateways/hosted/form?${query}`, { ...parties, hostedPaymentPageFields: fields }),
    );
    await done('notification', send('POST', `/paymentGateways/notification/${CARDS}?${query}`, CARD));
    await done(
      'combo',
      send('POST', `/payments/combo?${query}`, {
        ...parties,
        account: { name: 'Cy', externalKey: 'cy', currency: 'USD' },
        transaction: { transactionType: 'PURCHASE', amount: 10, currency: 'USD', properties: card },
        transactionPluginProperties: card,
      }),
    );
    await done('delete', send('DELETE', `/paymentMethods/${first}?${query}`));

    expect(statuses).to.eql({
      method: [201, 201],
      default: [204],
      refresh: [204],
      read: [200, 200, 200, 200],
      pay: [201, 201, 201, 201, 201],
      refund: [201, 201],
      chargeback: [204],
      capture: [201],
      void: [204],
      complete: [204],
      failed: [402, 502, 503, 400, 500],
      controlled: [201, 402, 500, 201, 402, 500],
      tag: [201],
      charge: [201],
      'pay invoice': [201],
      form: [200, 200],
      notification: [200],
      combo: [201],
      delete: [204],
    });
    expect(heard.count).to.be.greaterThan(30);
    await expectNothingKept();
  });

  it('are stored only with the payment attempt, and only if a control plugin does not remove them', async () => {
    expect((await pay('PURCHASE', '&controlPluginName=keeps')).status).to.equal(201);
    expect(await tablesHolding(database, CARD)).to.eql(['bw_payment_attempts']);
  });
});
