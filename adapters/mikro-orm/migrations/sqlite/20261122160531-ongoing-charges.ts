import { Migration } from '@mikro-orm/migrations';

export class Migration20261122160531OngoingCharges extends Migration {

  override name = 'Migration20261122160531OngoingCharges';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`ongoing_subscription_record_id\` integer null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`ongoing_bundle_id\` text null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`ongoing_event_record_id\` integer null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`ongoing_event\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`ongoing_subscription_record_id\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`ongoing_bundle_id\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`ongoing_event_record_id\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`ongoing_event\`;`);
  }

}
