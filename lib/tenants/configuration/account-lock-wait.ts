import { LOCK_WAIT_STEP_MS } from '../../limits.ts';
import { LockWait, type LockWaitOf } from '../../ports/storage/index.ts';
import type { SettingsOf } from './tenant-configuration.ts';

/** How long the tenant of a session lets its calls wait for a busy account (platform.md §15 rule 2). */
export function lockWaitOf(settingsOf: SettingsOf): LockWaitOf {
  return async (session, wait) => {
    const settings = await settingsOf(session);
    const name = wait === LockWait.PAYMENT ? 'payment.globalLock.retries' : 'invoice.globalLock.retries';
    return settings[name] * LOCK_WAIT_STEP_MS;
  };
}
