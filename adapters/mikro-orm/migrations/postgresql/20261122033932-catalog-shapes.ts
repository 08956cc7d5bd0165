import { Migration } from '@mikro-orm/migrations';

export class Migration20261122033932CatalogShapes extends Migration {

  override name = 'Migration20261122033932CatalogShapes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_catalog_parts" add "shape_record_id" bigint null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bw_catalog_parts" drop column "shape_record_id";`);
  }

}
