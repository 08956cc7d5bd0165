import { LockWait, type LockWaitOf, type Storage } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { BusyPauses } from '../../runtime/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import type { SettingsOf } from './tenant-configuration.ts';

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
