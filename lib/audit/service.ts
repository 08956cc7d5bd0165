import { loadAccount, noSuchAccount, noSuchObject } from '../accounts/index.ts';
import { isSystemDefinition } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { type AuditEntry, type AuditRow, ChangeType, type ObjectRef, ObjectType } from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { inAccountOrder } from './account-audit-order.ts';
import { AuditLevel, type AuditOperations } from './audit-operations.ts';
import { auditedTableOf } from './audited-table.ts';

/** Reads of the audit rows that every write leaves behind (accounts §14). */
export class AuditService implements AuditOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>) {
    this.#ports = ports;
  }

  async logs(
    context: CallContext,
    targetIds: readonly Uuid[],
    level: AuditLevel,
  ): Promise<ReadonlyMap<Uuid, readonly AuditEntry[]>> {
    const byTarget = new Map<Uuid, AuditEntry[]>(targetIds.map((id) => [id, []]));
    if (level === AuditLevel.NONE || targetIds.length === 0) return byTarget;
    const rows = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.audit.findByTargets(targetIds),
    );
    for (const row of rows) {
      if (level === AuditLevel.MINIMAL && row.changeType !== ChangeType.INSERT) continue;
      byTarget.get(row.targetId)?.push(row);
    }
    return byTarget;
  }

  async history(context: CallContext, object: ObjectRef): Promise<readonly AuditRow[]> {
    if (object.type === ObjectType.TAG_DEFINITION && isSystemDefinition(object.id)) return [];
    const { tableName } = auditedTableOf(object.type);
    const rows = await this.#ports.storage.read(context.tenant, (session) =>
      session.audit.findHistories([object.id]),
    );
    const own = rows.filter((row) => row.tableName === tableName);
    // Every object was inserted once, and no audit row is ever removed.
    if (own.length === 0) throw noSuchObject(object);
    return own;
  }

  async historyWithin(
    context: CallContext,
    accountId: Uuid,
    object: ObjectRef,
  ): Promise<readonly AuditRow[]> {
    const [account] = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.accounts.findByIds([accountId]),
    );
    if (!account) throw noSuchAccount(accountId);
    const rows = await this.history(context, object);
    if (rows.some(({ accountRecordId }) => accountRecordId !== account.recordId)) throw noSuchObject(object);
    return rows;
  }

  async ofAccount(context: CallContext, accountId: Uuid): Promise<readonly AuditEntry[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      const nextTurn = turnsOf(this.#ports);
      const all: AuditEntry[] = [];
      for await (const entries of session.exports.auditEntriesOfAccount(account.recordId)) {
        for (const entry of entries) all.push(entry);
        await nextTurn();
      }
      return inAccountOrder(all);
    });
  }
}
