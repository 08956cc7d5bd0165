import type { Logger } from '../../ports/index.ts';
import {
  type ActiveValue,
  LockWait,
  type LockWaitOf,
  type ReadSession,
  type SkippedEventsOf,
  type Storage,
} from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { BusyPauses } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { readStoredConfiguration } from './read-configuration.ts';
import type { TenantSettings } from './settings.ts';

/** Gives the settings that are in force for the tenant of a session. */
export type SettingsOf = (session: ReadSession) => Promise<TenantSettings>;

/**
 * Settings in force (platform §4.1): the tenant's value, else the server's. The tenant row names the immutable row of
 * its configuration, so every node sees a change at the next call and parses it once. Constant within a session.
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

/** When background work of a tenant comes back to a busy account; it first waits as long as a call does. */
export function busyPausesOf(
  storage: Pick<Storage, 'read'>,
  settingsOf: SettingsOf,
): (tenant: TenantRef) => Promise<BusyPauses> {
  const waitOf = lockWaitOf(settingsOf);
  return (tenant) =>
    storage.read(tenant, async (session) => ({
      waitMs: await waitOf(session, LockWait.INVOICE),
      intervalsMs: (await settingsOf(session)).rescheduleIntervalOnLock,
    }));
}

/** How long the tenant of a session lets its calls wait for a busy account (platform §15 rule 2). */
export function lockWaitOf(settingsOf: SettingsOf): LockWaitOf {
  return async (session, wait) => {
    const settings = await settingsOf(session);
    const name = wait === LockWait.PAYMENT ? 'payment.globalLock.retries' : 'invoice.globalLock.retries';
    return settings[name] * LOCK_WAIT_STEP_MS;
  };
}

/** Which bus events the tenant of a session leaves out (platform §4.2). */
export function skippedEventsOf(settingsOf: SettingsOf): SkippedEventsOf {
  return async (session) => {
    const settings = await settingsOf(session);
    return {
      notStored: settings['billing.server.event.post.type.skip'],
      notDispatched: settings['billing.server.event.dispatch.type.skip'],
    };
  };
}

/** Tenant configurations kept in memory, parsed. */
const MAX_CACHED_CONFIGURATIONS = 1_000;

/** What tenants' keys with one value come to, each parsed once: the rows that hold them never change. */
export class ActiveValueCache<T> {
  readonly #byId = new Map<Uuid, T>();

  find({ id }: ActiveValue): T | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /** Not what the host's transaction holds, which it may roll back. */
  keep(session: ReadSession, { id }: ActiveValue, parsed: T): void {
    if (session.tenant.within || id === null) return;
    this.#byId.set(id, parsed);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_CACHED_CONFIGURATIONS && !oldest.done) this.#byId.delete(oldest.value);
  }
}
