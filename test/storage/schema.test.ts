import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { migrations as ofPostgresql } from '../../adapters/mikro-orm/migrations/postgresql/index.ts';
import { migrations as ofSqlite } from '../../adapters/mikro-orm/migrations/sqlite/index.ts';
import { postgresqlDialect } from '../../adapters/mikro-orm/postgresql/dialect.ts';
import { migrate as migratePostgresql, postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqliteDialect } from '../../adapters/mikro-orm/sqlite/dialect.ts';
import { migrate as migrateSqlite, sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { defineEntities } from '../../adapters/mikro-orm/tables/entities.ts';
import { SHOW_ACCOUNTS, schemaOptions } from '../../adapters/mikro-orm/tables/schema.ts';
import { eachDatabase, expect, migrated, onPostgresql, type TestDatabase } from '../support/index.ts';
import { rejection, storageAt } from '../support/storage/opened-storage.ts';

/** Statements that list the engine's tables, and those whose `record_id` comes from a sequence. */
const NUMBERED = {
  sqlite: [
    `select name from sqlite_master where type = 'table' and name like 'bw\\_%' escape '\\'`,
    `select name from sqlite_master where type = 'table' and sql like '%record_id% integer not null primary key autoincrement%'`,
  ],
  postgresql: [
    `select table_name as name from information_schema.tables where table_name like 'bw\\_%' and table_type = 'BASE TABLE'`,
    `select table_name as name from information_schema.columns
      where column_name = 'record_id' and pg_get_serial_sequence(table_name, column_name) is not null`,
  ],
} as const;

eachDatabase.describe('storage schema', (open, kind) => {
  it('matches the migrations and the table definitions', async () => {
    const orm = schemaOf(await open(migrated));
    if (kind === 'postgresql') await orm.em.getConnection().execute(SHOW_ACCOUNTS);
    try {
      expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).to.equal('');
    } finally {
      await orm.close(true);
    }
  });

  it('numbers the rows of every table from a sequence that never reuses a number (platform §17)', async () => {
    const orm = schemaOf(await open(migrated));
    // Queue rows keep their numbers in the history; usage is numbered by day; on SQLite, libraries create the tables
    // for texts and migrations.
    const numberedElsewhere =
      /^bw_(?:queue_history|usage_points|usage_days|usage_archived_\w+|migrations|account_texts.*)$/;
    const [all, numbered] = NUMBERED[kind];
    try {
      const names = async (text: string): Promise<readonly string[]> => {
        const rows: readonly { name: string }[] = await orm.em.getConnection().execute(text);
        return rows
          .map(({ name }) => name)
          .filter((name) => !numberedElsewhere.test(name))
          .toSorted();
      };
      const tables = await names(all);
      expect(tables.length).to.be.greaterThan(30);
      expect(await names(numbered)).to.eql(tables);
    } finally {
      await orm.close(true);
    }
  });

  it('is rejected if a newer engine version has migrated it', async () => {
    const database = await open(migrated);
    const orm = schemaOf(database);
    await orm.em.getConnection().execute(`insert into bw_migrations (name) values ('29990101-later')`);
    await orm.close(true);
    const storage = storageAt(database);
    const refused = await rejection(storage.prepare());
    await storage.close();
    expect(refused.message).to.contain('29990101-later').and.to.contain('update the package');
  });

  it('is rejected with an explanation if it predates the first release, even when migrate is called', async () => {
    const database = await open(migrated);
    const orm = schemaOf(database);
    await orm.em.getConnection().execute(`update bw_migrations set name = '20261121-initial'`);
    await orm.close(true);
    const storage =
      database.kind === 'sqlite' ? sqlite(database.path) : postgresql({ url: database.url, migrate: true });
    const refused = await rejection(storage.prepare());
    await storage.close();
    const refusals = [refused, await rejection(migrationsOf(database).migrate())];
    for (const { message } of refusals) {
      expect(message)
        .to.contain('a pre-release version of billwright')
        .and.to.contain('open the storage on an empty database');
    }
  });

  it('lists its migrations in name order', async () => {
    const names = migrationsOf(await open()).migrations.map(({ name }) => name);
    expect(names).to.eql(names.toSorted());
  });

  it('is created by migrate and not changed by a second call', async () => {
    const database = await open();
    const { migrations, migrate } = migrationsOf(database);
    expect(await migrate()).to.eql(migrations.map(({ name }) => name));
    expect(await migrate()).to.eql([]);
    const storage = storageAt(database);
    await storage.prepare();
    await storage.close();
  });

  it(`is reported as missing, with the command that creates it${kind === 'sqlite' ? ', if requested' : ''}`, async () => {
    const database = await open();
    const storage =
      database.kind === 'sqlite' ? sqlite({ path: database.path, migrate: false }) : postgresql(database.url);
    const refused = await rejection(storage.prepare());
    await storage.close();
    expect(refused.message).to.contain('billwright migrate');
  });

  it('leaves the host’s tables unchanged', async () => {
    const database = await open();
    const orm = schemaOf(database);
    await orm.em.getConnection().execute('create table host_orders (id integer primary key)');
    await orm.close(true);
    await migrationsOf(database).migrate();
    const after = schemaOf(database);
    await after.em.getConnection().execute('insert into host_orders values (1)');
    if (kind === 'postgresql') await after.em.getConnection().execute(SHOW_ACCOUNTS);
    expect(await after.schema.getUpdateSchemaSQL({ wrap: false })).to.equal('');
    await after.close(true);
  });
});

onPostgresql.describe('storage schema on PostgreSQL', (open) => {
  it('is migrated once when several nodes start together', async () => {
    const database = await open();
    if (database.kind !== 'postgresql') throw new Error('wrong kind');
    const nodes = Array.from({ length: 4 }, () => postgresql({ url: database.url, migrate: true }));
    await Promise.all(nodes.map((node) => node.prepare()));
    await Promise.all(nodes.map((node) => node.close()));
  });
});

function migrationsOf(database: TestDatabase) {
  return database.kind === 'sqlite'
    ? { migrations: ofSqlite, migrate: () => migrateSqlite(database.path) }
    : { migrations: ofPostgresql, migrate: () => migratePostgresql(database.url) };
}

function schemaOf(database: TestDatabase) {
  return database.kind === 'sqlite'
    ? new SqliteOrm({
        ...schemaOptions(defineEntities(sqliteDialect), []),
        extensions: [Migrator],
        dbName: database.path,
      })
    : new PostgresqlOrm({
        ...schemaOptions(defineEntities(postgresqlDialect), []),
        extensions: [Migrator],
        clientUrl: database.url,
      });
}
