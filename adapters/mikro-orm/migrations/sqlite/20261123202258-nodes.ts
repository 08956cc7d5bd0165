import { Migration } from '@mikro-orm/migrations';

export class Migration20261123202258Nodes extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_nodes\` (\`record_id\` integer not null primary key autoincrement, \`name\` text not null, \`version\` text not null, \`boot_date\` integer not null, \`last_updated_date\` integer not null, \`plugins\` text not null);`);
    this.addSql(`create unique index \`bw_nodes_name_unique\` on \`bw_nodes\` (\`name\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_nodes\`;`);
  }

}
