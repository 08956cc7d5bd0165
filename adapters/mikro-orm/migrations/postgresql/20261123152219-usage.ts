import { Migration } from '@mikro-orm/migrations';

export class Migration20261123152219Usage extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_usage_days" ("tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "local_date" date not null, "unit_record_id" bigint not null, "account_record_id" bigint not null, "amount_sum" numeric not null, "amount_max" numeric null, "amount_min" numeric null, "last_recorded_for" bigint null, "last_amount" numeric null, "point_count" bigint not null, "version" int not null, primary key ("tenant_record_id", "subscription_record_id", "local_date", "unit_record_id")) with (fillfactor = 70);`);
    this.addSql(`create index "bw_usage_days_account_index" on "bw_usage_days" ("tenant_record_id", "account_record_id", "local_date", "subscription_record_id", "unit_record_id");`);

    this.addSql(`create table "bw_usage_keys" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "tracking_id" text not null, "fingerprint" text not null, "first_day" date not null, "last_day" date not null, "created_by" text not null, "created_date" bigint not null, "voided_date" bigint null);`);
    this.addSql(`create index "bw_usage_keys_voided_index" on "bw_usage_keys" ("tenant_record_id", "subscription_record_id", "record_id") where voided_date is not null;`);
    this.addSql(`alter table "bw_usage_keys" add constraint "bw_usage_keys_tracking_id_unique" unique ("tenant_record_id", "subscription_record_id", "tracking_id");`);

    this.addSql(`create table "bw_usage_points" ("tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "local_date" date not null, "unit_record_id" bigint not null, "ordinal" bigint not null, "recorded_for" bigint not null, "is_date_only" boolean not null, "amount" numeric not null, "key_record_id" bigint not null, primary key ("tenant_record_id", "subscription_record_id", "local_date", "unit_record_id", "ordinal"));`);

    this.addSql(`create table "bw_usage_units" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "name" text not null);`);
    this.addSql(`alter table "bw_usage_units" add constraint "bw_usage_units_name_unique" unique ("tenant_record_id", "name");`);

    this.addSql(`alter table "bw_usage_days" enable row level security;`);
    this.addSql(`alter table "bw_usage_days" force row level security;`);
    this.addSql(`create policy "bw_usage_days_tenant" on "bw_usage_days" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_usage_keys" enable row level security;`);
    this.addSql(`alter table "bw_usage_keys" force row level security;`);
    this.addSql(`create policy "bw_usage_keys_tenant" on "bw_usage_keys" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_usage_points" enable row level security;`);
    this.addSql(`alter table "bw_usage_points" force row level security;`);
    this.addSql(`create policy "bw_usage_points_tenant" on "bw_usage_points" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_usage_units" enable row level security;`);
    this.addSql(`alter table "bw_usage_units" force row level security;`);
    this.addSql(`create policy "bw_usage_units_tenant" on "bw_usage_units" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_usage_days" cascade;`);
    this.addSql(`drop table if exists "bw_usage_keys" cascade;`);
    this.addSql(`drop table if exists "bw_usage_points" cascade;`);
    this.addSql(`drop table if exists "bw_usage_units" cascade;`);
  }
}
