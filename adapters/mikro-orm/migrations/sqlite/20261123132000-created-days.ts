import { Migration } from '@mikro-orm/migrations';

export class Migration20261123132000CreatedDays extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_invoices\` add column \`created_day\` integer null;`);
    this.addSql(`update bw_invoices set created_day = created_date / 86400000;`);
    this.addSql(`drop index \`bw_invoices_created_date_index\`;`);
    this.addSql(`create index \`bw_invoices_created_day_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`created_day\`, \`record_id\`, \`created_date\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`bw_invoices_created_day_index\`;`);
    this.addSql(`create index \`bw_invoices_created_date_index\` on \`bw_invoices\` (\`tenant_record_id\`, \`created_date\`, \`record_id\`);`);
    this.addSql(`alter table \`bw_invoices\` drop column \`created_day\`;`);
  }
}
