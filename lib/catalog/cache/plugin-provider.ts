import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Catalog } from '../lookup/catalog.ts';
import type { CatalogCache } from './catalog-cache.ts';
import type { CatalogOfAccount, CatalogProvider, CatalogRequest, CatalogSource } from './catalog-source.ts';
import type { PluginCatalogs, ServedCatalog, ServedCatalogs } from './plugin-catalogs.ts';

/**
 * The catalogs of operations: a plugin's, else what the tenant has stored (§16 rule 1). Plugins are asked before the
 * operation's transaction.
 */
export class PluginProvider implements CatalogProvider {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #plugins: PluginCatalogs;
  readonly #stored: CatalogCache;

  constructor(ports: Pick<Ports, 'storage'>, plugins: PluginCatalogs, stored: CatalogCache) {
    this.#ports = ports;
    this.#plugins = plugins;
    this.#stored = stored;
  }

  async open(request: CatalogRequest): Promise<CatalogSource> {
    if (this.#plugins.isEmpty) return (session, accountIds) => this.#stored.catalogsOf(session, accountIds);
    const accountIds = await this.#accountsOf(request);
    const served = await this.#plugins.ask({ properties: [], ...request, accountIds });
    return (session, wanted) => this.#join(session, wanted, served);
  }

  /** The tenant's own catalog, for operations that concern no account. */
  async openTenant(
    request: Omit<CatalogRequest, 'accounts'>,
  ): Promise<(session: ReadSession) => Promise<Catalog>> {
    const served = await this.serving(request);
    return async (session) => served?.catalog ?? this.#stored.catalogOf(session);
  }

  /** The plugin that now serves the tenant in place of its stored catalog, or null (§16 rule 6). */
  async serving(request: {
    readonly tenant: TenantRef;
    readonly now: Instant;
  }): Promise<ServedCatalog | null> {
    if (this.#plugins.isEmpty) return null;
    const served = await this.#plugins.ask({ properties: [], ...request, accountIds: [] });
    return served.of(null);
  }

  /** Those accounts that exist: a plugin is not asked about accounts of other tenants. */
  async #accountsOf({ tenant, accounts }: CatalogRequest): Promise<readonly Uuid[]> {
    if (Array.isArray(accounts) && accounts.length === 0) return [];
    const found = await this.#ports.storage.read(tenant, async (session) => {
      const ids = typeof accounts === 'function' ? await accounts(session) : accounts;
      return session.accounts.findByIds([...new Set(ids)]);
    });
    return found.map((account) => account.id);
  }

  async #join(
    session: ReadSession,
    accountIds: readonly Uuid[],
    served: ServedCatalogs,
  ): Promise<CatalogOfAccount> {
    const unserved = accountIds.filter((accountId) => served.of(accountId) === null);
    const stored = unserved.length === 0 ? null : await this.#stored.catalogsOf(session, unserved);
    return (accountId) => served.of(accountId)?.catalog ?? stored?.(accountId) ?? noCatalog(accountId);
  }
}

function noCatalog(accountId: Uuid): never {
  throw new Error(`No catalog was asked for account ${accountId}`);
}
