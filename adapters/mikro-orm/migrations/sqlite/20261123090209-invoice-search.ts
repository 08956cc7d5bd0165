import { Migration } from '@mikro-orm/migrations';

export class Migration20261123090209InvoiceSearch extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_invoices\` add column \`created_by\` text null;`);
    // Who made an invoice stood in its first audit row alone.
    this.addSql(`update bw_invoices set created_by = (select a.changed_by from bw_audit_log a where a.target_id = bw_invoices.id and a.tenant_record_id = bw_invoices.tenant_record_id order by a.record_id limit 1);`);
    this.addSql(`create index \`bw_invoices_invoice_date_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`invoice_date\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_target_date_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`target_date\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_currency_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`currency\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_status_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`status\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_created_by_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`created_by\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_created_date_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`created_date\`, \`record_id\`);`);
    this.addSql(`create index \`bw_invoices_migrated_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`record_id\`) where is_migration;`);
    this.addSql(`create index \`bw_invoices_parent_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`record_id\`) where is_parent_invoice;`);
    this.addSql(`create index \`bw_invoices_grouped_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`group_id\`, \`record_id\`) where group_id <> id;`);
    this.addSql(`create index \`bw_invoices_owed_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`record_id\`) where raw_balance <> '0';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_invoices_invoice_date_index\`;`);
    this.addSql(`drop index \`bw_invoices_target_date_index\`;`);
    this.addSql(`drop index \`bw_invoices_currency_index\`;`);
    this.addSql(`drop index \`bw_invoices_status_index\`;`);
    this.addSql(`drop index \`bw_invoices_created_by_index\`;`);
    this.addSql(`drop index \`bw_invoices_created_date_index\`;`);
    this.addSql(`drop index \`bw_invoices_migrated_index\`;`);
    this.addSql(`drop index \`bw_invoices_parent_index\`;`);
    this.addSql(`drop index \`bw_invoices_grouped_index\`;`);
    this.addSql(`drop index \`bw_invoices_owed_index\`;`);
    this.addSql(`alter table \`bw_invoices\` drop column \`created_by\`;`);
  }
}
