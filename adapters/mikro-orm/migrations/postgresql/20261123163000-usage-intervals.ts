import { Migration } from '@mikro-orm/migrations';

export class Migration20261123163000UsageIntervals extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_usage_intervals" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "subscription_id" uuid not null, "usage_name" text not null, "version_date" bigint not null, "price_identity" text not null, "starts_at" bigint not null, "starts_at_local" date not null, "ends_at" bigint not null, "ends_at_local" date not null, "invoice_id" uuid null, "item_ids" json not null, "consumed" text not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_usage_intervals_subscription_index" on "bw_usage_intervals" ("tenant_record_id", "subscription_id", "ends_at_local");`);
    this.addSql(`create index "bw_usage_intervals_invoice_index" on "bw_usage_intervals" ("tenant_record_id", "invoice_id");`);

    this.addSql(`alter table "bw_usage_intervals" enable row level security;`);
    this.addSql(`alter table "bw_usage_intervals" force row level security;`);
    this.addSql(`create policy "bw_usage_intervals_tenant" on "bw_usage_intervals" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_invoicing_cursors" add "usage_from" date null, add "usage_settings" text null, add "usage_through" date null, add "usage_mark" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_usage_intervals" cascade;`);

    this.addSql(`alter table "bw_invoicing_cursors" drop column "usage_from", drop column "usage_settings", drop column "usage_through", drop column "usage_mark";`);
  }
}
