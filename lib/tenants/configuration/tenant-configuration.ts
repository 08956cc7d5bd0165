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

/** Returns the current settings of a session's tenant. */
export type SettingsOf = (session: ReadSession) => Promise<TenantSettings>;

/**
 * Creates a function that returns a tenant's current settings (platform §4.1). The tenant's own value overrides the
 * server's value. Each tenant row refers to its immutable configuration row, so every node uses a change from the next
 * call on and parses each configuration once. The settings do not change within a session.
 */
export function settingsInForce(logger: Logger, server: TenantSettings): SettingsOf {
  const ownOf = activeValueOf('configuration', (text, { tenant }): TenantSettings => {
    const { settings, problems } = readStoredConfiguration(text);
    for (const { message } of problems)
      logger.warn({ tenantId: tenant.id }, `tenant configuration: ${message}; the server's value applies`);
    return Object.freeze({ ...server, ...settings });
  });
  return async (session) => (await ownOf(session)) ?? server;
}

/**
 * Returns how long a tenant's background work waits for a busy account. The first wait is as long as the wait of a
 * call. Each further wait lasts for one of the retry intervals.
 */
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

/** Returns how long the tenant's calls wait for a busy account (platform §15 rule 2). */
export function lockWaitOf(settingsOf: SettingsOf): LockWaitOf {
  return async (session, wait) => {
    const settings = await settingsOf(session);
    const name = wait === LockWait.PAYMENT ? 'payment.globalLock.retries' : 'invoice.globalLock.retries';
    return settings[name] * LOCK_WAIT_STEP_MS;
  };
}

/** Returns the bus events that the tenant skips (platform §4.2). */
export function skippedEventsOf(settingsOf: SettingsOf): SkippedEventsOf {
  return async (session) => {
    const settings = await settingsOf(session);
    return {
      notStored: settings['billing.server.event.post.type.skip'],
      notDispatched: settings['billing.server.event.dispatch.type.skip'],
    };
  };
}

/** Maximum number of parsed values per cache. */
const MAX_CACHED_CONFIGURATIONS = 1_000;

/**
 * Parses the value to which the tenant's row refers. Each value is parsed once, because its row is immutable. Returns
 * null if the tenant has no value.
 */
export function activeValueOf<T extends string | object>(
  name: 'configuration' | 'callback',
  parse: (text: string, session: ReadSession) => T,
): (session: ReadSession) => Promise<T | null> {
  const cache = new ActiveValueCache<T>();
  return async (session) => {
    const active = (await session.revisions())[name];
    if (active === null) return null;
    const cached = cache.find(active);
    if (cached !== undefined) return cached;
    const parsed = parse(await session.keyValues.valueOf(active.recordId), session);
    cache.keep(session, active, parsed);
    return parsed;
  };
}

/** Cache for the parsed values of tenants. The key is the id of the immutable row. */
export class ActiveValueCache<T> {
  readonly #byId = new Map<Uuid, T>();

  find({ id }: ActiveValue): T | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /**
   * Adds a value to the cache. Values from a host's transaction are not cached, because the transaction may be rolled
   * back.
   */
  keep(session: ReadSession, { id }: ActiveValue, parsed: T): void {
    if (session.tenant.within || id === null) return;
    this.#byId.set(id, parsed);
    const oldest = this.#byId.keys().next();
    if (this.#byId.size > MAX_CACHED_CONFIGURATIONS && !oldest.done) this.#byId.delete(oldest.value);
  }
}
