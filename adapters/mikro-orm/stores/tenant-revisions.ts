import type { TenantRevisions } from '../../../lib/ports/storage/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { numberOf, type Row } from '../sql/columns.ts';
import { raw, type Sql, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';

/** How the tenant's row is locked while it is read. */
type RowLock = 'forUpdate' | 'forDeletion' | 'forKeyShare';

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
    const [tenant] = await runner.rows(sql`
      select catalog_revision, configuration_record_id, overdue_config_record_id, state_machine_revision
      from bw_tenants
      where record_id = ${tenantRecordId} ${raw(lock === undefined ? '' : runner.dialect[lock])}`);
    assertInvariant(tenant, `Tenant ${tenantRecordId} does not exist`);
    return {
      catalogRevision: numberOf(tenant.catalog_revision, 'catalog_revision'),
      configurationRecordId: numberOrNull(tenant, 'configuration_record_id'),
      overdueConfigRecordId: numberOrNull(tenant, 'overdue_config_record_id'),
      stateMachineRevision: numberOrNull(tenant, 'state_machine_revision'),
    };
  }
}

function numberOrNull(row: Row, column: string): number | null {
  const value = row[column];
  return value === null || value === undefined ? null : numberOf(value, column);
}
