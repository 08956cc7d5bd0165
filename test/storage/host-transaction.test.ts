import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { migrations as postgresqlMigrations } from '../../adapters/mikro-orm/migrations/postgresql/index.ts';
import { migrations as sqliteMigrations } from '../../adapters/mikro-orm/migrations/sqlite/index.ts';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { ErrorCode, type TenantRef } from '../../lib/index.ts';
import { ConcurrentChangeError, type Storage } from '../../lib/ports/storage/index.ts';
import { eachDatabase, expect, freshDatabase, type TestDatabase } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { account, author, newId, now, tenant } from '../support/storage/stored-records.ts';
import { migrated, storageOf } from '../support/storage.ts';

interface Host {
  readonly orm: SqliteOrm | PostgresqlOrm;
  /** Runs `work` in a host transaction, with the engine's storage inside it and the host's own statements. */
  transaction<T>(
    work: (inside: Storage<never>, run: (sql: string) => Promise<unknown>) => Promise<T>,
  ): Promise<T>;
  rows(sql: string): Promise<readonly unknown[]>;
}

eachDatabase.describe('storage in a host transaction', (open, kind) => {
  let host: Host;
  let storage: Storage<never>;
  let acme: TenantRef;
  before(async () => {
    ({ host, storage } = hostOver(await open(migrated)));
    await storage.prepare();
    await host.transaction((_inside, run) => run('create table host_orders (id integer primary key)'));
    const { id, recordId } = await storage.system.insertTenant(tenant({ apiKey: newId() }), author());
    acme = { id, recordId };
    await storage.prepare({ isConsumed: ({ type }) => type === 'ACCOUNT_CHANGE' });
  });
  after(async () => {
    await storage.close();
    await host.orm.close(true);
  });

  const found = async (id: ReturnType<typeof newId>) =>
    (await storage.read(acme, (session) => session.accounts.findByIds([id]))).length;

  /** Writes an account and its event in the host's transaction. */
  const write = (inside: Storage<never>, id: ReturnType<typeof newId>) =>
    inside.write(acme, author(), async (session) => {
      const [stored] = await session.accounts.insert([account({ id })]);
      session.publish([{ type: 'ACCOUNT_CHANGE', accountRecordId: stored?.recordId ?? 0, payload: {} }]);
    });

  it('commits the host’s and the engine’s changes together, and only then wakes the dispatcher', async () => {
    const id = newId();
    let commits = 0;
    const stop = storage.onCommit(() => {
      commits += 1;
    });
    await host.transaction(async (inside, run) => {
      await run('insert into host_orders values (1)');
      await write(inside, id);
      expect(await inside.read(acme, (session) => session.audit.findByTargets([id]))).to.have.length(1);
      expect(commits).to.equal(0);
    });
    expect(commits).to.equal(1);
    stop();
    expect(await found(id)).to.equal(1);
    expect(await host.rows('select id from host_orders where id = 1')).to.have.length(1);
    expect(await storage.queue.countPending(acme.recordId, now)).to.equal(1);
  });

  it('rolls back the engine’s changes with the host’s and wakes no dispatcher', async () => {
    const id = newId();
    let commits = 0;
    const stop = storage.onCommit(() => {
      commits += 1;
    });
    const pending = await storage.queue.countPending(null, now);
    const failed = await rejection(
      host.transaction(async (inside, run) => {
        await write(inside, id);
        await run('insert into host_orders values (2)');
        throw new Error('the host changed its mind');
      }),
    );
    expect(failed.message).to.equal('the host changed its mind');
    expect(commits).to.equal(0);
    stop();
    expect(await found(id)).to.equal(0);
    expect(await storage.queue.countPending(null, now)).to.equal(pending);
    expect(await host.rows('select id from host_orders where id = 2')).to.have.length(0);
  });

  it('undoes only a failed engine operation, and lets the host transaction continue', async () => {
    const [id, taken] = [newId(), newId()];
    await host.transaction(async (inside, run) => {
      await run('insert into host_orders values (3)');
      await inside.write(acme, author(), (session) =>
        session.accounts.insert([account({ externalKey: taken })]),
      );
      await rejection(
        inside.write(acme, author(), async (session) => {
          await session.accounts.insert([account({ id })]);
          await session.accounts.insert([account({ externalKey: taken })]);
        }),
      );
      await run('insert into host_orders values (4)');
    });
    expect(await found(id)).to.equal(0);
    expect(await host.rows('select id from host_orders where id in (3, 4)')).to.have.length(2);
  });

  it('repeats a conflicting operation without the effects of the first attempt', async () => {
    const ids = [newId(), newId()];
    await host.transaction(async (inside, run) => {
      await run('insert into host_orders values (5)');
      let runs = 0;
      await inside.write(acme, author(), async (session) => {
        const id = ids[runs] ?? newId();
        runs += 1;
        await session.accounts.insert([account({ id })]);
        if (runs === 1) throw new ConcurrentChangeError('The account has changed in between');
      });
      expect(runs).to.equal(2);
      await run('insert into host_orders values (6)');
    });
    expect(await Promise.all(ids.map(found))).to.eql([0, 1]);
    expect(await host.rows('select id from host_orders where id in (5, 6)')).to.have.length(2);
  });

  const refusalOf = (handle: unknown) => rejection((async () => storage.within(handle as never))());

  it('rejects an entity manager without an open transaction, with a message that explains the fix', async () => {
    const refused = await refusalOf(host.orm.em.fork());
    expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
    expect(refused.message).to.contain('em.transactional');
  });

  it('rejects a handle of another ORM and names that ORM', async () => {
    class Knex {}
    for (const [handle, name] of [
      [new Knex(), 'Knex'],
      [() => undefined, 'function'],
      [undefined, 'undefined'],
      [null, 'null'],
    ] as const) {
      const refused = await refusalOf(handle);
      expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
      expect(refused.message).to.contain('entity manager').and.to.contain(name);
    }
  });

  it('rejects a transaction of another database, and lets that transaction continue', async () => {
    const otherKind = kind === 'sqlite' ? 'postgresql' : 'sqlite';
    const others = [await open(migrated), await open(), await freshDatabase(otherKind, migrated)];
    for (const other of others) {
      const { orm } = hostOver(other).host;
      await orm.em.fork().transactional(async (em) => {
        const inside = storage.within(em as never);
        const refused = await rejection(inside.write(acme, author(), async () => undefined));
        expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
        expect(refused.message).to.contain('a different database');
        const rows = await em
          .getConnection()
          .execute('select 1 as one', [], 'all', em.getTransactionContext());
        expect(rows).to.have.length(1);
      });
      await orm.close(true);
    }
  });

  it('accepts a separate host instance on the same database', async () => {
    const id = newId();
    const database = await open(migrated);
    const { host: owner, storage: mine } = hostOver(database);
    const { host: stranger } = hostOver(database);
    const { id: tenantId, recordId } = await mine.system.insertTenant(tenant({ apiKey: newId() }), author());
    await stranger.orm.em
      .fork()
      .transactional(async (em) =>
        mine
          .within(em as never)
          .write({ id: tenantId, recordId }, author(), (session) =>
            session.accounts.insert([account({ id })]),
          ),
      );
    const kept = await mine.read({ id: tenantId, recordId }, (session) => session.accounts.findByIds([id]));
    expect(kept).to.have.length(1);
    await stranger.orm.close(true);
    await owner.orm.close(true);
  });

  it('can be closed even if a host connection does not respond', async () => {
    const own = storageOf(await open(migrated));
    await own.prepare();
    const { id, recordId } = await own.system.insertTenant(tenant({ apiKey: newId() }), author());
    const inside = own.within({ dialect: kind, query: () => new Promise(() => undefined) } as never);
    inside.write({ id, recordId }, author(), async () => undefined).catch(() => undefined);
    await own.close();
  });

  it('leaves the host’s connection open when the storage closes', async () => {
    await storage.close();
    expect(await host.rows('select 1 as one')).to.have.length(1);
  });
});

eachDatabase.describe('a storage instance on a host connection', (open, kind) => {
  it('migrates its schema on request', async () => {
    const { host, storage } = hostOver(await open());
    await storage.prepare();
    const applied = await host.rows('select name from bw_migrations order by id');
    const list = kind === 'sqlite' ? sqliteMigrations : postgresqlMigrations;
    expect(applied).to.eql(list.map(({ name }) => ({ name })));
    await storage.close();
    await host.orm.close(true);
  });
});

function hostOver(database: TestDatabase): { readonly host: Host; readonly storage: Storage<never> } {
  const options = { entities: [], discovery: { warnWhenNoEntities: false } };
  if (database.kind === 'sqlite') {
    const orm = new SqliteOrm({ ...options, dbName: database.path });
    const storage = sqlite(orm);
    return { storage, host: hostOf(orm, (em) => storage.within(em)) };
  }
  const orm = new PostgresqlOrm({ ...options, clientUrl: database.url });
  const storage = postgresql(orm, { migrate: true });
  return { storage, host: hostOf(orm, (em) => storage.within(em)) };
}

type Within<Orm extends SqliteOrm | PostgresqlOrm> = (em: Orm['em']) => Storage<never>;

function hostOf<Orm extends SqliteOrm | PostgresqlOrm>(orm: Orm, within: Within<Orm>): Host {
  return {
    orm,
    transaction: (work) =>
      orm.em
        .fork()
        .transactional((em) =>
          work(within(em as Orm['em']), (sql) =>
            em.getConnection().execute(sql, [], 'all', em.getTransactionContext()),
          ),
        ),
    rows: (sql) => orm.em.getConnection().execute(sql),
  };
}
