import { loadAccount, noSuchAccount, noSuchObject } from '../accounts/index.ts';
import { isSystemDefinition } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import {
  type AuditEntry,
  type AuditRow,
  type CallContext,
  ChangeType,
  type Leading,
  type ObjectRef,
  ObjectType,
  type WithContext,
} from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import { assertInvariant } from '../values/errors/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

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

/** The tables whose name in audit rows is not that of the table itself (accounts §14.1). */
const ownNames: Readonly<Record<string, string>> = {
  ACCOUNT: 'accounts',
  ACCOUNT_EMAIL: 'account_emails',
  TAG: 'tags',
  CUSTOM_FIELD: 'custom_fields',
};

/** The changes of an account by table name (code points), record, then order of writing (accounts §14 rule 5). */
function inAccountOrder(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const ofTable = Map.groupBy(entries, ({ tableName }) => ownNames[tableName] ?? tableName.toLowerCase());
  // Names of tables are ASCII, where code units are code points.
  return [...ofTable.keys()]
    .toSorted()
    .flatMap((name) =>
      (ofTable.get(name) ?? []).toSorted(
        (a, b) => a.targetRecordId - b.targetRecordId || a.recordId - b.recordId,
      ),
    );
}

/** How much of the audit a read carries: none, inserts only, everything (accounts §14 rule 4). */
export const AuditLevel = { NONE: 'NONE', MINIMAL: 'MINIMAL', FULL: 'FULL' } as const;

export type AuditLevel = (typeof AuditLevel)[keyof typeof AuditLevel];

/** Who has changed what. */
export interface AuditOperations<C extends Leading = []> {
  /** The changes of each record, in write order; one query for any number of records, none for NONE. */
  logs(
    ...given: [...C, targetIds: readonly (Uuid | string)[], level: AuditLevel]
  ): Promise<ReadonlyMap<Uuid, readonly AuditEntry[]>>;

  /**
   * All audit rows of one object in write order, each with the object as it was after the change (accounts §14.1);
   * none for a system tag definition, which nobody made.
   * @throws BillingError with the 404 code of the object's type, or OBJECT_NOT_FOUND (60007).
   */
  history(...given: [...C, object: Given<ObjectRef>]): Promise<readonly AuditRow[]>;

  /**
   * As `history`, for an object that must belong to the account.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); those of `history`, also for an object of another account.
   */
  historyWithin(
    ...given: [...C, accountId: Uuid | string, object: Given<ObjectRef>]
  ): Promise<readonly AuditRow[]>;

  /**
   * All changes of the account and of every object that belongs to it, table by table (accounts §14 rule 5).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<readonly AuditEntry[]>;
}

/** How the objects of a type are named in audit rows and their history (accounts §14.1). */
interface AuditedTable {
  /** Null: entries of the catalog, which are no objects of the interface. */
  readonly objectType: ObjectType | null;
  readonly tableName: string;
  /** Null: the audit points to the record itself, which has no history (accounts §14 rule 1). */
  readonly historyTableName: string | null;
}

const tables: readonly AuditedTable[] = [
  named(ObjectType.ACCOUNT, 'ACCOUNT', 'ACCOUNT_HISTORY'),
  named(ObjectType.ACCOUNT_EMAIL, 'ACCOUNT_EMAIL', 'ACCOUNT_EMAIL_HISTORY'),
  named(ObjectType.BLOCKING_STATES, 'BLOCKING_STATES', 'BLOCKING_STATE_HISTORY'),
  named(ObjectType.BUNDLE, 'BUNDLES', 'BUNDLE_HISTORY'),
  named(ObjectType.SUBSCRIPTION, 'SUBSCRIPTIONS', 'SUBSCRIPTION_HISTORY'),
  named(ObjectType.SUBSCRIPTION_EVENT, 'SUBSCRIPTION_EVENTS', 'SUBSCRIPTION_EVENT_HISTORY'),
  named(ObjectType.INVOICE, 'INVOICES', 'INVOICE_HISTORY'),
  named(ObjectType.INVOICE_ITEM, 'INVOICE_ITEMS', 'INVOICE_ITEM_HISTORY'),
  named(ObjectType.INVOICE_PAYMENT, 'INVOICE_PAYMENTS', 'INVOICE_PAYMENT_HISTORY'),
  named(ObjectType.PAYMENT, 'PAYMENTS', 'PAYMENT_HISTORY'),
  named(ObjectType.TRANSACTION, 'PAYMENT_TRANSACTIONS', 'PAYMENT_TRANSACTION_HISTORY'),
  named(ObjectType.PAYMENT_ATTEMPT, 'PAYMENT_ATTEMPTS', 'PAYMENT_ATTEMPT_HISTORY'),
  named(ObjectType.PAYMENT_METHOD, 'PAYMENT_METHODS', 'PAYMENT_METHOD_HISTORY'),
  named(ObjectType.CUSTOM_FIELD, 'CUSTOM_FIELD', 'CUSTOM_FIELD_HISTORY'),
  named(ObjectType.TAG, 'TAG', 'TAG_HISTORY'),
  named(ObjectType.TAG_DEFINITION, 'TAG_DEFINITIONS', 'TAG_DEFINITION_HISTORY'),
  named(null, 'CATALOG_ENTRIES', 'CATALOG_ENTRY_HISTORY'),
  named(null, 'CATALOG_PLAN_ROWS', 'CATALOG_PLAN_ROW_HISTORY'),
  named(ObjectType.TENANT, 'TENANT', null),
  named(ObjectType.TENANT_KVS, 'TENANT_KVS', null),
];

function named(
  objectType: ObjectType | null,
  tableName: string,
  historyTableName: string | null,
): AuditedTable {
  return { objectType, tableName, historyTableName };
}

const byTable = new Map(tables.map((table) => [table.tableName, table]));
const byType = new Map(tables.map((table) => [table.objectType, table]));

/** The entry of the table that an audit row names. */
export function auditedTable(tableName: string): AuditedTable {
  const table = byTable.get(tableName);
  assertInvariant(table, `No audited table is called ${tableName}`);
  return table;
}

/** The entry of the objects of a type. */
function auditedTableOf(objectType: ObjectType): AuditedTable {
  const table = byType.get(objectType);
  assertInvariant(table, `Objects of type ${objectType} are not audited`);
  return table;
}
