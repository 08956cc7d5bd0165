import { Migration } from '@mikro-orm/migrations';

export class Migration20261123213900EventFeed extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_queue_entries\` add column \`event_id\` text null;`);
    this.addSql(`create index \`bw_queue_entries_told_index\` on \`bw_queue_entries\` (\`tenant_record_id\`, \`record_id\`) where event_id is not null;`);
    this.addSql(`alter table \`bw_queue_history\` add column \`event_id\` text null;`);
    this.addSql(`create index \`bw_queue_history_told_index\` on \`bw_queue_history\` (\`tenant_record_id\`, \`record_id\`) where event_id is not null;`);

    this.addSql(`create table \`bw_sink_deliveries\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_record_id\` integer null, \`event_type\` text not null, \`body\` text not null, \`sink\` text not null, \`state\` text not null, \`due_order\` integer not null, \`attempts\` integer not null, \`failures\` integer not null, \`attempted_date\` integer null, \`last_status\` integer null, \`last_error\` text null, \`user_token\` text null, \`trace_parent\` text null, \`created_date\` integer not null, \`ended_date\` integer null);`);
    this.addSql(`create index \`bw_sink_deliveries_due_index\` on \`bw_sink_deliveries\` (\`sink\`, \`tenant_record_id\`, \`due_order\`, \`record_id\`) where state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_sink_deliveries_next_index\` on \`bw_sink_deliveries\` (\`sink\`, \`due_order\`) where state = 'AVAILABLE';`);
    this.addSql(`create index \`bw_sink_deliveries_age_index\` on \`bw_sink_deliveries\` (\`sink\`, \`ended_date\`, \`record_id\`) where ended_date is not null;`);
    this.addSql(`create unique index \`bw_sink_deliveries_id_unique\` on \`bw_sink_deliveries\` (\`id\`, \`sink\`);`);

    this.addSql(`create table \`bw_sink_leases\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`sink\` text not null, \`owner\` text not null, \`token\` text not null, \`ends_at_ms\` integer not null);`);
    this.addSql(`create unique index \`bw_sink_leases_sink_unique\` on \`bw_sink_leases\` (\`tenant_record_id\`, \`sink\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_sink_deliveries\`;`);
    this.addSql(`drop table if exists \`bw_sink_leases\`;`);

    this.addSql(`drop index \`bw_queue_entries_told_index\`;`);
    this.addSql(`alter table \`bw_queue_entries\` drop column \`event_id\`;`);
    this.addSql(`drop index \`bw_queue_history_told_index\`;`);
    this.addSql(`alter table \`bw_queue_history\` drop column \`event_id\`;`);
  }

}
