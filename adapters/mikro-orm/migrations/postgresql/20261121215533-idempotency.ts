import { Migration } from '@mikro-orm/migrations';

export class Migration20261121215533Idempotency extends Migration {

  override name = 'Migration20261121215533Idempotency';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_idempotency_keys" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "idempotency_key" text not null, "request_hash" text not null, "claim_id" uuid not null, "started_ms" bigint not null, "status" int null, "headers" json null, "body" text null);`);
    this.addSql(`create index "bw_idempotency_keys_started_index" on "bw_idempotency_keys" ("started_ms");`);
    this.addSql(`alter table "bw_idempotency_keys" add constraint "bw_idempotency_keys_key_unique" unique ("tenant_record_id", "idempotency_key");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_idempotency_keys" cascade;`);
  }

}
