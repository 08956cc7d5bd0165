import type { NewUsage, Plain, RolledUpUsage, Uuid } from '../../lib/index.ts';
import { decimal, ErrorCode, formatDecimal, OnDuplicate, UnreadableLine } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, product } from '../support/catalogs/catalog-document.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, newEvents, openEngine, rowsOf } from '../support/index.ts';

const catalog = catalogXml({
  effectiveDate: '2024-01-01T00:00:00Z',
  catalogName: 'Metered',
  units: ['sms'],
  products: product('P', { available: ['A'] }) + product('A', { category: 'ADD_ON' }),
  plans: [
    plan('p-monthly', 'P'),
    plan('a-monthly', 'A'),
    plan('p-fixed', 'P', { finalPhase: phase('FIXEDTERM', { unit: 'MONTHS', number: 1, price: '10.00' }) }),
  ].join(''),
  priceLists: lists({ DEFAULT: ['p-monthly', 'a-monthly', 'p-fixed'] }),
});

const AFTER_END = ErrorCode.USAGE_RECORD_AFTER_SUBSCRIPTION_END;

function linesOf({ startDate, endDate, rolledUpUnits }: Plain<RolledUpUsage>): string {
  const units = rolledUpUnits.map(({ unitType, amount }) => `${unitType} ${formatDecimal(amount)}`);
  return `${startDate.toISOString()}..${endDate.toISOString()}: ${units.join(', ')}`;
}

eachDatabaseByTurns.describe('recorded usage', (open, kind) => {
  let engine: TestEngine;
  let accountId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, { now: '2024-02-01T00:00:00Z', catalog });
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  });

  async function subscribe(planName: string, request: object = {}, options: object = {}) {
    return await engine.subscribe({ accountId, planName, ...request }, options);
  }

  const smsOf = (usageRecords: readonly { readonly recordDate: string; readonly amount: string }[]) => [
    { unitType: 'sms', usageRecords },
  ];

  const usageOf = (subscriptionId: Uuid, ...records: readonly string[]): NewUsage => {
    const usageRecords = records.map((record) => {
      const [recordDate = '', amount = ''] = record.split(' ');
      return { recordDate, amount };
    });
    return { subscriptionId, unitUsageRecords: smsOf(usageRecords) };
  };

  const record = (subscriptionId: Uuid, ...records: readonly string[]) =>
    engine.acme.recordUsage(usageOf(subscriptionId, ...records));

  async function summed(subscriptionId: Uuid, from = '2024-01-01', to = '2025-01-01'): Promise<string> {
    const usage = await engine.acme.usage.rollUp(subscriptionId, { startDate: from, endDate: to });
    return usage.rolledUpUnits.map((unit) => `${unit.unitType} ${formatDecimal(unit.amount)}`).join(', ');
  }

  it('gets a generated tracking id, emits no event, and can be serialized as JSON', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const events = newEvents(engine.database);
    await events();
    const first = await record(subscriptionId, '2024-02-01 5', '2024-02-01T12:00:00Z 2.5');
    const second = await record(subscriptionId, '2024-02-02 1');
    expect(first.outcome).to.equal('ACCEPTED');
    expect(first.trackingId).to.match(/^[0-9a-f-]{36}$/);
    expect(second.trackingId).to.not.equal(first.trackingId);
    expect(await events()).to.eql([]);
    const usage = await engine.acme.usage.rollUp(subscriptionId, {
      startDate: '2024-02-01',
      endDate: '2024-02-03',
    });
    expect(JSON.parse(JSON.stringify(usage))).to.eql({
      subscriptionId,
      startDate: '2024-02-01T00:00:00.000Z',
      endDate: '2024-02-03T00:00:00.000Z',
      rolledUpUnits: [{ unitType: 'sms', amount: '8.5' }],
    });
  });

  it('is accepted during pauses, before the start and for the future (usage §2.1 rules 2 and 3)', async () => {
    const { subscriptionId, bundleId } = await subscribe('p-monthly');
    await engine.settle(engine.acme.blocking.pauseBundle(bundleId));
    await record(subscriptionId, '2020-01-01 1', '2024-02-01 2', '9999-12-31 4');
    const pending = await subscribe(
      'p-monthly',
      {},
      { billingDate: '2024-03-01', entitlementDate: '2024-03-01' },
    );
    await record(pending.subscriptionId, '2024-02-01 8');
    expect(await summed(subscriptionId, '0001-01-01', '9999-12-31T23:59:59.999Z')).to.equal('sms 7');
    expect(await summed(pending.subscriptionId)).to.equal('sms 8');
  });

  it('is accepted up to the end of the service, even if that end is in the future (usage §2.1 rule 1)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    await engine.acme.subscriptions.cancel(subscriptionId, { requestedDate: '2024-02-16T00:00:00Z' });
    await engine.settle();
    await record(subscriptionId, '2024-02-15 1', '2024-02-16T00:00:00Z 2');
    await expectCode(record(subscriptionId, '2024-02-01 4', '2024-02-16T00:00:00.001Z 8'), AFTER_END);
    expect(await summed(subscriptionId)).to.equal('sms 3');
    await engine.acme.subscriptions.uncancel(subscriptionId);
    await record(subscriptionId, '2024-02-17 16');
    expect(await summed(subscriptionId)).to.equal('sms 19');
  });

  it('is accepted for an add-on only until its base ends (usage §2.1 check 5)', async () => {
    const base = await subscribe('p-monthly');
    const addOn = await subscribe('a-monthly', { bundleId: base.bundleId });
    await record(addOn.subscriptionId, '2024-03-01 1');
    await engine.acme.subscriptions.cancel(base.subscriptionId, { requestedDate: '2024-02-16T00:00:00Z' });
    await engine.settle();
    await record(addOn.subscriptionId, '2024-02-16T00:00:00Z 1');
    await expectCode(record(addOn.subscriptionId, '2024-02-17 1'), AFTER_END);
    await engine.runTo('2024-02-20');
    await expectCode(record(addOn.subscriptionId, '2024-02-17 1'), AFTER_END);
  });

  it('is accepted only until the subscription expires (usage §2.1 check 5)', async () => {
    const { subscriptionId } = await subscribe('p-fixed');
    await record(subscriptionId, '2024-03-02 1');
    await engine.runTo('2024-03-02T00:00:00Z');
    await record(subscriptionId, '2024-03-01T00:00:00Z 1');
    await expectCode(record(subscriptionId, '2024-03-01T00:00:00.001Z 1'), AFTER_END);
  });

  it('does not change if it is sent again in any order or notation (usage §2.1 rule 6)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { usage } = engine.acme;
    const ignoring = { onDuplicate: OnDuplicate.IGNORE };
    const given = { ...usageOf(subscriptionId, '2024-02-01 5', '2024-02-02 1'), trackingId: 't' };
    const again = { ...usageOf(subscriptionId, '2024-2-2 1.0', '2024-02-01 5'), trackingId: 't' };
    const other = { ...usageOf(subscriptionId, '2024-02-01 6'), trackingId: 't' };
    expect(await usage.record(given)).to.eql({ trackingId: 't', outcome: 'ACCEPTED' });
    expect(await usage.record(again, ignoring)).to.eql({ trackingId: 't', outcome: 'DUPLICATE' });
    const taken = ErrorCode.USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS;
    await expectCode(usage.record(other, ignoring), taken);
    await expectCode(usage.record(given), taken);
    expect(await summed(subscriptionId)).to.equal('sms 6');
  });

  it('is stored once even if it is sent many times simultaneously (usage §2.1)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const given = { ...usageOf(subscriptionId, '2024-02-01 5'), trackingId: 't' };
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => engine.acme.usage.record(given, { onDuplicate: OnDuplicate.IGNORE })),
    );
    expect(outcomes.map(({ outcome }) => outcome).sort()).to.eql([
      'ACCEPTED',
      ...Array.from({ length: 9 }, () => 'DUPLICATE'),
    ]);
    expect(await summed(subscriptionId)).to.equal('sms 5');
  });

  it('is stored together for simultaneous calls, but with a separate outcome and author for each call (usage §2.1 rule 9)', async () => {
    const [running, ended] = [await subscribe('p-monthly'), await subscribe('p-monthly')];
    await engine.acme.subscriptions.cancel(ended.subscriptionId, { requestedDate: '2024-02-10T00:00:00Z' });
    await engine.settle();
    const { subscriptionId } = running;
    const by = (user: string, trackingId: string, { of = subscriptionId as string, amount = '1' } = {}) =>
      engine.billing.as({ tenant: engine.tenant, user }).usage.record({
        subscriptionId: of,
        trackingId,
        unitUsageRecords: smsOf([{ recordDate: '2024-02-11', amount }]),
      });
    const calls = [
      by('first', 'a'),
      by('second', 'b'),
      by('second', 'c', { of: ended.subscriptionId }),
      by('third', 'b'),
      by('third', 'd', { of: engine.tenant.id }),
      by('third', 'e', { amount: 'many' }),
      by('third', 'f', { of: 'misspelled' }),
      by('fourth', 'g'),
    ];
    const results = await Promise.allSettled(calls);
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'stored'));
    expect(codes).to.eql(['stored', 'stored', AFTER_END, 50_000, 1_082, 60_003, 60_003, 'stored']);
    const keys = 'select tracking_id, created_by from bw_usage_keys order by tracking_id';
    expect(await rowsOf(engine.database, keys)).to.eql([
      { tracking_id: 'a', created_by: 'first' },
      { tracking_id: 'b', created_by: 'second' },
      { tracking_id: 'g', created_by: 'fourth' },
    ]);
    expect(await summed(subscriptionId)).to.equal('sms 3');
  });

  it('needs at most twice as many SQL statements for simultaneous calls as for one call (usage §2.1 rule 9)', async () => {
    await engine.close();
    const statements: string[] = [];
    const trace = (statement: string) => statements.push(statement);
    engine = await openEngine(open, { now: '2024-02-01T00:00:00Z', catalog, trace });
    accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
    const { subscriptionId } = await subscribe('p-monthly');
    const recordMany = (count: number) =>
      Promise.all(Array.from({ length: count }, () => record(subscriptionId, '2024-02-01 1')));
    await recordMany(1);
    const statementsOf = async (count: number): Promise<number> => {
      statements.length = 0;
      await recordMany(count);
      return statements.length;
    };
    const alone = await statementsOf(1);
    // At most one call runs alone before the others run together.
    expect(await statementsOf(40)).to.be.at.most(2 * alone);
  });

  it('can be voided without changing other usage (usage §2.2)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { trackingId } = await record(subscriptionId, '2024-02-01 5', '2024-02-02 6');
    await record(subscriptionId, '2024-02-01 1');
    await engine.acme.usage.void(subscriptionId, trackingId);
    await engine.acme.usage.void(subscriptionId, trackingId);
    expect(await summed(subscriptionId)).to.equal('sms 1');
    expect(await summed(subscriptionId, '2024-02-02', '2024-02-03')).to.equal('');
    await expectCode(engine.acme.usage.void(subscriptionId, 'x'), 'OBJECT_NOT_FOUND');
  });

  it('is summed between instants, and is empty between equal instants (usage §3.2)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    await record(
      subscriptionId,
      '2024-02-01 1',
      '2024-02-01T06:00:00Z 2',
      '2024-02-02T06:00:00Z 4',
      '2024-02-09 8',
    );
    const at = [
      '2024-02-01T00:00:00Z',
      '2024-02-01T06:00:00Z',
      '2024-02-01T06:00:00Z',
      '2024-02-09T00:00:00.001Z',
    ];
    const rollUps = await engine.acme.usage.rollUpForTransitions(subscriptionId, at);
    expect(rollUps.map(linesOf)).to.eql([
      '2024-02-01T00:00:00.000Z..2024-02-01T06:00:00.000Z: sms 1',
      '2024-02-01T06:00:00.000Z..2024-02-01T06:00:00.000Z: ',
      '2024-02-01T06:00:00.000Z..2024-02-09T00:00:00.001Z: sms 14',
    ]);
    for (const few of [[], at.slice(0, 1)])
      expect(await engine.acme.usage.rollUpForTransitions(subscriptionId, few)).to.eql([]);
    const backwards = engine.acme.usage.rollUpForTransitions(subscriptionId, at.toReversed());
    await expectCode(backwards, 'INVALID_PARAMETER');
  });

  it('is accepted as decimals and strings, but not as inexact or non-finite numbers (usage §2.4)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const withAmount = (amount: unknown) => ({
      subscriptionId,
      unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2024-02-01', amount }] }],
    });
    await engine.acme.usage.record(withAmount(decimal('12345678901234567890.123456789')) as NewUsage);
    expect(await summed(subscriptionId)).to.equal('sms 12345678901234567890.123456789');
    for (const amount of [0.5, Number.NaN, decimal(1).div(0), '1e400', null, '-1'])
      await expectCode(engine.acme.usage.record(withAmount(amount) as NewUsage), 60_003);
  });

  it('has the SHA-256 hash of its content as its fingerprint, whether it is sent alone or in bulk (usage §1.2)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const given = { ...usageOf(subscriptionId, '2024-02-01 5'), trackingId: 'alone' };
    await engine.acme.usage.record(given);
    await engine.acme.usage.recordAll([{ ...given, trackingId: 'in bulk' }]);
    const text = `["${subscriptionId}",["sms",${Date.parse('2024-02-01T00:00:00Z')},true,"5"]]`;
    const fingerprint = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
    const keys = 'select tracking_id, fingerprint from bw_usage_keys order by tracking_id';
    expect(await rowsOf(engine.database, keys)).to.eql([
      { tracking_id: 'alone', fingerprint },
      { tracking_id: 'in bulk', fingerprint },
    ]);
  });

  it('is accepted, repeated or rejected per line of a bulk call (usage E20 "Bulk")', async () => {
    const [one, two] = [await subscribe('p-monthly'), await subscribe('p-monthly', { externalKey: 'two' })];
    const line = (subscriptionId: string | null, trackingId: string, amount: string) => ({
      subscriptionId,
      trackingId,
      unitUsageRecords: smsOf([{ recordDate: '2024-02-01', amount }]),
    });
    const lines = [
      line(one.subscriptionId, 'k1', '5'),
      line(one.subscriptionId, 'k1', '5'),
      line(one.subscriptionId, 'k1', '6'),
      line(engine.tenant.id, 'k2', '1'),
      { ...line(null, 'k3', 'x'), subscriptionExternalKey: 'two' },
    ];
    const first = await engine.acme.usage.recordAll(lines);
    expect(first).to.deep.include({ received: 5, accepted: 1, duplicates: 1, conflicts: 1, rejected: 2 });
    expect(first.failuresTruncated).to.equal(false);
    expect(
      first.failures.map(({ index, status, code, trackingId }) => [index, status, code, trackingId]),
    ).to.eql([
      [2, 'CONFLICT', 'TRACKING_ID_CONFLICT', 'k1'],
      [3, 'REJECTED', 'UNKNOWN_SUBSCRIPTION', 'k2'],
      [4, 'REJECTED', 'INVALID_AMOUNT', 'k3'],
    ]);
    const again = await engine.acme.usage.recordAll(lines);
    expect(again).to.deep.include({ received: 5, accepted: 0, duplicates: 2, conflicts: 1, rejected: 2 });
    expect(await summed(one.subscriptionId)).to.equal('sms 5');
    expect(await summed(two.subscriptionId)).to.equal('');
  });

  it('is stored in transactions of at most usage.bulk.chunkSize lines', async () => {
    await engine.close();
    const statements: string[] = [];
    engine = await openEngine(open, {
      now: '2024-02-01T00:00:00Z',
      catalog,
      configuration: { 'org.service.usage.bulk.chunkSize': '3' },
      trace: (statement) => statements.push(statement),
    });
    accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
    const { subscriptionId } = await subscribe('p-monthly');
    const lines = Array.from({ length: 8 }, (_, index) => ({
      subscriptionId,
      trackingId: String(index),
      unitUsageRecords: smsOf([{ recordDate: '2024-02-01', amount: '1' }]),
    }));
    statements.length = 0;
    expect(await engine.acme.usage.recordAll(lines)).to.include({ accepted: 8 });
    // New unit names take one more statement on PostgreSQL.
    const stored = statements.filter((statement) => statement.includes('into bw_usage_points'));
    expect(stored.length - (kind === 'postgresql' ? 1 : 0)).to.equal(3);
  });

  it('is reported line by line on request, even for more lines than one transaction holds (usage §2.5)', async () => {
    const { subscriptionId } = await subscribe('p-monthly', { externalKey: 'key' });
    await engine.acme.subscriptions.cancel(subscriptionId, { requestedDate: '2024-03-01T00:00:00Z' });
    const lines = function* () {
      for (let index = 0; index < 5_003; index += 1) {
        const usageRecords = [{ recordDate: index === 5_001 ? '2024-03-02' : '2024-02-01', amount: '1' }];
        const trackingId = index === 5_002 ? '0' : String(index);
        yield { subscriptionExternalKey: 'key', trackingId, unitUsageRecords: smsOf(usageRecords) };
      }
      yield new UnreadableLine('is not JSON');
    };
    const { failures, ...report } = await engine.acme.usage.recordAll(lines(), { listsAll: true });
    expect(report).to.eql({
      received: 5_004,
      accepted: 5_001,
      duplicates: 1,
      conflicts: 0,
      rejected: 2,
      failuresTruncated: false,
    });
    expect(failures.slice(-3).map(({ index, status, code }) => `${index} ${status} ${code}`)).to.eql([
      '5001 REJECTED SUBSCRIPTION_ENDED',
      '5002 DUPLICATE null',
      '5003 REJECTED MALFORMED',
    ]);
    expect(await summed(subscriptionId)).to.equal('sms 5001');
  });

  it('is stored with a pause for other work after a fixed number of points, regardless of the number of lines (usage §2.5)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { systemClock } = engine;
    const nextTurn = systemClock.nextTurn;
    for (const [lines, points] of [
      [12, 500],
      [6_000, 1],
    ] as const) {
      let turns = 0;
      systemClock.nextTurn = async () => {
        turns += 1;
        return nextTurn();
      };
      const usageRecords = Array.from({ length: points }, () => ({ recordDate: '2024-02-01', amount: '1' }));
      const given = Array.from({ length: lines }, (_, index) => ({
        subscriptionId,
        trackingId: `${points} ${index}`,
        unitUsageRecords: smsOf(usageRecords),
      }));
      expect(await engine.acme.usage.recordAll(given)).to.include({ accepted: lines });
      systemClock.nextTurn = nextTurn;
      // Each 1,000 points are read in one turn and matched in another. Each of the two chunks is stored in its own
      // turn.
      expect(turns, `${lines} lines`).to.be.at.least(14);
    }
  });

  it('is stored in steps, one per event-loop turn, regardless of the number of bulk calls (usage §2.5)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { systemClock } = engine;
    const nextTurn = systemClock.nextTurn;
    let [waiting, most] = [0, 0];
    systemClock.nextTurn = async () => {
      waiting += 1;
      most = Math.max(most, waiting);
      await nextTurn();
      waiting -= 1;
    };
    const usageRecords = Array.from({ length: 500 }, () => ({ recordDate: '2024-02-01', amount: '1' }));
    const linesOf = (call: number) =>
      Array.from({ length: 12 }, (_, index) => ({
        subscriptionId,
        trackingId: `${call} ${index}`,
        unitUsageRecords: smsOf(usageRecords),
      }));
    const calls = [1, 2, 3, 4].map((call) => engine.acme.usage.recordAll(linesOf(call)));
    expect((await Promise.all(calls)).map(({ accepted }) => accepted)).to.eql([12, 12, 12, 12]);
    systemClock.nextTurn = nextTurn;
    expect(most).to.equal(1);
  });

  it('is rejected in a third bulk call if the tenant already has 50,000 points in progress (usage §2.5)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const usageRecords = Array.from({ length: 9_000 }, () => ({ recordDate: '2024-02-01', amount: '1' }));
    // Points that are not stored also count, because reading them takes time.
    const unknown = '00000000-0000-4000-8000-000000000000';
    const lines = async function* (trackingId: string, whenRead?: () => void) {
      yield { ...usageOf(subscriptionId, '2024-02-01 1'), trackingId };
      for (let index = 0; index < 6; index += 1) {
        const unitUsageRecords = smsOf(usageRecords);
        yield { subscriptionId: unknown, trackingId: `${index}`, unitUsageRecords };
      }
      whenRead?.();
      await gate;
    };
    const running = ['1', '2'].map((trackingId) => {
      const { promise: isRead, resolve } = Promise.withResolvers<void>();
      return { isRead, report: engine.acme.usage.recordAll(lines(trackingId, resolve)) };
    });
    await Promise.all(running.map(({ isRead }) => isRead));
    const refused = await engine.acme.usage.recordAll(lines('3')).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: ErrorCode.TOO_MANY_REQUESTS, facts: { retryAfterSeconds: 10 } });
    expect(await summed(subscriptionId)).to.equal('sms 3');
    open();
    const reports = await Promise.all(running.map(({ report }) => report));
    expect(reports.map(({ accepted }) => accepted)).to.eql([1, 1]);
    expect(await engine.acme.usage.recordAll(lines('3'))).to.include({ received: 7, duplicates: 1 });
    expect(await summed(subscriptionId)).to.equal('sms 3');
  });

  it("is rejected in the next bulk call if the subscription's end has moved to an earlier instant (usage §2.5)", async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const lineOf = (trackingId: string) => ({ ...usageOf(subscriptionId, '2024-03-01 1'), trackingId });
    expect(await engine.acme.usage.recordAll([lineOf('1')])).to.include({ accepted: 1 });
    await engine.acme.subscriptions.cancel(subscriptionId, { requestedDate: '2024-02-16T00:00:00Z' });
    expect(await engine.acme.usage.recordAll([lineOf('2')])).to.include({ accepted: 0, rejected: 1 });
  });

  it('is rejected before it is read if too many bulk calls are running (usage §2.5)', async () => {
    const { subscriptionId } = await subscribe('p-monthly');
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const waiting = async function* () {
      await gate;
      yield { ...usageOf(subscriptionId, '2024-02-01 1'), trackingId: 't' };
    };
    const running = Array.from({ length: 16 }, () => engine.acme.usage.recordAll(waiting()));
    let isRead = false;
    const refused = engine.acme.usage.recordAll(
      (function* () {
        isRead = true;
        yield* [];
      })(),
    );
    await expectCode(refused, 'TOO_MANY_REQUESTS');
    expect(isRead).to.equal(false);
    open();
    expect((await Promise.all(running)).reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(1);
    expect(await engine.acme.usage.recordAll([])).to.include({ received: 0 });
  });

  it('requires a subscription', async () => {
    const nobody = engine.tenant.id;
    await expectCode(record(nobody, '2024-02-01 1'), 1_082);
    await expectCode(summed(nobody), 1_082);
    await expectCode(engine.acme.usage.void(nobody, 't'), 1_082);
  });
});
