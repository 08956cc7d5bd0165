import type { CatalogDefinition, CatalogPlugin, CatalogPluginContext } from '../../lib/index.ts';

/** A catalog plugin whose content a test sets, and which remembers what it was asked. */
export interface MemoryCatalogPlugin extends CatalogPlugin {
  /** What each method was called with, in order. */
  readonly calls: {
    readonly latestVersion: readonly CatalogPluginContext[];
    readonly catalog: readonly CatalogPluginContext[];
  };
  /** From now on this is the catalog of every tenant; null: of none. The stamp is new unless one is given. */
  serve(catalog: CatalogDefinition | null, stamp?: string): void;
  /** From now on the catalog is asked for each account, and never cached; null: not this plugin's account. */
  servePerAccount(catalogOf: (accountId: string | null) => CatalogDefinition | null): void;
}

/** For tests of what is sold from a host's own catalog: `Billing.open({ …, catalogPlugins: [plugin] })`. */
export function memoryCatalogPlugin(name = 'memory-catalog'): MemoryCatalogPlugin {
  const calls = { latestVersion: [] as CatalogPluginContext[], catalog: [] as CatalogPluginContext[] };
  let served: (accountId: string | null) => CatalogDefinition | null = () => null;
  let stamp: string | null = '0';
  let changes = 0;
  return {
    name,
    calls,
    serve(catalog, given) {
      changes += 1;
      stamp = given ?? String(changes);
      served = () => catalog;
    },
    servePerAccount(catalogOf) {
      stamp = null;
      served = catalogOf;
    },
    async latestVersion(context) {
      calls.latestVersion.push(context);
      return stamp;
    },
    async catalog(context) {
      calls.catalog.push(context);
      return served(context.accountId);
    },
  };
}
