import { createAccount, createdId, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { eve, expectRefusal, expectStatus, plainType, serveOnce } from '../support/http/serving.ts';
import { stateMachineDocument } from '../support/payments/state-machine-document.ts';

const xmlPath = (plugin: string) => `/1.0/kb/tenants/uploadPluginPaymentStateMachineConfig/${plugin}`;

eachDatabaseByTurns.describe('tenant payment state machines (payments §3.1)', (open) => {
  const serving = serveOnce(open);
  const { call, post, get } = serving;

  const newAccount = async (pluginName: string, headers = {}) => {
    const body = { currency: 'USD' };
    const id = await createAccount(serving, body, headers);
    const path = `/1.0/kb/accounts/${id}/paymentMethods?isDefault=true`;
    await call('POST', path, { body: { pluginName }, headers });
    return id;
  };
  const begin = (accountId: string, transactionType: string, headers = {}) =>
    post(`/accounts/${accountId}/payments`, { transactionType, amount: 10, currency: 'USD' }, headers);
  const capture = (paymentId: string) => post(`/payments/${paymentId}`, { amount: 5, currency: 'USD' });
  const upload = (document: string, plugin = 'killbill-payment-test') =>
    call('POST', xmlPath(plugin), { body: document, headers: plainType });
  const remove = () => call('DELETE', xmlPath('killbill-payment-test'));

  it('apply from the next operation on until they are deleted', async () => {
    const accountId = await newAccount('killbill-payment-test');
    const authorized = createdId(await begin(accountId, 'AUTHORIZE'));
    const callsBefore = serving.gateway.ledger.all().length;
    expectStatus(
      await upload(
        stateMachineDocument([
          ['BIG_BANG_INIT', 'AUTHORIZE'],
          ['PURCHASE_SUCCESS', 'CAPTURE'],
        ]),
      ),
      201,
    );
    expectRefusal(await begin(accountId, 'PURCHASE'), 400, 7032);
    expectRefusal(await capture(authorized), 400, 7032);
    expect(serving.gateway.ledger.all().length).to.equal(callsBefore);
    expect((await begin(accountId, 'AUTHORIZE')).status).to.equal(201);
    await upload(stateMachineDocument([['AUTH_SUCCESS', 'CAPTURE']]));
    expect((await capture(authorized)).status).to.equal(201);
    expectRefusal(await begin(accountId, 'AUTHORIZE'), 400, 7032);
    expect((await remove()).status).to.equal(204);
    expect((await begin(accountId, 'PURCHASE')).status).to.equal(201);
  });

  it('apply only to methods of their plugin and tenant', async () => {
    const [ours, external, theirs] = [
      await newAccount('killbill-payment-test'),
      await newAccount('__EXTERNAL_PAYMENT__'),
      await newAccount('killbill-payment-test', eve),
    ];
    await upload('<stateMachineConfig/>');
    expectRefusal(await begin(ours, 'PURCHASE'), 400, 7032);
    expect((await begin(external, 'PURCHASE')).status).to.equal(201);
    expect((await begin(theirs, 'PURCHASE', eve)).status).to.equal(201);
    await remove();
  });

  it('cause an invoice to remain unpaid and its payment call to fail if they forbid the purchase', async () => {
    const accountId = await newAccount('killbill-payment-test');
    await upload('<stateMachineConfig/>');
    const path = `/1.0/kb/invoices/charges/${accountId}?autoCommit=true`;
    const charged = await call('POST', path, { body: [{ accountId, amount: 20, currency: 'USD' }] });
    await serving.billing.settle();
    const { invoiceId } = (charged.json as { invoiceId: string }[])[0] ?? { invoiceId: '' };
    const invoice = async () => (await get(`/invoices/${invoiceId}`)).json as { balance: number };
    expect((await invoice()).balance).to.equal(20);
    const paying = { body: { accountId } };
    expectRefusal(await call('POST', `/1.0/kb/invoices/${invoiceId}/payments`, paying), 400, 7032);
    await remove();
    expectStatus(await call('POST', `/1.0/kb/invoices/${invoiceId}/payments`, paying), 201);
    expect((await invoice()).balance).to.equal(0);
  });
});
