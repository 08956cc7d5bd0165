import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210213CatalogEntries extends Migration {

  override name = 'Migration20261121210213CatalogEntries';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_catalog_entries\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`kind\` text not null, \`name\` text not null, \`account_id\` text null, \`account_record_id\` integer null, \`parent_id\` text null, \`product\` text null, \`plan\` text null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_catalog_entries_account_index\` on \`bw_catalog_entries\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_catalog_entries_named_index\` on \`bw_catalog_entries\` (\`tenant_record_id\`, \`name\`);`);
    this.addSql(`create index \`bw_catalog_entries_parent_index\` on \`bw_catalog_entries\` (\`tenant_record_id\`, \`parent_id\`);`);
    this.addSql(`create unique index \`bw_catalog_entries_id_unique\` on \`bw_catalog_entries\` (\`id\`);`);
    this.addSql(`create unique index \`bw_catalog_entries_name_unique\` on \`bw_catalog_entries\` (\`tenant_record_id\`, \`kind\`, \`name\`);`);

    this.addSql(`create table \`bw_catalog_plan_rows\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`plan_name\` text not null, \`account_record_id\` integer null, \`effective_date\` integer not null, \`created_order\` integer not null, \`effective_date_for_existing\` integer null, \`retired\` integer not null, \`since_revision\` integer not null, \`phases\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_catalog_plan_rows_id_unique\` on \`bw_catalog_plan_rows\` (\`id\`);`);
    this.addSql(`create unique index \`bw_catalog_plan_rows_order_unique\` on \`bw_catalog_plan_rows\` (\`tenant_record_id\`, \`plan_name\`, \`effective_date\`, \`created_order\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_catalog_entries\`;`);
    this.addSql(`drop table if exists \`bw_catalog_plan_rows\`;`);
  }

}
