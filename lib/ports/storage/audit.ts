import type { AuditEntry, AuditRow } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface AuditReads {
  /** Changes of these records in write order, in one statement. */
  findByTargets(targetIds: readonly Uuid[]): Promise<readonly AuditEntry[]>;
  /** The same, with the records as they were after each change, in a constant number of statements. */
  findHistories(targetIds: readonly Uuid[]): Promise<readonly AuditRow[]>;
}
