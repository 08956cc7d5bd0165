import { Migration } from '@mikro-orm/migrations';

export class Migration20261122224032Lapses extends Migration {

  override name = 'Migration20261122224032Lapses';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bw_queue_entries" add column "lapses" int null;`);
    this.addSql(`create index "bw_queue_entries_lapsed_index" on "bw_queue_entries" ("record_id") where lapses > 0;`);
    this.addSql(`alter table "bw_queue_history" add column "lapses" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bw_queue_history" drop column "lapses";`);
    this.addSql(`drop index "bw_queue_entries_lapsed_index";`);
    this.addSql(`alter table "bw_queue_entries" drop column "lapses";`);
  }

}
