import { Migration } from '@mikro-orm/migrations';

export class Migration20261121210930CatalogRemoval extends Migration {

  override name = 'Migration20261121210930CatalogRemoval';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_catalog_versions" drop constraint "bw_catalog_versions_effective_date_unique";`);
    this.addSql(`alter table "bw_catalog_versions" add "removed_date" bigint null;`);
    this.addSql(`create unique index "bw_catalog_versions_effective_date_unique" on "bw_catalog_versions" ("tenant_record_id", "effective_date") where removed_date is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_catalog_versions_effective_date_unique";`);
    this.addSql(`alter table "bw_catalog_versions" drop column "removed_date";`);
    this.addSql(`alter table "bw_catalog_versions" add constraint "bw_catalog_versions_effective_date_unique" unique ("tenant_record_id", "effective_date");`);
  }

}
