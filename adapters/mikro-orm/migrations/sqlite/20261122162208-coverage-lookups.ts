import { Migration } from '@mikro-orm/migrations';

/** Rows of an item are found along its subscription: one index less to write with each charge. */
export class Migration20261122162208CoverageLookups extends Migration {
  override name = 'Migration20261122162208CoverageLookups';

  override up(): void {
    this.addSql('drop index bw_coverage_item_index;');
  }

  override down(): void {
    this.addSql('create index bw_coverage_item_index on bw_coverage (tenant_record_id, item_id);');
  }
}
