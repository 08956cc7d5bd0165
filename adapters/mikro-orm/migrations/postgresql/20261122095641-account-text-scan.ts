import { Migration } from '@mikro-orm/migrations';

/** The index is one of SQLite; both databases know the same names. */
export class Migration20261122095641AccountTextScan extends Migration {
  override name = 'Migration20261122095641AccountTextScan';

  override up(): void {}

  override down(): void {}
}
