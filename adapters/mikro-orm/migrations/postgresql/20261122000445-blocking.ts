import { Migration } from '@mikro-orm/migrations';

/** Finds the blocks of an account, which most have none of, for its invoice runs. */
export class Migration20261122000445Blocking extends Migration {
  override name = 'Migration20261122000445Blocking';

  override up(): void {
    this.addSql(`create index "bw_blocking_states_block_index" on "bw_blocking_states" ("tenant_record_id", "account_record_id") where is_active and state_name <> 'ENT_STARTED' and state_name <> 'ENT_CANCELLED';`);
  }
}
