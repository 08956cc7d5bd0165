import { Migration } from '@mikro-orm/migrations';

export class Migration20261121205149AccountEmails extends Migration {

  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_account_emails\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`id\` text not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`email\` text not null, \`is_active\` integer not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_account_emails_account_index\` on \`bw_account_emails\` (\`tenant_record_id\`, \`account_record_id\`, \`record_id\`);`);
    this.addSql(`create unique index \`bw_account_emails_id_unique\` on \`bw_account_emails\` (\`id\`);`);
    this.addSql(`create unique index \`bw_account_emails_email_unique\` on \`bw_account_emails\` (\`tenant_record_id\`, \`account_record_id\`, \`email\`) where is_active;`);

    this.addSql(`create index \`bw_accounts_parent_index\` on \`bw_accounts\` (\`tenant_record_id\`, \`parent_account_id\`, \`record_id\`) where parent_account_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_account_emails\`;`);

    this.addSql(`drop index \`bw_accounts_parent_index\`;`);
  }

}
