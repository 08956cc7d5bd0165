import { Migration } from '@mikro-orm/migrations';

export class Migration20261122140652FormerBundleKeys extends Migration {

  override name = 'Migration20261122140652FormerBundleKeys';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_former_bundle_keys\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`bundle_id\` text not null, \`external_key\` text not null);`);
    this.addSql(`create index \`bw_former_bundle_keys_account_index\` on \`bw_former_bundle_keys\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_former_bundle_keys_key_unique\` on \`bw_former_bundle_keys\` (\`tenant_record_id\`, \`external_key\`, \`bundle_id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_former_bundle_keys\`;`);
  }

}
