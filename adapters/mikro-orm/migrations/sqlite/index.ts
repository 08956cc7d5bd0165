import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261129000000Initial } from './20261129000000-initial.ts';

/** The migrations of SQLite, in the order of their names. After the first release, migrations are only added. */
export const migrations: readonly MigrationObject[] = [
  { name: '20261129000000-initial', class: Migration20261129000000Initial },
];
