import { noSuchAccount } from '../accounts/no-such-account.ts';
import { noSuchObject } from '../accounts/no-such-object.ts';
import type { Ports } from '../ports/index.ts';
import type { CallContext } from '../records/index.ts';
import { type AuditEntry, type AuditRow, ChangeType, type ObjectRef, ObjectType } from '../records/index.ts';
import { isSystemDefinition } from '../tags/system-definitions.ts';
import type { Uuid } from '../values/ids/index.ts';
import { inAccountOrder } from './account-audit-order.ts';
import { auditedTableOf } from './audited-table.ts';

/** How much of the audit a read carries: none, inserts only, everything (accounts §14 rule 4). */
export const AuditLevel = { NONE: 'NONE', MINIMAL: 'MINIMAL', FULL: 'FULL' } as const;
export type AuditLevel = (typeof AuditLevel)[keyof typeof AuditLevel];

/** Reads of the audit rows that every write leaves behind (accounts §14). */
export class AuditService {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock'>;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock'>) {
    this.#ports = ports;
  }

  /** The changes of each record, in write order; one query for any number of records, none for NONE. */
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

  /**
   * All audit rows of one object in write order, each with the object as it was after the change (accounts §14.1);
   * none for a system tag definition, which nobody made.
   * @throws BillingError with the 404 code of the object's type, or OBJECT_NOT_FOUND (60007).
   */
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

  /**
   * As `history`, of an object that has to belong to the account.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); those of `history`, also for an object of another account.
   */
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

  /**
   * All changes of the account and of every object that belongs to it, table by table (accounts §14 rule 5).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async ofAccount(context: CallContext, accountId: Uuid): Promise<readonly AuditEntry[]> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [account] = await session.accounts.findByIds([accountId]);
      if (!account) throw noSuchAccount(accountId);
      const all: AuditEntry[] = [];
      for await (const entries of session.exports.auditEntriesOfAccount(account.recordId)) {
        for (const entry of entries) all.push(entry);
        await this.#ports.systemClock.nextTurn();
      }
      return inAccountOrder(all);
    });
  }
}
