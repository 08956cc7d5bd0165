import { Migration } from '@mikro-orm/migrations';

export class Migration20261123190032UsageThresholds extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_usage_marks" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "version" bigint not null);`);
    this.addSql(`alter table "bw_usage_marks" add constraint "bw_usage_marks_subscription_unique" unique ("tenant_record_id", "subscription_record_id");`);

    this.addSql(`create table "bw_usage_thresholds" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "usage_name" text not null, "starts_at" bigint not null, "measure" text not null, "measured" text not null, "bound" numeric not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_usage_thresholds" add constraint "bw_usage_thresholds_bound_unique" unique ("tenant_record_id", "subscription_record_id", "usage_name", "starts_at", "measure", "measured", "bound");`);

    this.addSql(`alter table "bw_tenants" add "usage_thresholds_record_id" bigint null;`);

    this.addSql(`alter table "bw_usage_marks" enable row level security;`);
    this.addSql(`alter table "bw_usage_marks" force row level security;`);
    this.addSql(`create policy "bw_usage_marks_tenant" on "bw_usage_marks" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_usage_thresholds" enable row level security;`);
    this.addSql(`alter table "bw_usage_thresholds" force row level security;`);
    this.addSql(`create policy "bw_usage_thresholds_tenant" on "bw_usage_thresholds" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_usage_marks" cascade;`);
    this.addSql(`drop table if exists "bw_usage_thresholds" cascade;`);

    this.addSql(`alter table "bw_tenants" drop column "usage_thresholds_record_id";`);
  }
}
