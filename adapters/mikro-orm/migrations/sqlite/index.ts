import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261129000000Initial } from './20261129000000-initial.ts';

/** The migrations of SQLite, which run in the order of their names. From the first release on, they only grow in number. */
export const migrations: readonly MigrationObject[] = [
  { name: '20261129000000-initial', class: Migration20261129000000Initial },
];
