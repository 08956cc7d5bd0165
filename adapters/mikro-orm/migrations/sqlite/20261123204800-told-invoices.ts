import { Migration } from '@mikro-orm/migrations';

export class Migration20261123204800ToldInvoices extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_told_invoices\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`target_date\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create unique index \`bw_told_invoices_date_unique\` on \`bw_told_invoices\` (\`tenant_record_id\`, \`account_record_id\`, \`target_date\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_told_invoices\`;`);
  }
}
