import { Migration } from '@mikro-orm/migrations';
import { initialTables } from '../initial/initial-tables.ts';

/**
 * An index for substring searches. If the extension pg_trgm is missing and cannot be created, searches read all
 * accounts of the tenant. The extension belongs to the whole database, so it is created in the schema public if
 * possible, and under a lock.
 */
const accountTextIndex = `do $migration$
  declare
    trigram_schema text;
  begin
    perform pg_advisory_xact_lock(108192040920946);
    begin
      if not exists (select from pg_extension where extname = 'pg_trgm') then
        execute format('create extension pg_trgm schema %I',
          case when has_schema_privilege(to_regnamespace('public'), 'create') then 'public' else current_schema() end);
      end if;
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

/**
 * Condition for the rows of the tenant in the setting, for all rows if the setting is `*`, and for no rows without the
 * setting. Subqueries run once per statement, but Citus rejects them in policies. Without them, PostgreSQL reads the
 * setting for each row, so a scan of all accounts takes twice as long.
 */
export function tenantCondition(column: string, hasCitus: boolean): string {
  return hasCitus
    ? `coalesce(${setting} in (${column}::text, '*'), false)`
    : `${column} = (select nullif(nullif(${setting}, ''), '*')::bigint) or (select ${setting} = '*')`;
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
 * rows. So the text search is a condition of a policy: that of a second table, whose only partition is the table of
 * accounts. The policy of a partitioned table applies only to reads through that table.
 */
function accountTexts(hasCitus: boolean): readonly string[] {
  const pattern = `current_setting('billwright.account_text', true)`;
  const matches = `folded_text like ${hasCitus ? pattern : `(select ${pattern})`}`;
  return [
    'create table bw_account_texts (like bw_accounts) partition by list (tenant_record_id)',
    ...guard('bw_account_texts', `(${tenantCondition('tenant_record_id', hasCitus)}) and ${matches}`),
    'alter table bw_account_texts attach partition bw_accounts default',
  ];
}

export class Migration20261129000000Initial extends Migration {
  override async up(): Promise<void> {
    const hasCitus = (await this.execute(`select 1 from pg_extension where extname = 'citus'`)).length > 0;
    // One statement at a time, because Citus rejects several statements at once.
    const statements = [
      ...initialTables.split(/(?<=;)\n+/),
      ...roomForUpdates,
      accountTextIndex,
      ...tablesOfTenants.flatMap(([, table = '']) => guard(table, tenantCondition('tenant_record_id', hasCitus))),
      ...guard('bw_tenants', tenantCondition('record_id', hasCitus)),
      ...accountTexts(hasCitus),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
