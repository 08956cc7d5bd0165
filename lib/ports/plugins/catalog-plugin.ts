import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CatalogDefinition } from './catalog-definition.ts';
import type { PluginIdentity } from './plugin-identity.ts';

export interface CatalogPluginContext {
  readonly tenantId: Uuid;
  /**
   * The account of the operation, or null for operations on a tenant, and for `latestVersion` in a batch of due work
   * for several accounts.
   */
  readonly accountId: Uuid | null;
  /** Business time of the operation. */
  readonly now: Date;
  readonly properties: readonly PluginProperty[];
}

/**
 * A source of catalogs inside the host application (catalog §16), which replaces all uploaded versions of the tenant.
 * Pass it to `Billing.open({ catalogPlugins: [...] })`. Plugins are called in that order, once per operation, outside
 * transactions, with a time limit. If one throws or times out, the operation fails and queued work is retried;
 * `RetryLater` sets the delay.
 *
 * A plugin must not call the engine about the same tenant. For a past instant, a plugin must return the same catalog
 * as at that time, because running subscriptions take their prices from those versions.
 */
export interface CatalogPlugin extends PluginIdentity {
  /** Name of the plugin, used in errors. */
  readonly name: string;
  /**
   * Returns a stamp of the tenant's catalog that changes with its content, such as a date or counter. While the stamp
   * stays the same, this process does not call `catalog` again. If the stamp is null, `catalog` is called for each
   * operation and account, and the catalog may differ by account. Whether the stamp is null must not depend on the
   * account.
   */
  latestVersion(context: CatalogPluginContext): Promise<string | null>;
  /**
   * Returns the whole catalog, including all versions that running subscriptions use. Null means that the plugin does
   * not serve this tenant (or account, if `latestVersion` is null). For an invalid catalog (catalog §4, §5 rules 1 to
   * 3), the operation fails with error 2080, which lists every problem found. A missing price list `DEFAULT` is treated
   * as empty.
   */
  catalog(context: CatalogPluginContext): Promise<CatalogDefinition | null>;
}
