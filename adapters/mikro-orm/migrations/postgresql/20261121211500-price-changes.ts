import { Migration } from '@mikro-orm/migrations';

/** What bills price changes of existing subscriptions: since when a version is held, and which were seen. */
export class Migration20261121211500PriceChanges extends Migration {
  override name = 'Migration20261121211500PriceChanges';

  override up(): void {
    this.addSql(`alter table "bw_catalog_versions" add column "revision" int null;`);
    this.addSql(`alter table "bw_invoicing_cursors" add column "catalog_revision" int null;`);
  }
}
