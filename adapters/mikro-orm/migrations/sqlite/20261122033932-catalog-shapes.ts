import { Migration } from '@mikro-orm/migrations';

export class Migration20261122033932CatalogShapes extends Migration {

  override name = 'Migration20261122033932CatalogShapes';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_catalog_parts\` add column \`shape_record_id\` integer null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`bw_catalog_parts\` drop column \`shape_record_id\`;`);
  }

}
