import { readFileSync, writeFileSync } from 'node:fs';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { postgresqlDialect } from '../postgresql/dialect.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { defineEntities } from '../tables/entities.ts';
import { tables } from '../tables/index.ts';
import { type TableSpec, uniqueName } from '../tables/record-table.ts';
import { SHOW_ACCOUNTS, schemaOptions } from '../tables/schema.ts';
import { migrations as postgresqlMigrations } from './postgresql/index.ts';
import { migrations as sqliteMigrations } from './sqlite/index.ts';

/**
 * Development only: writes the migration from the schema of the existing migrations to that of the tables.
 *
 * `   node adapters/mikro-orm/migrations/generate.ts <name> <URL of an empty PostgreSQL database>`
 *
 * Add the new files to the end of the `index.ts` beside them. Before the first release, the name `initial` rewrites the
 * initial migration of both databases instead.
 */
const [name = 'change', url] = process.argv.slice(2);
const LINE_WIDTH = 110;

if (name === 'initial') writeFileSync(new URL('initial/initial-tables.ts', import.meta.url), initialTables());
else await writeNext();

async function writeNext(): Promise<void> {
  for (const { folder, orm } of [
    { folder: 'sqlite', orm: new SqliteOrm({ ...options('sqlite'), dbName: ':memory:' }) },
    {
      folder: 'postgresql',
      orm: new PostgresqlOrm({ ...options('postgresql'), clientUrl: url ?? 'postgresql://127.0.0.1/empty' }),
    },
  ]) {
    const { migrator } = orm;
    await migrator.up();
    if (folder === 'postgresql') await orm.em.getConnection().execute(SHOW_ACCOUNTS);
    const { fileName } = await migrator.create(undefined, false, false, name);
    if (folder === 'postgresql' && fileName !== '') throughPartitionedTable(new URL(`${folder}/${fileName}`, import.meta.url));
    console.log(fileName === '' ? `${folder}: nothing to do` : `${folder}/${fileName}`);
    await orm.close(true);
  }
}

/** Columns of accounts change through the table whose partition they are (see the initial migration). */
function throughPartitionedTable(migration: URL): void {
  const text = readFileSync(migration, 'utf8');
  const columnChange = /(?<=alter table )"bw_accounts"(?= (?:add "|(?:alter|drop) column))/g;
  writeFileSync(migration, text.replace(columnChange, '"bw_account_texts"'));
}

function options(kind: 'sqlite' | 'postgresql') {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
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

function initialTables(): string {
  return `/** All tables of the first release, as PostgreSQL reads them (\`generate.ts initial\`). */
export const initialTables = \`
${tables.map(tableText).join('\n')}\`;
`;
}

function tableText(table: TableSpec): string {
  const keys = [table.primaryKey].flat();
  const columns = table.columns.map(({ name: column, type, nullable }) => {
    if (type === 'identity') return `${column} bigserial primary key`;
    return `${column} ${postgresqlDialect.types[type]}${nullable ? '' : ' not null'}`;
  });
  const hasOwnKey = table.columns.some(({ type }) => type === 'identity');
  const body = wrapColumns(hasOwnKey ? columns : [...columns, `primary key (${keys.join(', ')})`]);
  const constraints = table.uniques
    .filter(({ where }) => where === undefined)
    .map((unique) => [
      `  constraint ${uniqueName(table.name, unique)}`,
      `unique (${unique.columns.join(', ')})`,
    ]);
  const indexes = [
    ...table.indexes.map((index) => ({ ...index, make: `create index ${table.name}_${index.name}_index` })),
    ...table.uniques
      .filter(({ where }) => where !== undefined)
      .map((unique) => ({ ...unique, make: `create unique index ${uniqueName(table.name, unique)}` })),
  ].map(({ make, columns: indexed, where }) => {
    return [make, `on ${table.name} (${indexed.join(', ')})`, ...(where ? [`where ${where}`] : [])];
  });
  const content = [body, ...constraints.map((parts) => inWidth(parts, '\n    '))].join(',\n');
  const made = indexes.map((parts) => `${inWidth(parts, '\n  ')};\n`).join('');
  return `create table ${table.name} (\n${content}\n);\n${made}`;
}

/** Joins the parts in one line, or in one line each. */
function inWidth(parts: readonly string[], newLine: string): string {
  const line = parts.join(' ');
  return line.length < LINE_WIDTH ? line : parts.join(newLine);
}

/** Wraps the columns into indented lines of at most `LINE_WIDTH`. */
function wrapColumns(columns: readonly string[]): string {
  return columns.reduce((text, column) => {
    if (text === '') return `  ${column}`;
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return `${text},${line.length + column.length + 3 > LINE_WIDTH ? '\n  ' : ' '}${column}`;
  }, '');
}
