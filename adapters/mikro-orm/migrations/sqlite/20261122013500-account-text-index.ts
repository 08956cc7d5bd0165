import { Migration } from '@mikro-orm/migrations';

/** The index is one of PostgreSQL; both databases know the same names. */
export class Migration20261122013500AccountTextIndex extends Migration {
  override name = 'Migration20261122013500AccountTextIndex';

  override up(): void {}

  override down(): void {}
}
