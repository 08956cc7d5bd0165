import { Migration } from '@mikro-orm/migrations';

export class Migration20261122063046AuditSeries extends Migration {

  override name = 'Migration20261122063046AuditSeries';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_audit_log\` add column \`last_target_record_id\` integer null;`);
    this.addSql(`create index \`bw_audit_log_series_index\` on \`bw_audit_log\` (\`tenant_record_id\`, \`account_record_id\`, \`table_name\`, \`target_record_id\`) where last_target_record_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_audit_log_series_index\`;`);
    this.addSql(`alter table \`bw_audit_log\` drop column \`last_target_record_id\`;`);
  }

}
