import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261121Initial } from './20261121-initial.ts';

/** The migrations of SQLite, in the order in which they run. */
export const migrations: readonly MigrationObject[] = [
  { name: '20261121-initial', class: Migration20261121Initial },
];
