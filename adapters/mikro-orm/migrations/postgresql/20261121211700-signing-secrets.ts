import { Migration } from '@mikro-orm/migrations';

export class Migration20261121211700SigningSecrets extends Migration {

  override name = 'Migration20261121211700SigningSecrets';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_signing_secrets" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "id" uuid not null, "secret" text not null, "signs_until_ms" bigint null, "is_active" boolean not null, "created_date" bigint not null);`);
    this.addSql(`create index "bw_signing_secrets_active_index" on "bw_signing_secrets" ("tenant_record_id") where is_active;`);
    this.addSql(`alter table "bw_signing_secrets" add constraint "bw_signing_secrets_id_unique" unique ("id");`);
    this.addSql(`create unique index "bw_signing_secrets_current_unique" on "bw_signing_secrets" ("tenant_record_id") where is_active and signs_until_ms is null;`);
  }

}
