import type { PostgresqlHost } from '../../../adapters/mikro-orm/postgresql.ts';
import type { SqliteHost } from '../../../adapters/mikro-orm/sqlite.ts';

/** A library with which applications reach their database, on connections of its own. */
export interface HostLibrary {
  /** Handles that lend no transaction, and words of why. */
  readonly outside: readonly (readonly [handle: unknown, words: string])[];
  /** Runs `work` in a transaction of the library, which ends with it. */
  transaction<T>(work: (handle: SqliteHost | PostgresqlHost, run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Runs a statement of the host in its transaction. */
type Run = (statement: string) => Promise<unknown>;
