import { Migration } from '@mikro-orm/migrations';

export class Migration20261122004220ItemBases extends Migration {

  override name = 'Migration20261122004220ItemBases';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_invoice_item_bases" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "account_record_id" bigint not null, "item_id" uuid not null, "basis" text not null);`);
    this.addSql(`alter table "bw_invoice_item_bases" add constraint "bw_invoice_item_bases_item_unique" unique ("tenant_record_id", "account_record_id", "item_id");`);
  }

}
