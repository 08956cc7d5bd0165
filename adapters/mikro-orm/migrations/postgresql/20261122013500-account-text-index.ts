import { Migration } from '@mikro-orm/migrations';

/**
 * An index for texts within texts. Without the extension pg_trgm, where the role may not create it or the server does not
 * ship it, searches read every account of their tenant, and the rest of the schema must not wait for it.
 */
export class Migration20261122013500AccountTextIndex extends Migration {
  override name = 'Migration20261122013500AccountTextIndex';

  override up(): void {
    this.addSql(`do $migration$
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
      end $migration$;`);
  }

  override down(): void {
    this.addSql(`drop index if exists "bw_accounts_text_index";`);
  }
}
