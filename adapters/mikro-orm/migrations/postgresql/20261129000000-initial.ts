import { Migration } from '@mikro-orm/migrations';
import { initialTables } from '../initial/initial-tables.ts';

/**
 * An index for substring searches. If the extension pg_trgm is missing and cannot be created, searches read all
 * accounts of the tenant.
 */
const accountTextIndex = `do $migration$
  declare
    trigram_schema text;
  begin
    begin
      create extension if not exists pg_trgm;
    exception when others then
      raise warning 'Searches of accounts go without an index, for the extension pg_trgm cannot be created: %', sqlerrm;
    end;
    select nspname into trigram_schema from pg_extension
      join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
    if trigram_schema is not null then
      execute format(
        'create index bw_accounts_text_index on bw_accounts using gin (folded_text %I.gin_trgm_ops)',
        trigram_schema);
    end if;
  exception when insufficient_privilege then
    raise warning 'Searches of accounts go without an index, for the extension pg_trgm cannot be used: %', sqlerrm;
  end $migration$;`;

/** Reserves space in pages of frequently updated rows, so that new row versions need no new index entries. */
const roomForUpdates = [
  'alter table bw_subscriptions set (fillfactor = 50)',
  'alter table bw_invoicing_cursors set (fillfactor = 50)',
  'alter table bw_usage_days set (fillfactor = 70)',
];

const setting = `current_setting('billwright.tenant_record_id', true)`;

/** Condition for the rows of the tenant in the setting, for all rows if the setting is `*`, and for no rows without the setting. */
function reached(column: string): string {
  return `${column} = (select nullif(nullif(${setting}, ''), '*')::bigint) or (select ${setting} = '*')`;
}

/** Enables row-level security, also for the owner of the table. */
function guard(table: string, condition: string): readonly string[] {
  return [
    `alter table ${table} enable row level security, force row level security`,
    `create policy ${table}_tenant on ${table} using (${condition}) with check (${condition})`,
  ];
}

const tablesOfTenants = [...initialTables.matchAll(/create table (\w+) \([^;]*\btenant_record_id bigint not null/g)];

/**
 * Under row-level security, PostgreSQL does not use an index for conditions such as `like`, which could leak other
 * rows. So the text search is a condition of a policy: that of an empty parent table of accounts, which applies only to
 * reads of that table.
 */
const accountTexts = [
  'create table bw_account_texts (record_id bigint, tenant_record_id bigint, folded_text text)',
  ...guard(
    'bw_account_texts',
    `(${reached('tenant_record_id')}) and folded_text like (select current_setting('billwright.account_text', true))`,
  ),
  'alter table bw_accounts inherit bw_account_texts',
];

export class Migration20261129000000Initial extends Migration {
  override up(): void {
    // One statement at a time, because Citus distributes no list of statements.
    const statements = [
      ...initialTables.split(/(?<=;)\n+/),
      ...roomForUpdates,
      accountTextIndex,
      ...tablesOfTenants.flatMap(([, table = '']) => guard(table, reached('tenant_record_id'))),
      ...guard('bw_tenants', reached('record_id')),
      ...accountTexts,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
