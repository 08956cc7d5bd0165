import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { defineEntities } from '../tables/entities.ts';
import { postgresqlDialect } from '../postgresql/dialect.ts';
import { SHOW_ACCOUNTS, schemaOptions } from '../tables/schema.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { migrations as postgresqlMigrations } from './postgresql/index.ts';
import { migrations as sqliteMigrations } from './sqlite/index.ts';

/**
 * Development only: writes the migration that leads from the schema of the migrations so far to that of the tables.
 *
 *     node adapters/mikro-orm/migrations/generate.ts <name> <URL of an empty PostgreSQL database>
 *
 * Add the new files to the end of the `index.ts` beside them, whose names are in order.
 */
const [name = 'change', url] = process.argv.slice(2);
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);

for (const database of [
  { folder: 'sqlite', orm: new SqliteOrm({ ...options('sqlite'), dbName: ':memory:' }) },
  {
    folder: 'postgresql',
    orm: new PostgresqlOrm({ ...options('postgresql'), clientUrl: url ?? 'postgresql://127.0.0.1/empty' }),
  },
]) {
  const { migrator } = database.orm;
  await migrator.up();
  if (database.folder === 'postgresql') await database.orm.em.getConnection().execute(SHOW_ACCOUNTS);
  const { fileName } = await migrator.create(undefined, false, false, name);
  console.log(fileName === '' ? `${database.folder}: nothing to do` : `${database.folder}/${fileName}`);
  await database.orm.close(true);
}

function options(kind: 'sqlite' | 'postgresql') {
  const [dialect, migrations] =
    kind === 'sqlite' ? [sqliteDialect, sqliteMigrations] : [postgresqlDialect, postgresqlMigrations];
  const shared = schemaOptions(defineEntities(dialect), migrations);
  const folder = new URL(kind, import.meta.url).pathname;
  return {
    ...shared,
    extensions: [Migrator],
    migrations: {
      ...shared.migrations,
      path: folder,
      pathTs: folder,
      emit: 'ts' as const,
      fileName: (_timestamp: string, given?: string) => `${stamp}-${given ?? 'change'}`,
    },
  };
}
