import { anyDatabase, expect, list } from '../support/http/index.ts';
import { basic, createdId, expectRefusal, serveOnce } from '../support/http/serving.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111';
const method = { pluginName: 'killbill-payment-test' };
const transaction = { transactionType: 'PURCHASE', amount: 10, currency: 'USD' };

anyDatabase.describe('combo payments (payments §11)', (open) => {
  const serving = serveOnce(open);
  let number = 0;

  const pay = (body: object, init: { query?: string; headers?: Record<string, string> } = {}) =>
    serving.call('POST', `/1.0/kb/payments/combo${init.query ?? ''}`, {
      body,
      ...(init.headers && { headers: init.headers }),
    });
  const newKey = () => `combo-${++number}`;
  const member = (value: unknown, key: string) => (value as Readonly<Record<string, unknown>> | null)?.[key];
  const accountOf = async (externalKey: string) => {
    const { status, json } = await serving.get(`/accounts?externalKey=${externalKey}`);
    return status === 200 ? json : null;
  };
  const methodsOf = (accountId: unknown) => list(serving, `/1.0/kb/accounts/${accountId}/paymentMethods`);

  it('create the account and its first method as the default', async () => {
    const externalKey = newKey();
    const reply = await pay({
      account: { externalKey, name: 'Ada', currency: 'USD' },
      paymentMethod: { ...method, externalKey: `${externalKey}-card` },
      paymentMethodPluginProperties: [{ key: 'token', value: 'tok' }],
      transaction: { ...transaction, paymentExternalKey: `${externalKey}-payment` },
    });
    expect(reply.status).to.equal(201);
    const account = await accountOf(externalKey);
    const payment = await serving.get(`/payments/${createdId(reply)}`);
    expect(payment.json).to.deep.include({
      accountId: member(account, 'accountId'),
      paymentMethodId: member(account, 'paymentMethodId'),
      paymentExternalKey: `${externalKey}-payment`,
      purchasedAmount: 10,
    });
    const [made] = await methodsOf(member(account, 'accountId'));
    expect(made).to.deep.include({ externalKey: `${externalKey}-card`, isDefault: true });
  });

  it('find the account and method by key or by id', async () => {
    const externalKey = newKey();
    const card = `${externalKey}-card`;
    const paymentMethod = { ...method, externalKey: card };
    const body = { account: { externalKey, currency: 'USD' }, paymentMethod };
    await pay({ ...body, transaction });
    expect((await pay({ ...body, transaction })).status).to.equal(201);
    const accountId = member(await accountOf(externalKey), 'accountId');
    const methods = await methodsOf(accountId);
    expect(methods).to.have.length(1);
    const paymentMethodId = member(methods[0], 'paymentMethodId');
    const byId = { account: { accountId }, paymentMethod: { ...method, paymentMethodId }, transaction };
    expect((await pay(byId)).status).to.equal(201);
    expect((await pay({ account: { accountId }, transaction })).status).to.equal(201);
    expect((await pay({ account: { accountId }, paymentMethod: {}, transaction })).status).to.equal(201);
    expect(await methodsOf(accountId)).to.have.length(1);
    const second = {
      account: { accountId },
      paymentMethod: { ...method, externalKey: `${card}-2` },
      transaction,
    };
    expect((await pay(second)).status).to.equal(201);
    expect((await methodsOf(accountId)).map((each) => member(each, 'isDefault'))).to.eql([true, false]);
  });

  it('validate the account, the method and the transaction before they write anything', async () => {
    const externalKey = newKey();
    const account = { externalKey, currency: 'USD' };
    const unknownMethod = { ...method, paymentMethodId: NOWHERE };
    const noType = { amount: 10 };
    expectRefusal(
      await pay({ account: { accountId: NOWHERE }, paymentMethod: unknownMethod, transaction: noType }),
      404,
      3002,
    );
    expectRefusal(await pay({ account, paymentMethod: unknownMethod, transaction: noType }), 404, 7000);
    expectRefusal(await pay({ account, paymentMethod: method, transaction: noType }), 412, 60006);
    const refund = { ...transaction, transactionType: 'REFUND' };
    expectRefusal(await pay({ account, paymentMethod: method, transaction: refund }), 412, 60006);
    const noAmount = { transactionType: 'PURCHASE' };
    expectRefusal(await pay({ account, paymentMethod: method, transaction: noAmount }), 400, 60003);
    expectRefusal(await pay({ account, paymentMethod: method }), 400, 60003);
    expect(await accountOf(externalKey)).to.equal(null);
  });

  it('create neither an account nor a method if they are rejected', async () => {
    const externalKey = newKey();
    const account = { externalKey, currency: 'USD' };
    const request = { account, paymentMethod: method, transaction };
    const impossible = [
      [7031, { ...request, transaction: { ...transaction, amount: -5 } }],
      [7031, { ...request, transaction: { ...transaction, amount: 0 } }],
      [7031, { ...request, transaction: { ...transaction, transactionType: 'AUTHORIZE', amount: -1 } }],
      [
        7031,
        { ...request, account: { externalKey }, transaction: { transactionType: 'PURCHASE', amount: 10 } },
      ],
      [7028, { ...request, paymentMethod: { pluginName: 'gone' } }],
    ] as const;
    for (const [code, body] of impossible) {
      expectRefusal(await pay(body), 400, code);
      expect(await accountOf(externalKey)).to.equal(null);
    }
    const check = { ...request, transaction: { ...transaction, transactionType: 'AUTHORIZE', amount: 0 } };
    expect((await pay(check)).status).to.equal(201);
    const accountId = member(await accountOf(externalKey), 'accountId');
    const second = { ...method, externalKey: `${externalKey}-second` };
    const negative = { ...transaction, amount: -5 };
    expectRefusal(await pay({ ...request, paymentMethod: second, transaction: negative }), 400, 7031);
    expect(await methodsOf(accountId)).to.have.length(1);
  });

  it('keep the new account and method if the payment fails', async () => {
    const externalKey = newKey();
    expectRefusal(
      await pay({
        account: { externalKey, currency: 'USD' },
        paymentMethod: method,
        transaction,
        transactionPluginProperties: [{ key: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', value: 'true' }],
      }),
      402,
      7009,
    );
    expect(await methodsOf(member(await accountOf(externalKey), 'accountId'))).to.have.length(1);
  });

  it('require the permission for each created object before they write anything', async () => {
    const externalKey = newKey();
    const body = { account: { externalKey, currency: 'USD' }, paymentMethod: method, transaction };
    const roles = [
      ['payer', ['payment:trigger']],
      ['opener', ['payment:trigger', 'account:create']],
      ['adder', ['payment:trigger', 'account:create', 'payment_method:create']],
    ] as const;
    for (const [name, permissions] of roles) {
      await serving.put('/security/roles', { role: name, permissions });
      await serving.post('/security/users', {
        username: name,
        password: 'long enough a password',
        roles: [name],
      });
    }
    const as = (name: string) => ({ headers: { authorization: basic(name, 'long enough a password') } });
    expectRefusal(await pay(body, as('payer')), 403, 40000);
    expectRefusal(await pay(body, as('opener')), 403, 40000);
    expect(await accountOf(externalKey)).to.equal(null);
    expect((await pay(body, as('adder'))).status).to.equal(201);
    const { paymentMethod: _, ...known } = body;
    expect((await pay(known, as('payer'))).status).to.equal(201);
  });
});
