import { Migration } from '@mikro-orm/migrations';

export class Migration20261123234000SinkCursors extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_sinks\` (\`record_id\` integer not null primary key autoincrement, \`name\` text not null, \`after_record_id\` integer not null, \`used_at_ms\` integer not null);`);
    this.addSql(`create unique index \`bw_sinks_name_unique\` on \`bw_sinks\` (\`name\`);`);

    this.addSql(`create table \`bw_sink_cursors\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`sink\` text not null, \`after_record_id\` integer not null);`);
    this.addSql(`create unique index \`bw_sink_cursors_sink_unique\` on \`bw_sink_cursors\` (\`tenant_record_id\`, \`sink\`);`);

    // Sinks that are there have deliveries of all that has happened.
    this.addSql(`insert into bw_sinks (name, after_record_id, used_at_ms)
      select distinct sink, (select coalesce(max(seq), 0) from sqlite_sequence where name = 'bw_queue_entries'), cast(unixepoch('subsec') * 1000 as integer)
      from bw_sink_deliveries;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_sinks\`;`);
    this.addSql(`drop table if exists \`bw_sink_cursors\`;`);
  }

}
