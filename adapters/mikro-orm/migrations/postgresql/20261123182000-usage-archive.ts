import { Migration } from '@mikro-orm/migrations';

export class Migration20261123182000UsageArchive extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_usage_archived_ids" ("tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "local_date" date not null, "unit_record_id" bigint not null, "after_ordinal" bigint not null, "part" text not null, "up_to_ordinal" bigint not null, "start_at" bigint null, "end_at" bigint null, "tracking_ids" json not null, primary key ("tenant_record_id", "subscription_record_id", "local_date", "unit_record_id", "after_ordinal", "part"));`);

    this.addSql(`create table "bw_usage_archived_pieces" ("tenant_record_id" bigint not null, "subscription_record_id" bigint not null, "local_date" date not null, "unit_record_id" bigint not null, "after_ordinal" bigint not null, "part" text not null, "up_to_ordinal" bigint not null, "amount_sum" numeric not null, "amount_max" numeric not null, "amount_min" numeric not null, "last_recorded_for" bigint not null, "last_amount" numeric not null, primary key ("tenant_record_id", "subscription_record_id", "local_date", "unit_record_id", "after_ordinal", "part"));`);

    this.addSql(`alter table "bw_usage_days" add "archived_count" bigint null;`);

    this.addSql(`alter table "bw_usage_archived_ids" enable row level security;`);
    this.addSql(`alter table "bw_usage_archived_ids" force row level security;`);
    this.addSql(`create policy "bw_usage_archived_ids_tenant" on "bw_usage_archived_ids" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);

    this.addSql(`alter table "bw_usage_archived_pieces" enable row level security;`);
    this.addSql(`alter table "bw_usage_archived_pieces" force row level security;`);
    this.addSql(`create policy "bw_usage_archived_pieces_tenant" on "bw_usage_archived_pieces" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_usage_archived_ids" cascade;`);
    this.addSql(`drop table if exists "bw_usage_archived_pieces" cascade;`);

    this.addSql(`alter table "bw_usage_days" drop column "archived_count";`);
  }
}
