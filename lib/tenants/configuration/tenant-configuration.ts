import type { Logger } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { ActiveValueCache } from './active-value-cache.ts';
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
  readonly #cache = new ActiveValueCache<TenantSettings>();

  constructor(logger: Logger, server: TenantSettings) {
    this.#logger = logger;
    this.#server = server;
  }

  async settingsOf(session: ReadSession): Promise<TenantSettings> {
    const { configuration } = await session.revisions();
    if (configuration === null) return this.#server;
    const cached = this.#cache.find(configuration);
    if (cached) return cached;
    const settings = await this.#load(session, configuration.recordId);
    this.#cache.keep(session, configuration, settings);
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
