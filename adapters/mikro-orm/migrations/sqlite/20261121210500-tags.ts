import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210500Tags extends Migration {

  override name = 'Migration20261121210500Tags';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_custom_fields\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`object_type\` text not null, \`object_id\` text not null, \`name\` text not null, \`value\` text not null, \`folded_name\` text not null, \`folded_value\` text not null, \`account_record_id\` integer not null, \`is_active\` integer not null, \`created_by\` text not null, \`created_date\` integer not null, \`updated_by\` text not null, \`updated_date\` integer not null);`);
    this.addSql(`create index \`bw_custom_fields_page_index\` on \`bw_custom_fields\` (\`tenant_record_id\`, \`record_id\`) where is_active;`);
    this.addSql(`create index \`bw_custom_fields_object_index\` on \`bw_custom_fields\` (\`tenant_record_id\`, \`object_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_custom_fields_account_index\` on \`bw_custom_fields\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_custom_fields_name_index\` on \`bw_custom_fields\` (\`tenant_record_id\`, \`name\`, \`record_id\`) where is_active;`);
    this.addSql(`create unique index \`bw_custom_fields_id_unique\` on \`bw_custom_fields\` (\`id\`);`);
    this.addSql(`create unique index \`bw_custom_fields_active_unique\` on \`bw_custom_fields\` (\`tenant_record_id\`, \`object_type\`, \`object_id\`, \`name\`, \`value\`) where is_active;`);

    this.addSql(`create table \`bw_tag_definitions\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`name\` text not null, \`description\` text not null, \`folded_description\` text not null, \`applicable_object_types\` text not null, \`is_active\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_tag_definitions_page_index\` on \`bw_tag_definitions\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_tag_definitions_id_unique\` on \`bw_tag_definitions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_tag_definitions_name_unique\` on \`bw_tag_definitions\` (\`tenant_record_id\`, \`name\`) where is_active;`);

    this.addSql(`create table \`bw_tags\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`object_type\` text not null, \`object_id\` text not null, \`tag_definition_id\` text not null, \`account_record_id\` integer not null, \`is_active\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_tags_page_index\` on \`bw_tags\` (\`tenant_record_id\`, \`record_id\`) where is_active;`);
    this.addSql(`create index \`bw_tags_object_index\` on \`bw_tags\` (\`tenant_record_id\`, \`object_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_tags_account_index\` on \`bw_tags\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_tags_definition_index\` on \`bw_tags\` (\`tenant_record_id\`, \`tag_definition_id\`, \`record_id\`) where is_active;`);
    this.addSql(`create unique index \`bw_tags_id_unique\` on \`bw_tags\` (\`id\`);`);
    this.addSql(`create unique index \`bw_tags_active_unique\` on \`bw_tags\` (\`tenant_record_id\`, \`object_type\`, \`object_id\`, \`tag_definition_id\`) where is_active;`);
  }

}
