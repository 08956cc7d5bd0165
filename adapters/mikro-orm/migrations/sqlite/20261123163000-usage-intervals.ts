import { Migration } from '@mikro-orm/migrations';

export class Migration20261123163000UsageIntervals extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`create table \`bw_usage_intervals\` (\`record_id\` integer not null primary key autoincrement, \`tenant_record_id\` integer not null, \`account_record_id\` integer not null, \`subscription_id\` text not null, \`usage_name\` text not null, \`version_date\` integer not null, \`price_identity\` text not null, \`starts_at\` integer not null, \`starts_at_local\` text not null, \`ends_at\` integer not null, \`ends_at_local\` text not null, \`invoice_id\` text null, \`item_ids\` text not null, \`consumed\` text not null, \`created_date\` integer not null);`);
    this.addSql(`create index \`bw_usage_intervals_subscription_index\` on \`bw_usage_intervals\` (\`tenant_record_id\`, \`subscription_id\`, \`ends_at_local\`);`);
    this.addSql(`create index \`bw_usage_intervals_invoice_index\` on \`bw_usage_intervals\` (\`tenant_record_id\`, \`invoice_id\`);`);

    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`usage_from\` text null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`usage_settings\` text null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`usage_through\` text null;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` add column \`usage_mark\` integer null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`bw_usage_intervals\`;`);

    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`usage_from\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`usage_settings\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`usage_through\`;`);
    this.addSql(`alter table \`bw_invoicing_cursors\` drop column \`usage_mark\`;`);
  }
}
