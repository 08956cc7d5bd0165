import { Migration } from '@mikro-orm/migrations';

export class Migration20261123210500Broadcasts extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_broadcasts\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`service\` text not null, \`type\` text not null, \`payload\` text not null, \`created_by\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_broadcasts_age_index\` on \`bw_broadcasts\` (\`created_date\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_broadcasts\`;`);
  }

}
