import type { Logger } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CACHED_CONFIGURATIONS } from '../../values/limits.ts';
import { readStoredConfiguration } from './read-configuration.ts';
import type { TenantSettings } from './settings.ts';

/** Gives the settings that are in force for the tenant of a session. */
export type SettingsOf = (session: ReadSession) => Promise<TenantSettings>;

/**
 * Effective settings of the tenants (platform §4.1): the tenant's own value, else the server's. The tenant row names the
 * row that holds its configuration, and rows never change, so the next call on every node sees a change, and a tenant's
 * configuration is parsed once. Within one session the settings stay as they were when first asked for.
 */
export class TenantConfiguration {
  readonly #logger: Logger;
  readonly #server: TenantSettings;
  readonly #byId = new Map<Uuid, TenantSettings>();

  constructor(logger: Logger, server: TenantSettings) {
    this.#logger = logger;
    this.#server = server;
  }

  async settingsOf(session: ReadSession): Promise<TenantSettings> {
    const { configuration } = await session.revisions();
    if (configuration === null) return this.#server;
    const { id, recordId } = configuration;
    const cached = id === null ? undefined : this.#byId.get(id);
    if (cached) return cached;
    const settings = await this.#load(session, recordId);
    // The host may roll back what its transaction holds, so it is not cached.
    if (session.tenant.within || id === null) return settings;
    this.#byId.set(id, settings);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_CACHED_CONFIGURATIONS && !oldest.done) this.#byId.delete(oldest.value);
    return settings;
  }

  async #load(session: ReadSession, recordId: number): Promise<TenantSettings> {
    const { settings, problems } = readStoredConfiguration(await session.keyValues.valueOf(recordId));
    for (const { message } of problems) {
      const facts = { tenantId: session.tenant.id };
      this.#logger.warn(facts, `tenant configuration: ${message}; the server's value holds`);
    }
    return Object.freeze({ ...this.#server, ...settings });
  }
}
