import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import {
  aliasHeaders,
  createdId,
  exampleCatalog,
  jsonType,
  serveOnce,
  xmlType,
} from '../support/http/serving.ts';

type Json = Readonly<Record<string, unknown>>;

// http-api §12: the texts that callers compare or display.
eachDatabaseByTurns.describe('messages that clients compare', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  before(async () => {
    await serving.post('/catalog', await exampleCatalog(), xmlType);
    accountId = await created('accounts', { currency: 'USD' });
  });

  const send = (method: string, path: string, body?: unknown) =>
    serving.call(method, `/1.0/kb/${path}`, { body, headers: jsonType });
  const created = async (path: string, body: object) => createdId(await send('POST', path, body));
  const refusal = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await send(method, path, body);
    const { code, message } = json as Json;
    return [status, code, message];
  };

  it('stay the same for a credit transfer without a parent or without credit', async () => {
    expect(await refusal('PUT', `accounts/${accountId}/transferCredit`)).to.eql([
      400,
      3009,
      `The Account ${accountId} does not have a Parent Account associated`,
    ]);
    const child = await created('accounts', { currency: 'USD', parentAccountId: accountId });
    expect(await refusal('PUT', `accounts/${child}/transferCredit`)).to.eql([
      400,
      4027,
      `Child account ${child} does not have credit`,
    ]);
  });

  it('stay the same for a charge, tax or credit on a committed invoice', async () => {
    const charge = { amount: 5 };
    const made = await send('POST', `invoices/charges/${accountId}?autoCommit=true`, [charge]);
    const invoiceId = String((made.json as readonly Json[])[0]?.invoiceId);
    for (const path of [`invoices/charges/${accountId}`, `invoices/taxes/${accountId}`, 'credits']) {
      expect(await refusal('POST', path, [{ ...charge, accountId, invoiceId }]), path).to.eql([
        400,
        4024,
        `Cannot add credit or external charge for invoice id ${invoiceId} because it is already in COMMITTED status`,
      ]);
    }
  });

  describe('in dry runs', () => {
    const refused = async (body: object) => {
      const path = `invoices/dryRun?accountId=${accountId}&targetDate=2024-03-01`;
      const whole = { dryRunType: 'SUBSCRIPTION_ACTION', ...body };
      const headers = { ...aliasHeaders, ...jsonType };
      const { status, json } = await serving.post(`/${path}`, whole, headers);
      const { code, message } = json as Json;
      return [status, code, message];
    };
    const id = '11111111-1111-4111-8111-111111111111';

    for (const action of [
      { dryRunAction: 'CHANGE', planName: 'canopy-monthly' },
      { dryRunAction: 'STOP_BILLING' },
    ])
      it(`name the missing subscription or bundle id of ${action.dryRunAction}`, async () => {
        const message = 'DryRun subscriptionID should be specified';
        expect(await refused(action)).to.eql([400, 60003, message]);
        expect(await refused({ ...action, bundleId: id })).to.eql([400, 60003, message]);
        expect(await refused({ ...action, subscriptionId: id })).to.eql([
          400,
          60003,
          'DryRun bundleID should be specified',
        ]);
      });

    it('name the plan or the parts of a product, in validation order', async () => {
      const whole = { productName: 'Canopy', billingPeriod: 'MONTHLY', productCategory: 'BASE' };
      const { productName: _, ...noName } = whole;
      const { productCategory } = whole;
      for (const dryRunAction of ['START_BILLING', 'CHANGE']) {
        for (const [parts, word] of [
          [whole, 'productName'],
          [noName, 'billing period'],
          [{ productCategory }, 'product category'],
        ] as const) {
          const body = { dryRunAction, planName: 'canopy-monthly', ...parts };
          expect(await refused(body)).to.eql([
            400,
            60003,
            `DryRun subscription ${word} should not be set when planName is specified`,
          ]);
        }
      }
    });
  });

  it('stay the same for a price override without a price', async () => {
    const body = { accountId, planName: 'canopy-monthly', priceOverrides: [{ phaseType: 'EVERGREEN' }] };
    expect(await refusal('POST', 'subscriptions', body)).to.eql([
      400,
      60003,
      'At least one fixed price, one recurring price or one usage price must be overridden',
    ]);
  });

  for (const [path, model] of [
    ['accounts', 'AccountJson'],
    ['subscriptions', 'SubscriptionJson'],
    ['credits', 'InvoiceItemJson'],
    ['tagDefinitions', 'TagDefinitionJson'],
    ['tenants', 'TenantJson'],
  ] as const)
    it(`stay the same for a missing body on ${path}`, async () => {
      const message = `${model} body should be specified`;
      expect(await refusal('POST', path)).to.eql([400, 60003, message]);
      expect(await refusal('POST', path, '  ')).to.eql([400, 60003, message]);
      expect(await refusal('POST', path, 'null')).to.eql([400, 60003, message]);
    });

  it('stay the same for a missing list element and for a required list that is empty', async () => {
    for (const [path, body, model] of [
      ['credits', [null], 'InvoiceItemJson'],
      ['credits', [], 'InvoiceItemJson'],
      [`invoices/charges/${accountId}`, [null], 'InvoiceItemJson'],
      [`accounts/${accountId}/customFields`, [null], 'CustomFieldJson'],
      ['subscriptions/createSubscriptionWithAddOns', [], 'SubscriptionJson'],
      ['subscriptions/createSubscriptionWithAddOns', [null], 'SubscriptionJson'],
      ['subscriptions/createSubscriptionsWithAddOns', [], 'SubscriptionJson'],
      ['subscriptions/createSubscriptionsWithAddOns', [{ baseEntitlementAndAddOns: [] }], 'SubscriptionJson'],
    ] as const) {
      expect(await refusal('POST', path, body), `${path} ${JSON.stringify(body)}`).to.eql([
        400,
        60003,
        `${model} body should be specified`,
      ]);
    }
  });

  it('stay the same for a missing required field', async () => {
    for (const [path, body, message] of [
      ['tenants', { apiKey: 'k' }, 'TenantJson apiSecret needs to be set'],
      [`accounts/${accountId}/emails`, { accountId }, 'AccountEmailJson email needs to be set'],
      [`accounts/${accountId}/paymentMethods`, {}, 'PaymentMethodJson pluginName needs to be set'],
      [`accounts/${accountId}/customFields`, [{ name: 'n' }], 'CustomFieldJson value needs to be set'],
      ['tagDefinitions', { name: 'n' }, 'TagDefinitionJson description needs to be set'],
      ['subscriptions', {}, 'SubscriptionJson accountId needs to be set'],
      ['security/roles', {}, 'RoleDefinitionJson role needs to be set'],
    ] as const)
      expect(await refusal('POST', path, body), path).to.eql([400, 60003, message]);
  });

  it('stay the same for a missing required field that has a separate error code', async () => {
    for (const [path, body, code, message] of [
      [`accounts/${accountId}/block`, { service: 's' }, 1107, 'BlockingStateJson stateName needs to be set'],
      [`accounts/${accountId}/block`, {}, 1107, 'BlockingStateJson service needs to be set'],
      ['catalog/simplePlan', {}, 2060, 'SimplePlanJson planId needs to be set'],
    ] as const)
      expect(await refusal('POST', path, body), path).to.eql([400, code, message]);
  });

  it('stay the same for missing plan parts and for parts given with a plan name, in validation order', async () => {
    const product = { productName: 'Canopy', productCategory: 'BASE' };
    const parts = { ...product, billingPeriod: 'MONTHLY', priceList: 'DEFAULT' };
    const fields = Object.keys(parts) as (keyof typeof parts)[];
    for (const [index, field] of fields.entries()) {
      const known = Object.fromEntries(fields.slice(0, index).map((name) => [name, parts[name]]));
      expect(await refusal('POST', 'subscriptions', { accountId, ...known })).to.eql([
        400,
        60003,
        `SubscriptionJson ${field} needs to be set when no planName is specified`,
      ]);
      const rest = Object.fromEntries(fields.slice(index).map((name) => [name, parts[name]]));
      const both = { accountId, planName: 'canopy-monthly', ...rest };
      expect(await refusal('POST', 'subscriptions', both)).to.eql([
        400,
        60003,
        `SubscriptionJson ${field} should not be set when planName is specified`,
      ]);
    }
  });

  it('stay the same for a blocked object', async () => {
    const subscriptionId = await created('subscriptions', { accountId, planName: 'canopy-monthly' });
    const block = { service: 's', stateName: 'HELD', isBlockChange: true };
    await send('POST', `subscriptions/${subscriptionId}/block`, block);
    const change = { planName: 'bloom-monthly' };
    expect(await refusal('PUT', `subscriptions/${subscriptionId}`, change)).to.eql([
      400,
      6000,
      `The action Change is block on this Subscription with id=${subscriptionId}`,
    ]);
    await send('POST', `accounts/${accountId}/block`, block);
    expect(await refusal('POST', 'subscriptions', { accountId, planName: 'canopy-monthly' })).to.eql([
      400,
      6000,
      `The action Change is block on this Account with id=${accountId}`,
    ]);
  });
});
