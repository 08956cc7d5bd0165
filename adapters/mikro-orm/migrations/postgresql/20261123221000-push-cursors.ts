import { Migration } from '@mikro-orm/migrations';

export class Migration20261123221000PushCursors extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_push_cursors" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "after_record_id" bigint not null);`);
    this.addSql(`alter table "bw_push_cursors" add constraint "bw_push_cursors_tenant_unique" unique ("tenant_record_id");`);

    // Callbacks that are there have deliveries of all that has happened. Row-level security would show none.
    this.addSql(`select set_config('billwright.tenant_record_id', '*', true);`);
    this.addSql(`insert into bw_push_cursors (tenant_record_id, after_record_id)
      select record_id, coalesce(pg_sequence_last_value(pg_get_serial_sequence('bw_queue_entries', 'record_id')::regclass), 0)
      from bw_tenants where callback_record_id is not null;`);

    this.addSql(`alter table "bw_push_cursors" enable row level security;`);
    this.addSql(`alter table "bw_push_cursors" force row level security;`);
    this.addSql(`create policy "bw_push_cursors_tenant" on "bw_push_cursors" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_push_cursors" cascade;`);
  }

}
