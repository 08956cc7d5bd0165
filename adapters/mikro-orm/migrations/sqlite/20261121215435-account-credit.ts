import { Migration } from '@mikro-orm/migrations';

export class Migration20261121215435AccountCredit extends Migration {

  override name = 'Migration20261121215435AccountCredit';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_invoices\` add column \`parent_invoice_id\` text null;`);
    this.addSql(`alter table \`bw_invoices\` add column \`parent_account_id\` text null;`);
    this.addSql(`create index \`bw_invoices_open_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`account_record_id\`) where raw_balance <> '0';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_invoices_open_index\`;`);
    this.addSql(`alter table \`bw_invoices\` drop column \`parent_invoice_id\`;`);
    this.addSql(`alter table \`bw_invoices\` drop column \`parent_account_id\`;`);
  }

}
