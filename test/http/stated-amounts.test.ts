import { aliasHeaders, eachDatabaseByTurns, expect, list } from '../support/http/index.ts';
import { createdId, expectRefusal, outcomeOf, type Reply, serveOnce } from '../support/http/serving.ts';

type Json = Readonly<Record<string, unknown>>;

const method = { pluginName: 'killbill-payment-test' };
const PENDING = 'pluginProperty=ACTION_RETURN_PLUGIN_STATUS_PENDING%3Dtrue';

/** 0.1 + 0.2 in binary floating point. */
const NOISY = 0.1 + 0.2;

interface Life {
  readonly accountId: string;
  readonly authorized: string;
  readonly authorizedKey: string;
  readonly purchased: string;
  readonly purchasedKey: string;
  readonly open: string;
  readonly openKey: string;
  /** A payment of an invoice, and the paid item. */
  readonly paying: string;
  readonly payingOpen: string;
  readonly itemId: string;
  readonly unpaidId: string;
  readonly unpaidItemId: string;
}

type Request = readonly [verb: 'POST' | 'PUT', path: string, body: unknown];
type Statement = readonly [what: string, request: (life: Life, amount: unknown) => Request];

const statements: readonly Statement[] = [
  ...['AUTHORIZE', 'PURCHASE', 'CREDIT'].map(
    (transactionType): Statement => [
      transactionType,
      ({ accountId }, amount) => ['POST', `/accounts/${accountId}/payments`, { transactionType, amount }],
    ],
  ),
  [
    'a combined payment',
    ({ accountId }, amount) => [
      'POST',
      '/payments/combo',
      { account: { accountId }, paymentMethod: method, transaction: { transactionType: 'PURCHASE', amount } },
    ],
  ],
  ['a capture', ({ authorized }, amount) => ['POST', `/payments/${authorized}`, { amount }]],
  [
    'a capture by key',
    ({ authorizedKey: paymentExternalKey }, amount) => ['POST', '/payments', { paymentExternalKey, amount }],
  ],
  ['a completion', ({ open }, amount) => ['PUT', `/payments/${open}`, { amount }]],
  [
    'a completion by key',
    ({ openKey: paymentExternalKey }, amount) => ['PUT', '/payments', { paymentExternalKey, amount }],
  ],
  ['a refund', ({ purchased }, amount) => ['POST', `/payments/${purchased}/refunds`, { amount }]],
  [
    'a refund by key',
    ({ purchasedKey: paymentExternalKey }, amount) => [
      'POST',
      '/payments/refunds',
      { paymentExternalKey, amount },
    ],
  ],
  ['a chargeback', ({ purchased }, amount) => ['POST', `/payments/${purchased}/chargebacks`, { amount }]],
  [
    'a chargeback by key',
    ({ purchasedKey: paymentExternalKey }, amount) => [
      'POST',
      '/payments/chargebacks',
      { paymentExternalKey, amount },
    ],
  ],
  [
    'the completion of the payment of an invoice',
    ({ payingOpen }, amount) => ['PUT', `/invoicePayments/${payingOpen}`, { amount }],
  ],
  [
    'the refund of the payment of an invoice',
    ({ paying }, amount) => ['POST', `/invoicePayments/${paying}/refunds`, { amount }],
  ],
  [
    'the external refund of the payment of an invoice',
    ({ paying }, amount) => ['POST', `/invoicePayments/${paying}/refunds?externalPayment=true`, { amount }],
  ],
  [
    'the item adjustment of a refund',
    ({ paying, itemId: invoiceItemId }, amount) => [
      'POST',
      `/invoicePayments/${paying}/refunds`,
      { amount: 1, isAdjusted: true, adjustments: [{ invoiceItemId, amount, description: 'Goodwill' }] },
    ],
  ],
  [
    'a refund that is exactly its item adjustment',
    ({ paying, itemId: invoiceItemId }, amount) => [
      'POST',
      `/invoicePayments/${paying}/refunds`,
      { amount, isAdjusted: true, adjustments: [{ invoiceItemId, amount }] },
    ],
  ],
  [
    'the chargeback of the payment of an invoice',
    ({ paying }, amount) => ['POST', `/invoicePayments/${paying}/chargebacks`, { amount }],
  ],
  [
    'the payment of an invoice',
    ({ accountId, unpaidId }, purchasedAmount) => [
      'POST',
      `/invoices/${unpaidId}/payments`,
      { accountId, purchasedAmount },
    ],
  ],
  [
    'the payment of all invoices',
    ({ accountId }, amount) => [
      'POST',
      `/accounts/${accountId}/invoicePayments?paymentAmount=${amount}`,
      undefined,
    ],
  ],
  [
    'an external payment of all invoices',
    ({ accountId }, amount) => [
      'POST',
      `/accounts/${accountId}/invoicePayments?externalPayment=true&paymentAmount=${amount}`,
      undefined,
    ],
  ],
  [
    'a charge',
    ({ accountId }, amount) => [
      'POST',
      `/invoices/charges/${accountId}?autoCommit=true`,
      [{ accountId, amount }],
    ],
  ],
  [
    'a tax',
    ({ accountId }, amount) => [
      'POST',
      `/invoices/taxes/${accountId}?autoCommit=true`,
      [{ accountId, amount }],
    ],
  ],
  ['a credit', ({ accountId }, amount) => ['POST', '/credits?autoCommit=true', [{ accountId, amount }]]],
  [
    'a migrated item',
    ({ accountId }, amount) => [
      'POST',
      `/invoices/migration/${accountId}`,
      [{ accountId, itemType: 'EXTERNAL_CHARGE', amount }],
    ],
  ],
  [
    'an item adjustment',
    ({ accountId, unpaidId, unpaidItemId: invoiceItemId }, amount) => [
      'POST',
      `/invoices/${unpaidId}`,
      { accountId, invoiceItemId, amount },
    ],
  ],
];

eachDatabaseByTurns.describe('amounts from callers (http-api §9 rule 5)', (open) => {
  const serving = serveOnce(open);
  const { call, get } = serving;

  const post = async (path: string, body: unknown): Promise<Reply> => {
    const reply = await call('POST', `/1.0/kb${path}`, { body });
    expect(reply.status, `${path} ${reply.text}`).to.equal(201);
    return reply;
  };
  const read = async (path: string) => (await get(path)).json as Json;
  async function charged(accountId: string): Promise<{ invoiceId: string; invoiceItemId: string }> {
    const { json } = await post(`/invoices/charges/${accountId}?autoCommit=true`, [{ accountId, amount: 5 }]);
    await serving.billing.settle();
    return (
      (json as { invoiceId: string; invoiceItemId: string }[])[0] ?? { invoiceId: '', invoiceItemId: '' }
    );
  }

  async function live(currency = 'USD'): Promise<Life> {
    const accountId = createdId(await post('/accounts', { currency }));
    await post(`/accounts/${accountId}/paymentMethods?isDefault=true`, method);
    const paid = await charged(accountId);
    const [payment] = (await list(serving, `/1.0/kb/invoices/${paid.invoiceId}/payments`)) as {
      paymentId: string;
    }[];
    await post(`/accounts/${accountId}/tags`, ['00000000-0000-0000-0000-000000000001']);
    const unpaid = await charged(accountId);
    const pending = await charged(accountId);
    const paymentBody = { accountId, purchasedAmount: 5 };
    const payingOpen = createdId(
      await post(`/invoices/${pending.invoiceId}/payments?${PENDING}`, paymentBody),
    );
    const made = async (transactionType: string, query = '') => {
      return createdId(await post(`/accounts/${accountId}/payments${query}`, { transactionType, amount: 5 }));
    };
    const authorized = await made('AUTHORIZE');
    const purchased = await made('PURCHASE');
    const open = await made('AUTHORIZE', `?${PENDING}`);
    return {
      accountId,
      authorized,
      authorizedKey: authorized,
      purchased,
      purchasedKey: purchased,
      open,
      openKey: open,
      paying: payment?.paymentId ?? '',
      payingOpen,
      itemId: paid.invoiceItemId,
      unpaidId: unpaid.invoiceId,
      unpaidItemId: unpaid.invoiceItemId,
    };
  }

  const send = ([verb, path, body]: Request, headers: object) =>
    call(verb, `/1.0/kb${path}`, { ...(body === undefined ? {} : { body }), headers: headers as never });

  for (const [dialect, headers] of [
    ['D', {}],
    ['K', aliasHeaders],
  ] as const)
    it(`are rejected in dialect ${dialect} if they have more digits than the currency`, async () => {
      const life = await live();
      for (const [what, request] of statements)
        expect(outcomeOf(await send(request(life, 1.005), headers)), what).to.eql([400, 60003]);
    });

  it('are rejected in dialect D if they contain floating-point noise', async () => {
    const life = await live();
    for (const [what, request] of statements)
      expect((await send(request(life, NOISY), {})).status, what).to.equal(400);
  });

  it('are accepted and rounded in dialect K if they contain floating-point noise', async () => {
    const life = await live();
    for (const [what, request] of statements) {
      const reply = await send(request(life, NOISY), aliasHeaders);
      expect(reply.status, `${what} ${reply.text}`).to.be.oneOf([201, 204]);
    }
    expect(await Array.fromAsync(serving.billing.checks.breaches(null))).to.eql([]);
  });

  it('are stored as the intended amount in dialect K', async () => {
    const { accountId, unpaidId } = await live();
    const paid = await send(
      ['POST', `/accounts/${accountId}/payments`, { transactionType: 'PURCHASE', amount: NOISY }],
      aliasHeaders,
    );
    const payment = await read(`/payments/${createdId(paid)}`);
    expect(payment).to.include({ purchasedAmount: 0.3 });
    expect((payment.transactions as Json[])[0]).to.include({ amount: 0.3, processedAmount: 0.3 });
    // Rounds up as well as down: 4.9999999 becomes 5.
    await send(
      ['POST', `/invoices/${unpaidId}/payments`, { accountId, purchasedAmount: 4.9999999 }],
      aliasHeaders,
    );
    expect(await read(`/invoices/${unpaidId}`)).to.include({ balance: 0 });
    const [charge] = (
      await send(
        ['POST', `/invoices/charges/${accountId}`, [{ accountId, amount: NOISY, rate: NOISY }]],
        aliasHeaders,
      )
    ).json as Json[];
    expect(charge).to.include({ amount: 0.3, rate: 0.3 });
  });

  it('may have as many decimals as the currency allows', async () => {
    const yen = await live('JPY');
    const dinars = await live('KWD');
    const purchase = (life: Life, amount: unknown, headers: object) =>
      send(
        ['POST', `/accounts/${life.accountId}/payments`, { transactionType: 'PURCHASE', amount }],
        headers,
      );
    for (const headers of [{}, aliasHeaders]) {
      expectRefusal(await purchase(yen, 10.999, headers), 400, 60003);
      expect((await purchase(yen, '11.00', headers)).status).to.equal(201);
      expect((await purchase(dinars, 1.005, headers)).status).to.equal(201);
      expectRefusal(await purchase(dinars, 1.0005, headers), 400, 60003);
    }
  });
});
