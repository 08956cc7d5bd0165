import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CatalogDefinition } from './catalog-definition.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** For whom the catalog is asked. */
export interface CatalogPluginContext {
  readonly tenantId: Uuid;
  /**
   * The account that the operation is about. Null for operations of the tenant as a whole, and for `latestVersion` when
   * one batch of due work serves several accounts.
   */
  readonly accountId: Uuid | null;
  /** Business time of the operation. */
  readonly now: Date;
  readonly properties: readonly PluginProperty[];
}

/**
 * A source of catalogs inside the host application (catalog §16): what it returns replaces everything that is uploaded
 * for the tenant. Given to `Billing.open({ catalogPlugins: [...] })`; asked in that order, once per operation, outside
 * any transaction, each call within a time limit. If it throws or takes too long, the operation fails, and queued work is
 * tried again; `RetryLater` says when.
 *
 * A plugin must not call the engine back about the same tenant, and must answer for a past instant as it did then: prices
 * of running subscriptions are looked up in the versions that it returns.
 */
export interface CatalogPlugin extends PluginIdentity {
  /** Named in errors and refusals. */
  readonly name: string;
  /**
   * A stamp of the tenant's catalog that changes with its content, such as the date of the newest version or a counter:
   * while it stays the same, this process does not call `catalog` again. Null: nothing is kept; `catalog` is called for
   * each operation and account, and may answer differently for each account. Whether the stamp is null must not depend on
   * the account.
   */
  latestVersion(context: CatalogPluginContext): Promise<string | null>;
  /**
   * The whole catalog, all versions that running subscriptions depend on included; null: this tenant (or account, where
   * `latestVersion` is null) is not mine. It has to be valid (catalog §4, §5 rules 1 to 3), else the operation fails with
   * 2080 and every error found. A missing price list `DEFAULT` counts as an empty one.
   */
  catalog(context: CatalogPluginContext): Promise<CatalogDefinition | null>;
}
