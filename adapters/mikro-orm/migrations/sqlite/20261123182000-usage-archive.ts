import { Migration } from '@mikro-orm/migrations';

export class Migration20261123182000UsageArchive extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_usage_archived_ids\` (\`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`local_date\` text not null, \`unit_record_id\` integer not null, \`after_ordinal\` integer not null, \`part\` text not null, \`up_to_ordinal\` integer not null, \`start_at\` integer null, \`end_at\` integer null, \`tracking_ids\` text not null, primary key (\`tenant_record_id\`, \`subscription_record_id\`, \`local_date\`, \`unit_record_id\`, \`after_ordinal\`, \`part\`)) without rowid;`);

    this.addSql(`create table \`bw_usage_archived_pieces\` (\`tenant_record_id\` integer not null, \`subscription_record_id\` integer not null, \`local_date\` text not null, \`unit_record_id\` integer not null, \`after_ordinal\` integer not null, \`part\` text not null, \`up_to_ordinal\` integer not null, \`amount_sum\` text not null, \`amount_max\` text not null, \`amount_min\` text not null, \`last_recorded_for\` integer not null, \`last_amount\` text not null, primary key (\`tenant_record_id\`, \`subscription_record_id\`, \`local_date\`, \`unit_record_id\`, \`after_ordinal\`, \`part\`)) without rowid;`);

    this.addSql(`alter table \`bw_usage_days\` add column \`archived_count\` integer null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_usage_archived_ids\`;`);
    this.addSql(`drop table if exists \`bw_usage_archived_pieces\`;`);

    this.addSql(`alter table \`bw_usage_days\` drop column \`archived_count\`;`);
  }
}
