import { ErrorCode, parseLocalDate, SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabase, expect, itemLines, openEngine, sampled, type TestEngine } from '../support/index.ts';
import { MeteringSource } from '../support/usage/metering-source.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

const good = { instant: new Date('2026-04-10T00:00:00Z'), unitType: 'sms', amount: '1', trackingId: 'a' };
const use = (subscriptionId: Uuid, changes = {}) => ({ ...good, subscriptionId, ...changes });

async function* endlessly(record: unknown): AsyncGenerator<unknown> {
  for (;;) yield record;
}

function* atOnce(record: unknown): Generator<unknown> {
  for (;;) yield record;
}

/** Faults of a source, and their error messages. */
const faults: readonly (readonly [
  what: string,
  answer: (subscriptionId: Uuid) => unknown,
  expected: RegExp,
])[] = [
  [
    'throws',
    () => {
      throw new Error('meter is down');
    },
    /did not report usage/,
  ],
  ['hangs', () => new Promise(() => undefined), /did not (answer|report)/],
  ['returns text', () => 'records', /not a stream/],
  ['returns a number', () => 7, /not a stream/],
  ['returns an object', () => ({}), /not a stream/],
  ['returns an invalid stream', () => ({ [Symbol.asyncIterator]: () => 'x' }), /unreadable/],
  [
    'ends its stream with a throw',
    (id) =>
      (async function* broken() {
        yield use(id);
        throw new Error('cut off');
      })(),
    /did not report/,
  ],
  [
    'stops in its stream',
    (id) =>
      (async function* stuck() {
        yield use(id);
        await new Promise(() => undefined);
      })(),
    /did not end within/,
  ],
  ['never ends', (id) => endlessly(use(id)), /did not end within/],
  ['never ends nor waits', (id) => atOnce(use(id)), /did not end within/],
  ['reports a null record', () => [null], /records\[0\] that is not an object/],
  ['omits the subscription', () => [good], /records\[0\]\.subscriptionId that is not an id/],
  [
    'reports an invalid instant',
    (id) => [use(id, { instant: new Date(Number.NaN) })],
    /records\[0\]\.instant/,
  ],
  ['reports an instant as words', (id) => [use(id, { instant: 'yesterday' })], /records\[0\]\.instant/],
  ['reports an empty unit', (id) => [use(id, { unitType: '' })], /records\[0\]\.unitType/],
  [
    'reports a unit that cannot be stored',
    (id) => [use(id, { unitType: 'a\u0000' })],
    /records\[0\]\.unitType/,
  ],
  ['reports an inexact number', (id) => [use(id, { amount: 0.1 })], /records\[0\]\.amount/],
  ['reports a negative amount', (id) => [use(id, { amount: '-1' })], /records\[0\]\.amount/],
  ['reports 1e400', (id) => [use(id, { amount: '1e400' })], /records\[0\]\.amount/],
  ['reports NaN', (id) => [use(id, { amount: 'NaN' })], /records\[0\]\.amount/],
  [
    'reports an invalid second record',
    (id) => [use(id), use(id, { trackingId: 7 })],
    /records\[1\]\.trackingId/,
  ],
];

eachDatabase.describe('failing usage sources (usage §9 rule 6)', (open, kind) => {
  let engine: TestEngine;
  let source: MeteringSource;
  before(async () => {
    source = new MeteringSource();
    engine = await openEngine(open, {
      now: '2026-04-01T00:00:00Z',
      catalog: usageCatalog,
      usageSources: [source],
      longestTimerMs: 100,
    });
  });

  async function subscribed(): Promise<{ readonly accountId: Uuid; readonly subscriptionId: Uuid }> {
    source.instead = null;
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.acme.createSubscription({ accountId, planName: 'sms-payg' });
    return { accountId, subscriptionId };
  }

  async function failure(call: Promise<unknown>) {
    return call.then(
      () => expect.fail('it went well'),
      (error: { code: number; message: string }) => error,
    );
  }

  it('leave the account unchanged and unparked, and are identified in the error', async () => {
    for (const [what, answer, expected] of sampled(faults, 3, kind === 'sqlite' ? 0 : 1)) {
      const { accountId, subscriptionId } = await subscribed();
      const targetDate = parseLocalDate('2026-05-01');
      source.instead = () => answer(subscriptionId);
      const calls = [
        () => engine.acme.invoices.generate({ accountId, targetDate }),
        () => engine.acme.invoices.dryRun({ accountId, targetDate, dryRunType: 'TARGET_DATE' }),
        () => engine.acme.usage.rollUp(subscriptionId, { startDate: '2026-04-01', endDate: '2026-05-01' }),
      ];
      for (const call of calls) {
        const { code, message } = await failure(call());
        expect(code, what).to.equal(ErrorCode.UNEXPECTED);
        expect(message, what).to.match(expected).and.to.contain('usage source "meter"');
      }
      expect(await engine.acme.invoices.ofAccount({ accountId }), what).to.eql([]);
      const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
      expect(
        tags.map(({ tagDefinitionId }) => tagDefinitionId),
        what,
      ).not.to.contain(SystemTag.PARK);
      source.instead = null;
      source.records = [];
      source.use(subscriptionId, '1 sms 2026-04-10T00:00:00Z');
      const invoice = await engine.acme.invoices.generate({ accountId, targetDate });
      expect(itemLines(invoice), what).to.eql(['USAGE 2026-04-01..2026-05-01 2.95']);
    }
  }).timeout(60_000);

  it('are rejected if they do not return one total for each request', async () => {
    const { accountId } = await subscribed();
    const targetDate = parseLocalDate('2026-05-01');
    for (const [answer, expected] of [
      ['many', /not a list/],
      [[], /0 quantities for 1 requests/],
      [[{ quantity: 5 }], /quantities\[0\]\.quantity/],
      [[{ quantity: '5', trackingIds: 'a' }], /trackingIds that is not a list/],
      [[{ quantity: '5', trackingIds: [''] }], /trackingIds\[0\]/],
      [[null], /quantities\[0\] that is not an object/],
    ] as const) {
      source.getAggregatedUsage = async () => answer as never;
      const { message } = await failure(engine.acme.invoices.generate({ accountId, targetDate }));
      expect(message).to.match(expected);
    }
    delete source.getAggregatedUsage;
  });
});
