import { Migration } from '@mikro-orm/migrations';

export class Migration20261123093500CountedInvoices extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`drop index "bw_invoices_owed_index";`);
    this.addSql(`create index "bw_invoices_counted_index" on "bw_invoices" ("tenant_record_id", "record_id", "raw_balance", "parent_invoice_id") where status = 'COMMITTED' and not is_migration and not is_written_off and raw_balance <> '0';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_invoices_counted_index";`);
    this.addSql(`create index "bw_invoices_owed_index" on "bw_invoices" ("tenant_record_id", "record_id") where raw_balance <> '0';`);
  }
}
