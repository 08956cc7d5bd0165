import { Migration } from '@mikro-orm/migrations';

/** How full pages are is a matter of PostgreSQL's; both databases know the same names. */
export class Migration20261122131500SubscriptionPages extends Migration {
  override name = 'Migration20261122131500SubscriptionPages';

  override up(): void {}

  override down(): void {}
}
