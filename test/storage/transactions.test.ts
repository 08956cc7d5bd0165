import { type Account, BillingError, ErrorCode, QueueName } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import { QUEUE_POLL_MS } from '../../lib/values/limits.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { eachDatabaseAndOneByOne, expect, migrated, onPostgresql } from '../support/index.ts';
import { rejection, sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import {
  account,
  author,
  bundle,
  invoice,
  newId,
  now,
  ownerOf,
  today,
} from '../support/storage/stored-records.ts';

eachDatabaseAndOneByOne.describe('storage transactions', (open, kind) => {
  const opened = sharedStorage(kind, open);
  const { reading, writing } = opened;
  let acme: Account;
  before(async () => {
    [acme] = await opened.newAccounts(1);
  });

  const state = (version: number) => ({
    ...ownerOf(acme),
    maxTargetDate: today,
    accountCBA: decimal('0'),
    accountBalance: decimal('0'),
    version,
  });

  it('store no record, audit row, event, notification or number after an error', async () => {
    const given = bundle(ownerOf(acme));
    const pending = await opened.storage.queue.countPending(null, now);
    const failed = await rejection(
      opened.write(async (session) => {
        await session.subscriptions.insertBundles([given]);
        session.publish([{ type: 'ACCOUNT_CHANGE', accountRecordId: acme.recordId, payload: {} }]);
        throw new Error('on purpose');
      }),
    );
    expect(failed.message).to.equal('on purpose');
    const left = await opened.read(async (session) => [
      ...(await session.subscriptions.findBundlesByIds([given.id])),
      ...(await session.audit.findByTargets([given.id])),
    ]);
    expect(left).to.eql([]);
    expect(await opened.storage.queue.countPending(null, now)).to.equal(pending);
  });

  it('are not opened for a single-statement read, which rejects a second statement', async () => {
    const traced: string[] = [];
    const database = kind === 'sqlite' ? await open(migrated) : opened.database;
    const storage = storageAt(database, (text) => traced.push(text));
    await storage.prepare();
    traced.splice(0);
    const found = await storage.readInOneStatement(opened.tenant, (s) => s.accounts.findByIds([acme.id]));
    expect(found).to.have.length(kind === 'sqlite' ? 0 : 1);
    expect(traced).to.have.length(1);
    const failed = await rejection(
      storage.readInOneStatement(opened.tenant, async (session) => {
        await session.accounts.findByIds([acme.id]);
        return session.accounts.findByIds([acme.id]);
      }),
    );
    expect(failed.message).to.contain('A single-statement read issued another statement');
    await storage.close();
  });

  it('store no row if one of many rows is invalid', async () => {
    const good = account({});
    await rejection(writing.accounts.insert([good, account({ externalKey: acme.externalKey })]));
    expect(await reading.accounts.findByIds([good.id])).to.eql([]);
  });

  it('repeat an operation from the start and discard the effects of the first attempt if a state row has changed in the meantime', async () => {
    await writing.invoices.saveStates([state(0)]);
    let runs = 0;
    const given = invoice(ownerOf(acme));
    await opened.write(async (session) => {
      runs += 1;
      await session.invoices.insertInvoices([given]);
      // The first run holds a version that is not the stored one.
      const [stored] = await session.invoices.loadStates([acme.id]);
      await session.invoices.saveStates([state(runs === 1 ? 9 : (stored?.version ?? 0))]);
    });
    expect(runs).to.equal(2);
    expect(await reading.audit.findByTargets([given.id])).to.have.length(1);
  });

  it('report the conflicting state with VERSION_CONFLICT if no attempt succeeds', async () => {
    let runs = 0;
    const failed = await rejection(
      opened.write(async (session) => {
        runs += 1;
        await session.invoices.saveStates([state(999)]);
      }),
    );
    if (!(failed instanceof BillingError)) throw failed;
    expect(failed.code).to.equal(ErrorCode.VERSION_CONFLICT);
    expect(failed.message).to.match(
      /^Another operation invoiced the same account at the same time\. This happened \d+ times in a row/,
    );
    expect(failed.facts).to.eql({ accountIds: [acme.id] });
    expect(runs).to.be.greaterThan(2);
  });

  it('notify the listeners of a commit only if the commit contains due work', async () => {
    let commits = 0;
    const stop = opened.storage.onCommit(() => {
      commits += 1;
    });
    await opened.storage.prepare({ isConsumed: ({ type }) => type === 'ACCOUNT_CHANGE' });
    const write = async (work: (session: WriteSession) => void): Promise<number> => {
      commits = 0;
      await opened.write(async (session) => work(session));
      return commits;
    };
    const event = { accountRecordId: acme.recordId, payload: {} };
    const notification = { ...event, queueName: QueueName.NEXT_BILLING_DATE, uniqueKey: null };
    expect(await write(() => undefined)).to.equal(0);
    expect(await write((session) => session.publish([{ ...event, type: 'ACCOUNT_CHANGE' }]))).to.equal(1);
    expect(await write((session) => session.publish([{ ...event, type: 'ACCOUNT_CREATION' }]))).to.equal(0);
    expect(await write((session) => session.schedule([{ ...notification, effectiveDate: now }]))).to.equal(1);
    // The next poll of a dispatcher would be too late for an earlier entry.
    const later = (now + QUEUE_POLL_MS + 1) as typeof now;
    expect(await write((session) => session.schedule([{ ...notification, effectiveDate: later }]))).to.equal(
      0,
    );
    stop();
    expect(await write((session) => session.publish([{ ...event, type: 'ACCOUNT_CHANGE' }]))).to.equal(0);
  });
});

onPostgresql.describe('storage transactions on PostgreSQL', (open) => {
  const opened = sharedStorage('postgresql', open);
  let other: ReturnType<typeof storageAt>;
  let acme: Account;
  before(async () => {
    other = storageAt(opened.database);
    [acme] = await opened.newAccounts(1);
  });
  after(() => other.close());

  it('read one snapshot, regardless of later commits', async () => {
    const given = bundle(ownerOf(acme));
    const [early, late] = await opened.read(async (session) => {
      const before = await session.subscriptions.findBundlesByAccounts([acme.id]);
      await other.write(opened.tenant, author(), (writer) => writer.subscriptions.insertBundles([given]));
      return [before, await session.subscriptions.findBundlesByAccounts([acme.id])];
    });
    expect(late).to.eql(early);
    expect(await opened.reading.subscriptions.findBundlesByIds([given.id])).to.have.length(1);
  });

  it('succeed after a deadlock, because the victim is repeated', async () => {
    const [first, second] = await opened.newAccounts(2);
    const meeting = Promise.withResolvers<void>();
    const survivorDone = Promise.withResolvers<void>();
    let waiting = 0;
    let runs = 0;
    /**
     * Locks accounts in the given order, which the port's own call never does, and waits for the other call in between.
     */
    const crosswise = async (storage: typeof other, order: readonly Account[], name: string) => {
      await storage.write(opened.tenant, author(), async (session) => {
        runs += 1;
        // A victim that retries at once could lock its first row before the survivor continues, and deadlock again.
        if (runs > 2) await survivorDone.promise;
        for (const [index, each] of order.entries()) {
          await session.accounts.update([{ ...each, name }]);
          if (index > 0) continue;
          waiting += 1;
          if (waiting === 2) meeting.resolve();
          await meeting.promise;
        }
      });
      survivorDone.resolve();
    };
    await Promise.all([
      crosswise(opened.storage, [first, second], 'one'),
      crosswise(other, [second, first], 'two'),
    ]);
    expect(runs).to.equal(3);
    const names = await opened.reading.accounts.findByIds([first.id, second.id]);
    expect(names[0]?.name).to.equal(names[1]?.name);
  });

  it('accept one of two concurrent inserts of accounts with the same key and reject the other', async () => {
    const externalKey = newId();
    const create = (storage: typeof other) =>
      storage.write(opened.tenant, author(), (session) =>
        session.accounts.insert([account({ externalKey })]),
      );
    const outcomes = await Promise.allSettled([create(opened.storage), create(other)]);
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failures.map(({ reason }) => reason.code)).to.eql([ErrorCode.ACCOUNT_ALREADY_EXISTS]);
  });

  it('never get the same counter number, even if they run concurrently', async () => {
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? opened.storage : other).write(opened.tenant, author(), (session) =>
          session.invoices.takeInvoiceNumbers(3),
        ),
      ),
    );
    expect(taken.toSorted((a, b) => a - b)).to.eql(Array.from({ length: 20 }, (_, index) => 1 + index * 3));
  });
});
