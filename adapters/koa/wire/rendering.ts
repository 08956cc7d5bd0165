import type { AuditEntry } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Dialect } from '../dialect.ts';

/** Audit rows by record; empty at `audit=NONE`. */
export type AuditByRecord = ReadonlyMap<Uuid, readonly AuditEntry[]>;

/** How an answer is to be written. */
export interface Rendering {
  readonly dialect: Dialect;
  readonly audit: AuditByRecord;
}

/** The rendering of an answer that shows no audit. */
export function unaudited(dialect: Dialect): Rendering {
  return { dialect, audit: new Map() };
}
