import { Migration } from '@mikro-orm/migrations';

/** SQLite has no row-level security; its file belongs to one node. */
export class Migration20261122040000RowLevelSecurity extends Migration {
  override up(): void {}
}
