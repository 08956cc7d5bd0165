import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000500BundleKeys extends Migration {

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_bundles\` add column \`retired_key\` text null;`);
    this.addSql(`alter table \`bw_bundles\` add column \`created_by\` text null;`);
    this.addSql(`alter table \`bw_bundles\` add column \`updated_by\` text null;`);
    this.addSql(`alter table \`bw_bundles\` add column \`updated_date\` integer null;`);
    this.addSql(`update bw_bundles set
      created_by = (select changed_by from bw_audit_log l where l.tenant_record_id = bw_bundles.tenant_record_id
        and l.target_id = bw_bundles.id order by l.record_id limit 1),
      updated_by = (select changed_by from bw_audit_log l where l.tenant_record_id = bw_bundles.tenant_record_id
        and l.target_id = bw_bundles.id order by l.record_id desc limit 1),
      updated_date = created_date`);
    this.addSql(`drop index \`bw_bundles_external_key_unique\`;`);
    this.addSql(`create index \`bw_bundles_page_index\` on \`bw_bundles\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_bundles_key_index\` on \`bw_bundles\` (\`tenant_record_id\`, \`external_key\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_bundles_external_key_unique\` on \`bw_bundles\` (\`tenant_record_id\`, \`external_key\`) where retired_key is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_bundles_page_index\`;`);
    this.addSql(`drop index \`bw_bundles_key_index\`;`);
    this.addSql(`drop index \`bw_bundles_external_key_unique\`;`);
    this.addSql(`update bw_bundles set external_key = retired_key where retired_key is not null`);
    this.addSql(`create unique index \`bw_bundles_external_key_unique\` on \`bw_bundles\` (\`tenant_record_id\`, \`external_key\`);`);
    this.addSql(`alter table \`bw_bundles\` drop column \`retired_key\`;`);
    this.addSql(`alter table \`bw_bundles\` drop column \`created_by\`;`);
    this.addSql(`alter table \`bw_bundles\` drop column \`updated_by\`;`);
    this.addSql(`alter table \`bw_bundles\` drop column \`updated_date\`;`);
  }

}
