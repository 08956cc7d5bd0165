import type { ReadSession } from '../../ports/storage/index.ts';
import type { HostTransaction } from '../../records/index.ts';
import type { TimeSlices } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Catalog } from '../lookup/catalog.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';
import type { ChangedPlans } from '../lookup/changed-plans.ts';
import type { CatalogOfAccount } from './catalog-source.ts';
import { EffectiveCatalogs } from './effective-catalogs.ts';
import { StoredCatalogs } from './stored-catalogs.ts';

/**
 * The door to the cached catalogs of tenants, each as the session sees it. The tenant's revision is compared on every
 * use, so a write is visible to the next call on every node (§13 rule 2).
 */
export class CatalogCache {
  readonly #committed: EffectiveCatalogs;
  /** What a host's transaction may roll back is cached for that transaction only. */
  readonly #inTransactions = new WeakMap<HostTransaction, EffectiveCatalogs>();

  /** `globalDefault` gives the catalog of tenants that were created with it and have none of their own (§14). */
  constructor(globalDefault: (() => Catalog) | null, slices: TimeSlices) {
    this.#committed = new EffectiveCatalogs(globalDefault, new StoredCatalogs(slices));
  }

  /** Forgets what is known of a tenant's catalog, or of all (null). */
  drop(tenantRecordId: number | null): void {
    this.#committed.drop(tenantRecordId);
  }

  /** The tenant's catalog; without any version for a tenant that has none. */
  catalogOf(session: ReadSession): Promise<Catalog> {
    return this.#in(session).ofTenant(session);
  }

  /** The same for accounts, which may have content of their own; reads the revision once for all of them. */
  catalogsOf(session: ReadSession, accountIds: readonly Uuid[]): Promise<CatalogOfAccount> {
    return this.#in(session).ofAccounts(session, accountIds);
  }

  /**
   * As `catalogsOf`, but as an upload would make them.
   * @param added the same list for all questions about one upload.
   */
  candidatesOf(
    session: ReadSession,
    accountIds: readonly Uuid[],
    added: readonly CatalogVersion[],
  ): Promise<CatalogOfAccount> {
    return this.#in(session).ofAccountsWith(session, accountIds, added);
  }

  /** The XML catalog that the tenant has uploaded, or sees by default, without its entries. */
  xmlOf(session: ReadSession): Promise<Catalog> {
    return this.#in(session).xml(session);
  }

  /** The versions that the tenant has uploaded. */
  uploadedBy(session: ReadSession): Promise<Catalog> {
    return this.#in(session).uploaded(session);
  }

  /** The plans whose subscriptions the stored catalog may bill differently than it did at an earlier revision. */
  changedSince(session: ReadSession, revision: number): Promise<ChangedPlans> {
    return this.#in(session).changedSince(session, revision);
  }

  #in({ tenant: { within } }: ReadSession): EffectiveCatalogs {
    if (within === undefined) return this.#committed;
    const known = this.#inTransactions.get(within) ?? this.#committed.forTransaction();
    this.#inTransactions.set(within, known);
    return known;
  }
}
