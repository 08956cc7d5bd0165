import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { Storage, StoragePolicy } from '../../lib/ports/storage/index.ts';
import { BusEventType, type PublishedBusEvent } from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { eachDatabase, expect, hostOf, isLongRun, onPostgresql } from '../support/index.ts';
import { freshStorage, openStorage } from '../support/storage/opened-storage.ts';
import { badPlans, withPostgresql } from '../support/storage/statement-plans.ts';
import { author, newId, now } from '../support/storage/stored-records.ts';

const PUBLISHING: StoragePolicy = {
  eventIdOf: newId,
  isConsumed: ({ type }) => type === BusEventType.ACCOUNT_CHANGE,
};

function changeEvent(accountRecordId: number, amount = '1') {
  return { type: BusEventType.ACCOUNT_CHANGE, accountRecordId, payload: { amount: decimal(amount) } };
}

eachDatabase.describe('published events', (open, kind) => {
  const opened = freshStorage(kind, open);
  beforeEach(() => opened.storage.prepare(PUBLISHING));
  const listed = async (after = 0): Promise<readonly PublishedBusEvent[]> => {
    const upTo = await opened.storage.events.horizon(opened.tenant.recordId);
    return opened.reading.events.list({ after, upTo, limit: 1_000 });
  };
  const accounts = async (after?: number) => (await listed(after)).map((event) => event.accountRecordId);
  const claim = (systemNowMs = 0) =>
    opened.storage.queue.claim({
      node: 'one',
      claimId: newId(),
      limit: 10,
      topics: [BusEventType.ACCOUNT_CHANGE],
      businessNow: now,
      systemNowMs,
      leaseEndsAtMs: systemNowMs + 1,
    });

  it('keep their id and position while waiting, running and finished (platform §10.6)', async () => {
    await opened.write(async (session) => session.publish([changeEvent(1), changeEvent(2)]));
    await opened.write(async (session) =>
      session.publish([{ ...changeEvent(3), type: BusEventType.TAG_CREATION }]),
    );
    const before = await listed();
    expect(before.map(({ accountRecordId }) => accountRecordId)).to.eql([1, 2, 3]);
    const claimed = await claim();
    expect(claimed).to.have.length(2);
    expect(await listed()).to.eql(before);
    await opened.storage.queue.finish(claimed.slice(0, 1));
    expect(await listed()).to.eql(before);
    expect(await accounts(before[1]?.recordId)).to.eql([3]);
  });

  it('appear only once even if their entry is reaped (platform §10.6)', async () => {
    await opened.write(async (session) => session.publish([changeEvent(1)]));
    const before = await listed();
    for (let lapse = 0; lapse < 2; lapse += 1) {
      await claim(lapse * 10);
      await opened.storage.queue.takeBackLapsed({ systemNowMs: lapse * 10 + 5, held: [] });
    }
    const reaped = await opened.storage.queue.reap({
      systemNowMs: 100,
      businessNow: now,
      claimedBeforeMs: 100,
      maxLapses: 1,
      limit: 10,
    });
    expect(reaped).to.equal(1);
    expect(await listed()).to.eql(before);
  });

  it('keep every digit of their amounts (platform §10.6)', async () => {
    const amount = '12345678901234567890.123456789';
    await opened.write(async (session) => session.publish([changeEvent(1, amount)]));
    const [event] = await listed();
    expect(event?.payload.amount).to.eql(decimal(amount));
  });

  it('appear only after the host commits, together with events committed in the meantime (platform §10.6)', async () => {
    const host = hostOf(opened.database);
    try {
      await host.storage.prepare(PUBLISHING);
      await host.transaction(async (em) => {
        await host.storage
          .within(em)
          .write(opened.tenant, author(), async (session) => session.publish([changeEvent(1)]));
        // SQLite has one writer.
        if (kind === 'sqlite') return;
        await opened.write(async (session) => session.publish([changeEvent(2)]));
        expect(await accounts()).to.eql([]);
        // Other tenants do not wait for the open transaction.
        const { storage } = opened;
        const other = await opened.newTenant();
        await storage.write(other, author(), async (session) => session.publish([changeEvent(5)]));
        const upTo = await storage.events.horizon(other.recordId);
        const theirs = await storage.read(other, (session) =>
          session.events.list({ after: 0, upTo, limit: 10 }),
        );
        expect(theirs).to.have.length(1);
        expect(
          await storage.events.list({ after: 0, upTo: await storage.events.horizon(null), limit: 10 }),
        ).to.eql([]);
      });
      expect(await accounts()).to.eql(kind === 'sqlite' ? [1] : [1, 2]);
      await host
        .transaction(async (em) => {
          await host.storage
            .within(em)
            .write(opened.tenant, author(), async (session) => session.publish([changeEvent(3)]));
          throw new Error('no');
        })
        .catch(() => undefined);
      await opened.write(async (session) => session.publish([changeEvent(4)]));
      expect((await accounts()).slice(-2)).to.eql(kind === 'sqlite' ? [1, 4] : [2, 4]);
    } finally {
      await host.storage.close();
      await host.close();
    }
  });

  it('are read through an index, starting at a position, regardless of other data (platform §10.6)', async function () {
    this.timeout(120_000);
    const others = [await opened.newTenant(), await opened.newTenant()];
    for (const tenant of [...others, opened.tenant]) {
      await opened.storage.write(tenant, author(), async (session) => {
        session.publish(Array.from({ length: 1_000 }, (_, index) => changeEvent(index)));
        session.publish(
          Array.from({ length: 1_000 }, (_, index) => ({
            ...changeEvent(index),
            type: BusEventType.TAG_CREATION,
          })),
        );
      });
    }
    if (opened.database.kind === 'postgresql')
      await withPostgresql(opened.database.url, (client) => client.query('analyze'));
    opened.bound();
    const request = { after: 5_990, upTo: 6_000, limit: 5 };
    await opened.reading.events.list(request);
    expect(await opened.storage.events.list(request)).to.have.length(5);
    expect(await badPlans(opened.database, opened.bound())).to.eql([]);
  });
});

onPostgresql.describe('concurrently published events', (open) => {
  it('reach a reader exactly once, in commit order per account (platform §10.6)', async function () {
    this.timeout(300_000);
    const opened = await openStorage('postgresql', open);
    const { storage, tenant } = opened;
    await storage.prepare(PUBLISHING);
    const host = hostOf(opened.database);
    await host.storage.prepare(PUBLISHING);
    const accounts = await opened.newAccounts(5);
    const start = await storage.events.horizon(tenant.recordId);
    const order = new Map<number, number[]>(accounts.map(({ recordId }) => [recordId, []]));
    let isOver = false;
    const read: PublishedBusEvent[] = [];
    const reading = (async () => {
      for (let at = start, last = false; !last; ) {
        last = isOver;
        const upTo = await storage.events.horizon(tenant.recordId);
        const found = await storage.read(tenant, (session) =>
          session.events.list({ after: at, upTo, limit: 10_000 }),
        );
        read.push(...found);
        at = Math.max(at, upTo);
      }
    })();
    const sizes = fc.sample(fc.integer({ min: 1, max: 30 }), { seed: 7, numRuns: isLongRun ? 2_000 : 100 });
    let next = 0;
    const publish = (storedBy: Pick<Storage, 'write'>, index: number) =>
      storedBy.write(tenant, author(), async (session) => {
        const account = accounts[index % accounts.length];
        if (account === undefined) return;
        await session.lockAccounts([account.id], { waitMs: 60_000 });
        session.publish(
          Array.from({ length: sizes[index] ?? 1 }, () => changeEvent(account.recordId, String(index))),
        );
        // Recorded under the account lock, so the order is that of the commits.
        order.get(account.recordId)?.push(index);
      });
    const write = async (): Promise<void> => {
      for (let index = next++; index < sizes.length; index = next++) {
        // Host transactions commit some time after their numbers are assigned, so that others commit higher numbers
        // first.
        if (index % 2 === 0) await publish(storage, index);
        else
          await host.transaction(async (em) => {
            await publish(host.storage.within(em), index);
            await setTimeout(index % 7);
          });
      }
    };
    await Promise.all(Array.from({ length: 8 }, write));
    isOver = true;
    await reading;
    await host.storage.close();
    await host.close();
    expect(read).to.have.length(sizes.reduce((sum, size) => sum + size, 0));
    expect(new Set(read.map(({ eventId }) => eventId)).size).to.equal(read.length);
    for (const [recordId, indexes] of order) {
      const got = read.filter((event) => event.accountRecordId === recordId);
      const written = got.map(({ payload }) => Number(payload.amount));
      expect(written.filter((index, at) => index !== written[at - 1])).to.eql(indexes);
    }
    await storage.close();
  });
});
