import { compilePluginCatalog } from '../../lib/catalog/index.ts';
import {
  BillingError,
  type Catalog,
  type CatalogPlugin,
  type CatalogPluginContext,
  type Uuid,
  writeCatalogXml,
} from '../../lib/index.ts';
import { CATALOG_PLUGIN_TIMEOUT_MS } from '../../lib/values/limits.ts';

/** The tenant and the accounts for which a plugin is checked. */
export interface CatalogPluginSubject {
  /** A tenant that the plugin serves. */
  readonly tenantId: Uuid;
  /**
   * Accounts of the tenant. If there are at least two, the check compares their catalogs with the plugin's declaration.
   */
  readonly accountIds?: readonly Uuid[];
  /** A tenant that the plugin does not serve. */
  readonly foreignTenantId?: Uuid;
  /** Business time; defaults to now. */
  readonly now?: Date;
}

/**
 * Checks a plugin against its contract (catalog §16) and returns a sentence for each problem. The catalog must be
 * valid, a stamp must identify one content for all accounts, a null stamp must be null for every account, the foreign
 * tenant must not be served, and no call may exceed the engine's time limit.
 *
 * @example expect(await checkCatalogPlugin(plugin, { tenantId })).to.deep.equal([]);
 */
export async function checkCatalogPlugin(
  plugin: CatalogPlugin,
  subject: CatalogPluginSubject,
): Promise<readonly string[]> {
  const check = new Check(plugin, subject);
  if (plugin.name.trim() === '') check.findings.push('The plugin has no name');
  await check.stamps();
  await check.content();
  await check.foreignTenant();
  return check.findings;
}

class Check {
  readonly findings: string[] = [];
  readonly #plugin: CatalogPlugin;
  readonly #subject: CatalogPluginSubject;
  #stamp: string | null = null;

  constructor(plugin: CatalogPlugin, subject: CatalogPluginSubject) {
    this.#plugin = plugin;
    this.#subject = subject;
  }

  async stamps(): Promise<void> {
    const plugin = this.#plugin;
    const stamp = await this.#timeCall('latestVersion', () => plugin.latestVersion(this.#context(null)));
    this.#stamp = stamp ?? null;
    if (stamp !== null && typeof stamp !== 'string')
      this.findings.push('latestVersion returns neither text nor null');
    for (const accountId of [null, ...this.#accountIds]) {
      const again = await this.#timeCall('latestVersion', () =>
        plugin.latestVersion(this.#context(accountId)),
      );
      if (again === this.#stamp) continue;
      this.findings.push(
        `latestVersion returns ${String(again)} for account ${accountId ?? 'none'} but returned ${String(this.#stamp)} before, although nothing changed`,
      );
    }
  }

  async content(): Promise<void> {
    const first = await this.#catalog(null);
    if (first === null && this.#stamp !== null) {
      this.findings.push('catalog returns null for a tenant that the plugin should serve');
      return;
    }
    for (const accountId of [null, ...this.#accountIds]) {
      const other = await this.#catalog(accountId);
      if (this.#stamp === null || sameContent(first, other)) continue;
      this.findings.push(
        `catalog returns different content for account ${accountId ?? 'none'} under the stamp ${this.#stamp}; return null as the stamp if catalogs differ by account`,
      );
    }
  }

  async foreignTenant(): Promise<void> {
    const { foreignTenantId } = this.#subject;
    if (foreignTenantId === undefined) return;
    const context = { ...this.#context(null), tenantId: foreignTenantId };
    await this.#timeCall('latestVersion', () => this.#plugin.latestVersion(context));
    const given = await this.#timeCall('catalog', () => this.#plugin.catalog(context));
    if (given !== null && given !== undefined)
      this.findings.push(
        `catalog returns a catalog for tenant ${foreignTenantId}, which the plugin does not serve`,
      );
  }

  async #catalog(accountId: Uuid | null): Promise<Catalog | null> {
    const given = await this.#timeCall('catalog', () => this.#plugin.catalog(this.#context(accountId)));
    if (given === null || given === undefined) return null;
    const origin = { tenantId: this.#subject.tenantId, pluginName: this.#plugin.name };
    try {
      return compilePluginCatalog(given, origin);
    } catch (error) {
      if (!(error instanceof BillingError)) throw error;
      const found = (error.problems ?? []).map((problem) => problem.message);
      this.findings.push(...found.filter((message) => !this.findings.includes(message)));
      return null;
    }
  }

  /** Returns the result of the call, or undefined if it throws. */
  async #timeCall<T>(method: string, call: () => Promise<T>): Promise<T | undefined> {
    const startedMs = performance.now();
    try {
      return await call();
    } catch (error) {
      this.findings.push(`${method} throws ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    } finally {
      const tookMs = performance.now() - startedMs;
      if (tookMs > CATALOG_PLUGIN_TIMEOUT_MS)
        this.findings.push(
          `${method} takes ${Math.round(tookMs)} ms; the engine waits at most ${CATALOG_PLUGIN_TIMEOUT_MS}`,
        );
    }
  }

  get #accountIds(): readonly Uuid[] {
    return this.#subject.accountIds ?? [];
  }

  #context(accountId: Uuid | null): CatalogPluginContext {
    const { tenantId, now = new Date() } = this.#subject;
    return { tenantId, accountId, now, properties: [] };
  }
}

function sameContent(one: Catalog | null, other: Catalog | null): boolean {
  if (one === null || other === null) return one === other;
  return writeCatalogXml(one) === writeCatalogXml(other);
}
