import { readFile } from 'node:fs/promises';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { aliasHeaders, createAccount } from '../support/http/index.ts';
import { createdId, expectStatus, type Serving, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, specCatalog } from '../support/index.ts';

/** `rows`: the billing events from the change on, with their prices. */
type Case = readonly [what: string, query: string, rows: readonly string[], body?: object];

// The account is in Los Angeles, where its reference time is 00:15:30. Daylight saving time starts on March 10.
const cases: readonly Case[] = [
  ['immediately', 'billingPolicy=IMMEDIATE', ['START_BILLING 2024-02-10T08:15:30.000Z team-now']],
  [
    'at the end of the term',
    'billingPolicy=END_OF_TERM',
    ['START_BILLING 2024-02-10T08:15:30.000Z solo-now', 'CHANGE 2024-03-10T08:15:30.000Z team-now'],
  ],
  [
    'at the start of the term',
    'billingPolicy=START_OF_TERM',
    ['START_BILLING 2024-02-10T08:15:30.000Z team-now'],
  ],
  [
    'on a date, at the reference time of the account’s zone',
    'requestedDate=2024-03-12',
    ['START_BILLING 2024-02-10T08:15:30.000Z solo-now', 'CHANGE 2024-03-12T07:15:30.000Z team-now'],
  ],
  [
    'at a date-time with its own offset',
    `requestedDate=${encodeURIComponent('2024-03-12T20:00:00-07:00')}`,
    ['START_BILLING 2024-02-10T08:15:30.000Z solo-now', 'CHANGE 2024-03-13T03:00:00.000Z team-now'],
  ],
  [
    'at a date-time in UTC if it has no offset',
    'requestedDate=2024-03-12T20:00:00',
    ['START_BILLING 2024-02-10T08:15:30.000Z solo-now', 'CHANGE 2024-03-12T20:00:00.000Z team-now'],
  ],
  [
    'with a different quantity and bill cycle day',
    'billingPolicy=IMMEDIATE',
    ['START_BILLING 2024-02-10T08:15:30.000Z team-now', 'quantity 3', 'day 15'],
    { quantity: 3, billCycleDayLocal: 15 },
  ],
  [
    'with price overrides',
    'requestedDate=2024-03-12',
    [
      'START_BILLING 2024-02-10T08:15:30.000Z solo-now',
      'CHANGE 2024-03-12T07:15:30.000Z team-now-1',
      'price 9.5',
    ],
    { priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: 9.5 }] },
  ],
];

const byName = { planName: 'team-now' };
const byProduct = { productName: 'Team', billingPeriod: 'MONTHLY', priceList: 'notrial' };
const forms = [
  ['dialect D, by product', {}, byProduct],
  ['dialect K, by product', aliasHeaders, byProduct],
  ['dialect K, by plan name', aliasHeaders, byName],
] as const;

interface Wire {
  readonly events: readonly { eventType: string; effectiveDate: string; plan: string }[];
  readonly prices: readonly { planName: string; recurringPrice: number }[];
  readonly quantity?: number;
  readonly billCycleDayLocal: number;
  readonly startDate: string;
}

type Bundles = readonly {
  readonly subscriptions: readonly { readonly subscriptionId: string; readonly planName: string }[];
}[];

// subscriptions §2 rules 3 and 4, §7, §8
eachDatabaseByTurns.describe('plan changes over HTTP', (open) => {
  const serving = serveOnce(open);
  before(async () => {
    const body = await readFile(specCatalog);
    await serving.call('POST', '/1.0/kb/catalog/xml', { body, headers: xmlType });
  });

  it('are rejected with documented codes if the base includes the add-on or already has the maximum number of add-ons of that plan', async () => {
    const { call } = serving;
    const addOnBeside = async (...planNames: readonly string[]): Promise<string> => {
      const accountId = await createAccount({ call });
      const body = planNames.map((planName) => ({ accountId, planName }));
      await call('POST', '/1.0/kb/subscriptions/createSubscriptionWithAddOns', { body });
      const [bundle] = (await call('GET', `/1.0/kb/accounts/${accountId}/bundles`)).json as Bundles;
      const last = bundle?.subscriptions.find(({ planName }) => planName === planNames.at(-1));
      return last?.subscriptionId ?? '';
    };
    const refusals = [
      [await addOnBeside('elite-monthly', 'archive-monthly'), 'support-monthly'],
      [await addOnBeside('elite-monthly', 'archive-monthly'), 'backup-monthly'],
      [
        await addOnBeside('solo-now', 'archive-monthly', 'archive-monthly', 'backup-monthly'),
        'archive-monthly',
      ],
    ] as const;
    const codes: unknown[] = [];
    for (const [id, planName] of refusals) {
      const path = `/1.0/kb/subscriptions/${id}?billingPolicy=IMMEDIATE`;
      const { status, json } = await call('PUT', path, { body: { planName } });
      expect(status).to.equal(400);
      codes.push((json as { readonly code: number }).code);
    }
    expect(codes).to.eql([1018, 1019, 1025]);
    const route = routeTable({ testMode: false }).find(
      ({ operationId }) => operationId === 'changeSubscriptionPlan',
    );
    expect(route?.fails).to.include.members(codes);
  });

  for (const [form, headers, plan] of forms) {
    for (const [what, query, rows, body] of cases) {
      const test = async () => {
        const call: Serving['call'] = (method, path, request) =>
          serving.call(method, path, { ...request, headers });
        const account = { currency: 'USD', timeZone: 'America/Los_Angeles' };
        const accountId = createdId(await call('POST', '/1.0/kb/accounts', { body: account }));
        const started = { accountId, planName: 'solo-now' };
        const made = await call('POST', '/1.0/kb/subscriptions?callCompletion=true&callTimeoutSec=30', {
          body: started,
        });
        const path = `/1.0/kb/subscriptions/${createdId(made)}`;
        expectStatus(await call('PUT', `${path}?${query}`, { body: { ...plan, ...body } }), 204);
        const { events, prices, quantity, billCycleDayLocal } = (await call('GET', path)).json as Wire;
        const billed = events.filter(({ eventType }) => !eventType.endsWith('ENTITLEMENT'));
        const shown = [
          ...billed.map(
            ({ eventType, effectiveDate, plan: name }) => `${eventType} ${effectiveDate} ${name}`,
          ),
          `quantity ${quantity}`,
          `day ${billCycleDayLocal}`,
          `price ${prices.at(-1)?.recurringPrice}`,
        ];
        expect(shown).to.include.members([...rows]);
        expect(billed).to.have.length(rows.filter((row) => row.includes('T')).length);
      };
      const isFirst = form === forms[0]?.[0];
      it(`apply ${what} (${form})`, isFirst ? test : test);
    }
  }
});
