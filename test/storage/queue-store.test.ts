import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresqlDialect } from '../../adapters/mikro-orm/postgresql/dialect.ts';
import { render } from '../../adapters/mikro-orm/sql/sql.ts';
import { type Account, Decimal, type NewBusEvent, type NewNotification, QueueName } from '../../lib/index.ts';
import type { ClaimedEntry, ClaimRequest, Storage } from '../../lib/ports/storage/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { type Instant, instant } from '../../lib/values/time/index.ts';
import { eachDatabase, expect, onPostgresql, reachingEveryTenant } from '../support/index.ts';
import { freshStorage, rejection, sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import { author, newId, now } from '../support/storage/stored-records.ts';

const event = 'ACCOUNT_CHANGE';
const queueName = QueueName.NEXT_BILLING_DATE;
const topics = [event, queueName];
const leaseMs = 1_000;

eachDatabase.describe('queue storage', (open, kind) => {
  const opened = freshStorage(kind, open);
  let accounts: readonly Account[];
  let queue: Storage<never>['queue'];
  let systemNowMs: number;
  beforeEach(async () => {
    queue = opened.storage.queue;
    accounts = await opened.newAccounts(3);
    await opened.storage.prepare({ isConsumed: ({ type }) => type === event });
    systemNowMs = 1_000_000;
  });

  const recordIdAt = (index: number): number => accounts[index]?.recordId ?? 0;

  const bus = (account: number | null, name: string): NewBusEvent => ({
    type: event,
    accountRecordId: account === null ? null : recordIdAt(account),
    payload: { name },
  });

  const due = (account: number, name: string, offsetMs = 0): NewNotification => ({
    queueName,
    accountRecordId: recordIdAt(account),
    effectiveDate: instant(now + offsetMs),
    payload: { name },
    uniqueKey: null,
  });

  const keyed = (account: number, name: string, uniqueKey: string): NewNotification => ({
    ...due(account, name),
    uniqueKey,
  });

  const put = (events: readonly NewBusEvent[], notifications: readonly NewNotification[] = []) =>
    opened.write(async (session) => {
      session.schedule(notifications);
      session.publish(events);
    });

  const claim = (
    changes: Partial<Pick<ClaimRequest, 'limit' | 'topics' | 'businessNow' | 'node' | 'account'>> = {},
  ) =>
    queue.claim({
      node: 'n1',
      claimId: newId(),
      limit: 100,
      topics,
      businessNow: now,
      systemNowMs,
      leaseEndsAtMs: systemNowMs + leaseMs,
      ...changes,
    });

  /** Claims and finishes entries until none is left. Returns their names in claim order. */
  const drain = async (limit = 100): Promise<readonly unknown[][]> => {
    const rounds: unknown[][] = [];
    for (;;) {
      const claimed = await claim({ limit });
      if (claimed.length === 0) return rounds;
      rounds.push(names(claimed));
      await queue.finish(claimed);
    }
  };

  it('returns an entry with all its stored fields', async () => {
    const token = newId();
    const payload = {
      text: '名前 "x"',
      amount: decimal('12345678901234567890123456789.123456789'),
      price: decimal('10.10'),
      whole: 3,
      nothing: null,
      list: [1, { deep: true }],
    };
    await opened.write(
      async (session) => session.publish([{ type: event, accountRecordId: recordIdAt(0), payload }]),
      author({ userTokenOf: () => token }),
    );
    const claimId = newId();
    const [entry] = await queue.claim({
      node: 'n1',
      claimId,
      limit: 1,
      topics,
      businessNow: now,
      systemNowMs,
      leaseEndsAtMs: systemNowMs + leaseMs,
    });
    expect(entry).to.deep.include({
      kind: 'BUS',
      topic: event,
      accountRecordId: recordIdAt(0),
      tenantRecordId: opened.tenant.recordId,
      userToken: token,
      createdDate: now,
      effectiveDate: now,
      errorCount: 0,
      processingState: 'IN_PROCESSING',
      processingOwner: 'n1',
      doneHandlers: [],
      claimId,
    });
    expect(entry?.recordId).to.be.greaterThan(0);
    expect(Object.keys(entry?.payload ?? {})).to.eql(Object.keys(payload));
    expect(entry?.payload).to.eql(payload);
    expect(entry?.payload.amount).to.be.instanceOf(Decimal);
  });

  it('claims one entry per account: bus entries first, then notifications sorted by due date', async () => {
    await put(
      [bus(0, 'bus 1'), bus(1, 'other'), bus(0, 'bus 2')],
      [due(0, 'late', -1), due(0, 'early', -1_000), due(2, 'third', 0), due(2, 'future', 1)],
    );
    expect(await drain()).to.eql([['bus 1', 'other', 'third'], ['bus 2'], ['early'], ['late']]);
  });

  it('claims entries of a single account and reports whether any are due', async () => {
    await put(
      [bus(1, 'other'), bus(0, 'bus 1'), bus(0, 'bus 2')],
      [due(0, 'early', -1_000), due(0, 'future', 1), due(2, 'third', 0)],
    );
    const account = { tenantRecordId: opened.tenant.recordId, accountRecordId: recordIdAt(0) };
    const hasDue = (index: number) => opened.reading.notifications.hasDue(recordIdAt(index), now);
    const rounds: unknown[] = [];
    for (let claimed = await claim({ account }); claimed.length > 0; claimed = await claim({ account })) {
      rounds.push(names(claimed));
      expect(await hasDue(0), 'what is in processing counts').to.equal(true);
      await queue.finish(claimed);
    }
    expect(rounds).to.eql([['bus 1'], ['bus 2'], ['early']]);
    expect(await hasDue(0), 'the future does not').to.equal(false);
    expect(await hasDue(2)).to.equal(true);
    expect(await claim({ account: { ...account, tenantRecordId: account.tenantRecordId + 1 } })).to.eql([]);
    expect(await drain()).to.eql([['other', 'third']]);
  });

  it('respects the limit, and handles due dates before 1970', async () => {
    await put([], [due(0, 'now'), due(1, 'old', -now - 5_000), due(2, 'older', -now - 6_000)]);
    expect(names(await claim({ limit: 1 }))).to.eql(['old']);
    expect(names(await claim({ limit: 5 }))).to.eql(['older', 'now']);
  });

  it('claims entries without an account independently', async () => {
    await put([bus(null, 'a'), bus(null, 'b')]);
    expect(names(await claim())).to.eql(['a', 'b']);
  });

  it('claims no second entry of an account until the first is finished', async () => {
    await put([bus(0, 'a'), bus(0, 'b')]);
    const first = await claim();
    expect(names(first)).to.eql(['a']);
    expect(await claim()).to.eql([]);
    await queue.finish(first);
    expect(names(await claim())).to.eql(['b']);
  });

  it('leaves unknown topics waiting without blocking other topics', async () => {
    await put([bus(0, 'unknown')], [due(0, 'known')]);
    expect(names(await claim({ topics: [queueName] }))).to.eql(['known']);
  });

  it('archives events without consumers immediately and in order', async () => {
    await opened.storage.prepare({ isConsumed: ({ type }) => type === event });
    await put([bus(0, 'a'), { ...bus(0, 'unconsumed'), type: 'ACCOUNT_CREATION' }, bus(0, 'b')]);
    expect(await drain()).to.eql([['a'], ['b']]);
    // A purge deletes one row each: all three are in the history, numbered together.
    expect(await queue.purgeHistory(instant(now + 1), 100)).to.equal(3);
    await put([bus(0, 'next')]);
    expect(names(await claim())).to.eql(['next']);
  });

  it('retries an entry after its pause with an increased error count, while the account’s bus entries wait', async () => {
    await put([bus(0, 'failing'), bus(0, 'waiting')], [due(0, 'waiting too')]);
    const [failing] = await claim();
    if (!failing) throw new Error('nothing claimed');
    await queue.retry([{ entry: failing, reason: 'out of order', availableAtMs: systemNowMs + 5_000 }]);
    expect(await claim()).to.eql([]);
    systemNowMs += 4_999;
    expect(await claim()).to.eql([]);
    systemNowMs += 1;
    const again = await claim();
    expect(again.map(({ errorCount, payload }) => [payload.name, errorCount])).to.eql([['failing', 1]]);
  });

  it('stops blocking the account if a bus entry pauses for more than 60 s', async () => {
    await put([bus(0, 'failing'), bus(0, 'free')]);
    const [failing] = await claim();
    if (!failing) throw new Error('nothing claimed');
    await queue.retry([{ entry: failing, reason: 'out of order', availableAtMs: systemNowMs + 60_001 }]);
    expect(names(await claim())).to.eql(['free']);
  });

  it('does not block the account while a notification waits for its retry', async () => {
    await put([], [due(0, 'failing', -10), due(0, 'free', -5)]);
    const [failing] = await claim();
    if (!failing) throw new Error('nothing claimed');
    await queue.retry([{ entry: failing, reason: 'out of order', availableAtMs: systemNowMs + 5_000 }]);
    expect(names(await claim())).to.eql(['free']);
  });

  it('returns a released entry unchanged after its pause', async () => {
    await put([bus(0, 'busy')]);
    const claimed = await claim();
    await queue.release(claimed, systemNowMs + 100);
    expect(await claim()).to.eql([]);
    systemNowMs += 100;
    const [again] = await claim();
    expect([again?.payload.name, again?.errorCount]).to.eql(['busy', 0]);
    expect(again?.recordId).to.equal(claimed[0]?.recordId);
  });

  it('archives a failed entry and continues with its account', async () => {
    await put([bus(0, 'bad'), bus(0, 'good')]);
    const [bad] = await claim();
    if (!bad) throw new Error('nothing claimed');
    await queue.fail([{ entry: bad, reason: 'no use' }]);
    expect(names(await claim())).to.eql(['good']);
  });

  it('rejects changes from an expired claim', async () => {
    await put([bus(0, 'a'), bus(1, 'b')]);
    const claimed = await claim();
    systemNowMs += leaseMs;
    const [lost, kept] = claimed;
    if (!lost || !kept) throw new Error('nothing claimed');
    await queue.renew([kept], systemNowMs + leaseMs);
    expect(await queue.takeBackLapsed({ systemNowMs, held: [] })).to.equal(1);
    expect(await queue.renew(claimed, systemNowMs + leaseMs)).to.eql([kept.recordId]);
    for (const attempt of [
      () => queue.finish(claimed),
      () => queue.markDone([lost], 'handler'),
      () => queue.fail([{ entry: lost, reason: 'late' }]),
      () => opened.write((session) => session.finish([lost])),
      () => opened.write((session) => session.markDone([lost], 'handler')),
    ])
      expect((await rejection(attempt())).name).to.equal('LeaseLostError');
    await queue.retry([{ entry: lost, reason: 'late', availableAtMs: 0 }]);
    await queue.release([lost], 0);
    // The entry exists once, because another claim finds it.
    await queue.finish([kept]);
    expect(names(await claim())).to.eql(['a']);
    expect(await claim()).to.eql([]);
  });

  it('prevents a claim from changing an entry that another claim now holds, on the same or a different node', async () => {
    for (const node of ['n1', 'n2']) {
      await put([bus(0, node)]);
      const [lost] = await claim();
      if (!lost) throw new Error('nothing claimed');
      systemNowMs += leaseMs;
      expect(await queue.takeBackLapsed({ systemNowMs, held: [] })).to.equal(1);
      const taken = await claim({ node });
      expect(await queue.renew([lost], systemNowMs + 10 * leaseMs)).to.eql([]);
      for (const attempt of [
        () => queue.finish([lost]),
        () => queue.markDone([lost], 'handler'),
        () => queue.fail([{ entry: lost, reason: 'late' }]),
        () => opened.write((session) => session.finish([lost])),
        () => opened.write((session) => session.markDone([lost], 'handler')),
      ])
        expect((await rejection(attempt())).name).to.equal('LeaseLostError');
      await queue.retry([{ entry: lost, reason: 'late', availableAtMs: 0 }]);
      await queue.release([lost], 0);
      expect(await claim(), 'what is free').to.eql([]);
      expect(await queue.nextLeaseEnd()).to.equal(systemNowMs + leaseMs);
      await queue.finish(taken);
    }
  });

  it('finishes no entry if the claim has lost one of the entries', async () => {
    await put([bus(0, 'a'), bus(1, 'b')]);
    const claimed = await claim();
    const [first] = claimed;
    if (!first) throw new Error('nothing claimed');
    await queue.finish([first]);
    expect((await rejection(queue.finish(claimed))).name).to.equal('LeaseLostError');
    expect(await queue.countPending(null, now)).to.equal(1);
  });

  it('recovers all entries with expired leases on any node together, except entries of held claims', async () => {
    await put([bus(0, 'a'), bus(1, 'b'), bus(2, 'c')]);
    await claim({ limit: 1, node: 'n1' });
    await claim({ limit: 1, node: 'n2' });
    const [held] = await claim({ limit: 1, node: 'n3' });
    const takeBack = () => queue.takeBackLapsed({ systemNowMs, held: held ? [held.claimId] : [] });
    expect(await queue.nextLeaseEnd()).to.equal(systemNowMs + leaseMs);
    systemNowMs += leaseMs - 1;
    expect(await takeBack()).to.equal(0);
    systemNowMs += 1;
    expect(await takeBack()).to.equal(2);
    const again = await claim();
    expect(names(again).toSorted()).to.eql(['a', 'b']);
    expect(again.every(({ errorCount }) => errorCount === 0)).to.equal(true);
  });

  it('recovers all claims of given nodes, regardless of their leases', async () => {
    await put([bus(0, 'a'), bus(1, 'b'), bus(2, 'c')]);
    for (const node of ['n1', 'n2', 'n3']) await claim({ limit: 1, node });
    expect((await queue.owners()).toSorted()).to.eql(['n1', 'n2', 'n3']);
    expect(await queue.takeBackFrom([])).to.equal(0);
    expect(await queue.takeBackFrom(['n0', 'n1', 'n3'])).to.equal(2);
    expect(names(await claim()).toSorted()).to.eql(['a', 'c']);
  });

  it('reaps repeatedly recovered entries unless they have finished in the meantime', async () => {
    await put([bus(0, 'deadly'), bus(1, 'slow')]);
    const [first] = await claim();
    const lapse = async () => {
      systemNowMs += leaseMs;
      await queue.takeBackLapsed({ systemNowMs, held: [] });
    };
    const claimedFirstMs = systemNowMs;
    const reap = (changes: object = {}) =>
      queue.reap({
        systemNowMs,
        businessNow: now,
        claimedBeforeMs: systemNowMs,
        maxLapses: 2,
        limit: 10,
        ...changes,
      });
    await lapse();
    const slow = (await claim()).filter(({ payload }) => payload.name === 'slow');
    await queue.release(slow, 0);
    await lapse();
    await claim();
    expect(await reap()).to.equal(0);
    await lapse();
    expect(await reap({ claimedBeforeMs: claimedFirstMs - 1 })).to.equal(0);
    expect(await reap({ maxLapses: 3 })).to.equal(0);
    const atWork = await claim();
    expect(await reap()).to.equal(0);
    await queue.takeBackFrom([...new Set(atWork.map(({ processingOwner }) => processingOwner ?? ''))]);
    expect(await reap()).to.equal(1);
    expect(await reap()).to.equal(0);
    const copies = await claim();
    const deadly = copies.find(({ payload }) => payload.name === 'deadly');
    expect(deadly?.recordId).to.be.greaterThan(first?.recordId ?? Number.NaN);
    expect(names(copies).toSorted()).to.eql(['deadly', 'slow']);
  });

  it('accumulates the names of finished handlers', async () => {
    await put([bus(0, 'a')]);
    const claimed = await claim();
    await queue.markDone(claimed, 'first');
    await opened.write((session) => session.markDone(claimed, 'second "x"'));
    await queue.retry(claimed.map((entry) => ({ entry, reason: 'third failed', availableAtMs: 0 })));
    const [again] = await claim();
    expect(again?.doneHandlers).to.eql(['first', 'second "x"']);
  });

  it('keeps the first of two live notifications with the same key, and accepts another after the first finishes', async () => {
    await put([], [keyed(0, 'first', 'key'), keyed(0, 'second', 'key')]);
    await put([], [keyed(1, 'third', 'key')]);
    const claimed = await claim();
    expect(names(claimed)).to.eql(['first']);
    await opened.write(async (session) => {
      await session.finish(claimed);
      session.schedule([keyed(0, 'fourth', 'key')]);
    });
    expect(await drain()).to.eql([['fourth']]);
  });

  it('unschedules live notifications, including notifications scheduled in the same transaction', async () => {
    await put([], [keyed(0, 'a', 'a'), keyed(0, 'b', 'b')]);
    await opened.write(async (session) => {
      session.schedule([keyed(0, 'c', 'c')]);
      await session.unschedule(['a', 'c', 'unknown']);
      session.schedule([keyed(0, 'a again', 'a')]);
    });
    expect(await drain()).to.eql([['b'], ['a again']]);
  });

  it('lets the handler finish a claimed notification that is unscheduled', async () => {
    await put([], [keyed(0, 'a', 'a')]);
    const claimed = await claim();
    await opened.write((session) => session.unschedule(['a']));
    await queue.finish(claimed);
  });

  it('counts due and running entries, including paused entries, for one tenant or all tenants', async () => {
    await put([bus(0, 'a'), bus(1, 'b')], [due(2, 'c', 1)]);
    const stranger = await opened.newTenant();
    const count = (businessNow: Instant) =>
      Promise.all(
        [opened.tenant.recordId, stranger.recordId, null].map((tenant) =>
          queue.countPending(tenant, businessNow),
        ),
      );
    expect(await count(now)).to.eql([2, 0, 2]);
    const [first] = await claim({ limit: 1 });
    if (!first) throw new Error('nothing claimed');
    expect(await count(now)).to.eql([2, 0, 2]);
    await queue.retry([{ entry: first, reason: 'failed', availableAtMs: systemNowMs + 10_000 }]);
    expect(await count(now)).to.eql([2, 0, 2]);
    expect(await count(instant(now + 1))).to.eql([3, 0, 3]);
  });

  it('returns the due date of the next notification in known queues', async () => {
    expect(await queue.nextDue(topics)).to.equal(null);
    await put([bus(0, 'a')], [due(0, 'late', 5_000), due(1, 'soon', 2_000)]);
    expect(await queue.nextDue(topics)).to.equal(now + 2_000);
    expect(await queue.nextDue([event])).to.equal(null);
    expect(await queue.nextDue([])).to.equal(null);
  });

  it('purges old entries in batches', async () => {
    await put([bus(0, 'a'), bus(1, 'b'), bus(2, 'c')]);
    await drain();
    expect(await queue.purgeHistory(now, 10)).to.equal(0);
    expect(await queue.purgeHistory(instant(now + 1), 2)).to.equal(2);
    expect(await queue.purgeHistory(instant(now + 1), 2)).to.equal(1);
  });

  it('sends no query for an empty list', async () => {
    opened.statements();
    await queue.renew([], 0);
    await queue.finish([]);
    await queue.retry([]);
    await queue.release([], 0);
    await queue.fail([]);
    expect(opened.statements()).to.eql([]);
  });
});

onPostgresql.describe('queue storage on PostgreSQL with two nodes', (open) => {
  const opened = sharedStorage('postgresql', open);
  let other: Storage<never>;
  before(async () => {
    other = storageAt(opened.database);
  });
  after(() => other.close());

  it('processes all entries, never two of one account at a time', async () => {
    const accounts = await opened.newAccounts(8);
    const perAccount = 15;
    await opened.write(async (session) => {
      for (const { recordId } of accounts) {
        for (let number = 0; number < perAccount; number += 1)
          session.publish([{ type: event, accountRecordId: recordId, payload: { number } }]);
      }
    });
    const open = new Set<number>();
    const seen = new Map<number, unknown[]>();
    const work = async (storage: Storage<never>, node: string): Promise<void> => {
      for (let idle = 0; idle < 40; ) {
        const claimed = await storage.queue.claim({
          node,
          claimId: newId(),
          limit: 3,
          topics,
          businessNow: now,
          systemNowMs: 0,
          leaseEndsAtMs: leaseMs,
        });
        idle = claimed.length === 0 ? idle + 1 : 0;
        for (const { accountRecordId, payload } of claimed) {
          const account = accountRecordId ?? 0;
          expect(open.has(account), `account ${account} is claimed twice`).to.equal(false);
          open.add(account);
          seen.set(account, [...(seen.get(account) ?? []), payload.number]);
        }
        await setTimeout(claimed.length === 0 ? 2 : 0);
        for (const { accountRecordId } of claimed) open.delete(accountRecordId ?? 0);
        await storage.queue.finish(claimed);
      }
    };
    await Promise.all([
      work(opened.storage, 'n1'),
      work(opened.storage, 'n1'),
      work(other, 'n2'),
      work(other, 'n2'),
    ]);
    const order = Array.from({ length: perAccount }, (_, number) => number);
    expect([...seen.values()]).to.eql(accounts.map(() => order));
    expect(await opened.storage.queue.countPending(null, now)).to.equal(0);
  });

  it('claims an entry only after an uncommitted earlier entry is committed, and sees the changes of that entry', async () => {
    const [acme] = await opened.newAccounts(1);
    const accountRecordId = acme?.recordId ?? 0;
    const request = {
      node: 'n2',
      limit: 10,
      topics,
      businessNow: now,
      systemNowMs: 0,
      leaseEndsAtMs: leaseMs,
    };
    await opened.write(async (session) =>
      session.schedule([
        { queueName, accountRecordId, effectiveDate: now, payload: { name: 'a' }, uniqueKey: null },
      ]),
    );
    if (opened.database.kind !== 'postgresql' || !postgresqlDialect.claimLock) throw new Error('wrong kind');
    const first = new Client(reachingEveryTenant(opened.database.url));
    await first.connect();
    try {
      // The statements of a claim, before its commit.
      await first.query('begin');
      await first.query(render(postgresqlDialect.claimLock, postgresqlDialect.writer).text);
      await first.query(
        `update bw_queue_entries set processing_state = 'IN_PROCESSING' where account_record_id = $1`,
        [accountRecordId],
      );
      // This entry comes before the notification, so the other transaction sees no sign that the account is taken.
      await opened.write(async (session) =>
        session.publish([{ type: event, accountRecordId, payload: { name: 'b' } }]),
      );
      const second = other.queue.claim({ ...request, claimId: newId() });
      await until(async () => (await first.query(waitingClaims)).rows[0]?.waiting === '1');
      await first.query('commit');
      expect(names(await second)).to.eql([]);
    } finally {
      await first.end();
    }
  });

  it('notifies each node of due work that the other node commits, but not of its own work', async () => {
    const [acme] = await opened.newAccounts(1);
    const heard: string[] = [];
    const stops = [
      opened.storage.queue.onSignal(() => heard.push('first')),
      other.queue.onSignal(() => heard.push('second')),
    ];
    const put = (storage: Storage<never>) =>
      storage.write(opened.tenant, author(), async (session) =>
        session.publish([{ type: event, accountRecordId: acme?.recordId ?? 0, payload: {} }]),
      );
    await until(async () => {
      await put(opened.storage);
      return heard.includes('second');
    });
    expect(heard).not.to.include('first');
    await until(async () => {
      await put(other);
      return heard.includes('first');
    });
    for (const stop of stops) stop();
  });
});

const waitingClaims = `select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted`;

function names(entries: readonly ClaimedEntry[]): unknown[] {
  return entries.map(({ payload }) => payload.name);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}
