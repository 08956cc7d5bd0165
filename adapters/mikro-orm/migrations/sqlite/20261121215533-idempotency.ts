import { Migration } from '@mikro-orm/migrations';

export class Migration20261121215533Idempotency extends Migration {

  override name = 'Migration20261121215533Idempotency';

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_idempotency_keys\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`idempotency_key\` text not null, \`request_hash\` text not null, \`claim_id\` text not null, \`started_ms\` integer not null, \`status\` integer null, \`headers\` text null, \`body\` text null);`);
    this.addSql(`create index \`bw_idempotency_keys_started_index\` on \`bw_idempotency_keys\` (\`started_ms\`);`);
    this.addSql(`create unique index \`bw_idempotency_keys_key_unique\` on \`bw_idempotency_keys\` (\`tenant_record_id\`, \`idempotency_key\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_idempotency_keys\`;`);
  }

}
