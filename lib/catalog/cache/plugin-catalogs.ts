import type {
  CatalogDefinition,
  CatalogPlugin,
  CatalogPluginContext,
  Ports,
  SystemClock,
} from '../../ports/index.ts';
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
import type { CatalogOfAccount, CatalogRequest, CatalogSource } from './catalog-source.ts';
import { StampedCache } from './stamped-cache.ts';
import { sha256Hex } from './stored-parts.ts';

/** Maximum number of concurrent calls in a batch to a plugin that has a catalog per account. */
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

/** The results of the plugins by account. Null means that no plugin serves the account. */
interface ServedCatalogs {
  of(accountId: Uuid | null): ServedCatalog | null;
}

interface Loaded {
  /** The catalog that the plugin returned. Null means that the plugin does not serve the tenant or account. */
  readonly answer: ServedCatalog | null;
  /** Memory weight in characters of XML. */
  readonly characters: number;
}

/**
 * Returns the host's catalog plugins (§16). The first plugin that has a catalog for the tenant supplies it. Catalogs
 * with a stamp are cached per tenant and plugin.
 */
export function pluginCatalogs(plugins: readonly CatalogPlugin[], ports: PluginCallPorts) {
  const kept = new StampedCache<string, Loaded>({
    maxEntries: MAX_CACHED_PLUGIN_CATALOGS,
    maxWeight: MAX_CACHED_CATALOG_CHARACTERS,
  });

  async function loadAnswer(plugin: CatalogPlugin, context: CatalogPluginContext): Promise<Loaded> {
    const given = await callPlugin(describePlugin(plugin), ports, () => plugin.catalog(context));
    return loadGivenCatalog(plugin, context, given);
  }

  async function answersOf(
    plugin: CatalogPlugin,
    request: PluginRequest,
    accountIds: readonly (Uuid | null)[],
  ): Promise<readonly (readonly [accountId: Uuid | null, answer: Loaded['answer']])[]> {
    const [first = null, ...others] = accountIds;
    const context = contextOf(request, others.length === 0 ? first : null);
    const stamp = await callPlugin(describePlugin(plugin), ports, () => plugin.latestVersion(context));
    if (stamp === null) {
      return inParallel(accountIds, MAX_CONCURRENT_CATALOG_CALLS, async (accountId) => {
        const { answer } = await loadAnswer(plugin, contextOf(request, accountId));
        return [accountId, answer];
      });
    }
    const key = `${request.tenant.recordId} ${plugin.name}`;
    const { answer, characters } = await kept.get(key, stamp, () => loadAnswer(plugin, context));
    kept.weigh(key, stamp, characters);
    return accountIds.map((accountId) => [accountId, answer]);
  }

  return {
    get isEmpty(): boolean {
      return plugins.length === 0;
    },

    drop(tenantRecordId: number | null): void {
      kept.drop((key) => tenantRecordId === null || key.startsWith(`${tenantRecordId} `));
    },

    /**
     * Calls the plugins once per operation. A plugin with a stamp returns one catalog for all accounts.
     * @throws BillingError UNEXPECTED (60000) if a plugin fails or times out, CATALOG_INVALID_FOR_TENANT (2080) for
     * an invalid catalog.
     */
    async ask(request: PluginRequest): Promise<ServedCatalogs> {
      const open = new Set<Uuid | null>(request.accountIds.length === 0 ? [null] : request.accountIds);
      const served = new Map<Uuid | null, ServedCatalog | null>();
      for (const plugin of [...plugins]) {
        for (const [accountId, answer] of await answersOf(plugin, request, [...open])) {
          served.set(accountId, answer);
          if (answer !== null) open.delete(accountId);
        }
        if (open.size === 0) break;
      }
      return {
        of: (accountId) => {
          const answer = served.get(accountId);
          assertInvariant(
            answer !== undefined,
            `No catalog was requested for account ${accountId ?? 'none'}`,
            {
              accountId,
            },
          );
          return answer;
        },
      };
    },
  };
}

export type PluginCatalogs = ReturnType<typeof pluginCatalogs>;

async function loadGivenCatalog(
  plugin: CatalogPlugin,
  { tenantId }: CatalogPluginContext,
  given: CatalogDefinition | null,
): Promise<Loaded> {
  if (given === null) return { answer: null, characters: 0 };
  const { name: pluginName } = plugin;
  const { versions } = runCompilation(plugin, () => compilePluginCatalog(given, { tenantId, pluginName }));
  const content = versions.map(canonicalXml).join();
  // The revision is negative, so it never equals the revision of a stored catalog.
  const revision = -1 - Number.parseInt((await sha256Hex(content)).slice(0, 7), 16);
  const catalog = createCatalog(versions, { revision, versionsAt: () => versions });
  return { answer: { pluginName, catalog }, characters: content.length };
}

/**
 * Compiles a plugin's catalog within the time limit, because getters and proxies in the catalog run code of the plugin.
 */
function runCompilation(plugin: CatalogPlugin, compile: () => Catalog): Catalog {
  try {
    return compile();
  } catch (thrown) {
    const error = plainError(thrown);
    if (error instanceof BillingError || error instanceof InvariantError) throw error;
    const what = 'returned an unreadable catalog; see the server log for the reason';
    throw pluginFailure(describePlugin(plugin), what, error);
  }
}

function describePlugin({ name }: CatalogPlugin): CalledPlugin {
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
 * Returns the catalogs that operations use: a plugin's catalog if a plugin has one, otherwise the stored catalog (§16
 * rule 1). Plugins are called before the operation's transaction.
 */
export function pluginProvider(ports: Pick<Ports, 'storage'>, plugins: PluginCatalogs, stored: CatalogCache) {
  /** Returns the plugin whose catalog replaces the tenant's stored catalog, or null (§16 rule 6). */
  async function findServedCatalog(request: {
    readonly tenant: TenantRef;
    readonly now: Instant;
  }): Promise<ServedCatalog | null> {
    if (plugins.isEmpty) return null;
    const served = await plugins.ask({ properties: [], ...request, accountIds: [] });
    return served.of(null);
  }

  /** Returns the accounts that belong to the tenant, so that plugins never see ids of other tenants. */
  async function accountsOf({ tenant, accounts }: CatalogRequest): Promise<readonly Uuid[]> {
    if (Array.isArray(accounts) && accounts.length === 0) return [];
    const found = await ports.storage.read(tenant, async (session) => {
      const ids = typeof accounts === 'function' ? await accounts(session) : accounts;
      return session.accounts.findByIds([...new Set(ids)]);
    });
    return found.map((account) => account.id);
  }

  async function join(
    session: ReadSession,
    accountIds: readonly Uuid[],
    served: ServedCatalogs,
  ): Promise<CatalogOfAccount> {
    const unserved = accountIds.filter((accountId) => served.of(accountId) === null);
    const storedOf = unserved.length === 0 ? null : await stored.catalogsOf(session, unserved);
    return (accountId) => {
      const catalog = served.of(accountId)?.catalog ?? storedOf?.(accountId);
      assertInvariant(catalog, `No catalog was requested for account ${accountId}`);
      return catalog;
    };
  }

  return {
    findServedCatalog,

    async open(request: CatalogRequest): Promise<CatalogSource> {
      if (plugins.isEmpty) return (session, accountIds) => stored.catalogsOf(session, accountIds);
      const accountIds = await accountsOf(request);
      const served = await plugins.ask({ properties: [], ...request, accountIds });
      return (session, wanted) => join(session, wanted, served);
    },

    async openTenant(
      request: Omit<CatalogRequest, 'accounts'>,
    ): Promise<(session: ReadSession) => Promise<Catalog>> {
      const served = await findServedCatalog(request);
      return async (session) => served?.catalog ?? stored.catalogOf(session);
    },
  };
}
