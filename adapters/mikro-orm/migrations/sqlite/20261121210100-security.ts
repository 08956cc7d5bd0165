import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210100Security extends Migration {

  override name = 'Migration20261121210100Security';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_api_clients\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`name\` text not null, \`secret_hash\` text not null, \`credential_version\` integer not null, \`roles\` text not null, \`all_tenants\` integer not null, \`tenant_ids\` text not null, \`is_active\` integer not null);`);
    this.addSql(`create unique index \`bw_api_clients_id_unique\` on \`bw_api_clients\` (\`id\`);`);
    this.addSql(`create unique index \`bw_api_clients_name_unique\` on \`bw_api_clients\` (\`name\`);`);

    this.addSql(`create table \`bw_login_failures\` (\`record_id\` integer not null primary key autoincrement, \`subject\` text not null, \`failed_at_ms\` text not null, \`last_failure_ms\` integer not null, \`locked_until_ms\` integer null);`);
    this.addSql(`create index \`bw_login_failures_last_failure_index\` on \`bw_login_failures\` (\`last_failure_ms\`);`);
    this.addSql(`create unique index \`bw_login_failures_subject_unique\` on \`bw_login_failures\` (\`subject\`);`);

    this.addSql(`create table \`bw_login_sessions\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`token_hash\` text not null, \`user_name\` text not null, \`credential_version\` integer not null, \`started_ms\` integer not null, \`last_access_ms\` integer not null, \`host\` text null);`);
    this.addSql(`create index \`bw_login_sessions_last_access_index\` on \`bw_login_sessions\` (\`last_access_ms\`);`);
    this.addSql(`create unique index \`bw_login_sessions_id_unique\` on \`bw_login_sessions\` (\`id\`);`);
    this.addSql(`create unique index \`bw_login_sessions_token_unique\` on \`bw_login_sessions\` (\`token_hash\`);`);

    this.addSql(`create table \`bw_roles\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`name\` text not null, \`permissions\` text not null);`);
    this.addSql(`create unique index \`bw_roles_id_unique\` on \`bw_roles\` (\`id\`);`);
    this.addSql(`create unique index \`bw_roles_name_unique\` on \`bw_roles\` (\`name\`);`);

    this.addSql(`create table \`bw_signing_keys\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`kid\` text not null, \`public_key\` text not null, \`private_key\` text not null, \`created_ms\` integer not null);`);
    this.addSql(`create unique index \`bw_signing_keys_id_unique\` on \`bw_signing_keys\` (\`id\`);`);
    this.addSql(`create unique index \`bw_signing_keys_kid_unique\` on \`bw_signing_keys\` (\`kid\`);`);

    // SQLite adds no column without a default, so that the table is made anew.
    this.addSql(`create table \`bw_users_new\` (\`record_id\` integer not null primary key autoincrement, \`id\` text not null, \`name\` text not null, \`password_hash\` text not null, \`credential_version\` integer not null, \`permissions\` text not null, \`all_tenants\` integer not null, \`is_active\` integer not null, \`roles\` text not null, \`tenant_ids\` text not null);`);
    this.addSql(`insert into \`bw_users_new\` (\`record_id\`, \`id\`, \`name\`, \`password_hash\`, \`credential_version\`, \`permissions\`, \`all_tenants\`, \`is_active\`, \`roles\`, \`tenant_ids\`) select \`record_id\`, \`id\`, \`name\`, \`password_hash\`, \`credential_version\`, \`permissions\`, \`all_tenants\`, \`is_active\`, '[]', '[]' from \`bw_users\`;`);
    this.addSql(`drop table \`bw_users\`;`);
    this.addSql(`alter table \`bw_users_new\` rename to \`bw_users\`;`);
    this.addSql(`create unique index \`bw_users_id_unique\` on \`bw_users\` (\`id\`);`);
    this.addSql(`create unique index \`bw_users_name_unique\` on \`bw_users\` (\`name\`);`);
  }

}
