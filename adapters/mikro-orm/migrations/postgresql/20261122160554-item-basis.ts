import { Migration } from '@mikro-orm/migrations';

const reached = `tenant_record_id = (select nullif(nullif(current_setting('billwright.tenant_record_id', true), ''), '*')::bigint) or (select current_setting('billwright.tenant_record_id', true) = '*')`;

/** The facts behind an item's amount move into its row: in a table beside it they took an insert and two indexes of their own. */
export class Migration20261122160554ItemBasis extends Migration {
  override name = 'Migration20261122160554ItemBasis';

  override up(): void {
    this.addSql('alter table bw_invoice_items add basis text null;');
    this.addSql(`update bw_invoice_items set basis = b.basis from bw_invoice_item_bases b
      where b.tenant_record_id = bw_invoice_items.tenant_record_id
        and b.account_record_id = bw_invoice_items.account_record_id and b.item_id = bw_invoice_items.id;`);
    this.addSql('drop table bw_invoice_item_bases;');
  }

  override down(): void {
    this.addSql(
      'create table bw_invoice_item_bases (record_id bigserial primary key, tenant_record_id bigint not null, account_record_id bigint not null, item_id uuid not null, basis text not null);',
    );
    this.addSql(`insert into bw_invoice_item_bases (tenant_record_id, account_record_id, item_id, basis)
      select tenant_record_id, account_record_id, id, basis from bw_invoice_items
      where basis is not null order by record_id;`);
    this.addSql(
      'alter table bw_invoice_item_bases add constraint bw_invoice_item_bases_item_unique unique (tenant_record_id, account_record_id, item_id);',
    );
    this.addSql('alter table bw_invoice_item_bases enable row level security;');
    this.addSql('alter table bw_invoice_item_bases force row level security;');
    this.addSql(
      `create policy bw_invoice_item_bases_tenant on bw_invoice_item_bases using (${reached}) with check (${reached});`,
    );
    this.addSql('alter table bw_invoice_items drop column basis;');
  }
}
