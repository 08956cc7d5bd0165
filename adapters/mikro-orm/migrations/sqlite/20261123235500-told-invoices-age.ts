import { Migration } from '@mikro-orm/migrations';

export class Migration20261123235500ToldInvoicesAge extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create index \`bw_told_invoices_age_index\` on \`bw_told_invoices\` (\`target_date\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_told_invoices_age_index\`;`);
  }

}
