import { assertInvariant } from '../../lib/errors/index.ts';
import type { TenantRevisions } from '../../lib/ports/storage/index.ts';
import { numberOf } from './columns.ts';
import type { TenantScope } from './record-access.ts';
import { raw, type Sql, sql } from './sql.ts';

/** The revisions of a session's tenant: read with one statement for all who ask, and anew after the lock was taken. */
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
    const { runner, tenantRecordId } = this.#scope;
    this.#known = undefined;
    await runner.run(sql`
      select record_id from bw_tenants where record_id = ${tenantRecordId} ${raw(runner.dialect.forUpdate)}`);
  }

  /** Writes columns of the tenant's row. */
  async set(assignment: Sql): Promise<void> {
    this.#known = undefined;
    await this.#scope.runner.run(sql`
      update bw_tenants set ${assignment} where record_id = ${this.#scope.tenantRecordId}`);
  }

  async #load(): Promise<TenantRevisions> {
    const { runner, tenantRecordId } = this.#scope;
    const [tenant] = await runner.rows(sql`
      select catalog_revision, configuration_record_id from bw_tenants where record_id = ${tenantRecordId}`);
    assertInvariant(tenant, `Tenant ${tenantRecordId} does not exist`);
    const configuration = tenant.configuration_record_id;
    return {
      catalogRevision: numberOf(tenant.catalog_revision, 'catalog_revision'),
      configurationRecordId:
        configuration === null || configuration === undefined
          ? null
          : numberOf(configuration, 'configuration_record_id'),
    };
  }
}
