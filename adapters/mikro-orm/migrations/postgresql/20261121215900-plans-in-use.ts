import { Migration } from '@mikro-orm/migrations';

/** Finds the subscriptions of a plan that is to be deleted. */
export class Migration20261121215900PlansInUse extends Migration {
  override name = 'Migration20261121215900PlansInUse';

  override up(): void {
    this.addSql(`create index "bw_subscription_events_plan_index" on "bw_subscription_events" ("tenant_record_id", "plan_name");`);
  }
}
