import { Migration } from '@mikro-orm/migrations';

export class Migration20261122062500EventReasons extends Migration {

  override name = 'Migration20261122062500EventReasons';

  override up(): void | Promise<void> {
    this.addSql(`alter table \`bw_subscription_events\` add column \`reason\` text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`bw_subscription_events\` drop column \`reason\`;`);
  }

}
