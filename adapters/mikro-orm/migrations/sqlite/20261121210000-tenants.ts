import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210000Tenants extends Migration {

  override name = 'Migration20261121210000Tenants';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_tenant_kvs\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`key\` text not null, \`value\` text not null, \`is_single\` integer not null, \`is_active\` integer not null, \`created_date\` integer not null, \`updated_date\` integer not null);`);
    this.addSql(`create index \`bw_tenant_kvs_key_index\` on \`bw_tenant_kvs\` (\`tenant_record_id\`, \`key\`) where is_active;`);
    this.addSql(`create unique index \`bw_tenant_kvs_id_unique\` on \`bw_tenant_kvs\` (\`id\`);`);
    this.addSql(`create unique index \`bw_tenant_kvs_single_unique\` on \`bw_tenant_kvs\` (\`tenant_record_id\`, \`key\`) where is_active and is_single;`);

    this.addSql(`alter table \`bw_tenants\` add column \`configuration_record_id\` integer null;`);
  }

}
