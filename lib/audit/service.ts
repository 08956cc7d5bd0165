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
import type { HostInput } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Returns the operations that read audit rows. Every write creates such rows (accounts §14). */
export function auditOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
): AuditOperations<WithContext> {
  const { storage } = ports;

  async function history(context: CallContext, object: ObjectRef): Promise<readonly AuditRow[]> {
    if (object.type === ObjectType.TAG_DEFINITION && isSystemDefinition(object.id)) return [];
    const table = byType.get(object.type);
    assertInvariant(table, `Objects of type ${object.type} are not audited`);
    const rows = await storage.read(context.tenant, (session) => session.audit.findHistories([object.id]));
    const own = rows.filter((row) => row.tableName === table.tableName);
    // Every existing object has an audit row for its insertion, because audit rows are never removed.
    if (own.length === 0) throw noSuchObject(object);
    return own;
  }

  return {
    history,

    async logs(context, targetIds: readonly Uuid[], level) {
      const byTarget = new Map<Uuid, AuditEntry[]>(targetIds.map((id) => [id, []]));
      if (level === AuditLevel.NONE || targetIds.length === 0) return byTarget;
      const rows = await storage.readInOneStatement(context.tenant, (session) =>
        session.audit.findByTargets(targetIds),
      );
      for (const row of rows) {
        if (level === AuditLevel.MINIMAL && row.changeType !== ChangeType.INSERT) continue;
        byTarget.get(row.targetId)?.push(row);
      }
      return byTarget;
    },

    async historyWithin(context, accountId: Uuid, object: ObjectRef) {
      const [account] = await storage.readInOneStatement(context.tenant, (session) =>
        session.accounts.findByIds([accountId]),
      );
      if (!account) throw noSuchAccount(accountId);
      const rows = await history(context, object);
      if (rows.some(({ accountRecordId }) => accountRecordId !== account.recordId))
        throw noSuchObject(object);
      return rows;
    },

    async ofAccount(context, accountId: Uuid) {
      return storage.read(context.tenant, async (session) => {
        const account = await loadAccount(session, accountId);
        const nextTurn = turnsOf(ports);
        const all: AuditEntry[] = [];
        for await (const entries of session.exports.auditEntriesOfAccount(account.recordId)) {
          for (const entry of entries) all.push(entry);
          await nextTurn();
        }
        return inAccountOrder(all);
      });
    },
  };
}

/** Names of the tables that have different names in audit rows (accounts §14.1). */
const ownNames: Readonly<Record<string, string>> = {
  ACCOUNT: 'accounts',
  ACCOUNT_EMAIL: 'account_emails',
  TAG: 'tags',
  CUSTOM_FIELD: 'custom_fields',
};

/** Sorts audit rows by table name (in code point order), then by record, then in write order (accounts §14 rule 5). */
function inAccountOrder(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const ofTable = Map.groupBy(entries, ({ tableName }) => ownNames[tableName] ?? tableName.toLowerCase());
  // Table names are ASCII, so comparing code units is the same as comparing code points.
  return [...ofTable]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, own]) => own.sort((a, b) => a.targetRecordId - b.targetRecordId || a.recordId - b.recordId));
}

/** Specifies which audit rows a read returns: none, only inserts, or all (accounts §14 rule 4). */
export const AuditLevel = { NONE: 'NONE', MINIMAL: 'MINIMAL', FULL: 'FULL' } as const;

export type AuditLevel = (typeof AuditLevel)[keyof typeof AuditLevel];

/** The audit log of all records. */
export interface AuditOperations<C extends Leading = []> {
  /** Returns the changes of each record in write order. Executes one query, or no query for the level NONE. */
  logs(
    ...given: [...C, targetIds: readonly (Uuid | string)[], level: AuditLevel]
  ): Promise<ReadonlyMap<Uuid, readonly AuditEntry[]>>;

  /**
   * Returns the audit rows of an object in write order, each with the object after the change (accounts §14.1).
   * System tag definitions have no audit rows.
   * @throws BillingError with the 404 code of the object's type, or OBJECT_NOT_FOUND (60007).
   */
  history(...given: [...C, object: HostInput<ObjectRef>]): Promise<readonly AuditRow[]>;

  /**
   * Returns the audit rows of an object, as `history` does. The object must belong to the account.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), or the errors of `history`, which also apply to
   * objects of other accounts.
   */
  historyWithin(
    ...given: [...C, accountId: Uuid | string, object: HostInput<ObjectRef>]
  ): Promise<readonly AuditRow[]>;

  /**
   * Returns all changes of the account and of its objects, table by table (accounts §14 rule 5).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<readonly AuditEntry[]>;
}

/**
 * The names of each object type and of its history in audit rows (accounts §14.1). The type is null for catalog
 * entries, coupons and features, which have no object type. The history is null if the audit rows refer to the record
 * itself (accounts §14 rule 1).
 */
const tables = (
  [
    [ObjectType.ACCOUNT, 'ACCOUNT', 'ACCOUNT_HISTORY'],
    [ObjectType.ACCOUNT_EMAIL, 'ACCOUNT_EMAIL', 'ACCOUNT_EMAIL_HISTORY'],
    [ObjectType.BLOCKING_STATES, 'BLOCKING_STATES', 'BLOCKING_STATE_HISTORY'],
    [ObjectType.BUNDLE, 'BUNDLES', 'BUNDLE_HISTORY'],
    [ObjectType.SUBSCRIPTION, 'SUBSCRIPTIONS', 'SUBSCRIPTION_HISTORY'],
    [ObjectType.SUBSCRIPTION_EVENT, 'SUBSCRIPTION_EVENTS', 'SUBSCRIPTION_EVENT_HISTORY'],
    [ObjectType.INVOICE, 'INVOICES', 'INVOICE_HISTORY'],
    [ObjectType.INVOICE_ITEM, 'INVOICE_ITEMS', 'INVOICE_ITEM_HISTORY'],
    [ObjectType.INVOICE_PAYMENT, 'INVOICE_PAYMENTS', 'INVOICE_PAYMENT_HISTORY'],
    [ObjectType.PAYMENT, 'PAYMENTS', 'PAYMENT_HISTORY'],
    [ObjectType.TRANSACTION, 'PAYMENT_TRANSACTIONS', 'PAYMENT_TRANSACTION_HISTORY'],
    [ObjectType.PAYMENT_ATTEMPT, 'PAYMENT_ATTEMPTS', 'PAYMENT_ATTEMPT_HISTORY'],
    [ObjectType.PAYMENT_METHOD, 'PAYMENT_METHODS', 'PAYMENT_METHOD_HISTORY'],
    [ObjectType.CUSTOM_FIELD, 'CUSTOM_FIELD', 'CUSTOM_FIELD_HISTORY'],
    [ObjectType.TAG, 'TAG', 'TAG_HISTORY'],
    [ObjectType.TAG_DEFINITION, 'TAG_DEFINITIONS', 'TAG_DEFINITION_HISTORY'],
    [null, 'CATALOG_ENTRIES', 'CATALOG_ENTRY_HISTORY'],
    [null, 'CATALOG_PLAN_ROWS', 'CATALOG_PLAN_ROW_HISTORY'],
    [null, 'COUPONS', 'COUPON_HISTORY'],
    [null, 'COUPON_REDEMPTIONS', 'COUPON_REDEMPTION_HISTORY'],
    [null, 'FEATURE_OVERRIDES', 'FEATURE_OVERRIDE_HISTORY'],
    [ObjectType.TENANT, 'TENANT', null],
    [ObjectType.TENANT_KVS, 'TENANT_KVS', null],
  ] as const
).map(([objectType, tableName, historyTableName]) => ({ objectType, tableName, historyTableName }));

const byTable = new Map(tables.map((table) => [table.tableName as string, table]));
const byType = new Map(tables.map((table) => [table.objectType as ObjectType | null, table]));

/** Returns the names of an audited table. */
export function auditedTable(tableName: string) {
  const table = byTable.get(tableName);
  assertInvariant(table, `No audited table is named ${tableName}`);
  return table;
}
