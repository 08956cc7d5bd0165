import { Migration } from '@mikro-orm/migrations';

export class Migration20261123204339Monitoring extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_access_log\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`at_ms\` integer not null, \`node_name\` text not null, \`host_name\` text not null, \`method\` text not null, \`uri\` text not null, \`status_code\` integer not null, \`bytes_sent\` integer null, \`principal\` text null, \`created_by\` text null);`);
    this.addSql(`create index \`bw_access_log_listed_index\` on \`bw_access_log\` (\`tenant_record_id\`, \`record_id\`);`);
    this.addSql(`create index \`bw_access_log_age_index\` on \`bw_access_log\` (\`at_ms\`, \`record_id\`);`);

    this.addSql(`create table \`bw_samples\` (\`record_id\` integer not null primary key autoincrement, \`at_ms\` integer not null, \`node_name\` text not null, \`event_group\` text not null, \`event_category\` text not null, \`kinds\` text not null);`);
    this.addSql(`create index \`bw_samples_age_index\` on \`bw_samples\` (\`at_ms\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_samples_series_unique\` on \`bw_samples\` (\`event_category\`, \`node_name\`, \`at_ms\`);`);

    this.addSql(`create index \`bw_queue_history_failed_index\` on \`bw_queue_history\` (\`tenant_record_id\`, \`record_id\`) where processing_state = 'FAILED';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_access_log\`;`);
    this.addSql(`drop table if exists \`bw_samples\`;`);

    this.addSql(`drop index \`bw_queue_history_failed_index\`;`);
  }

}
