import { Migration } from '@mikro-orm/migrations';
import { initialTables } from '../initial/initial-tables.ts';

const types: Readonly<Record<string, string>> = {
  'bigserial primary key': 'integer not null primary key autoincrement',
  bigint: 'integer',
  int: 'integer',
  boolean: 'integer',
  uuid: 'text',
  date: 'text',
  // Text keeps all digits, but SQLite's numbers are doubles.
  numeric: 'text',
  json: 'text',
};
const typePattern = new RegExp(`(?<=^ .*\\w )(${Object.keys(types).join('|')})(?=,| not null|$)`, 'gm');

/**
 * Translates a table to SQLite. Unique constraints become indexes, so that query plans show their names. Tables with a
 * composite primary key are stored in its index.
 */
function translateTable(table: string): string {
  const [, name = ''] = /create table (\w+)/.exec(table) ?? [];
  const uniques: string[] = [];
  const text = table.replace(/,\s+constraint (\w+)\s+unique (\(.*\))/g, (_, unique: string, columns: string) => {
    uniques.push(`create unique index ${unique} on ${name} ${columns};`);
    return '';
  });
  const typed = text.replace(typePattern, (type) => types[type] ?? type);
  return [typed.replace(/(primary key \(\w+,.*\)\n\));/, '$1 without rowid;'), ...uniques].join('\n');
}

export class Migration20261129000000Initial extends Migration {
  override up(): void {
    const tables = initialTables.split('\n\n').map(translateTable).join('\n');
    // The driver accepts one statement at a time.
    for (const statement of tables.split(/(?<=;)\n/)) this.addSql(statement);
    this.addSql('create index bw_accounts_text_index on bw_accounts (tenant_record_id, record_id, folded_text)');
  }
}
