import { Migration } from '@mikro-orm/migrations';

export class Migration20261123140500OverdueConfig extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_tenants" add column "overdue_config_record_id" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bw_tenants" drop column "overdue_config_record_id";`);
  }
}
