import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210100Security extends Migration {

  override name = 'Migration20261121210100Security';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_api_clients" ("record_id" bigserial primary key, "id" uuid not null, "name" text not null, "secret_hash" text not null, "credential_version" int not null, "roles" json not null, "all_tenants" boolean not null, "tenant_ids" json not null, "is_active" boolean not null);`);
    this.addSql(`alter table "bw_api_clients" add constraint "bw_api_clients_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_api_clients" add constraint "bw_api_clients_name_unique" unique ("name");`);

    this.addSql(`create table "bw_login_failures" ("record_id" bigserial primary key, "subject" text not null, "failed_at_ms" json not null, "last_failure_ms" bigint not null, "locked_until_ms" bigint null);`);
    this.addSql(`create index "bw_login_failures_last_failure_index" on "bw_login_failures" ("last_failure_ms");`);
    this.addSql(`alter table "bw_login_failures" add constraint "bw_login_failures_subject_unique" unique ("subject");`);

    this.addSql(`create table "bw_login_sessions" ("record_id" bigserial primary key, "id" uuid not null, "token_hash" text not null, "user_name" text not null, "credential_version" int not null, "started_ms" bigint not null, "last_access_ms" bigint not null, "host" text null);`);
    this.addSql(`create index "bw_login_sessions_last_access_index" on "bw_login_sessions" ("last_access_ms");`);
    this.addSql(`alter table "bw_login_sessions" add constraint "bw_login_sessions_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_login_sessions" add constraint "bw_login_sessions_token_unique" unique ("token_hash");`);

    this.addSql(`create table "bw_roles" ("record_id" bigserial primary key, "id" uuid not null, "name" text not null, "permissions" json not null);`);
    this.addSql(`alter table "bw_roles" add constraint "bw_roles_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_roles" add constraint "bw_roles_name_unique" unique ("name");`);

    this.addSql(`create table "bw_signing_keys" ("record_id" bigserial primary key, "id" uuid not null, "kid" text not null, "public_key" json not null, "private_key" text not null, "created_ms" bigint not null);`);
    this.addSql(`alter table "bw_signing_keys" add constraint "bw_signing_keys_id_unique" unique ("id");`);
    this.addSql(`alter table "bw_signing_keys" add constraint "bw_signing_keys_kid_unique" unique ("kid");`);

    this.addSql(`alter table "bw_users" add column "roles" json not null default '[]', add column "tenant_ids" json not null default '[]';`);
    this.addSql(`alter table "bw_users" alter column "roles" drop default, alter column "tenant_ids" drop default;`);
  }

}
