import { Migration } from '@mikro-orm/migrations';

export class Migration20261122170838TagsCarried extends Migration {

  override name = 'Migration20261122170838TagsCarried';

  override up(): void | Promise<void> {
    this.addSql(`drop index "bw_tags_definition_index";`);
    this.addSql(`create index "bw_tags_definition_index" on "bw_tags" ("tenant_record_id", "tag_definition_id", "account_record_id") where is_active;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "bw_tags_definition_index";`);
    this.addSql(`create index "bw_tags_definition_index" on "bw_tags" ("tenant_record_id", "tag_definition_id", "record_id") where is_active;`);
  }

}
