import { Migration } from '@mikro-orm/migrations';

export class Migration20261123221000PushCursors extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_push_cursors\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`after_record_id\` integer not null);`);
    this.addSql(`create unique index \`bw_push_cursors_tenant_unique\` on \`bw_push_cursors\` (\`tenant_record_id\`);`);
    // Callbacks that are there have deliveries of all that has happened.
    this.addSql(`insert into bw_push_cursors (tenant_record_id, after_record_id)
      select record_id, (select coalesce(max(seq), 0) from sqlite_sequence where name = 'bw_queue_entries')
      from bw_tenants where callback_record_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_push_cursors\`;`);
  }

}
