import type { DatabaseKind } from '../support/databases.ts';

/** A benchmark database. Another process opens it by its file path or server URL. */
export interface BenchDatabase {
  readonly kind: DatabaseKind;
  readonly location: string;
}
