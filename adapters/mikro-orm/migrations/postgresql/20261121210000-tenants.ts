import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210000Tenants extends Migration {

  override name = 'Migration20261121210000Tenants';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_tenant_kvs" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "key" text not null, "value" text not null, "is_single" boolean not null, "is_active" boolean not null, "created_date" bigint not null, "updated_date" bigint not null);`);
    this.addSql(`create index "bw_tenant_kvs_key_index" on "bw_tenant_kvs" ("tenant_record_id", "key") where is_active;`);
    this.addSql(`alter table "bw_tenant_kvs" add constraint "bw_tenant_kvs_id_unique" unique ("id");`);
    this.addSql(`create unique index "bw_tenant_kvs_single_unique" on "bw_tenant_kvs" ("tenant_record_id", "key") where is_active and is_single;`);

    this.addSql(`alter table "bw_tenants" add "configuration_record_id" bigint null;`);
  }

}
