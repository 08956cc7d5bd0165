import { Migration } from '@mikro-orm/migrations';

export class Migration20261123152219Usage extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_usage_days\` (\`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`local_date\` text not null, \`unit_record_id\` integer not null, \`account_record_id\` integer not null, \`amount_sum\` text not null, \`amount_max\` text null, \`amount_min\` text null, \`last_recorded_for\` integer null, \`last_amount\` text null, \`point_count\` integer not null, \`version\` integer not null, primary key (\`tenant_record_id\`, \`subscription_record_id\`, \`local_date\`, \`unit_record_id\`)) without rowid;`);
    this.addSql(`create index \`bw_usage_days_account_index\` on \`bw_usage_days\` (\`tenant_record_id\`, \`account_record_id\`, \`local_date\`, \`subscription_record_id\`, \`unit_record_id\`);`);

    this.addSql(`create table \`bw_usage_keys\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`tracking_id\` text not null, \`fingerprint\` text not null, \`first_day\` text not null, \`last_day\` text not null, \`created_by\` text not null, \`created_date\` integer not null, \`voided_date\` integer null);`);
    this.addSql(`create index \`bw_usage_keys_voided_index\` on \`bw_usage_keys\` (\`tenant_record_id\`, \`subscription_record_id\`, \`record_id\`) where voided_date is not null;`);
    this.addSql(`create unique index \`bw_usage_keys_tracking_id_unique\` on \`bw_usage_keys\` (\`tenant_record_id\`, \`subscription_record_id\`, \`tracking_id\`);`);

    this.addSql(`create table \`bw_usage_points\` (\`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`local_date\` text not null, \`unit_record_id\` integer not null, \`ordinal\` integer not null, \`recorded_for\` integer not null, \`is_date_only\` integer not null, \`amount\` text not null, \`key_record_id\` integer not null, primary key (\`tenant_record_id\`, \`subscription_record_id\`, \`local_date\`, \`unit_record_id\`, \`ordinal\`)) without rowid;`);

    this.addSql(`create table \`bw_usage_units\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`name\` text not null);`);
    this.addSql(`create unique index \`bw_usage_units_name_unique\` on \`bw_usage_units\` (\`tenant_record_id\`, \`name\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_usage_days\`;`);
    this.addSql(`drop table if exists \`bw_usage_keys\`;`);
    this.addSql(`drop table if exists \`bw_usage_points\`;`);
    this.addSql(`drop table if exists \`bw_usage_units\`;`);
  }
}
