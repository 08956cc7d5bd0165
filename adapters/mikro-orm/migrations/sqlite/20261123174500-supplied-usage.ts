import { Migration } from '@mikro-orm/migrations';

export class Migration20261123174500SuppliedUsage extends Migration {
  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_usage_intervals\` add column \`supplied\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`bw_usage_intervals\` drop column \`supplied\`;`);
  }
}
