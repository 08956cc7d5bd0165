import type {
  PaymentControl,
  PaymentControlContext,
  PaymentGateway,
  PriorCallResult,
} from '../../lib/index.ts';
import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { basic, createdId, eve, expectRefusal, expectStatus, serveOnce } from '../support/http/serving.ts';
import { SIGNING_GATEWAY } from '../support/payments/scripted-gateway.ts';

const form = '/1.0/kb/paymentGateways/hosted/form';

/** A control plugin that records its calls, and whose prior result a test sets. */
class Listener implements PaymentControl {
  readonly name = 'listener';
  readonly heard: string[] = [];
  readonly contexts: PaymentControlContext[] = [];
  prior: PriorCallResult | null = null;

  priorCall(context: PaymentControlContext) {
    this.heard.push('prior');
    this.contexts.push(context);
    return Promise.resolve(this.prior);
  }

  onSuccessCall() {
    this.heard.push('success');
    return Promise.resolve(null);
  }

  onFailureCall() {
    this.heard.push('failure');
    return Promise.resolve(null);
  }
}

const plain: PaymentGateway = {
  name: 'plain',
  purchase: () => Promise.resolve(null),
  getPaymentInfo: () => Promise.resolve([]),
};
const broken: PaymentGateway = {
  ...plain,
  name: 'broken',
  buildFormDescriptor: ({ properties }) => {
    const scripted = properties.find(({ key }) => key === 'answer')?.value;
    if (scripted === 'loop') {
      const fields: Record<string, unknown> = {};
      fields.own = fields;
      return Promise.resolve({ kbAccountId: 'x' as never, formFields: fields });
    }
    if (scripted === 'large')
      return Promise.resolve({ kbAccountId: 'x' as never, formFields: { a: 'x'.repeat(300_000) } });
    if (scripted === 'list') return Promise.resolve({ kbAccountId: 'x' as never, formFields: [] as never });
    return Promise.resolve(null as never);
  },
};

eachDatabaseByTurns.describe('hosted payment page API (payments §11)', (open) => {
  const listener = new Listener();

  const serving = serveOnce(open, { gateways: [plain, broken], paymentControls: [listener] });
  const { call, post, remove, get, put } = serving;
  beforeEach(() => {
    listener.heard.length = 0;
    listener.contexts.length = 0;
    listener.prior = null;
  });

  const newAccount = async (headers = {}) => createdId(await post('/accounts', { currency: 'USD' }, headers));
  const addMethod = async (accountId: string, pluginName: string, query = '') =>
    createdId(await post(`/accounts/${accountId}/paymentMethods${query}`, { pluginName }));
  const build = (accountId: string, query = '', body: object = { formFields: [] }) =>
    call('POST', `${form}/${accountId}${query}`, { body });

  it('uses the gateway of the default method or of the specified method', async () => {
    const accountId = await newAccount();
    await addMethod(accountId, SIGNING_GATEWAY, '?isDefault=true');
    const other = await addMethod(accountId, 'killbill-payment-test');
    const body = { formFields: [{ key: 'amount', value: '10' }] };
    const reply = await build(accountId, '?pluginProperty=lang%3Dde', body);
    expect(reply.json).to.eql({
      kbAccountId: accountId,
      formMethod: 'POST',
      formUrl: 'https://pay.example.com/form',
      formFields: { amount: '10' },
      properties: { lang: 'de' },
      auditLogs: [],
    });
    expect((await build(accountId, `?paymentMethodId=${other}`)).json).to.eql({
      kbAccountId: accountId,
      formMethod: null,
      formUrl: null,
      formFields: null,
      properties: null,
      auditLogs: [],
    });
  });

  it('returns no page without a payment method', async () => {
    expectRefusal(await build(await newAccount()), 400, 7031);
  });

  it('rejects a method that is unknown, is deleted or belongs to another account', async () => {
    const accountId = await newAccount();
    const foreign = await addMethod(await newAccount(), SIGNING_GATEWAY);
    const deleted = await addMethod(accountId, SIGNING_GATEWAY);
    expectStatus(await remove(`/paymentMethods/${deleted}`), 204);
    for (const id of [foreign, deleted, '11111111-1111-4111-8111-111111111111'])
      expectRefusal(await build(accountId, `?paymentMethodId=${id}`), 404, 7000);
  });

  it('rejects a gateway without support for hosted pages, before any plugin call', async () => {
    const accountId = await newAccount();
    await addMethod(accountId, 'plain', '?isDefault=true');
    const reply = await build(accountId, '?controlPluginName=listener');
    expectRefusal(reply, 400, 7199);
    expect(reply.text).to.include('does not offer buildFormDescriptor');
    expect(listener.heard).to.eql([]);
  });

  for (const answer of ['loop', 'large', 'list', 'nothing'])
    it(`rejects an unreadable form (gateway response: ${answer})`, async () => {
      const accountId = await newAccount();
      await addMethod(accountId, 'broken', '?isDefault=true');
      const refused = await build(accountId, `?controlPluginName=listener&pluginProperty=answer%3D${answer}`);
      expectRefusal(refused, 500, 7019);
      expect(listener.heard).to.eql(['prior', 'failure']);
    });

  it('calls control plugins for a form with API type HPP and lets them choose the method or abort (payments §2.3)', async () => {
    const accountId = await newAccount();
    listener.prior = { adjustedPaymentMethodId: (await addMethod(accountId, SIGNING_GATEWAY)) as never };
    const chosen = await build(accountId, '?controlPluginName=listener');
    expect((chosen.json as { formMethod: string }).formMethod).to.equal('POST');
    expect(listener.heard).to.eql(['prior', 'success']);
    const [heard] = listener.contexts;
    expect(heard).to.deep.include({
      paymentApiType: 'HPP',
      hppType: 'BUILD_FORM_DESCRIPTOR',
      accountId,
      attemptId: null,
      isApiPayment: true,
      userName: 'demo',
    });
    listener.prior = { isAborted: true };
    expectRefusal(await build(accountId, '?controlPluginName=listener'), 422, 7106);
  });

  it('calls control plugins for a notification with type HPP and lets them choose another gateway (payments §2.3)', async () => {
    const path = '/1.0/kb/paymentGateways/notification/killbill-payment-test?controlPluginName=listener';
    listener.prior = { adjustedPluginName: SIGNING_GATEWAY };
    expect((await call('POST', path, { body: 'paid' })).status).to.equal(200);
    expect(serving.signing.received.at(-1)?.body).to.equal('paid');
    const [heard] = listener.contexts;
    expect(heard).to.deep.include({
      paymentApiType: 'HPP',
      hppType: 'PROCESS_NOTIFICATION',
      paymentPluginName: 'killbill-payment-test',
      accountId: null,
    });
  });

  const combine = (body: object, headers = {}) => call('POST', form, { body, headers });
  const accountsWith = async (key: string) =>
    (await get(`/accounts?externalKey=${key}`)).json as { accountId: string };

  it('creates the account and first method with a combined form and reuses both the next time', async () => {
    const body = {
      account: { externalKey: 'combo-1', currency: 'EUR' },
      paymentMethod: { pluginName: SIGNING_GATEWAY, externalKey: 'combo-method' },
      hostedPaymentPageFields: { formFields: [{ key: 'a', value: 'b' }] },
    };
    const [first, again] = [await combine(body), await combine(body)];
    expect([first.status, first.text]).to.eql([200, again.text]);
    const { accountId } = await accountsWith('combo-1');
    expect(first.json).to.deep.include({ kbAccountId: accountId, formFields: { a: 'b' } });
    const methods = await get(`/accounts/${accountId}/paymentMethods`);
    expect(methods.json).to.have.length(1);
    expect((methods.json as object[])[0]).to.deep.include({ isDefault: true, externalKey: 'combo-method' });
    expect((await combine({ account: { accountId }, paymentMethod: {} })).status).to.equal(200);
    const refused = await combine({ account: { accountId: '11111111-1111-4111-8111-111111111111' } });
    expectRefusal(refused, 404, 3002);
  });

  it('keeps the account and method of a combined form if no form is returned', async () => {
    const body = { account: { externalKey: 'combo-2' }, paymentMethod: { pluginName: 'plain' } };
    expectRefusal(await combine(body), 400, 7199);
    expect((await accountsWith('combo-2')).accountId).to.match(/^[0-9a-f-]{36}$/);
  });

  it('creates nothing for callers without the permission (http-api §5)', async () => {
    const user = { username: 'clerk', password: 'password', roles: ['clerk'] };
    const role = { role: 'clerk', permissions: ['payment:trigger'] };
    await put('/security/roles', role);
    await post('/security/users', user);
    const asClerk = { authorization: basic('clerk', 'password') };
    const paymentMethod = { pluginName: SIGNING_GATEWAY };
    const account = { externalKey: 'combo-3' };
    expectRefusal(await combine({ account, paymentMethod }, asClerk), 403, 40_000);
    expect((await get('/accounts?externalKey=combo-3')).status).to.equal(404);
    const accountId = await newAccount();
    expectRefusal(await combine({ account: { accountId }, paymentMethod }, asClerk), 403, 40_000);
    expect((await get(`/accounts/${accountId}/paymentMethods`)).json).to.eql([]);
  });

  it('treats an account or method of another tenant as unknown', async () => {
    const accountId = await newAccount();
    const methodId = await addMethod(accountId, SIGNING_GATEWAY, '?isDefault=true');
    const foreign = await newAccount(eve);
    const asEve = (path: string, body: object) => call('POST', path, { body, headers: eve });
    expectRefusal(await asEve(`${form}/${accountId}`, {}), 404, 3002);
    expectRefusal(await asEve(`${form}/${foreign}?paymentMethodId=${methodId}`, {}), 404, 7000);
    const theirs = { account: { accountId: foreign }, paymentMethod: { paymentMethodId: methodId } };
    const named = { ...theirs, paymentMethod: { ...theirs.paymentMethod, pluginName: SIGNING_GATEWAY } };
    expectRefusal(await asEve(form, named), 404, 7000);
  });
});
