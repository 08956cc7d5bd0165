import { Migration } from '@mikro-orm/migrations';

export class Migration20261123202258Nodes extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_nodes" ("record_id" bigserial primary key, "name" text not null, "version" text not null, "boot_date" bigint not null, "last_updated_date" bigint not null, "plugins" json not null);`);
    this.addSql(`alter table "bw_nodes" add constraint "bw_nodes_name_unique" unique ("name");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_nodes" cascade;`);
  }

}
