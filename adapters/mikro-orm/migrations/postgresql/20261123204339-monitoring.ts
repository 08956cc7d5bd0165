import { Migration } from '@mikro-orm/migrations';

export class Migration20261123204339Monitoring extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_access_log" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "at_ms" bigint not null, "node_name" text not null, "host_name" text not null, "method" text not null, "uri" text not null, "status_code" int not null, "bytes_sent" bigint null, "principal" text null, "created_by" text null);`);
    this.addSql(`create index "bw_access_log_listed_index" on "bw_access_log" ("tenant_record_id", "record_id");`);
    this.addSql(`create index "bw_access_log_age_index" on "bw_access_log" ("at_ms", "record_id");`);

    this.addSql(`create table "bw_samples" ("record_id" bigserial primary key, "at_ms" bigint not null, "node_name" text not null, "event_group" text not null, "event_category" text not null, "kinds" json not null);`);
    this.addSql(`create index "bw_samples_age_index" on "bw_samples" ("at_ms", "record_id");`);
    this.addSql(`alter table "bw_samples" add constraint "bw_samples_series_unique" unique ("event_category", "node_name", "at_ms");`);

    this.addSql(`create index "bw_queue_history_failed_index" on "bw_queue_history" ("tenant_record_id", "record_id") where processing_state = 'FAILED';`);

    this.addSql(`alter table "bw_access_log" enable row level security;`);
    this.addSql(`alter table "bw_access_log" force row level security;`);
    this.addSql(`create policy "bw_access_log_tenant" on "bw_access_log" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_access_log" cascade;`);
    this.addSql(`drop table if exists "bw_samples" cascade;`);

    this.addSql(`drop index "bw_queue_history_failed_index";`);
  }

}
