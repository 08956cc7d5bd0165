import { Migration } from '@mikro-orm/migrations';

/** The facts behind an item's amount move into its row: in a table beside it they took an insert and an index of their own. */
export class Migration20261122160554ItemBasis extends Migration {
  override name = 'Migration20261122160554ItemBasis';

  override up(): void {
    this.addSql('alter table bw_invoice_items add column basis text null;');
    // With `from` SQLite would gather all of the texts before it writes the first.
    this.addSql(`update bw_invoice_items set basis = (
      select b.basis from bw_invoice_item_bases b
      where b.tenant_record_id = bw_invoice_items.tenant_record_id
        and b.account_record_id = bw_invoice_items.account_record_id and b.item_id = bw_invoice_items.id);`);
    this.addSql('drop table bw_invoice_item_bases;');
  }

  override down(): void {
    this.addSql(
      'create table bw_invoice_item_bases (record_id integer not null primary key autoincrement, tenant_record_id integer not null, account_record_id integer not null, item_id text not null, basis text not null);',
    );
    this.addSql(`insert into bw_invoice_item_bases (tenant_record_id, account_record_id, item_id, basis)
      select tenant_record_id, account_record_id, id, basis from bw_invoice_items
      where basis is not null order by record_id;`);
    this.addSql(
      'create unique index bw_invoice_item_bases_item_unique on bw_invoice_item_bases (tenant_record_id, account_record_id, item_id);',
    );
    this.addSql('alter table bw_invoice_items drop column basis;');
  }
}
