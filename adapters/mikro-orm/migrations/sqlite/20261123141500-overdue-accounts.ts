import { Migration } from '@mikro-orm/migrations';

export class Migration20261123141500OverdueAccounts extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_overdue_accounts\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_id\` text not null, \`account_record_id\` integer not null, \`is_invoicing_off_owned\` integer not null);`);
    this.addSql(`create unique index \`bw_overdue_accounts_account_unique\` on \`bw_overdue_accounts\` (\`tenant_record_id\`, \`account_id\`);`);

    this.addSql(`alter table \`bw_payment_transactions\` add column \`payment_response\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_overdue_accounts\`;`);

    this.addSql(`alter table \`bw_payment_transactions\` drop column \`payment_response\`;`);
  }
}
