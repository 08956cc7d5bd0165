import type { LoginFailures, New } from '../records/index.ts';
import { LOGIN_FAILURE_WINDOW_MS } from '../values/limits.ts';

/** How long a name or an address stays locked after too many failed logins. */
const LOGIN_LOCK_MS = 15 * 60_000;

/** When a locked subject may try again, in system time; null where it is not locked (platform §6.4). */
export function lockedUntil(
  known: Pick<LoginFailures, 'lockedUntilMs'> | null,
  nowMs: number,
): number | null {
  const until = known?.lockedUntilMs ?? null;
  return until !== null && nowMs < until ? until : null;
}

/** The failures of a subject after one more: `limit` of them within 15 minutes lock it for 15 minutes. */
export function afterFailure(
  subject: string,
  known: Pick<LoginFailures, 'failedAtMs' | 'lockedUntilMs'> | null,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): New<LoginFailures> {
  // Failures that led to a lock no longer count once it has ended.
  const counted = known === null || known.lockedUntilMs !== null ? [] : known.failedAtMs;
  const isLocked = lockedUntil(known, nowMs) !== null;
  if (isLocked && known !== null) {
    return {
      subject,
      failedAtMs: known.failedAtMs,
      lastFailureMs: nowMs,
      lockedUntilMs: known.lockedUntilMs,
    };
  }
  const failedAtMs = [...counted.filter((at) => at > nowMs - LOGIN_FAILURE_WINDOW_MS), nowMs];
  const lockedUntilMs = failedAtMs.length >= limit ? nowMs + LOGIN_LOCK_MS : null;
  return { subject, failedAtMs, lastFailureMs: nowMs, lockedUntilMs };
}
