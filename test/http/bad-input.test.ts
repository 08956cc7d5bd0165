import { eachDatabase, expect, type Reply, type Request, xmlType } from '../support/http/index.ts';
import { createAccount, createdId, exampleCatalog, serveOnce } from '../support/http/serving.ts';

const unknown = '11111111-1111-4111-8111-111111111111';

interface Refusal {
  readonly what: string;
  readonly method?: string;
  readonly path: string;
  readonly request?: Request;
  readonly status: number;
  readonly code: number;
  readonly message: RegExp;
}

eachDatabase('bad input', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  let tongan: string;
  let before_: string;

  before(async () => {
    await serving.call('POST', '/1.0/kb/catalog', { body: await exampleCatalog(), headers: xmlType });
    accountId = await createAccount(serving);
    tongan = createdId(
      await serving.call('POST', '/1.0/kb/accounts', {
        body: { currency: 'USD', timeZone: 'Pacific/Tongatapu' },
      }),
    );
    before_ = await everything();
  });

  /** What the tenant's lists show: nothing of it may change. */
  async function everything(): Promise<string> {
    const replies: Reply[] = [];
    for (const path of [
      '/1.0/kb/accounts/pagination?audit=FULL&accountWithBalanceAndCBA=true',
      `/1.0/kb/accounts/${accountId}/bundles?audit=FULL`,
      `/1.0/kb/accounts/${accountId}/paymentMethods?audit=FULL`,
      '/1.0/kb/invoices/pagination?audit=FULL',
      '/1.0/kb/catalog?requestedDate=2100-01-01',
    ]) {
      replies.push(await serving.call('GET', path));
    }
    expect(replies.map((reply) => reply.status)).to.deep.equal(replies.map(() => 200));
    return replies.map((reply) => reply.text).join('\n');
  }

  const subscription = (body: object): Request => ({ body });
  const refusals = (): readonly Refusal[] => [
    {
      what: 'a target date whose day in the zone of the account lies beyond the calendar',
      path: `/1.0/kb/invoices/dryRun?accountId=${tongan}&targetDate=9999-12-31T23:59:59Z`,
      request: { body: {} },
      status: 400,
      code: 4005,
      message: /^Target date 9999-12-31 is more than 36 months after/,
    },
    {
      what: 'malformed JSON',
      path: '/1.0/kb/accounts',
      request: { body: '{"name":', headers: { 'content-type': 'application/json' } },
      status: 400,
      code: 60001,
      message: /^The body is not JSON/,
    },
    {
      what: 'a field of the wrong type',
      path: '/1.0/kb/accounts',
      request: { body: { billCycleDayLocal: 'first' } },
      status: 400,
      code: 60001,
      message: /^AccountJson billCycleDayLocal is not an integer: "first"$/,
    },
    {
      what: 'a field out of its range',
      path: '/1.0/kb/accounts',
      request: { body: { billCycleDayLocal: 32 } },
      status: 400,
      code: 60003,
      message: /billCycleDayLocal/,
    },
    {
      what: 'an unknown currency',
      path: '/1.0/kb/accounts',
      request: { body: { currency: 'XXQ' } },
      status: 400,
      code: 3,
      message: /"XXQ"/,
    },
    {
      what: 'an external key that is too long',
      path: '/1.0/kb/accounts',
      request: { body: { externalKey: 'k'.repeat(256) } },
      status: 400,
      code: 5,
      message: /256/,
    },
    {
      what: 'an unknown plan',
      path: '/1.0/kb/subscriptions',
      request: subscription({ accountId, planName: 'nonsense-monthly' }),
      status: 400,
      code: 2021,
      message: /nonsense-monthly/,
    },
    {
      what: 'an unknown account',
      path: '/1.0/kb/subscriptions',
      request: subscription({ accountId: unknown, planName: 'sprout-monthly' }),
      status: 404,
      code: 3002,
      message: new RegExp(unknown),
    },
    {
      what: 'no account',
      path: '/1.0/kb/subscriptions',
      request: subscription({ planName: 'sprout-monthly' }),
      status: 400,
      code: 60003,
      message: /^SubscriptionJson accountId needs to be set$/,
    },
    {
      what: 'no body',
      path: '/1.0/kb/subscriptions',
      request: { body: '', headers: { 'content-type': 'application/json' } },
      status: 400,
      code: 60003,
      message: /^SubscriptionJson body should be specified$/,
    },
    {
      what: 'no plan',
      path: '/1.0/kb/subscriptions',
      request: subscription({ accountId, productName: 'Sprout' }),
      status: 400,
      code: 60003,
      message: /^SubscriptionJson productCategory needs to be set when no planName is specified$/,
    },
    {
      what: 'a plan named in two ways',
      path: '/1.0/kb/subscriptions',
      request: subscription({ accountId, planName: 'sprout-monthly', priceList: 'DEFAULT' }),
      status: 400,
      code: 60003,
      message: /^SubscriptionJson priceList should not be set when planName is specified$/,
    },
    {
      what: 'a date that does not parse',
      path: '/1.0/kb/subscriptions?entitlementDate=2024-02-30',
      request: subscription({ accountId, planName: 'sprout-monthly' }),
      status: 400,
      code: 60002,
      message: /entitlementDate.*"2024-02-30"/,
    },
    {
      what: 'no credentials',
      path: '/1.0/kb/accounts',
      request: { body: {}, headers: { authorization: undefined } },
      status: 401,
      code: 60004,
      message: /Basic/,
    },
    {
      what: 'a wrong tenant secret',
      path: '/1.0/kb/accounts',
      request: { body: {}, headers: { 'x-service-apisecret': 'nonsense' } },
      status: 401,
      code: 60005,
      message: /X-Service-ApiKey/,
    },
    {
      what: 'hostile XML',
      path: '/1.0/kb/catalog',
      request: {
        body: '<!DOCTYPE catalog [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><catalog>&a;&b;</catalog>',
        headers: xmlType,
      },
      status: 400,
      code: 2080,
      message: /line 1, column/,
    },
    {
      what: 'XML that does not end',
      path: '/1.0/kb/catalog/xml',
      request: { body: '<catalog><effectiveDate>2024-01-01', headers: xmlType },
      status: 400,
      code: 2080,
      message: /line 1, column/,
    },
    {
      what: 'a payment method of an unknown gateway',
      path: `/1.0/kb/accounts/${accountId}/paymentMethods`,
      request: { body: { pluginName: 'nonsense' } },
      status: 400,
      code: 7028,
      message: /nonsense/,
    },
    {
      what: 'a payment method without its gateway',
      path: `/1.0/kb/accounts/${accountId}/paymentMethods`,
      request: { body: {} },
      status: 400,
      code: 60003,
      message: /^PaymentMethodJson pluginName needs to be set$/,
    },
    {
      what: 'a payment method for another account',
      path: `/1.0/kb/accounts/${accountId}/paymentMethods`,
      request: { body: { pluginName: 'killbill-payment-test', accountId: unknown } },
      status: 400,
      code: 60003,
      message: /is not the account/,
    },
    {
      what: 'an unknown payment method as the default',
      method: 'PUT',
      path: `/1.0/kb/accounts/${accountId}/paymentMethods/${unknown}/setDefault`,
      status: 404,
      code: 7000,
      message: new RegExp(unknown),
    },
    {
      what: 'a change of a fixed field',
      method: 'PUT',
      path: `/1.0/kb/accounts/${accountId}`,
      request: { body: { currency: 'EUR', name: 'changed' } },
      status: 400,
      code: 3005,
      message: /currency/,
    },
    {
      what: 'a body that is too deep',
      path: '/1.0/kb/accounts',
      request: {
        body: `{"foo":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
        headers: { 'content-type': 'application/json' },
      },
      status: 400,
      code: 60001,
      message: /^The body has lists and objects more than 64 levels deep$/,
    },
    {
      what: 'a number that is too long for text',
      path: '/1.0/kb/accounts',
      request: { body: '{"name":1e400}', headers: { 'content-type': 'application/json' } },
      status: 400,
      code: 60001,
      message: /^AccountJson name is not text: 1e\+400$/,
    },
    {
      what: 'a gateway name of many characters',
      path: `/1.0/kb/accounts/${accountId}/paymentMethods`,
      request: { body: { pluginName: 'x'.repeat(5_000) } },
      status: 400,
      code: 7028,
      message: /^Payment plugin "x{100}…".{0,200}$/,
    },
    {
      what: 'a plan name of many characters',
      path: '/1.0/kb/subscriptions',
      request: subscription({ accountId, planName: 'x'.repeat(5_000) }),
      status: 400,
      code: 2021,
      message: /^Plan "x{100}…".{0,600}$/,
    },
    {
      what: 'a change of the reference time',
      method: 'PUT',
      path: `/1.0/kb/accounts/${accountId}`,
      request: { body: { referenceTime: '2020-01-02T03:04:05Z' } },
      status: 400,
      code: 3005,
      message: /fixed at 2024-02-10T08:15:30.000Z and cannot become 2020-01-02T03:04:05.000Z$/,
    },
    ...['currency', 'timeZone'].map(
      (field): Refusal => ({
        what: `a ${field} of many characters`,
        path: '/1.0/kb/accounts',
        request: { body: { [field]: 'X'.repeat(5_000) } },
        status: 400,
        code: field === 'currency' ? 3 : 60003,
        message: /^.{0,200}$/,
      }),
    ),
    ...(
      [
        ['/1.0/kb/accounts?externalKey=', 3003],
        ['/1.0/kb/subscriptions?externalKey=', 1083],
        ['/1.0/kb/tenants?apiKey=', 20003],
        ['/1.0/kb/', 60008],
      ] as const
    ).map(
      ([path, code]): Refusal => ({
        what: `many characters after ${path}`,
        method: 'GET',
        path: path + 'x'.repeat(5_000),
        status: 404,
        code,
        message: /^.{0,200}$/,
      }),
    ),
    {
      what: 'an invoice too far ahead',
      path: `/1.0/kb/invoices?accountId=${accountId}&targetDate=2099-01-01`,
      status: 400,
      code: 4005,
      message: /2099-01-01|36/,
    },
    ...['2147483648', '9e99', '-2147483649'].map(
      (quantity): Refusal => ({
        what: `a quantity of ${quantity}`,
        path: '/1.0/kb/subscriptions',
        request: {
          body: `{"accountId":"${accountId}","planName":"canopy-monthly","quantity":${quantity}}`,
          headers: { 'content-type': 'application/json' },
        },
        status: 400,
        code: 60003,
        message: /^SubscriptionJson quantity is not between 1 and 2147483647: /,
      }),
    ),
    {
      what: 'a dry run of an action that names none',
      path: `/1.0/kb/invoices/dryRun?accountId=${accountId}`,
      request: { body: { dryRunType: 'SUBSCRIPTION_ACTION' } },
      status: 400,
      code: 60003,
      message: /^InvoiceDryRunJson dryRunAction needs to be set/,
    },
    {
      what: 'a dry run of an action on a subscription that is not there',
      path: `/1.0/kb/invoices/dryRun?accountId=${accountId}`,
      request: {
        body: {
          dryRunType: 'SUBSCRIPTION_ACTION',
          dryRunAction: 'STOP_BILLING',
          subscriptionId: accountId,
          bundleId: accountId,
        },
      },
      status: 404,
      code: 1081,
      message: /does not exist/,
    },
    ...['a\u0000b', '\ud800', 'a\udc00'].flatMap((text): readonly Refusal[] => [
      {
        what: `the text ${JSON.stringify(text)}`,
        path: '/1.0/kb/accounts',
        request: { body: { name: text } },
        status: 400,
        code: 60001,
        message: /^AccountJson name holds /,
      },
      {
        what: `the external key ${JSON.stringify(text)} of an account`,
        path: '/1.0/kb/accounts',
        request: { body: { externalKey: text } },
        status: 400,
        code: 60001,
        message: /^AccountJson externalKey holds /,
      },
      {
        what: `the bundle key ${JSON.stringify(text)}`,
        path: '/1.0/kb/subscriptions',
        request: subscription({ accountId, planName: 'sprout-monthly', bundleExternalKey: text }),
        status: 400,
        code: 60001,
        message: /^SubscriptionJson bundleExternalKey holds /,
      },
      {
        what: `the property value ${JSON.stringify(text)}`,
        path: `/1.0/kb/accounts/${accountId}/paymentMethods`,
        request: {
          body: {
            pluginName: 'killbill-payment-test',
            pluginInfo: { properties: [{ key: 'token', value: text }] },
          },
        },
        status: 400,
        code: 60001,
        message: /holds /,
      },
      {
        what: `the tenant key ${JSON.stringify(text)}`,
        path: '/1.0/kb/tenants',
        request: { body: { apiKey: text, apiSecret: 'secret' } },
        status: 400,
        code: 60001,
        message: /^TenantJson apiKey holds /,
      },
    ]),
    ...[
      '/1.0/kb/accounts?externalKey=%00',
      '/1.0/kb/subscriptions?externalKey=a%00b',
      '/1.0/kb/tenants?apiKey=a%00b',
      `/1.0/kb/accounts/${accountId}/bundles?externalKey=%00`,
      '/1.0/kb/accounts/%00',
      '/1.0/kb/%00',
    ].map(
      (path): Refusal => ({
        what: `a NUL in ${path}`,
        method: 'GET',
        path,
        status: 400,
        code: 60002,
        message: /NUL/,
      }),
    ),
    ...['createdby', 'reason', 'comment'].map(
      (name): Refusal => ({
        what: `a NUL in ${name}`,
        path: '/1.0/kb/accounts',
        request: { body: {}, headers: { [`x-service-${name}`]: 'YQBi', 'x-service-encoding': 'base64' } },
        status: 400,
        code: 60002,
        message: /^Header X-Service-\w+ holds /,
      }),
    ),
    {
      what: 'a NUL in the user name',
      path: '/1.0/kb/accounts',
      request: { body: {}, headers: { authorization: 'Basic AGE6eA==' } },
      status: 401,
      code: 60004,
      message: /Basic/,
    },
    ...[2 ** 31, -(2 ** 31) - 1, 99_999_999_999].map(
      (firstNameLength): Refusal => ({
        what: `the number ${firstNameLength}`,
        path: '/1.0/kb/accounts',
        request: { body: { firstNameLength } },
        status: 400,
        code: 60003,
        message: /^AccountJson firstNameLength /,
      }),
    ),
    ...[
      'unpaidInvoicesOnly=true&withMigrationInvoices=true',
      'unpaidInvoicesOnly=true&includeInvoiceComponents=true',
      'startDate=2024-01-01&withMigrationInvoices=true',
    ].map(
      (filters): Refusal => ({
        what: `filters that contradict one another: ${filters}`,
        method: 'GET',
        path: `/1.0/kb/accounts/${accountId}/invoices?${filters}`,
        status: 400,
        code: 60003,
        message: /^unpaidInvoicesOnly excludes/,
      }),
    ),
    {
      what: 'credits of two accounts in one call',
      path: '/1.0/kb/credits',
      request: { body: [accountId, tongan].map((of) => ({ accountId: of, amount: 1 })) },
      status: 400,
      code: 60003,
      message: /^InvoiceItemJson accountId should be the same for each element$/,
    },
  ];

  it('bad input is refused with its status and error body, and stores nothing', async () => {
    for (const { what, method = 'POST', path, request, status, code, message } of refusals()) {
      const reply = await serving.call(method, path, request);
      expect(reply.status, `${what}: ${reply.text}`).to.equal(status);
      expect(reply.json, what).to.have.all.keys(
        'className',
        'code',
        'message',
        'causeClassName',
        'causeMessage',
        'stackTrace',
      );
      expect(reply.json, what).to.include({ code });
      expect((reply.json as { message: string }).message, what).to.match(message);
    }
    expect(await everything()).to.equal(before_);
    expect(await serving.billing.settle()).to.equal(true);
    expect(await everything()).to.equal(before_);
  });

  it('bad input of a catalog is told with every error and its place', async () => {
    const catalog = (await exampleCatalog())
      .toString('utf8')
      .replace('2024-01-01T00:00:00Z', '2031-01-01T00:00:00Z')
      .replace('<addonProduct>Archive</addonProduct>', '<addonProduct>Nowhere</addonProduct>')
      .replace('<toPriceList>Launch</toPriceList>', '<toPriceList>Nothing</toPriceList>');
    const reply = await serving.call('POST', '/1.0/kb/catalog/xml', { body: catalog, headers: xmlType });
    expect(reply.status).to.equal(400);
    const { message, code } = reply.json as { message: string; code: number };
    expect(code).to.equal(2080);
    expect(message).to.match(/line \d+, column \d+: [^;]*Nowhere/);
    expect(message).to.match(/line \d+, column \d+: [^;]*Nothing/);
    expect(await everything()).to.equal(before_);
  });
});
