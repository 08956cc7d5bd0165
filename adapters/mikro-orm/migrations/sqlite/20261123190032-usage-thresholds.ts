import { Migration } from '@mikro-orm/migrations';

export class Migration20261123190032UsageThresholds extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_usage_marks\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`version\` integer not null);`);
    this.addSql(`create unique index \`bw_usage_marks_subscription_unique\` on \`bw_usage_marks\` (\`tenant_record_id\`, \`subscription_record_id\`);`);

    this.addSql(`create table \`bw_usage_thresholds\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`usage_name\` text not null, \`starts_at\` integer not null, \`measure\` text not null, \`measured\` text not null, \`bound\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_usage_thresholds_bound_unique\` on \`bw_usage_thresholds\` (\`tenant_record_id\`, \`subscription_record_id\`, \`usage_name\`, \`starts_at\`, \`measure\`, \`measured\`, \`bound\`);`);

    this.addSql(`alter table \`bw_tenants\` add column \`usage_thresholds_record_id\` integer null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_usage_marks\`;`);
    this.addSql(`drop table if exists \`bw_usage_thresholds\`;`);

    this.addSql(`alter table \`bw_tenants\` drop column \`usage_thresholds_record_id\`;`);
  }
}
