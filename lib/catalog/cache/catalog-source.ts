import type { ReadSession } from '../../ports/storage/index.ts';
import type { PluginProperty, TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Catalog } from '../lookup/catalog.ts';

/** The catalogs that one operation uses from beginning to end, by account (§13 rule 3, §15.6). */
export type CatalogOfAccount = (accountId: Uuid) => Catalog;

/**
 * Gives the catalogs of the tenant's accounts as the session sees them, by one read of the catalog revision for any
 * number of accounts. The answer knows only these accounts.
 */
export type CatalogSource = (session: ReadSession, accountIds: readonly Uuid[]) => Promise<CatalogOfAccount>;

/** What an operation needs catalogs for. */
export interface CatalogRequest {
  readonly tenant: TenantRef;
  readonly now: Instant;
  /**
   * The accounts that it is about, none for the tenant's own catalog. A function if they have to be read first: it runs
   * in a transaction of its own, and only if a catalog plugin has to know them.
   */
  readonly accounts: readonly Uuid[] | ((session: ReadSession) => Promise<readonly Uuid[]>);
  readonly properties?: readonly PluginProperty[];
}

/**
 * Where operations get their catalogs from. `open` is called once per operation, before its transaction begins, since it
 * may ask the catalog plugins of the host (§16).
 */
export interface CatalogProvider {
  open(request: CatalogRequest): Promise<CatalogSource>;
}
