import { Migration } from '@mikro-orm/migrations';

export class Migration20261121204719CatalogParts extends Migration {

  override name = 'Migration20261121204719CatalogParts';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_catalog_parts\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`content_hash\` text not null, \`kind\` text not null, \`name\` text not null, \`for_existing\` integer null, \`text\` text not null);`);
    this.addSql(`create unique index \`bw_catalog_parts_content_hash_unique\` on \`bw_catalog_parts\` (\`tenant_record_id\`, \`content_hash\`);`);

    this.addSql(`pragma foreign_keys = off;`);
    this.addSql(`create table \`bw_catalog_versions__temp_alter\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`effective_date\` integer not null, \`upload_id\` text not null, \`canonical_xml\` text null, \`composition\` text null, \`source_text\` text null, \`content_hash\` text not null, \`created_date\` integer not null);`);
    this.addSql(`insert into \`bw_catalog_versions__temp_alter\` select \`record_id\`, \`tenant_record_id\`, \`id\`, \`effective_date\`, \`upload_id\`, \`canonical_xml\`, null as \`composition\`, \`source_text\`, \`content_hash\`, \`created_date\` from \`bw_catalog_versions\`;`);
    this.addSql(`drop table \`bw_catalog_versions\`;`);
    this.addSql(`alter table \`bw_catalog_versions__temp_alter\` rename to \`bw_catalog_versions\`;`);
    this.addSql(`create unique index \`bw_catalog_versions_id_unique\` on \`bw_catalog_versions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_catalog_versions_effective_date_unique\` on \`bw_catalog_versions\` (\`tenant_record_id\`, \`effective_date\`);`);
    this.addSql(`pragma foreign_keys = on;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_catalog_parts\`;`);

    this.addSql(`pragma foreign_keys = off;`);
    this.addSql(`create table \`bw_catalog_versions__temp_alter\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` INTEGER not null, \`id\` TEXT not null, \`effective_date\` INTEGER not null, \`upload_id\` TEXT not null, \`canonical_xml\` TEXT not null, \`source_text\` TEXT null, \`content_hash\` TEXT not null, \`created_date\` INTEGER not null);`);
    this.addSql(`insert into \`bw_catalog_versions__temp_alter\` select \`record_id\`, \`tenant_record_id\`, \`id\`, \`effective_date\`, \`upload_id\`, \`canonical_xml\`, \`source_text\`, \`content_hash\`, \`created_date\` from \`bw_catalog_versions\`;`);
    this.addSql(`drop table \`bw_catalog_versions\`;`);
    this.addSql(`alter table \`bw_catalog_versions__temp_alter\` rename to \`bw_catalog_versions\`;`);
    this.addSql(`create unique index \`bw_catalog_versions_effective_date_unique\` on \`bw_catalog_versions\` (\`tenant_record_id\`, \`effective_date\`);`);
    this.addSql(`create unique index \`bw_catalog_versions_id_unique\` on \`bw_catalog_versions\` (\`id\`);`);
    this.addSql(`pragma foreign_keys = on;`);
  }

}
