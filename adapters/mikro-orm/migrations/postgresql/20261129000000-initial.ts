import { Migration } from '@mikro-orm/migrations';
import { initialTables } from '../initial/initial-tables.ts';

/**
 * An index for texts within texts. Without the extension pg_trgm, where the role may not create it or the server does not
 * ship it, searches read every account of their tenant, and the rest of the schema must not wait for it.
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

/** Leaves room in pages whose rows are updated often, so that the new version of a row needs no new index entries. */
const roomForUpdates = `
  alter table bw_subscriptions set (fillfactor = 50);
  alter table bw_invoicing_cursors set (fillfactor = 50);
  alter table bw_usage_days set (fillfactor = 70);`;

const setting = `current_setting('billwright.tenant_record_id', true)`;

/** Rows of the tenant that the setting names, or all rows where it says so; none where nothing was set. */
function reached(column: string): string {
  return `${column} = (select nullif(nullif(${setting}, ''), '*')::bigint) or (select ${setting} = '*')`;
}

/** Row-level security, for the owner of the table too. */
function guard(table: string, condition: string): string {
  return `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy ${table}_tenant on ${table} using (${condition}) with check (${condition});`;
}

const tablesOfTenants = [...initialTables.matchAll(/create table (\w+) \([^;]*\btenant_record_id bigint not null/g)];

/**
 * Behind row-level security no condition of a statement is looked up in an index that could tell of other rows, and `like`
 * is one. What a text search finds is therefore a condition of the policy: on a table of no rows that accounts belong to
 * as well, so that it holds for those who read accounts by that name only.
 */
const accountTexts = `
  create table bw_account_texts (record_id bigint, tenant_record_id bigint, folded_text text);
  ${guard(
    'bw_account_texts',
    `(${reached('tenant_record_id')}) and folded_text like (select current_setting('billwright.account_text', true))`,
  )}
  alter table bw_accounts inherit bw_account_texts;`;

export class Migration20261129000000Initial extends Migration {
  override up(): void {
    // Each in one message: there are hundreds of statements.
    this.addSql(initialTables);
    this.addSql(roomForUpdates);
    this.addSql(accountTextIndex);
    this.addSql(tablesOfTenants.map(([, table = '']) => guard(table, reached('tenant_record_id'))).join('\n'));
    this.addSql(guard('bw_tenants', reached('record_id')));
    this.addSql(accountTexts);
  }
}
