import { aliasHeaders, eachDatabaseByTurns, expect, list } from '../support/http/index.ts';
import { createAccount, createdId, expectRefusal, outcomeOf, serveOnce } from '../support/http/serving.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111';
const PENDING = 'pluginProperty=ACTION_RETURN_PLUGIN_STATUS_PENDING%3Dtrue';
const dialects = [
  ['D', {}],
  ['K', aliasHeaders],
] as const;

interface Row {
  readonly status: string;
  readonly processedAmount: number;
  readonly transactionType: string;
}

eachDatabaseByTurns.describe('invoice refund and chargeback routes (payments §9.5)', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  before(async () => {
    accountId = await newAccount();
  });

  async function newAccount({ hasMethod = true } = {}): Promise<string> {
    const id = await createAccount(serving);
    const body = { pluginName: 'killbill-payment-test' };
    if (hasMethod) await serving.post(`/accounts/${id}/paymentMethods?isDefault=true`, body);
    return id;
  }
  async function invoiced(owner = accountId): Promise<{ invoiceId: string; invoiceItemId: string }> {
    const path = `/1.0/kb/invoices/charges/${owner}?autoCommit=true`;
    const body = [{ accountId: owner, amount: 20, currency: 'USD' }];
    const { json } = await serving.call('POST', path, { body });
    const [item] = json as { invoiceId: string; invoiceItemId: string }[];
    await serving.billing.settle();
    if (!item) throw new Error('no charge was made');
    return item;
  }
  async function paid() {
    const invoice = await invoiced();
    const [payment] = (await list(serving, `/1.0/kb/invoices/${invoice.invoiceId}/payments`)) as {
      paymentId: string;
    }[];
    return { ...invoice, paymentId: payment?.paymentId ?? '' };
  }
  const post = (path: string, body: object, headers: object = {}) =>
    serving.post(path, body, headers as never);
  const balanceOf = async (invoiceId: string) =>
    ((await serving.get(`/invoices/${invoiceId}`)).json as { balance: number }).balance;
  const paymentOf = async (paymentId: string) =>
    (await serving.get(`/payments/${paymentId}`)).json as {
      purchasedAmount: number;
      refundedAmount: number;
      transactions: Row[];
    };

  for (const [dialect, headers] of dialects) {
    it(`store the description of an item adjustment in dialect ${dialect} (rule 1a, R56)`, async () => {
      const { invoiceId, invoiceItemId, paymentId } = await paid();
      const adjustments = [{ invoiceItemId, amount: 5, description: 'Goodwill' }];
      const made = await post(
        `/invoicePayments/${paymentId}/refunds`,
        { amount: 5, isAdjusted: true, adjustments },
        headers,
      );
      expect(made.status, made.text).to.equal(201);
      const { json } = await serving.get(`/invoices/${invoiceId}`);
      const { items } = json as { items: { itemType: string; description: string; amount: number }[] };
      expect(items.find(({ itemType }) => itemType === 'ITEM_ADJ')).to.include({
        description: 'Goodwill',
        amount: -5,
      });
    });

    const refunds = {
      'adjusts no item': [() => ({ amount: 5, isAdjusted: true }), 4025],
      'exceeds the payment': [() => ({ amount: 20.01 }), 4906],
      'is below its item adjustments': [
        (invoiceItemId: string) => ({
          amount: 5,
          isAdjusted: true,
          adjustments: [{ invoiceItemId, amount: 6 }],
        }),
        4907,
      ],
      'is zero': [() => ({ amount: 0 }), 7199],
      'adjusts an unknown item': [
        () => ({ amount: 5, isAdjusted: true, adjustments: [{ invoiceItemId: NOWHERE }] }),
        4021,
      ],
      'adjusts more than the item amount': [
        (invoiceItemId: string) => ({ isAdjusted: true, adjustments: [{ invoiceItemId, amount: 20.01 }] }),
        4020,
      ],
    } as const;
    for (const [what, [body, code]] of Object.entries(refunds))
      for (const query of ['', '?externalPayment=true'])
        it(`reject a refund${query} that ${what} with 400 and ${code} in dialect ${dialect} (rule 1)`, async () => {
          const { invoiceItemId, paymentId, invoiceId } = await paid();
          const path = `/invoicePayments/${paymentId}/refunds${query}`;
          const reply = await post(path, body(invoiceItemId), headers);
          expectRefusal(reply, 400, code);
          expect(reply.headers.has('location')).to.equal(false);
          expect((await paymentOf(paymentId)).transactions).to.have.length(1);
          expect(await balanceOf(invoiceId)).to.equal(0);
        });

    for (const amount of [0, -1])
      it(`reject a chargeback of ${amount} with 400 and 4902 in dialect ${dialect} (rule 3)`, async () => {
        const { paymentId } = await paid();
        const refused = await post(`/invoicePayments/${paymentId}/chargebacks`, { amount }, headers);
        expectRefusal(refused, 400, 4902);
      });

    it(`reject amounts above the remaining amount with 4906 and 4901 under /payments in dialect ${dialect} (rule 5)`, async () => {
      const { paymentId, invoiceId } = await paid();
      const much = { amount: 20.01, currency: 'USD' };
      expectRefusal(await post(`/payments/${paymentId}/refunds`, much, headers), 400, 4906);
      expectRefusal(await post(`/payments/${paymentId}/chargebacks`, much, headers), 400, 4901);
      expect((await paymentOf(paymentId)).transactions).to.have.length(1);
      expect(await balanceOf(invoiceId)).to.equal(0);
    });

    it(`change the invoice even if they are called under /payments, in dialect ${dialect} (rule 5)`, async () => {
      const { paymentId, invoiceId } = await paid();
      const location = `${serving.url}/1.0/kb/payments/${paymentId}`;
      const transactionExternalKey = `direct-${paymentId}`;
      const answers = [
        [201, 5, await post(`/payments/${paymentId}/refunds`, { amount: 5 }, headers)],
        [
          dialect === 'K' ? 201 : 204,
          9,
          await post(`/payments/${paymentId}/chargebacks`, { amount: 4, transactionExternalKey }, headers),
        ],
      ] as const;
      for (const [status, , reply] of answers) {
        expect(reply.status, reply.text).to.equal(status);
        expect(reply.headers.get('location')).to.equal(location);
      }
      expect(await balanceOf(invoiceId)).to.equal(9);
      const path = `/payments/${paymentId}/chargebackReversals`;
      const reversal = await post(path, { transactionExternalKey }, headers);
      expect([reversal.status, reversal.headers.get('location')]).to.eql([201, location]);
      expect(await balanceOf(invoiceId)).to.equal(5);
    });
  }

  it('reject an excessive chargeback with 400 and 4901 in dialect D and record nothing (http-api §4 line 15)', async () => {
    const { paymentId, invoiceId } = await paid();
    await post(`/invoicePayments/${paymentId}/refunds`, { amount: 5 });
    expectRefusal(await post(`/invoicePayments/${paymentId}/chargebacks`, { amount: 15.01 }), 400, 4901);
    expect((await paymentOf(paymentId)).transactions).to.have.length(2);
    expect(await balanceOf(invoiceId)).to.equal(5);
  });

  it('return 201 for an excessive chargeback in dialect K and record it as failed (http-api §4 line 15)', async () => {
    const { paymentId, invoiceId } = await paid();
    const path = `/invoicePayments/${paymentId}/chargebacks`;
    const reply = await post(path, { amount: 20.01 }, aliasHeaders);
    const location = `${serving.url}/1.0/kb/invoicePayments/${paymentId}`;
    expect([reply.status, reply.headers.get('location')]).to.eql([201, location]);
    const payment = await paymentOf(paymentId);
    expect(payment.purchasedAmount).to.equal(20);
    expect(payment.transactions.at(-1)).to.include({
      transactionType: 'CHARGEBACK',
      status: 'PAYMENT_FAILURE',
      amount: 20.01,
      processedAmount: 0,
    });
    expect(await balanceOf(invoiceId)).to.equal(0);
    const within = { amount: 20, transactionExternalKey: `charged-${paymentId}` };
    expect((await post(path, within, aliasHeaders)).status).to.equal(201);
    expect(await balanceOf(invoiceId)).to.equal(20);
    expectRefusal(await post(path, within, aliasHeaders), 400, 7030);
  });

  it('return the Location of the payment created by an external refund (rule 2)', async () => {
    const { paymentId, invoiceId } = await paid();
    const reply = await post(`/invoicePayments/${paymentId}/refunds?externalPayment=true`, { amount: 20 });
    expect(reply.status, reply.text).to.equal(201);
    const made = createdId(reply);
    expect(made).to.not.equal(paymentId);
    expect((await paymentOf(made)).transactions[0]?.transactionType).to.equal('CREDIT');
    expect((await paymentOf(paymentId)).refundedAmount).to.equal(0);
    expect(await balanceOf(invoiceId)).to.equal(20);
  });

  it('return 404 for a payment without an invoice', async () => {
    const body = { transactionType: 'PURCHASE', amount: 5, currency: 'USD' };
    const id = createdId(await post(`/accounts/${accountId}/payments`, body));
    const transactionExternalKey = 'none';
    for (const suffix of ['refunds', 'refunds?externalPayment=true', 'chargebacks', 'chargebackReversals']) {
      const reply = await post(`/invoicePayments/${id}/${suffix}`, { amount: 5, transactionExternalKey });
      expect(outcomeOf(reply), suffix).to.eql([404, 4900]);
    }
    expectRefusal(await serving.put(`/invoicePayments/${id}`, {}), 404, 4900);
  });

  it('return 204 for PUT on a completed payment on both paths (payments §6.1 rule 5)', async () => {
    const { paymentId, invoiceId } = await paid();
    for (const path of ['invoicePayments', 'payments'])
      expect((await serving.put(`/${path}/${paymentId}`, {})).status).to.equal(204);
    await post(`/invoicePayments/${paymentId}/refunds?${PENDING}`, { amount: 5 });
    const path = `/1.0/kb/invoicePayments/${paymentId}`;
    expect((await serving.call('PUT', path, { body: { transactionType: 'REFUND' } })).status).to.equal(204);
    expect(await balanceOf(invoiceId)).to.equal(5);
    expect((await serving.call('PUT', path, { body: { transactionType: 'REFUND' } })).status).to.equal(204);
    expect(await balanceOf(invoiceId)).to.equal(5);
  });

  it('return 404 with code 7021 if an invoice is paid without a method (payments §9.2 rule 7)', async () => {
    const poor = await newAccount({ hasMethod: false });
    const { invoiceId } = await invoiced(poor);
    expectRefusal(await post(`/invoices/${invoiceId}/payments`, { accountId: poor }), 404, 7021);
    expectRefusal(await post(`/accounts/${poor}/invoicePayments`, {}), 404, 7021);
  });

  it('accept an external payment without a method and return 404 for a foreign invoice (payments §9.6 rule 1)', async () => {
    const { invoiceId } = await invoiced(await newAccount({ hasMethod: false }));
    const path = `/invoices/${invoiceId}/payments`;
    const body = { accountId, paymentMethodId: NOWHERE };
    expect((await post(`${path}?externalPayment=true`, body)).status).to.equal(400);
    expectRefusal(await post(path, { accountId }), 404, 4006);
    expectRefusal(await post(path, {}), 400, 60003);
  });

  it('reject a payment or key of another account with 400 and 7034 or 7035 (payments §4.1 rule 3)', async () => {
    const keys = { paymentExternalKey: 'their-payment', transactionExternalKey: 'their-key' };
    const body = { transactionType: 'AUTHORIZE', amount: 5, currency: 'USD' };
    await post(`/accounts/${accountId}/payments`, { ...body, ...keys });
    const other = await newAccount();
    const theirs = { ...body, paymentExternalKey: keys.paymentExternalKey };
    expectRefusal(await post(`/accounts/${other}/payments`, theirs), 400, 7034);
    const reused = { ...body, ...keys, paymentExternalKey: 'own-payment' };
    expectRefusal(await post(`/accounts/${other}/payments`, reused), 400, 7035);
  });
});
