import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import type { DatabaseTemplate, TestDatabase } from './databases.ts';

/** Returns a storage for a test's database. `trace` receives every statement. */
export function storageOf(database: TestDatabase, trace?: (statement: string) => void): Storage<never> {
  const traced = trace === undefined ? {} : { trace };
  return database.kind === 'sqlite'
    ? sqlite({ path: database.path, ...traced })
    : postgresql({ ...database, ...traced });
}

/** A database with the current schema, migrated once per test run and copied for each test. */
export const migrated: DatabaseTemplate = {
  name: 'migrated',
  async prepare(database) {
    const storage =
      database.kind === 'sqlite' ? sqlite(database.path) : postgresql({ url: database.url, migrate: true });
    await storage.prepare();
    await storage.close();
  },
};
