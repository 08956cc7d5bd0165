import { Migration } from '@mikro-orm/migrations';

/** Finds the plans that a catalog has changed, and the accounts with subscriptions of a plan. */
export class Migration20261122000551PlansChanged extends Migration {
  override name = 'Migration20261122000551PlansChanged';

  override up(): void {
    this.addSql(`create index \`bw_catalog_plan_rows_since_index\` on \`bw_catalog_plan_rows\` (\`tenant_record_id\`, \`since_revision\`);`);
    this.addSql(`drop index \`bw_subscription_events_plan_index\`;`);
    this.addSql(`create index \`bw_subscription_events_of_plan_index\` on \`bw_subscription_events\` (\`tenant_record_id\`, \`plan_name\`, \`account_record_id\`);`);
  }
}
