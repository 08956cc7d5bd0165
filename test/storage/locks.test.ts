import { type Account, ErrorCode } from '../../lib/index.ts';
import type { Storage, WriteSession } from '../../lib/ports/storage/index.ts';
import { eachDatabaseAndOneByOne, expect, onPostgresql } from '../support/index.ts';
import { rejection, sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import { author, newId } from '../support/storage/stored-records.ts';

eachDatabaseAndOneByOne.describe('account locks', (open, kind) => {
  const opened = sharedStorage(kind, open);

  it('return the accounts in record-id order, without unknown accounts', async () => {
    const accounts = await opened.newAccounts(3);
    const shuffled = [2, 0, 1].map((index) => accounts[index]?.id ?? newId());
    const locked = await opened.write(async (session) => ({
      waiting: await session.lockAccounts([...shuffled, newId()], { waitMs: 1_000 }),
      single: await session.lockAccounts(shuffled.slice(0, 1), { waitMs: 1_000 }),
      unknown: await session.lockAccounts([newId()], { waitMs: 1_000 }),
      free: await session.tryLockAccounts([
        ...accounts.map(({ recordId }) => recordId).toReversed(),
        999_999,
      ]),
      none: [...(await session.lockAccounts([], { waitMs: 1 })), ...(await session.tryLockAccounts([]))],
    }));
    expect(locked.waiting).to.eql(accounts);
    expect(locked.single).to.eql([accounts[2]]);
    expect(locked.unknown).to.eql([]);
    expect(locked.free).to.eql(accounts);
    expect(locked.none).to.eql([]);
  });
});

onPostgresql.describe('account locks on PostgreSQL', (open) => {
  const opened = sharedStorage('postgresql', open);
  let other: Storage<never>;
  let accounts: readonly Account[];
  before(async () => {
    other = storageAt(opened.database);
    accounts = await opened.newAccounts(3);
  });
  after(() => other.close());

  const elsewhere = <T>(work: (session: WriteSession) => Promise<T>) =>
    other.write(opened.tenant, author(), work);
  const idAt = (index: number) => accounts[index]?.id ?? newId();

  it('reject a busy account after a limited wait', async () => {
    await opened.write(async (session) => {
      await session.lockAccounts([idAt(0)], { waitMs: 1_000 });
      const one = await rejection(elsewhere((late) => late.lockAccounts([idAt(0)], { waitMs: 30 })));
      expect(one.code).to.equal(ErrorCode.BUSY);
      expect(one.message).to.contain(idAt(0));
      const two = await rejection(elsewhere((late) => late.lockAccounts([idAt(0), idAt(1)], { waitMs: 30 })));
      expect(two.code).to.equal(ErrorCode.BUSY);
    });
    expect(await elsewhere((late) => late.lockAccounts([idAt(0)], { waitMs: 30 }))).to.have.length(1);
  });

  it('return the latest content of a busy account if the account becomes free in time', async () => {
    let changed: (() => void) | undefined;
    const holding = new Promise<void>((resolve) => {
      changed = resolve;
    });
    let waiting: Promise<readonly Account[]> | undefined;
    await opened.write(async (session) => {
      const [held] = await session.lockAccounts([idAt(0)], { waitMs: 1_000 });
      if (!held) throw new Error('no account');
      waiting = elsewhere((late) => late.lockAccounts([idAt(0)], { waitMs: 10_000 }));
      await session.accounts.update([{ ...held, name: 'changed under the lock' }]);
      changed?.();
    });
    await holding;
    expect((await waiting)?.[0]?.name).to.equal('changed under the lock');
  });

  it('skip busy accounts without waiting, and do not block reads without locks', async () => {
    await opened.write(async (session) => {
      await session.lockAccounts([idAt(1)], { waitMs: 1_000 });
      const recordIds = accounts.map(({ recordId }) => recordId);
      const free = await elsewhere((late) => late.tryLockAccounts(recordIds));
      expect(free.map(({ id }) => id)).to.eql([idAt(0), idAt(2)]);
      const read = await other.read(opened.tenant, (reader) => reader.accounts.findByIds([idAt(1)]));
      expect(read).to.have.length(1);
    });
  });
});
