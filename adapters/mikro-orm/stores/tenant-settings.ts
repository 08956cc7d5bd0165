import type {
  ActiveValue,
  KeyValueReads,
  KeyValueWrites,
  SigningSecretReads,
  SigningSecretWrites,
  TenantRevisions,
} from '../../../lib/ports/storage/index.ts';
import { ChangeType, SYSTEM_TENANT } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { beginPushes } from '../queue/push-store.ts';
import { idIn, numberIn, orNullIn, type Row, textIn } from '../sql/columns.ts';
import { isIn, narrowCondition, raw, type Sql, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { keyValuesTable, signingSecretsTable } from '../tables/system.ts';

type CounterName = 'invoice_number' | 'credit_note_number' | 'payment_number';

/**
 * Reserves `count` consecutive numbers and returns the first one. The row stays locked until the transaction ends, so
 * the numbers have no gaps. Call this at the end of a transaction, or in a separate transaction if gaps are allowed.
 */
export async function takeNumbers(scope: TenantScope, name: CounterName, count: number): Promise<number> {
  assertInvariant(Number.isSafeInteger(count) && count > 0, `${count} numbers cannot be allocated`);
  const [row] = await scope.runner.rows(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${scope.tenantRecordId}, ${name}, ${count})
    on conflict (tenant_record_id, name) do update set value = bw_counters.value + excluded.value
    returning value`);
  return numberIn(row, 'value') - count + 1;
}

/** Prevents other transactions from reserving numbers until this transaction ends. */
export async function lockNumbers(scope: TenantScope, name: CounterName): Promise<void> {
  await skipNumbers(scope, name, 0);
}

/** Makes the next number greater than `last`. The row stays locked until the transaction ends. */
export async function skipNumbers(scope: TenantScope, name: CounterName, last: number): Promise<void> {
  await scope.runner.rows(sql`
    insert into bw_counters (tenant_record_id, name, value) values (${scope.tenantRecordId}, ${name}, ${last})
    on conflict (tenant_record_id, name) do update
    set value = case when bw_counters.value < excluded.value then excluded.value else bw_counters.value end
    returning value`);
}

/**
 * Table name of tenant values and signing secrets in audit rows. These records have no history (accounts §14 rule 1).
 */
const KVS = 'TENANT_KVS';

export function keyValueReads(scope: TenantScope): KeyValueReads {
  return {
    find: async (keys) =>
      scope.select(keyValuesTable, narrowCondition(isIn('key', 'text', keys), sql`and is_active`)),
    findByPrefix: async (prefix) =>
      scope.select(keyValuesTable, sql`is_active and substr(key, 1, ${[...prefix].length}) = ${prefix}`),
    valueOf: async (recordId) => {
      const [row] = await scope.runner.rows(sql`
        select value from bw_tenant_kvs
        where ${scope.ofTenant} and record_id = ${recordId}`);
      assertInvariant(row, `Tenant ${scope.tenantRecordId} has no value ${recordId}`);
      return textIn(row, 'value');
    },
  };
}

export function keyValueWrites(scope: WriteScope, revisions: RevisionsOfSession): KeyValueWrites {
  return {
    lock: () => revisions.lock(),
    insert: async (values) => {
      if (values.length === 0) return [];
      const recordIds = await scope.insert(keyValuesTable, values);
      for (const [index, { id }] of values.entries())
        scope.noteBareChange(KVS, { id, recordId: recordIds[index] ?? 0, changeType: ChangeType.INSERT });
      return recordIds;
    },
    deactivate: async (values) => {
      const updatedDate = scope.authorship.createdDate;
      const records = values.map(({ id }) => ({ id, isActive: false, updatedDate }));
      await scope.update(keyValuesTable, { properties: ['isActive', 'updatedDate'], records });
      for (const { id, recordId } of values)
        scope.noteBareChange(KVS, { id, recordId, changeType: ChangeType.DELETE });
    },
    setConfiguration: (recordId) => revisions.set(sql`configuration_record_id = ${recordId}`),
    setOverdueConfig: (recordId) => revisions.set(sql`overdue_config_record_id = ${recordId}`),
    setUsageThresholds: (recordId) => revisions.set(sql`usage_thresholds_record_id = ${recordId}`),
    setCallback: async (recordId) => {
      await revisions.set(sql`callback_record_id = ${recordId}`);
      await beginPushes(scope, recordId);
    },
    raiseStateMachineRevision: () =>
      revisions.set(sql`state_machine_revision = coalesce(state_machine_revision, 0) + 1`),
  };
}

export function signingSecretReads(scope: TenantScope): SigningSecretReads {
  return {
    active: async () =>
      scope.selectOrdered(signingSecretsTable, { condition: sql`is_active`, order: 'record_id desc' }),
  };
}

export function signingSecretWrites(scope: WriteScope): SigningSecretWrites {
  return {
    insert: async (secret) => {
      const [recordId = 0] = await scope.insert(signingSecretsTable, [secret]);
      scope.noteBareChange(KVS, { id: secret.id, recordId, changeType: ChangeType.INSERT });
    },
    update: async (secrets) => {
      const properties = ['signsUntilMs', 'isActive'] as const;
      await scope.update(signingSecretsTable, { properties, records: secrets });
      for (const { id, recordId, isActive } of secrets) {
        const changeType = isActive ? ChangeType.UPDATE : ChangeType.DELETE;
        scope.noteBareChange(KVS, { id, recordId, changeType });
      }
    },
  };
}

type RowLock = 'forUpdate' | 'forDeletion' | 'forKeyShare';

/** The revisions for work that does not belong to a tenant and therefore has no tenant row. */
const NOTHING_SET: TenantRevisions = Object.freeze({
  catalogRevision: 0,
  configuration: null,
  overdueConfig: null,
  usageThresholds: null,
  callback: null,
  stateMachineRevision: null,
});

/**
 * The revisions of a session's tenant. They are read once for all callers, and again after the tenant's row has been
 * locked.
 */
export class RevisionsOfSession {
  readonly #scope: TenantScope;
  #known: Promise<TenantRevisions> | undefined;

  constructor(scope: TenantScope) {
    this.#scope = scope;
  }

  read(): Promise<TenantRevisions> {
    this.#known ??= this.#load();
    return this.#known;
  }

  /**
   * Reads the revisions in the round trip of the previous statement. A session that locks accounts publishes events, so
   * it will need the revisions before it ends.
   */
  readAhead(): void {
    // A failure needs no handling here: `read` returns the same promise, so its callers receive the error.
    this.read().catch(() => undefined);
  }

  forget(): void {
    this.#known = undefined;
  }

  /** Locks the tenant's row and reads it again. `forDeletion` and `forKeyShare` wait for each other. */
  async lock(lock: RowLock = 'forUpdate'): Promise<void> {
    this.#known = this.#load(lock);
    await this.#known;
  }

  async set(assignment: Sql): Promise<void> {
    this.forget();
    await this.#scope.runner.run(sql`
      update bw_tenants set ${assignment} where record_id = ${this.#scope.tenantRecordId}`);
  }

  async #load(lock?: RowLock): Promise<TenantRevisions> {
    const { runner, tenantRecordId } = this.#scope;
    if (tenantRecordId === SYSTEM_TENANT.recordId) return NOTHING_SET;
    const [tenant] = await runner.rows(sql`
      select catalog_revision, state_machine_revision,
        configuration_record_id, ${idOf('configuration_record_id')} as configuration_id,
        overdue_config_record_id, ${idOf('overdue_config_record_id')} as overdue_config_id,
        usage_thresholds_record_id, ${idOf('usage_thresholds_record_id')} as usage_thresholds_id,
        callback_record_id, ${idOf('callback_record_id')} as callback_id
      from bw_tenants
      where record_id = ${tenantRecordId} ${raw(lock === undefined ? '' : runner.dialect[lock])}`);
    assertInvariant(tenant, `Tenant ${tenantRecordId} does not exist`);
    return {
      catalogRevision: numberIn(tenant, 'catalog_revision'),
      configuration: activeValue(tenant, 'configuration'),
      overdueConfig: activeValue(tenant, 'overdue_config'),
      usageThresholds: activeValue(tenant, 'usage_thresholds'),
      callback: activeValue(tenant, 'callback'),
      stateMachineRevision: orNullIn(tenant, 'state_machine_revision', numberIn),
    };
  }
}

/**
 * Returns SQL for the id of the tenant value to which a column of the tenant's row refers. The column contains a record
 * id, because after a wait for the lock only the tenant's row is certainly current.
 */
function idOf(column: string) {
  return sql`(select kv.id from bw_tenant_kvs kv where kv.record_id = bw_tenants.${raw(column)})`;
}

function activeValue(row: Row, name: string): ActiveValue | null {
  const recordId = orNullIn(row, `${name}_record_id`, numberIn);
  if (recordId === null) return null;
  return { recordId, id: orNullIn(row, `${name}_id`, idIn) };
}
