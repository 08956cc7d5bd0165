import { Migration } from '@mikro-orm/migrations';

export class Migration20261123181000PushDeliveries extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_push_deliveries" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "account_record_id" bigint null, "event_type" text not null, "body" text not null, "url" text not null, "state" text not null, "due_order" bigint not null, "attempts" int not null, "failures" int not null, "attempted_date" bigint null, "last_status" int null, "last_error" text null, "created_date" bigint not null, "ended_date" bigint null);`);
    this.addSql(`create index "bw_push_deliveries_due_index" on "bw_push_deliveries" ("tenant_record_id", "due_order", "record_id") where state = 'AVAILABLE';`);
    this.addSql(`create index "bw_push_deliveries_next_index" on "bw_push_deliveries" ("due_order") where state = 'AVAILABLE';`);
    this.addSql(`create index "bw_push_deliveries_listed_index" on "bw_push_deliveries" ("tenant_record_id", "record_id");`);
    this.addSql(`create index "bw_push_deliveries_account_index" on "bw_push_deliveries" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`create index "bw_push_deliveries_age_index" on "bw_push_deliveries" ("ended_date", "record_id") where ended_date is not null;`);
    this.addSql(`alter table "bw_push_deliveries" add constraint "bw_push_deliveries_id_unique" unique ("id");`);

    this.addSql(`create table "bw_push_leases" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "owner" text not null, "token" text not null, "ends_at_ms" bigint not null);`);
    this.addSql(`alter table "bw_push_leases" add constraint "bw_push_leases_tenant_unique" unique ("tenant_record_id");`);

    this.addSql(`alter table "bw_tenants" add "callback_record_id" bigint null;`);
    // Row-level security would show no tenant's values.
    this.addSql(`select set_config('billwright.tenant_record_id', '*', true);`);
    this.addSql(`update bw_tenants set callback_record_id = (
      select max(kv.record_id) from bw_tenant_kvs kv
      where kv.tenant_record_id = bw_tenants.record_id and kv.key = 'PUSH_NOTIFICATION_CB' and kv.is_active);`);

    this.addSql(`alter table "bw_push_deliveries" enable row level security;`);
    this.addSql(`alter table "bw_push_deliveries" force row level security;`);
    this.addSql(`create policy "bw_push_deliveries_tenant" on "bw_push_deliveries" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_push_leases" enable row level security;`);
    this.addSql(`alter table "bw_push_leases" force row level security;`);
    this.addSql(`create policy "bw_push_leases_tenant" on "bw_push_leases" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_push_deliveries" cascade;`);
    this.addSql(`drop table if exists "bw_push_leases" cascade;`);

    this.addSql(`alter table "bw_tenants" drop column "callback_record_id";`);
  }

}
