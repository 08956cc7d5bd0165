import { createAccount, createdId, eachDatabase, exampleCatalog, expect } from '../support/http/index.ts';
import { jsonType, type Reply, type Request, serveOnce, xmlType } from '../support/http/serving.ts';

const unknown = '11111111-1111-4111-8111-111111111111';

/** An error response: status, error code and a pattern of the message. */
type Refusal = readonly [
  what: string,
  call: readonly [method: string, path: string, request?: Request],
  refusal: readonly [status: number, code: number, message: RegExp],
];

eachDatabase.describe('invalid input', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  let tongan: string;
  let before_: string;

  before(async () => {
    await serving.post('/catalog', await exampleCatalog(), xmlType);
    accountId = await createAccount(serving);
    const body = { currency: 'USD', timeZone: 'Pacific/Tongatapu' };
    tongan = createdId(await serving.post('/accounts', body));
    before_ = await everything();
  });

  async function everything(): Promise<string> {
    const replies: Reply[] = [];
    for (const path of [
      '/1.0/kb/accounts/pagination?audit=FULL&accountWithBalanceAndCBA=true',
      `/1.0/kb/accounts/${accountId}/bundles?audit=FULL`,
      `/1.0/kb/accounts/${accountId}/paymentMethods?audit=FULL`,
      '/1.0/kb/invoices/pagination?audit=FULL',
      '/1.0/kb/catalog?requestedDate=2100-01-01',
    ])
      replies.push(await serving.call('GET', path));
    expect(replies.map((reply) => reply.status)).to.eql(replies.map(() => 200));
    return replies.map((reply) => reply.text).join('\n');
  }

  const subscription = (body: object): Request => ({ body });
  const refusals = (): readonly Refusal[] => [
    [
      'a target date whose day in the zone of the account lies beyond the calendar',
      ['POST', `/1.0/kb/invoices/dryRun?accountId=${tongan}&targetDate=9999-12-31T23:59:59Z`, { body: {} }],
      [400, 4005, /^Target date 9999-12-31 is more than 36 months after/],
    ],
    [
      'malformed JSON',
      ['POST', '/1.0/kb/accounts', { body: '{"name":', headers: jsonType }],
      [400, 60001, /^The body is not JSON/],
    ],
    [
      'a field of the wrong type',
      ['POST', '/1.0/kb/accounts', { body: { billCycleDayLocal: 'first' } }],
      [400, 60001, /^AccountJson billCycleDayLocal is not an integer: "first"$/],
    ],
    [
      'a field out of its range',
      ['POST', '/1.0/kb/accounts', { body: { billCycleDayLocal: 32 } }],
      [400, 60003, /billCycleDayLocal/],
    ],
    ['an unknown currency', ['POST', '/1.0/kb/accounts', { body: { currency: 'XXQ' } }], [400, 3, /"XXQ"/]],
    [
      'an external key that is too long',
      ['POST', '/1.0/kb/accounts', { body: { externalKey: 'k'.repeat(256) } }],
      [400, 5, /256/],
    ],
    [
      'an unknown plan',
      ['POST', '/1.0/kb/subscriptions', subscription({ accountId, planName: 'nonsense-monthly' })],
      [400, 2021, /nonsense-monthly/],
    ],
    [
      'an unknown account',
      ['POST', '/1.0/kb/subscriptions', subscription({ accountId: unknown, planName: 'sprout-monthly' })],
      [404, 3002, new RegExp(unknown)],
    ],
    [
      'no account',
      ['POST', '/1.0/kb/subscriptions', subscription({ planName: 'sprout-monthly' })],
      [400, 60003, /^SubscriptionJson accountId needs to be set$/],
    ],
    [
      'no body',
      ['POST', '/1.0/kb/subscriptions', { body: '', headers: jsonType }],
      [400, 60003, /^SubscriptionJson body should be specified$/],
    ],
    [
      'no plan',
      ['POST', '/1.0/kb/subscriptions', subscription({ accountId, productName: 'Sprout' })],
      [400, 60003, /^SubscriptionJson productCategory needs to be set when no planName is specified$/],
    ],
    [
      'a plan named in two ways',
      [
        'POST',
        '/1.0/kb/subscriptions',
        subscription({ accountId, planName: 'sprout-monthly', priceList: 'DEFAULT' }),
      ],
      [400, 60003, /^SubscriptionJson priceList should not be set when planName is specified$/],
    ],
    [
      'a date that does not parse',
      [
        'POST',
        '/1.0/kb/subscriptions?entitlementDate=2024-02-30',
        subscription({ accountId, planName: 'sprout-monthly' }),
      ],
      [400, 60002, /entitlementDate.*"2024-02-30"/],
    ],
    [
      'no credentials',
      ['POST', '/1.0/kb/accounts', { body: {}, headers: { authorization: undefined } }],
      [401, 60004, /Basic/],
    ],
    [
      'a wrong tenant secret',
      ['POST', '/1.0/kb/accounts', { body: {}, headers: { 'x-service-apisecret': 'nonsense' } }],
      [401, 60005, /X-Service-ApiKey/],
    ],
    [
      'hostile XML',
      [
        'POST',
        '/1.0/kb/catalog',
        {
          body: '<!DOCTYPE catalog [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><catalog>&a;&b;</catalog>',
          headers: xmlType,
        },
      ],
      [400, 2080, /line 1, column/],
    ],
    [
      'XML that does not end',
      ['POST', '/1.0/kb/catalog/xml', { body: '<catalog><effectiveDate>2024-01-01', headers: xmlType }],
      [400, 2080, /line 1, column/],
    ],
    [
      'a payment method of an unknown gateway',
      ['POST', `/1.0/kb/accounts/${accountId}/paymentMethods`, { body: { pluginName: 'nonsense' } }],
      [400, 7028, /nonsense/],
    ],
    [
      'a payment method without its gateway',
      ['POST', `/1.0/kb/accounts/${accountId}/paymentMethods`, { body: {} }],
      [400, 60003, /^PaymentMethodJson pluginName needs to be set$/],
    ],
    [
      'a payment method for another account',
      [
        'POST',
        `/1.0/kb/accounts/${accountId}/paymentMethods`,
        { body: { pluginName: 'killbill-payment-test', accountId: unknown } },
      ],
      [400, 60003, /does not match the account/],
    ],
    [
      'an unknown payment method as the default',
      ['PUT', `/1.0/kb/accounts/${accountId}/paymentMethods/${unknown}/setDefault`],
      [404, 7000, new RegExp(unknown)],
    ],
    [
      'a change of a fixed field',
      ['PUT', `/1.0/kb/accounts/${accountId}`, { body: { currency: 'EUR', name: 'changed' } }],
      [400, 3005, /currency/],
    ],
    [
      'a body that is too deep',
      [
        'POST',
        '/1.0/kb/accounts',
        { body: `{"foo":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, headers: jsonType },
      ],
      [400, 60001, /^The body nests lists and objects more than 64 levels deep$/],
    ],
    [
      'a number that is too long for text',
      ['POST', '/1.0/kb/accounts', { body: '{"name":1e400}', headers: jsonType }],
      [400, 60001, /^AccountJson name is not text: 1e\+400$/],
    ],
    [
      'a gateway name of many characters',
      ['POST', `/1.0/kb/accounts/${accountId}/paymentMethods`, { body: { pluginName: 'x'.repeat(5_000) } }],
      [400, 7028, /^Payment plugin "x{100}…".{0,200}$/],
    ],
    [
      'a plan name of many characters',
      ['POST', '/1.0/kb/subscriptions', subscription({ accountId, planName: 'x'.repeat(5_000) })],
      [400, 2021, /^Plan "x{100}…".{0,600}$/],
    ],
    [
      'a change of the reference time',
      ['PUT', `/1.0/kb/accounts/${accountId}`, { body: { referenceTime: '2020-01-02T03:04:05Z' } }],
      [400, 3005, /cannot be changed from 2024-02-10T08:15:30.000Z to 2020-01-02T03:04:05.000Z$/],
    ],
    ...['currency', 'timeZone'].map(
      (field): Refusal => [
        `a ${field} of many characters`,
        ['POST', '/1.0/kb/accounts', { body: { [field]: 'X'.repeat(5_000) } }],
        [400, field === 'currency' ? 3 : 60003, /^.{0,200}$/],
      ],
    ),
    ...(
      [
        ['/1.0/kb/accounts?externalKey=', 3003],
        ['/1.0/kb/subscriptions?externalKey=', 1083],
        ['/1.0/kb/tenants?apiKey=', 20003],
        ['/1.0/kb/', 60008],
      ] as const
    ).map(
      ([path, code]): Refusal => [
        `many characters after ${path}`,
        ['GET', path + 'x'.repeat(5_000)],
        [404, code, /^.{0,200}$/],
      ],
    ),
    [
      'an invoice too far ahead',
      ['POST', `/1.0/kb/invoices?accountId=${accountId}&targetDate=2099-01-01`],
      [400, 4005, /2099-01-01|36/],
    ],
    ...['2147483648', '9e99', '-2147483649'].map(
      (quantity): Refusal => [
        `a quantity of ${quantity}`,
        [
          'POST',
          '/1.0/kb/subscriptions',
          {
            body: `{"accountId":"${accountId}","planName":"canopy-monthly","quantity":${quantity}}`,
            headers: jsonType,
          },
        ],
        [400, 60003, /^SubscriptionJson quantity is not between 1 and 2147483647: /],
      ],
    ),
    [
      'a dry run of an action that names none',
      [
        'POST',
        `/1.0/kb/invoices/dryRun?accountId=${accountId}`,
        { body: { dryRunType: 'SUBSCRIPTION_ACTION' } },
      ],
      [400, 60003, /^InvoiceDryRunJson dryRunAction needs to be set/],
    ],
    [
      'a dry run of an action on a missing subscription',
      [
        'POST',
        `/1.0/kb/invoices/dryRun?accountId=${accountId}`,
        {
          body: {
            dryRunType: 'SUBSCRIPTION_ACTION',
            dryRunAction: 'STOP_BILLING',
            subscriptionId: accountId,
            bundleId: accountId,
          },
        },
      ],
      [404, 1081, /does not exist/],
    ],
    ...['a\u0000b', '\ud800', 'a\udc00'].flatMap((text): readonly Refusal[] => [
      [
        `the text ${JSON.stringify(text)}`,
        ['POST', '/1.0/kb/accounts', { body: { name: text } }],
        [400, 60001, /^AccountJson name contains /],
      ],
      [
        `the external key ${JSON.stringify(text)} of an account`,
        ['POST', '/1.0/kb/accounts', { body: { externalKey: text } }],
        [400, 60001, /^AccountJson externalKey contains /],
      ],
      [
        `the bundle key ${JSON.stringify(text)}`,
        [
          'POST',
          '/1.0/kb/subscriptions',
          subscription({ accountId, planName: 'sprout-monthly', bundleExternalKey: text }),
        ],
        [400, 60001, /^SubscriptionJson bundleExternalKey contains /],
      ],
      [
        `the property value ${JSON.stringify(text)}`,
        [
          'POST',
          `/1.0/kb/accounts/${accountId}/paymentMethods`,
          {
            body: {
              pluginName: 'killbill-payment-test',
              pluginInfo: { properties: [{ key: 'token', value: text }] },
            },
          },
        ],
        [400, 60001, /contains /],
      ],
      [
        `the tenant key ${JSON.stringify(text)}`,
        ['POST', '/1.0/kb/tenants', { body: { apiKey: text, apiSecret: 'secret' } }],
        [400, 60001, /^TenantJson apiKey contains /],
      ],
    ]),
    ...[
      '/1.0/kb/accounts?externalKey=%00',
      '/1.0/kb/subscriptions?externalKey=a%00b',
      '/1.0/kb/tenants?apiKey=a%00b',
      `/1.0/kb/accounts/${accountId}/bundles?externalKey=%00`,
      '/1.0/kb/accounts/%00',
      '/1.0/kb/%00',
    ].map((path): Refusal => [`a NUL in ${path}`, ['GET', path], [400, 60002, /NUL/]]),
    ...['createdby', 'reason', 'comment'].map(
      (name): Refusal => [
        `a NUL in ${name}`,
        [
          'POST',
          '/1.0/kb/accounts',
          { body: {}, headers: { [`x-service-${name}`]: 'YQBi', 'x-service-encoding': 'base64' } },
        ],
        [400, 60002, /^Header X-Service-\w+ contains /],
      ],
    ),
    [
      'a NUL in the user name',
      ['POST', '/1.0/kb/accounts', { body: {}, headers: { authorization: 'Basic AGE6eA==' } }],
      [401, 60004, /Basic/],
    ],
    ...[2 ** 31, -(2 ** 31) - 1, 99_999_999_999].map(
      (firstNameLength): Refusal => [
        `the number ${firstNameLength}`,
        ['POST', '/1.0/kb/accounts', { body: { firstNameLength } }],
        [400, 60003, /^AccountJson firstNameLength /],
      ],
    ),
    ...[
      'unpaidInvoicesOnly=true&withMigrationInvoices=true',
      'unpaidInvoicesOnly=true&includeInvoiceComponents=true',
      'startDate=2024-01-01&withMigrationInvoices=true',
    ].map(
      (filters): Refusal => [
        `filters that contradict one another: ${filters}`,
        ['GET', `/1.0/kb/accounts/${accountId}/invoices?${filters}`],
        [400, 60003, /^unpaidInvoicesOnly excludes/],
      ],
    ),
    [
      'credits of two accounts in one call',
      ['POST', '/1.0/kb/credits', { body: [accountId, tongan].map((of) => ({ accountId: of, amount: 1 })) }],
      [400, 60003, /^InvoiceItemJson accountId should be the same for each element$/],
    ],
  ];

  it('is rejected with the documented status and error body, and is not stored', async () => {
    for (const [what, call, [status, code, message]] of refusals()) {
      const reply = await serving.call(...call);
      expect(reply.status, `${what}: ${reply.text}`).to.equal(status);
      const members = ['className', 'code', 'message', 'causeClassName', 'causeMessage', 'stackTrace'];
      expect(reply.json, what).to.have.all.keys(members);
      expect(reply.json, what).to.include({ code });
      expect((reply.json as { message: string }).message, what).to.match(message);
    }
    expect(await everything()).to.equal(before_);
    expect(await serving.billing.settle()).to.equal(true);
    expect(await everything()).to.equal(before_);
  });

  it('in a catalog is reported with the position of every error', async () => {
    const catalog = (await exampleCatalog())
      .toString('utf8')
      .replace('2024-01-01T00:00:00Z', '2031-01-01T00:00:00Z')
      .replace('<addonProduct>Archive</addonProduct>', '<addonProduct>Nowhere</addonProduct>')
      .replace('<toPriceList>Launch</toPriceList>', '<toPriceList>Nothing</toPriceList>');
    const reply = await serving.post('/catalog/xml', catalog, xmlType);
    expect(reply.status).to.equal(400);
    const { message, code } = reply.json as { message: string; code: number };
    expect(code).to.equal(2080);
    expect(message).to.match(/line \d+, column \d+: [^;]*Nowhere/);
    expect(message).to.match(/line \d+, column \d+: [^;]*Nothing/);
    expect(await everything()).to.equal(before_);
  });
});
