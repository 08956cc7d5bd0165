import { Migration } from '@mikro-orm/migrations';

export class Migration20261122172328CoverageEnd extends Migration {

  override name = 'Migration20261122172328CoverageEnd';

  override up(): void | Promise<void> {
    this.addSql(`drop index "bw_coverage_end_index";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create index "bw_coverage_end_index" on "bw_coverage" ("tenant_record_id", "subscription_id", "end_date") where kind = 'RECURRING'::text;`);
  }

}
