import { Migration } from '@mikro-orm/migrations';

export class Migration20261123213900EventFeed extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_queue_entries" add "event_id" uuid null;`);
    this.addSql(`create index "bw_queue_entries_told_index" on "bw_queue_entries" ("tenant_record_id", "record_id") where event_id is not null;`);
    this.addSql(`alter table "bw_queue_history" add "event_id" uuid null;`);
    this.addSql(`create index "bw_queue_history_told_index" on "bw_queue_history" ("tenant_record_id", "record_id") where event_id is not null;`);

    this.addSql(`create table "bw_sink_deliveries" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_record_id" bigint null, "event_type" text not null, "body" text not null, "sink" text not null, "state" text not null, "due_order" bigint not null, "attempts" int not null, "failures" int not null, "attempted_date" bigint null, "last_status" int null, "last_error" text null, "user_token" uuid null, "trace_parent" text null, "created_date" bigint not null, "ended_date" bigint null);`);
    this.addSql(`create index "bw_sink_deliveries_due_index" on "bw_sink_deliveries" ("sink", "tenant_record_id", "due_order", "record_id") where state = 'AVAILABLE';`);
    this.addSql(`create index "bw_sink_deliveries_next_index" on "bw_sink_deliveries" ("sink", "due_order") where state = 'AVAILABLE';`);
    this.addSql(`create index "bw_sink_deliveries_age_index" on "bw_sink_deliveries" ("sink", "ended_date", "record_id") where ended_date is not null;`);
    this.addSql(`alter table "bw_sink_deliveries" add constraint "bw_sink_deliveries_id_unique" unique ("id", "sink");`);

    this.addSql(`create table "bw_sink_leases" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "sink" text not null, "owner" text not null, "token" text not null, "ends_at_ms" bigint not null);`);
    this.addSql(`alter table "bw_sink_leases" add constraint "bw_sink_leases_sink_unique" unique ("tenant_record_id", "sink");`);

    this.addSql(`alter table "bw_sink_deliveries" enable row level security;`);
    this.addSql(`alter table "bw_sink_deliveries" force row level security;`);
    this.addSql(`create policy "bw_sink_deliveries_tenant" on "bw_sink_deliveries" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_sink_leases" enable row level security;`);
    this.addSql(`alter table "bw_sink_leases" force row level security;`);
    this.addSql(`create policy "bw_sink_leases_tenant" on "bw_sink_leases" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_sink_deliveries" cascade;`);
    this.addSql(`drop table if exists "bw_sink_leases" cascade;`);

    this.addSql(`drop index "bw_queue_entries_told_index";`);
    this.addSql(`alter table "bw_queue_entries" drop column "event_id";`);
    this.addSql(`drop index "bw_queue_history_told_index";`);
    this.addSql(`alter table "bw_queue_history" drop column "event_id";`);
  }

}
