import { Migration } from '@mikro-orm/migrations';

/**
 * What every invoice run changes of a subscription's cursor is in no index any more, and half of each page stays free for it: a
 * row that finds room on its own page keeps its entries in the indexes. No condition could use the date in the index.
 */
export class Migration20261122160524CursorPages extends Migration {
  override name = 'Migration20261122160524CursorPages';

  override up(): void {
    this.addSql(`drop index "bw_invoicing_cursors_due_index";`);
    this.addSql(
      `create index "bw_invoicing_cursors_due_index" on "bw_invoicing_cursors" ("tenant_record_id", "account_record_id");`,
    );
    this.addSql('alter table bw_invoicing_cursors set (fillfactor = 50);');
  }

  override down(): void {
    this.addSql('alter table bw_invoicing_cursors reset (fillfactor);');
    this.addSql(`drop index "bw_invoicing_cursors_due_index";`);
    this.addSql(
      `create index "bw_invoicing_cursors_due_index" on "bw_invoicing_cursors" ("tenant_record_id", "account_record_id", "next_due_date");`,
    );
  }
}
