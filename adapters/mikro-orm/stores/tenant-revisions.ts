import type { ActiveValue, TenantRevisions } from '../../../lib/ports/storage/index.ts';
import { SYSTEM_TENANT } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { numberOf, type Row, textOf } from '../sql/columns.ts';
import { raw, type Sql, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';

/** How the tenant's row is locked while it is read. */
type RowLock = 'forUpdate' | 'forDeletion' | 'forKeyShare';

/** The system itself has no row among the tenants. */
const NOTHING_SET: TenantRevisions = Object.freeze({
  catalogRevision: 0,
  configuration: null,
  overdueConfig: null,
  usageThresholds: null,
  callback: null,
  stateMachineRevision: null,
});

/** The revisions of a session's tenant: read by one statement for all callers, and again after the lock was taken. */
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

  /** Locks the tenant's row until the transaction ends. */
  async lock(): Promise<void> {
    await this.#reload('forUpdate');
  }

  /** The same, but also waits for holders of `keep`. */
  async lockForDeletion(): Promise<void> {
    await this.#reload('forDeletion');
  }

  /** Until the transaction ends nobody can take `lockForDeletion`. */
  async keep(): Promise<void> {
    await this.#reload('forKeyShare');
  }

  /** Writes columns of the tenant's row. */
  async set(assignment: Sql): Promise<void> {
    this.#known = undefined;
    await this.#scope.runner.run(sql`
      update bw_tenants set ${assignment} where record_id = ${this.#scope.tenantRecordId}`);
  }

  /** What is read together with the lock holds under it. */
  #reload(lock: RowLock): Promise<TenantRevisions> {
    this.#known = this.#load(lock);
    return this.#known;
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
      catalogRevision: numberOf(tenant.catalog_revision, 'catalog_revision'),
      configuration: activeValue(tenant, 'configuration'),
      overdueConfig: activeValue(tenant, 'overdue_config'),
      usageThresholds: activeValue(tenant, 'usage_thresholds'),
      callback: activeValue(tenant, 'callback'),
      stateMachineRevision: numberOrNull(tenant, 'state_machine_revision'),
    };
  }
}

/** A statement that has waited for the lock sees the tenant's row as it is now, and others as they were before. */
function idOf(column: string): Sql {
  return sql`(select kv.id from bw_tenant_kvs kv where kv.record_id = bw_tenants.${raw(column)})`;
}

function activeValue(row: Row, name: string): ActiveValue | null {
  const recordId = numberOrNull(row, `${name}_record_id`);
  const id = row[`${name}_id`];
  if (recordId === null) return null;
  return { recordId, id: id === null || id === undefined ? null : (textOf(id, `${name}_id`) as Uuid) };
}

function numberOrNull(row: Row, column: string): number | null {
  const value = row[column];
  return value === null || value === undefined ? null : numberOf(value, column);
}
