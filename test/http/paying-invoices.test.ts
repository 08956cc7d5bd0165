import { anyDatabase, expect, list } from '../support/http/index.ts';
import { createdId, expectRefusal, expectStatus, serveOnce } from '../support/http/serving.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111';
const AUTO_PAY_OFF = '00000000-0000-0000-0000-000000000001';
const DAY = '2024-02-10';
const PENDING = 'pluginProperty=ACTION_RETURN_PLUGIN_STATUS_PENDING%3Dtrue';

anyDatabase.describe('invoice payment over HTTP (payments §9.6)', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  beforeEach(async () => {
    accountId = await newAccount();
  });

  const post = (path: string, body?: object) => serving.post(path, body);
  async function newAccount(): Promise<string> {
    const id = createdId(await post('/accounts', { currency: 'USD' }));
    await post(`/accounts/${id}/paymentMethods?isDefault=true`, { pluginName: 'killbill-payment-test' });
    await post(`/accounts/${id}/tags`, [AUTO_PAY_OFF]);
    return id;
  }
  async function invoiced(amount: number): Promise<string> {
    const path = `/invoices/charges/${accountId}?autoCommit=true`;
    const { json } = await post(path, [{ accountId, amount, currency: 'USD' }]);
    await serving.billing.settle();
    return (json as { invoiceId: string }[])[0]?.invoiceId ?? '';
  }
  const balanceOf = async (invoiceId: string) =>
    ((await serving.get(`/invoices/${invoiceId}`)).json as { balance: number }).balance;

  it('returns the invoice payment for an instant payment, and 204 if nothing is due (rule 1)', async () => {
    const path = `/invoices/${await invoiced(20)}/payments`;
    const body = {
      accountId,
      purchasedAmount: 5,
      paymentExternalKey: `payment-${accountId}`,
      transactions: [{ transactionExternalKey: `transaction-${accountId}` }],
    };
    const paid = await post(path, body);
    const paymentId = createdId(paid);
    expect([paid.status, paid.text]).to.eql([201, '']);
    expect(paid.headers.get('location')).to.equal(`${serving.url}/1.0/kb/invoicePayments/${paymentId}`);
    const { json } = await serving.get(`/invoicePayments/${paymentId}`);
    expect(json).to.deep.include({ paymentExternalKey: body.paymentExternalKey, purchasedAmount: 5 });
    const [transaction] = (json as { transactions: { transactionExternalKey: string }[] }).transactions;
    expect(transaction?.transactionExternalKey).to.equal(`transaction-${accountId}`);
    expectRefusal(await post(path, { accountId, purchasedAmount: 15.01 }), 400, 7199);
    expect((await post(`${path}?externalPayment=true`, { accountId })).status).to.equal(201);
    const nothing = await post(path, { accountId });
    expect([nothing.status, nothing.headers.has('location')]).to.eql([204, false]);
  });

  it('rejects a method of another account and an unknown method (rule 1)', async () => {
    const path = `/invoices/${await invoiced(20)}/payments`;
    const owner = accountId;
    accountId = await newAccount();
    const [method] = await list(serving, `/1.0/kb/accounts/${accountId}/paymentMethods`);
    const { paymentMethodId } = method as { paymentMethodId: string };
    expectRefusal(await post(path, { accountId: owner, paymentMethodId }), 400, 7033);
    expectRefusal(await post(path, { accountId: owner, paymentMethodId: NOWHERE }), 404, 7000);
  });

  it('lists the processed invoices after paying all invoices, and returns 204 if none was processed (rule 2)', async () => {
    const path = `/accounts/${accountId}/invoicePayments`;
    expect((await post(path)).status).to.equal(204);
    const [first, second] = [await invoiced(20), await invoiced(30)];
    const paid = expectStatus(await post(`${path}?paymentAmount=25`), 201);
    const location = new URL(paid.headers.get('location') ?? '');
    expect(location.pathname).to.equal(`/1.0/kb/accounts/${accountId}/invoices`);
    expect(Object.fromEntries(location.searchParams)).to.eql({
      startDate: DAY,
      endDate: DAY,
      invoicesFilter: `${first},${second}`,
    });
    expect([await balanceOf(first), await balanceOf(second)]).to.eql([0, 25]);
    expect((await post(`${path}?targetDate=2024-02-09`)).status).to.equal(204);
    expect((await post(`${path}?externalPayment=true&paymentAmount=100`)).status).to.equal(201);
    expect(await balanceOf(second)).to.equal(0);
    const account = await serving.get(`/accounts/${accountId}?accountWithBalanceAndCBA=true`);
    expect(account.json).to.include({ accountCBA: 75 });
    expect((await post(`${path}?externalPayment=true&paymentAmount=5`)).status).to.equal(204);
    expect((await post(`${path}?externalPayment=true&paymentMethodId=${NOWHERE}`)).status).to.equal(400);
  });

  it('accepts the outcome of a pending transaction once, and requires a payment id and a status (payments §6.2)', async () => {
    const body = { transactionType: 'PURCHASE', amount: 5, currency: 'USD' };
    const paymentId = createdId(await post(`/accounts/${accountId}/payments?${PENDING}`, body));
    const payment = await serving.get(`/payments/${paymentId}`);
    const [pending] = (payment.json as { transactions: { transactionId: string }[] }).transactions;
    const path = `/paymentTransactions/${pending?.transactionId}`;
    expectRefusal(await post(path, { status: 'SUCCESS' }), 400, 60003);
    expectRefusal(await post(path, { paymentId }), 400, 60003);
    expectRefusal(await post(path, { paymentId, status: 'PENDING' }), 400, 7031);
    expect((await post(path, { paymentId, status: 'DONE' })).status).to.equal(400);
    const reply = await post(path, { paymentId, status: 'SUCCESS' });
    expect([reply.status, reply.text]).to.eql([201, '']);
    expect(reply.headers.get('location')).to.equal(`${serving.url}/1.0/kb/payments/${paymentId}`);
    expectRefusal(await post(path, { paymentId, status: 'SUCCESS' }), 404, 7024);
    const { json } = await serving.get(`/payments/${paymentId}`);
    expect(json).to.include({ purchasedAmount: 5 });
  });

  it('requires a transaction key if several transactions are pending (payments §6.1 rule 2)', async () => {
    const body = { transactionType: 'PURCHASE', amount: 20, currency: 'USD' };
    const paymentId = createdId(await post(`/accounts/${accountId}/payments`, body));
    const complete = (choice: object) => serving.put(`/payments/${paymentId}`, choice);
    expect((await complete({})).status).to.equal(204);
    expectRefusal(await complete({ transactionType: 'VOID' }), 400, 7031);
    for (const key of ['one', 'two'])
      await post(`/payments/${paymentId}/refunds?${PENDING}`, {
        amount: 5,
        transactionExternalKey: `${key}-${paymentId}`,
      });
    expectRefusal(await complete({}), 400, 7031);
    expect((await complete({ transactionExternalKey: `two-${paymentId}` })).status).to.equal(204);
    expect((await complete({})).status).to.equal(204);
    const { json } = await serving.get(`/payments/${paymentId}`);
    expect(json).to.include({ refundedAmount: 10 });
  });
});
