import { Migration } from '@mikro-orm/migrations';

export class Migration20261123234000SinkCursors extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_sinks" ("record_id" bigserial primary key, "name" text not null, "after_record_id" bigint not null, "used_at_ms" bigint not null);`);
    this.addSql(`alter table "bw_sinks" add constraint "bw_sinks_name_unique" unique ("name");`);

    this.addSql(`create table "bw_sink_cursors" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "sink" text not null, "after_record_id" bigint not null);`);
    this.addSql(`alter table "bw_sink_cursors" add constraint "bw_sink_cursors_sink_unique" unique ("tenant_record_id", "sink");`);

    // Sinks that are there have deliveries of all that has happened. Row-level security would show none.
    this.addSql(`select set_config('billwright.tenant_record_id', '*', true);`);
    this.addSql(`insert into bw_sinks (name, after_record_id, used_at_ms)
      select distinct sink, coalesce(pg_sequence_last_value(pg_get_serial_sequence('bw_queue_entries', 'record_id')::regclass), 0),
        (extract(epoch from clock_timestamp()) * 1000)::bigint
      from bw_sink_deliveries;`);

    this.addSql(`alter table "bw_sink_cursors" enable row level security;`);
    this.addSql(`alter table "bw_sink_cursors" force row level security;`);
    this.addSql(`create policy "bw_sink_cursors_tenant" on "bw_sink_cursors" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_sinks" cascade;`);
    this.addSql(`drop table if exists "bw_sink_cursors" cascade;`);
  }

}
