import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210213CatalogEntries extends Migration {

  override name = 'Migration20261121210213CatalogEntries';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_catalog_entries" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "kind" text not null, "name" text not null, "account_id" uuid null, "account_record_id" bigint null, "parent_id" uuid null, "product" json null, "plan" json null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_catalog_entries_account_index" on "bw_catalog_entries" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`create index "bw_catalog_entries_named_index" on "bw_catalog_entries" ("tenant_record_id", "name");`);
    this.addSql(`create index "bw_catalog_entries_parent_index" on "bw_catalog_entries" ("tenant_record_id", "parent_id");`);
    this.addSql(`alter table "bw_catalog_entries" add constraint "bw_catalog_entries_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_catalog_entries" add constraint "bw_catalog_entries_name_unique" unique ("tenant_record_id", "kind", "name");`);

    this.addSql(`create table "bw_catalog_plan_rows" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "plan_name" text not null, "account_record_id" bigint null, "effective_date" bigint not null, "created_order" int not null, "effective_date_for_existing" bigint null, "retired" boolean not null, "since_revision" int not null, "phases" json not null, "created_date" bigint not null);`);
    this.addSql(`alter table "bw_catalog_plan_rows" add constraint "bw_catalog_plan_rows_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_catalog_plan_rows" add constraint "bw_catalog_plan_rows_order_unique" unique ("tenant_record_id", "plan_name", "effective_date", "created_order");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_catalog_entries" cascade;`);
    this.addSql(`drop table if exists "bw_catalog_plan_rows" cascade;`);
  }

}
