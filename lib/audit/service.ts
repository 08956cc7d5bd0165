import type { CallContext } from '../context.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import { type AuditRow, ChangeType } from '../ports/storage/index.ts';

/** How much of the audit a read carries: none, inserts only, everything (accounts.md §14 rule 4). */
export const AuditLevel = { NONE: 'NONE', MINIMAL: 'MINIMAL', FULL: 'FULL' } as const;
export type AuditLevel = (typeof AuditLevel)[keyof typeof AuditLevel];

/** Reads of the audit rows that every write leaves behind. */
export class AuditService {
  readonly #ports: Pick<Ports, 'storage'>;

  constructor(ports: Pick<Ports, 'storage'>) {
    this.#ports = ports;
  }

  /** Audit rows of each record, in write order; one query for any number of records, none for NONE. */
  async logs(
    context: CallContext,
    targetIds: readonly Uuid[],
    level: AuditLevel,
  ): Promise<ReadonlyMap<Uuid, readonly AuditRow[]>> {
    const byTarget = new Map<Uuid, AuditRow[]>(targetIds.map((id) => [id, []]));
    if (level === AuditLevel.NONE || targetIds.length === 0) return byTarget;
    const rows = await this.#ports.storage.read(context.tenant, (session) =>
      session.audit.findByTargets(targetIds),
    );
    for (const row of rows) {
      if (level === AuditLevel.MINIMAL && row.changeType !== ChangeType.INSERT) continue;
      byTarget.get(row.targetId)?.push(row);
    }
    return byTarget;
  }
}
