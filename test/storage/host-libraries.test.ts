import type { EntityManager } from '@mikro-orm/core';
import type { Database } from 'better-sqlite3';
import { CompiledQuery, type Transaction } from 'kysely';
import pg from 'pg';
import type { SqlTransaction } from '../../adapters/mikro-orm/sqlite.ts';
import { type Billing, decimal, ErrorCode, formatDecimal, type TenantBilling } from '../../lib/index.ts';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../support/databases.ts';
import { type HostLibrary, hostLibraries, openHostLibrary } from '../support/hosts/host-libraries.ts';
import { codeOf, expect, migrated, openEngine, type TestEngine } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const lamp = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: decimal('7.77'),
  billingPeriod: 'MONTHLY',
} as const;

eachDatabase.describe('host library transactions joined by the engine', (open, kind) => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
  });
  after(() => engine.close());

  const caller = () => joinable(engine.billing).as({ tenant: engine.tenant.id, user: 'host' });
  const within = (handle: unknown): TenantBilling => caller().within(handle);
  const isStored = async (externalKey: string) =>
    (await codeOf(engine.acme.accounts.getByKey(externalKey))) === 'no error';
  const refusalOf = (handle: unknown) => rejection((async () => within(handle))());

  for (const name of hostLibraries[kind])
    describe(name, () => {
      let host: HostLibrary;
      const orders = `orders_of_${name.toLowerCase().replaceAll('-', '_')}`;
      before(async () => {
        host = openHostLibrary(name, engine.database);
        await host.transaction((_handle, run) => run(`create table ${orders} (id integer primary key)`));
      });
      after(() => host.close());

      it('commit engine and host changes together and keep dates and amounts exact', async () => {
        const committed = commit(engine);
        const id = await host.transaction(async (handle, run) => {
          await run(`insert into ${orders} values (1)`);
          const acme = within(handle);
          const account = await acme.createAccount({ currency: 'USD', externalKey: `${name}-1` });
          await Promise.all([
            acme.createSubscription({ accountId: account.id, planName: 'solo-now' }),
            acme.accounts.update(account.id, { changes: { name: 'Ada' } }),
            acme.invoices.addCredits({
              accountId: account.id,
              items: [{ amount: decimal('0.12') }],
              autoCommit: true,
            }),
          ]);
          const [invoice] = await acme.invoices.ofAccount({ accountId: account.id, withItems: true });
          expect(invoice?.invoiceDate).to.equal('2024-01-01');
          expect(invoice?.items.map(({ amount }) => formatDecimal(amount))).to.include('-0.12');
          expect(await isStored(`${name}-1`)).to.equal(false);
          return account.id;
        });
        expect((await engine.acme.accounts.get(id)).name).to.equal('Ada');
        // For Kysely and Prisma, the engine finds commits by polling the queue.
        if (!['Kysely', 'Prisma'].includes(name)) await committed;
        await engine.settle();
        const invoices = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
        const amounts = invoices.flatMap(({ items }) => items.map(({ amount }) => formatDecimal(amount)));
        expect(amounts).to.include('-0.12').and.to.include('19.95');
      });

      it('roll back engine and host changes together, but only the changes of a failed operation if the host continues', async () => {
        const { id } = await engine.acme.createAccount({ currency: 'USD' });
        const undone = host.transaction(async (handle, run) => {
          await run(`insert into ${orders} values (2)`);
          const acme = within(handle);
          await acme.createAccount({ currency: 'USD', externalKey: `${name}-2` });
          expect(await codeOf(acme.createAccount({ currency: 'USD', externalKey: `${name}-1` }))).to.equal(
            ErrorCode.ACCOUNT_ALREADY_EXISTS,
          );
          await acme.catalogs.addSimplePlan(lamp);
          await acme.createSubscription({ accountId: id, planName: 'lamp-monthly' });
          await run(`insert into ${orders} values (3)`);
          throw new Error('the host thinks better of it');
        });
        expect((await rejection(undone)).message).to.equal('the host thinks better of it');
        expect(await isStored(`${name}-2`)).to.equal(false);
        const later = engine.acme.createSubscription({ accountId: id, planName: 'lamp-monthly' });
        expect(await codeOf(later)).to.equal(ErrorCode.CATALOG_NO_SUCH_PLAN);
        const ids = await host.transaction((_handle, run) =>
          run(`select id from ${orders} where id in (2, 3)`),
        );
        expect(JSON.stringify(ids ?? [])).to.not.match(/"id":"?[23]/);
      });

      it('must be open and on the same database, and otherwise cause an error that explains the fix', async () => {
        for (const [handle, words] of host.outside) {
          const refused = await refusalOf(handle);
          expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
          expect(refused.message).to.contain(words);
        }
        const before = await host.transaction(async (handle) => handle);
        const late = (async () => within(before).createAccount({ currency: 'USD', externalKey: 'late' }))();
        expect(await codeOf(late)).to.not.equal('no error');
        expect(await isStored('late')).to.equal(false);
        const other = openHostLibrary(name, await open(migrated));
        await other.transaction(async (handle, run) => {
          const refused = await rejection(within(handle).createAccount({ currency: 'USD' }));
          expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
          expect(refused.message).to.contain('a different database');
          await run('create table goes_on (id integer)');
        });
        await other.close();
      });
    });

  it('include a nested MikroORM transaction until the nested transaction ends', async () => {
    const host = openHostLibrary('MikroORM', engine.database);
    await host.transaction((outer) =>
      (outer as EntityManager).transactional((inner) =>
        within(inner).createAccount({ currency: 'USD', externalKey: 'nested' }),
      ),
    );
    expect(await isStored('nested')).to.equal(true);
    expect((await engine.acme.createAccount({ currency: 'USD' })).currency).to.equal('USD');
    await host.close();
  });

  if (kind === 'sqlite')
    it('are rejected before a write if they use a different copy of the SQLite library', async () => {
      const own = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
      if (own.database.kind !== 'sqlite') throw new Error('it is on SQLite');
      const acme = joinable(own.billing).as({ tenant: own.tenant.id, user: 'host' });
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const handle = new DatabaseSync(own.database.path);
      handle.exec('begin immediate');
      const lent: SqlTransaction = {
        dialect: 'sqlite',
        query: async (text, values) => {
          const statement = handle.prepare(text);
          statement.setReadBigInts(true);
          return { rows: statement.all(...(values as string[])), rowCount: 0 };
        },
      };
      const refused = await rejection(acme.within(lent).createAccount({ currency: 'USD' }));
      expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
      expect(refused.message)
        .to.contain('a different copy of SQLite')
        .and.to.contain('npm ls better-sqlite3');
      handle.exec('rollback');
      const { id } = await own.acme.createAccount({ currency: 'USD' });
      expect((await own.acme.accounts.get(id)).id).to.equal(id);
      handle.close();
      await own.close();
    });

  it('can be provided by a host function that returns amounts with all digits', async () => {
    const host = openHostLibrary(kind === 'sqlite' ? 'better-sqlite3' : 'Kysely', engine.database);
    await host.transaction(async (handle) => {
      const lent = lentByFunction(kind, handle);
      const { id } = await within(lent).createAccount({ currency: 'USD', externalKey: 'by-function' });
      expect((await within(lent).accounts.get(id)).currency).to.equal('USD');
      const rounding = {
        ...lent,
        query: async (...given: Parameters<typeof lent.query>) => rounded(await lent.query(...given)),
      };
      const refused = await rejection(within(rounding).createAccount({ currency: 'USD' }));
      expect(refused).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
      expect(refused.message).to.contain('as doubles');
    });
    const outside = await host.transaction(async (handle) => lentByFunction(kind, handle));
    if (kind === 'sqlite') {
      const refused = await rejection(within(outside).createAccount({ currency: 'USD' }));
      expect(refused.message).to.contain('without an open transaction');
    }
    await host.close();
    expect(await isStored('by-function')).to.equal(true);
  });

  if (kind === 'sqlite') {
    it('delay the engine’s other writes until they end', async () => {
      const host = openHostLibrary('better-sqlite3', engine.database);
      const order: string[] = [];
      const writing = await host.transaction(async (handle) => {
        await within(handle).createAccount({ currency: 'USD' });
        const own = engine.acme.createAccount({ currency: 'USD' }).then(() => order.push('engine'));
        expect(await engine.acme.accounts.getByKey('by-function')).to.include({ currency: 'USD' });
        order.push('host');
        return { own };
      });
      await writing.own;
      expect(order).to.eql(['host', 'engine']);
      await host.close();
    });
  } else {
    it('are rejected if they have already failed or are not open in the client', async () => {
      const client = new pg.Client((engine.database as { readonly url: string }).url);
      await client.connect();
      expect((await refusalOf(client)).message).to.contain("client.query('begin')");
      await client.query('begin');
      await client.query('select 1 / 0').catch(() => undefined);
      await client.query('select 1').catch(() => undefined);
      expect((await refusalOf(client)).message).to.contain('has already failed');
      await client.query('rollback');
      await client.end();
    });
  }

  it('are rejected before any query if they use a different type of database than the engine', async () => {
    const otherKind = kind === 'sqlite' ? 'postgresql' : 'sqlite';
    const database = await freshDatabase(otherKind);
    for (const name of hostLibraries[otherKind]) {
      const other = openHostLibrary(name, database);
      await other.transaction(async (handle, run) => {
        const refused = await rejection(within(handle).createAccount({ currency: 'USD' }));
        expect(refused.message).to.contain('a different database');
        await run('select 1');
      });
      await other.close();
    }
  });
});

/** The engine's type for hosts whose transaction types the compiler cannot check. */
function joinable(billing: object): Billing<unknown> {
  return billing as Billing<unknown>;
}

/** Adapts an unsupported library, as a host would write it. */
function lentByFunction(dialect: DatabaseKind, handle: object): SqlTransaction {
  if (dialect === 'postgresql') {
    const trx = (handle as Transaction<unknown>).withoutPlugins();
    return {
      dialect,
      query: async (text, values) => {
        const { rows, numAffectedRows } = await trx.executeQuery<object>(
          CompiledQuery.raw(text, [...values]),
        );
        return { rows, rowCount: numAffectedRows };
      },
    };
  }
  const { prepare } = handle as Database;
  return {
    dialect,
    query: async (text, values) => {
      const statement = prepare.call(handle, text).safeIntegers(false);
      if (statement.reader) return { rows: statement.all(values) as object[] };
      return { rows: [], rowCount: statement.run(values).changes };
    },
  };
}

/** Returns the rows with doubles for decimal text. */
function rounded({ rows, rowCount }: Awaited<ReturnType<SqlTransaction['query']>>) {
  const round = (value: unknown) => (/^\d+[.]\d+$/.test(String(value)) ? Number(value) : value);
  return {
    rowCount,
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)])),
    ),
  };
}

/** Resolves when the storage reports a possible commit of a host transaction. */
function commit({ storage }: TestEngine): Promise<void> {
  return new Promise((resolve) => {
    const stop = storage.onCommit(() => {
      stop();
      resolve();
    });
  });
}
