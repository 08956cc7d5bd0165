import { Migration } from '@mikro-orm/migrations';

export class Migration20261123235000PluginSwitches extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table "bw_plugin_switches" ("record_id" bigserial primary key, "plugin_name" text not null, "state" text not null);`);
    this.addSql(`alter table "bw_plugin_switches" add constraint "bw_plugin_switches_plugin_unique" unique ("plugin_name");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_plugin_switches" cascade;`);
  }

}
