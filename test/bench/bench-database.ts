import type { DatabaseKind } from '../support/databases.ts';

/** A database of the bench: the file's path or the server's URL is all that another process needs. */
export interface BenchDatabase {
  readonly kind: DatabaseKind;
  readonly location: string;
}
