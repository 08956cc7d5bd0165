import { Migration } from '@mikro-orm/migrations';

export class Migration20261122140652FormerBundleKeys extends Migration {

  override name = 'Migration20261122140652FormerBundleKeys';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_former_bundle_keys" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "bundle_id" uuid not null, "external_key" text not null);`);
    this.addSql(`create index "bw_former_bundle_keys_account_index" on "bw_former_bundle_keys" ("tenant_record_id", "account_record_id", "record_id");`);
    this.addSql(`alter table "bw_former_bundle_keys" add constraint "bw_former_bundle_keys_key_unique" unique ("tenant_record_id", "external_key", "bundle_id");`);

    this.addSql(`alter table "bw_former_bundle_keys" enable row level security;`);
    this.addSql(`alter table "bw_former_bundle_keys" force row level security;`);
    this.addSql(`create policy "bw_former_bundle_keys_tenant" on "bw_former_bundle_keys" using (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')) with check (tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_former_bundle_keys" cascade;`);
  }

}
