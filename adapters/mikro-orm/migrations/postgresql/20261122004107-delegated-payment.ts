import { Migration } from '@mikro-orm/migrations';

export class Migration20261122004107DelegatedPayment extends Migration {

  override name = 'Migration20261122004107DelegatedPayment';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_invoices" add "contributed_amount" numeric null;`);
    this.addSql(`create index "bw_invoices_linked_index" on "bw_invoices" ("tenant_record_id", "parent_invoice_id") where parent_invoice_id is not null;`);
    this.addSql(`create index "bw_invoices_delegated_index" on "bw_invoices" ("tenant_record_id", "account_record_id") where contributed_amount is not null;`);
    this.addSql(`create unique index "bw_invoices_summary_unique" on "bw_invoices" ("tenant_record_id", "account_record_id") where status = 'DRAFT' and is_parent_invoice;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_invoices_linked_index";`);
    this.addSql(`drop index "bw_invoices_delegated_index";`);
    this.addSql(`drop index "bw_invoices_summary_unique";`);
    this.addSql(`alter table "bw_invoices" drop column "contributed_amount";`);
  }

}
