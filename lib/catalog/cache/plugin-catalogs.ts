import type { CatalogPlugin, CatalogPluginContext, Ports, SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { PluginProperty, TenantRef } from '../../records/index.ts';
import {
  type ActivityPorts,
  type CalledPlugin,
  callPlugin,
  inParallel,
  plainError,
  pluginFailure,
} from '../../runtime/index.ts';
import { assertInvariant, BillingError, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { CATALOG_PLUGIN_TIMEOUT_MS, MAX_CACHED_CATALOG_CHARACTERS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { compilePluginCatalog } from '../formats/define-catalog.ts';
import { canonicalXml } from '../formats/xml/write-catalog.ts';
import { type Catalog, createCatalog } from '../lookup/catalog.ts';
import type { CatalogCache } from './catalog-cache.ts';
import type { CatalogOfAccount, CatalogProvider, CatalogRequest, CatalogSource } from './catalog-source.ts';
import { StampedCache } from './stamped-cache.ts';
import { sha256Hex } from './stored-parts.ts';

/** Concurrent calls of one batch to a plugin with a catalog per account. */
const MAX_CONCURRENT_CATALOG_CALLS = 10;

export const MAX_CACHED_PLUGIN_CATALOGS = 200;

type PluginCallPorts = { readonly systemClock: SystemClock } & ActivityPorts;

interface PluginRequest {
  readonly tenant: TenantRef;
  readonly now: Instant;
  readonly accountIds: readonly Uuid[];
  readonly properties: readonly PluginProperty[];
}

interface ServedCatalog {
  readonly pluginName: string;
  readonly catalog: Catalog;
}

/** The plugins' results per account; null: not served. */
interface ServedCatalogs {
  of(accountId: Uuid | null): ServedCatalog | null;
}

/** Null: the plugin does not serve it. */
type Answer = ServedCatalog | null;

interface Loaded {
  readonly answer: Answer;
  /** Memory weight as characters of XML. */
  readonly characters: number;
}

/**
 * The host's catalog plugins (§16), of which the first with a catalog supplies it. Catalogs with a stamp are cached per
 * tenant and plugin.
 */
export class PluginCatalogs {
  readonly #plugins: readonly CatalogPlugin[];
  readonly #ports: PluginCallPorts;
  readonly #kept = new StampedCache<string, Loaded>({
    maxEntries: MAX_CACHED_PLUGIN_CATALOGS,
    maxWeight: MAX_CACHED_CATALOG_CHARACTERS,
  });

  constructor(plugins: readonly CatalogPlugin[], ports: PluginCallPorts) {
    this.#plugins = plugins;
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  /** Drops cached results for a tenant, or all (null), whatever their stamps. */
  drop(tenantRecordId: number | null): void {
    this.#kept.drop((key) => tenantRecordId === null || key.startsWith(`${tenantRecordId} `));
  }

  /**
   * Calls the plugins once per operation. A plugin with a stamp is called for one catalog for all accounts.
   * @throws BillingError UNEXPECTED (60000) if a plugin fails or times out, CATALOG_INVALID_FOR_TENANT (2080) for an
   * invalid catalog.
   */
  async ask(request: PluginRequest): Promise<ServedCatalogs> {
    const open = new Set<Uuid | null>(request.accountIds.length === 0 ? [null] : request.accountIds);
    const served = new Map<Uuid | null, Answer>();
    for (const plugin of [...this.#plugins]) {
      for (const [accountId, answer] of await this.#answersOf(plugin, request, [...open])) {
        served.set(accountId, answer);
        if (answer !== null) open.delete(accountId);
      }
      if (open.size === 0) break;
    }
    return {
      of: (accountId) => {
        const answer = served.get(accountId);
        assertInvariant(answer !== undefined, `No catalog was asked for account ${accountId ?? 'none'}`, {
          accountId,
        });
        return answer;
      },
    };
  }

  async #answersOf(
    plugin: CatalogPlugin,
    request: PluginRequest,
    accountIds: readonly (Uuid | null)[],
  ): Promise<readonly (readonly [accountId: Uuid | null, answer: Answer])[]> {
    const [first = null, ...others] = accountIds;
    const context = contextOf(request, others.length === 0 ? first : null);
    const stamp = await callPlugin(called(plugin), this.#ports, () => plugin.latestVersion(context));
    if (stamp === null) {
      return inParallel(accountIds, MAX_CONCURRENT_CATALOG_CALLS, async (accountId) => {
        const { answer } = await this.#load(plugin, request, contextOf(request, accountId));
        return [accountId, answer];
      });
    }
    const key = `${request.tenant.recordId} ${plugin.name}`;
    const load = (): Promise<Loaded> => this.#load(plugin, request, context);
    const { answer, characters } = await this.#kept.get(key, stamp, load);
    this.#kept.weigh(key, stamp, characters);
    return accountIds.map((accountId) => [accountId, answer]);
  }

  async #load(plugin: CatalogPlugin, request: PluginRequest, context: CatalogPluginContext): Promise<Loaded> {
    const given = await callPlugin(called(plugin), this.#ports, () => plugin.catalog(context));
    if (given === null) return { answer: null, characters: 0 };
    const origin = { tenantId: request.tenant.id, pluginName: plugin.name };
    const { versions } = this.#compiled(plugin, () => compilePluginCatalog(given, origin));
    const content = versions.map(canonicalXml).join();
    const past = { revision: await contentRevision(content), versionsAt: () => versions };
    const catalog = createCatalog(versions, past);
    return { answer: { pluginName: plugin.name, catalog }, characters: content.length };
  }

  /** Getters and proxies in the catalog run plugin code too. */
  #compiled(plugin: CatalogPlugin, compile: () => Catalog): Catalog {
    try {
      return compile();
    } catch (thrown) {
      const error = plainError(thrown);
      if (error instanceof BillingError || error instanceof InvariantError) throw error;
      const what = 'gave a catalog that cannot be read; the log of the server tells why';
      throw pluginFailure(called(plugin), what, error);
    }
  }
}

/** A negative content hash, so that it never equals a tenant's revision. */
async function contentRevision(content: string): Promise<number> {
  const hash = await sha256Hex(content);
  return -1 - Number.parseInt(hash.slice(0, 7), 16);
}

function called({ name }: CatalogPlugin): CalledPlugin {
  return { kind: 'catalog plugin', name, timeoutMs: CATALOG_PLUGIN_TIMEOUT_MS };
}

function contextOf(request: PluginRequest, accountId: Uuid | null): CatalogPluginContext {
  return {
    tenantId: request.tenant.id,
    accountId,
    now: new Date(request.now),
    properties: request.properties,
  };
}

/**
 * The catalogs of operations: a plugin's, else the stored one (§16 rule 1). Plugins are called before the operation's
 * transaction.
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

  async openTenant(
    request: Omit<CatalogRequest, 'accounts'>,
  ): Promise<(session: ReadSession) => Promise<Catalog>> {
    const served = await this.serving(request);
    return async (session) => served?.catalog ?? this.#stored.catalogOf(session);
  }

  /** The plugin that serves the tenant instead of its stored catalog, or null (§16 rule 6). */
  async serving(request: {
    readonly tenant: TenantRef;
    readonly now: Instant;
  }): Promise<ServedCatalog | null> {
    if (this.#plugins.isEmpty) return null;
    const served = await this.#plugins.ask({ properties: [], ...request, accountIds: [] });
    return served.of(null);
  }

  /** Filters existing accounts, so that plugins never see ids of other tenants. */
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
