import { Migration } from '@mikro-orm/migrations';

export class Migration20261121204719CatalogParts extends Migration {

  override name = 'Migration20261121204719CatalogParts';

  override up(): void | Promise<void> {
    this.addSql(`create table "bw_catalog_parts" ("record_id" bigserial primary key, "tenant_record_id" bigint not null, "content_hash" text not null, "kind" text not null, "name" text not null, "for_existing" bigint null, "text" text not null);`);
    this.addSql(`alter table "bw_catalog_parts" add constraint "bw_catalog_parts_content_hash_unique" unique ("tenant_record_id", "content_hash");`);

    this.addSql(`alter table "bw_catalog_versions" add "composition" text null;`);
    this.addSql(`alter table "bw_catalog_versions" alter column "canonical_xml" drop not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "bw_catalog_parts" cascade;`);

    this.addSql(`alter table "bw_catalog_versions" drop column "composition";`);
    this.addSql(`alter table "bw_catalog_versions" alter column "canonical_xml" set not null;`);
  }

}
