import { setTimeout } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { batchedTransactions } from '../../adapters/mikro-orm/postgresql/batched-transactions.ts';
import { postgresqlDialect } from '../../adapters/mikro-orm/postgresql/dialect.ts';
import { ServerWatch } from '../../adapters/mikro-orm/postgresql/server-watch.ts';
import type { Cell, Column, Row } from '../../adapters/mikro-orm/sql/columns.ts';
import {
  compileStatement,
  EVERY_TENANT,
  type Transaction,
  type TransactionKind,
  type Transactions,
} from '../../adapters/mikro-orm/sql/connection.ts';
import { Runner } from '../../adapters/mikro-orm/sql/runner.ts';
import { isIn, render, rowsAs, sql } from '../../adapters/mikro-orm/sql/sql.ts';
import { violationOf } from '../../adapters/mikro-orm/tables/violations.ts';
import { DATABASE_IDLE_MS } from '../../lib/values/limits.ts';
import { expect, type OpenDatabase, onPostgresql } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const writing: TransactionKind = { reach: EVERY_TENANT, mode: 'write' };

onPostgresql.describe('batched statements on PostgreSQL', (open) => define(open, true));
onPostgresql.describe('unbatched statements on PostgreSQL', (open) => define(open, false));

function define(open: OpenDatabase, batchesStatements: boolean): void {
  let orm: MikroORM;
  let idleCount: () => number;
  let transactions: Transactions;
  /** Number of round trips on the pool's only connection. */
  let roundTrips = 0;

  before(async () => {
    const database = await open();
    if (database.kind !== 'postgresql') throw new Error('wrong kind');
    orm = new MikroORM({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      clientUrl: database.url,
      pool: { max: 1 },
    });
    const pool = await orm.em.getConnection().getNativeClient();
    idleCount = () => pool.idleCount;
    const { port } = new URL(database.url);
    const watch = new ServerWatch(
      async () => ({ host: '127.0.0.1', port: Number(port) }),
      () => undefined,
    );
    transactions = batchedTransactions(async () => pool, { watch, keepsPlans: true, batchesStatements });
    const client = await pool.connect();
    await client.query('create table t (id int primary key, name text)');
    const query = client.query.bind(client);
    client.query = ((...given: Parameters<typeof query>) => {
      roundTrips += 1;
      return query(...given);
    }) as typeof client.query;
    client.release();
  });
  after(() => orm.close(true));
  beforeEach(() => {
    roundTrips = 0;
  });

  const inTransaction = <T>(
    work: (transaction: Transaction) => Promise<T>,
    last: (transaction: Transaction) => Promise<unknown> = async () => undefined,
  ) =>
    transactions.run(writing, async (transaction) => {
      const result = await work(transaction);
      return { result, last: last(transaction) };
    });
  const insert = (transaction: Transaction, id: number, name = 'x') =>
    transaction.executeQuery(compileStatement('insert into t (id, name) values ($1, $2)', [id, name]));
  const ids = async () => {
    const { rows } = await transactions
      .single(EVERY_TENANT)
      .executeQuery(compileStatement('select id from t where id > $1 order by id', [0]));
    return rows.map((row) => (row as { readonly id: number }).id);
  };

  /** Round trips if statements wait for each other only where necessary, and if they are sent one by one. */
  const expectRoundTrips = (batched: number, oneByOne: number) =>
    expect(roundTrips).to.equal(batchesStatements ? batched : oneByOne);

  it(`use ${batchesStatements ? 'one round trip with the begin and one with the commit' : 'separate round trips, as do the begin and the commit'}`, async () => {
    await inTransaction(async (transaction) => {
      const made = await Promise.all([insert(transaction, 1), insert(transaction, 2)]);
      expect(made.map(({ numAffectedRows }) => numAffectedRows)).to.eql([1n, 1n]);
    });
    expectRoundTrips(2, 5);
  });

  it('share the commit’s round trip if nothing depends on their results', async () => {
    await inTransaction(
      async () => 'done',
      (transaction) => Promise.all([insert(transaction, 3), insert(transaction, 4)]),
    );
    expectRoundTrips(1, 5);
    expect(await ids()).to.eql([1, 2, 3, 4]);
  });

  const reading: TransactionKind = { reach: EVERY_TENANT, mode: 'read' };
  const read = () =>
    transactions.run(reading, async (transaction) => ({
      result: await transaction.executeQuery(compileStatement('select 1 as a')),
      last: Promise.resolve(),
    }));

  it('commit a read together with the first statements of the next transaction', async () => {
    await read();
    expectRoundTrips(1, 3);
    await read();
    expectRoundTrips(2, 7);
    await inTransaction((transaction) => insert(transaction, 40));
    expectRoundTrips(4, 12);
    await transactions
      .single(EVERY_TENANT)
      .executeQuery(compileStatement('delete from t where id = $1', [40]));
    expect(await ids()).not.to.include(40);
  });

  it('commit a read soon if no transaction follows', async () => {
    await read();
    while (idleCount() === 0) await setTimeout(1);
    expectRoundTrips(2, 4);
  });

  it('return their own rows, in request order', async () => {
    const found = await inTransaction((transaction) =>
      Promise.all(
        ['select 1 as a', 'select 2 as a, 3 as b', "select date '2026-02-28' as day"].map(
          async (text) => (await transaction.executeQuery(compileStatement(text))).rows,
        ),
      ),
    );
    expect(found).to.eql([[{ a: 1 }], [{ a: 2, b: 3 }], [{ day: '2026-02-28' }]]);
  });

  it('store nothing if one statement fails, and report the error of that statement', async () => {
    const failed = await rejection(
      inTransaction(
        (transaction) => insert(transaction, 5),
        (transaction) =>
          Promise.all([insert(transaction, 6), insert(transaction, 1), insert(transaction, 7)]),
      ),
    );
    expect(failed).to.include({ code: '23505' });
    expect(await ids()).to.eql([1, 2, 3, 4]);
  });

  it('are prepared again after a first attempt that failed at an earlier statement', async () => {
    const attempt = (divisor: number) =>
      inTransaction((transaction) =>
        Promise.all([
          transaction.executeQuery(compileStatement('select 1 / $1::int as a', [divisor])),
          transaction.executeQuery(compileStatement('select $1::int + 1 as b', [divisor])),
        ]),
      );
    expect((await rejection(attempt(0))).message).to.contain('division by zero');
    const [first, second] = await attempt(1);
    expect([first.rows, second.rows]).to.eql([[{ a: 1 }], [{ b: 2 }]]);
  });

  it('send a large statement immediately while later statements are written', async () => {
    await inTransaction(async (transaction) => {
      const large = insert(transaction, 10, 'x'.repeat(70_000));
      expect(roundTrips).to.equal(1);
      await Promise.all([large, insert(transaction, 11), insert(transaction, 12)]);
      expectRoundTrips(2, 5);
    });
    expectRoundTrips(3, 6);
    expect(await ids()).to.include.members([10, 11, 12]);
  });

  const columns: readonly Column[] = [
    { name: 'amount', type: 'decimal', nullable: false },
    { name: 'name', type: 'text', nullable: true },
    { name: 'owner', type: 'uuid', nullable: true },
    { name: 'document', type: 'json', nullable: true },
    { name: 'day', type: 'date', nullable: true },
    { name: 'is_open', type: 'boolean', nullable: true },
  ];
  const manyRows = (count: number, cellsOf: (index: number) => readonly Cell[]) =>
    Array.from({ length: count }, (_, index) => cellsOf(index));
  const readBack = async (rows: readonly (readonly Cell[])[]) => {
    const { text, parameters } = render(
      sql`select amount::text, name, owner, document::text, day::text, is_open from ${rowsAs('r', columns, rows)}`,
      postgresqlDialect.writer,
    );
    const read = await inTransaction((transaction) =>
      transaction.executeQuery(compileStatement(text, parameters)),
    );
    return { parameters, cells: read.rows.map((row) => Object.values(row as Record<string, unknown>)) };
  };

  it('send a value shared by all rows only once', async () => {
    const owner = '0193a1b2-0000-7000-8000-000000000001';
    const rows = manyRows(1_000, (index) => [
      `${index}.10`,
      'a "b" {c}, \\d',
      owner,
      '{"e":[1.50]}',
      null,
      1,
    ]);
    const { parameters, cells } = await readBack(rows);
    expect(parameters.map((each) => String(each).length).filter((length) => length > 1_000)).to.have.lengthOf(
      1,
    );
    expect(cells).to.eql(rows.map((row) => [...row.slice(0, 5), true]));
    const differing = manyRows(1_000, (index) => [
      '1',
      index === 999 ? null : 'x',
      null,
      index === 0 ? '1' : null,
      index === 500 ? '2026-02-28' : null,
      0,
    ]);
    expect((await readBack(differing)).cells).to.eql(differing.map((row) => [...row.slice(0, 5), false]));
  });

  it('return every row, even if all rows are equal', async () => {
    const { cells } = await readBack(manyRows(1_000, () => ['2', null, null, null, null, null]));
    expect(cells).to.have.lengthOf(1_000);
    expect(cells.at(-1)).to.eql(['2', null, null, null, null, null]);
  });

  it('have their rows parsed on arrival, and fail individually on an unreadable row', async () => {
    const numbers = (most: number, read: (row: Row) => unknown) => ({
      ...compileStatement('select n from generate_series(1, $1::int) as n', [most]),
      read,
    });
    const failure = await rejection(
      inTransaction(async (transaction) => {
        const [read, plain, unreadable] = await Promise.allSettled([
          transaction.executeQuery(numbers(3, ({ n }) => Number(n) * 2)),
          transaction.executeQuery(compileStatement('select 4 as n')),
          transaction.executeQuery(
            numbers(3, ({ n }) => {
              if (n === 2) throw new Error('a strange row');
              return n;
            }),
          ),
        ]);
        expect(read).to.deep.include({
          value: { rows: [2, 4, 6], isRead: true, numAffectedRows: undefined },
        });
        expect(plain).to.have.deep.nested.property('value.rows', [{ n: 4 }]);
        await insert(transaction, 20);
        if (unreadable.status === 'rejected') throw unreadable.reason;
      }),
    );
    expect(failure.message).to.equal('a strange row');
    expect(await ids()).to.not.include(20);
  });

  it('report the original error after a failed statement', async () => {
    let errors: readonly unknown[] = [];
    const failure = await rejection(
      inTransaction(async (transaction) => {
        const runner = new Runner({ dialect: postgresqlDialect, violationOf }, transaction);
        const failed = await rejection(runner.run(sql`select 1 / ${0}::int`));
        errors = [failed, await rejection(runner.run(sql`select ${1}::int`))];
        throw failed;
      }),
    );
    expect(failure).to.include({ code: '22012' });
    expect(errors[1]).to.equal(errors[0]);
  });

  it('are rejected after the end of their transaction, even if that transaction sent nothing', async () => {
    let left: Transaction | undefined;
    await inTransaction(async (transaction) => {
      left = transaction;
    });
    expect(roundTrips).to.equal(0);
    if (left === undefined) throw new Error('no transaction');
    expect((await rejection(insert(left, 8))).message).to.contain('after the end of its transaction');
  });

  it('use the same plan for all lookups of a few ids', async () => {
    await inTransaction(async (transaction) => {
      const { text, parameters } = render(
        sql`select name from t where ${isIn('id', 'bigint', [1])}`,
        postgresqlDialect.writer,
      );
      for (let call = 0; call < 12; call += 1) {
        const { rows } = await transaction.executeQuery(compileStatement(text, parameters));
        expect(rows).to.eql([{ name: 'x' }]);
      }
      const { rows } = await transaction.executeQuery(
        compileStatement(
          'select generic_plans::int as kept from pg_prepared_statements where statement = $1',
          [text],
        ),
      );
      expect(rows).to.eql([{ kept: 7 }]);
    });
  });

  const idleBound = 'idle_in_transaction_session_timeout';

  it('can leave the server idle only for a limited time while they hold locks', async () => {
    const boundIn = (kind: TransactionKind) =>
      transactions.run(kind, async (transaction) => {
        const { rows } = await transaction.executeQuery(compileStatement(`show ${idleBound}`, []));
        return { result: (rows[0] as Readonly<Record<string, string>>)[idleBound], last: Promise.resolve() };
      });
    expect(await boundIn(writing)).to.equal(`${DATABASE_IDLE_MS / 1_000}s`);
    expect(await boundIn({ ...writing, mode: 'read' })).to.equal('0');
  });

  it('are aborted with the error for a lost connection if they leave the server idle for too long while they hold locks', async () => {
    const failure = await rejection(
      inTransaction(async (transaction) => {
        await insert(transaction, 30);
        await transaction.executeQuery(compileStatement(`select set_config('${idleBound}', '50', true)`, []));
        await setTimeout(500);
        return insert(transaction, 31);
      }),
    );
    expect(postgresqlDialect.failureOf(failure)).to.eql({ kind: 'away' });
    expect(await ids()).to.not.include(30);
  });
}
