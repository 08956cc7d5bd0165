import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000539Drafts extends Migration {

  override name = 'Migration20261122000539Drafts';

  override up(): void | Promise<void> {
    this.addSql(`create index "bw_invoice_items_linked_index" on "bw_invoice_items" ("tenant_record_id", "linked_item_id") where linked_item_id is not null;`);

    this.addSql(`create index "bw_invoices_draft_index" on "bw_invoices" ("tenant_record_id", "account_record_id") where status = 'DRAFT';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_invoice_items_linked_index";`);

    this.addSql(`drop index "bw_invoices_draft_index";`);
  }

}
