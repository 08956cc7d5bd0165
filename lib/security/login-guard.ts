import type { Ports, Sha256 } from '../ports/index.ts';
import type { LoginFailures, New } from '../records/index.ts';
import { billingError, ErrorCode } from '../values/errors/index.ts';
import { LOGIN_FAILURE_WINDOW_MS } from '../values/limits.ts';
import type { LoginAttempt, LoginGuardOperations } from './security-operations.ts';

/** Maximum number of failed logins within `LOGIN_FAILURE_WINDOW_MS` before a name is locked. */
const MAX_LOGIN_FAILURES_OF_NAME = 10;
const MAX_LOGIN_FAILURES_OF_ADDRESS = 50;

type Locked = Pick<LoginFailures, 'lockedUntilMs'>;

interface Counted {
  readonly subject: string;
  readonly limit: number;
}

const secondMs = 1_000;

/** Locks names and addresses after too many failures (platform §6.4). The counters are in the database. */
export function loginGuard(
  ports: Pick<Ports, 'storage' | 'sha256' | 'systemClock' | 'logger'>,
): LoginGuardOperations {
  function refuseLocked(known: readonly Locked[]): void {
    const nowMs = ports.systemClock.nowMs();
    const untilMs = Math.max(...known.map((each) => findLockEndMs(each, nowMs) ?? 0), 0);
    if (untilMs === 0) return;
    throw billingError(ErrorCode.SECURITY_LOCKED_OUT, 'Too many failed logins; try again later', {
      retryAfterSeconds: Math.ceil((untilMs - nowMs) / secondMs),
    });
  }

  /** Counts a failed login and returns the previous state. */
  async function count(
    counted: readonly Counted[],
    { kind, address }: LoginAttempt,
  ): Promise<readonly Locked[]> {
    const { storage, systemClock, logger } = ports;
    const nowMs = systemClock.nowMs();
    await storage.security.purgeFailures(nowMs - LOGIN_FAILURE_WINDOW_MS);
    const limits = new Map(counted.map(({ subject, limit }) => [subject, limit]));
    const before: Locked[] = [];
    let isLocked = false;
    await storage.security.changeFailures([...limits.keys()], (subject, known) => {
      const limit = limits.get(subject) ?? MAX_LOGIN_FAILURES_OF_NAME;
      if (known !== null) before.push(known);
      const next = afterFailure(subject, known, { nowMs, limit });
      isLocked ||= next.lockedUntilMs !== null && findLockEndMs(known, nowMs) === null;
      return next;
    });
    // The name is not logged, because it could be a mistyped password.
    if (isLocked) logger.warn({ kind, address }, 'too many failed logins: locked out for a while');
    return before;
  }

  return {
    async attempt<T>(attempt: LoginAttempt, check: () => Promise<T | null>) {
      const { storage, sha256 } = ports;
      const { security } = storage;
      const [name, address] = subjectsOf(attempt, sha256);
      const counted = address === null ? [name] : [name, address];
      const subjects = counted.map(({ subject }) => subject);
      refuseLocked(await security.findFailures(subjects));
      const result = await check();
      if (result === null) {
        refuseLocked(await count(counted, attempt));
        return null;
      }
      const known = await security.findFailures(subjects);
      refuseLocked(known);
      if (known.some(({ subject }) => subject === name.subject)) await security.clearFailures([name.subject]);
      return result;
    },
  };
}

function subjectsOf(
  { kind, name, address = null }: LoginAttempt,
  sha256: Sha256,
): readonly [name: Counted, address: Counted | null] {
  const ofName = { subject: sha256(`${kind} ${name}`), limit: MAX_LOGIN_FAILURES_OF_NAME };
  if (address === null) return [ofName, null];
  return [ofName, { subject: sha256(`address ${address}`), limit: MAX_LOGIN_FAILURES_OF_ADDRESS }];
}

const LOGIN_LOCK_MS = 15 * 60_000;

/** Returns the system time until which a subject is locked, or null if the subject is not locked (platform §6.4). */
function findLockEndMs(known: Pick<LoginFailures, 'lockedUntilMs'> | null, nowMs: number): number | null {
  const until = known?.lockedUntilMs ?? null;
  return until !== null && nowMs < until ? until : null;
}

/**
 * Returns the state after a failed login. After `limit` failures within 15 minutes, the subject is locked for 15
 * minutes.
 */
function afterFailure(
  subject: string,
  known: Pick<LoginFailures, 'failedAtMs' | 'lockedUntilMs'> | null,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): New<LoginFailures> {
  // Failures that precede an expired lock are ignored.
  const counted = known === null || known.lockedUntilMs !== null ? [] : known.failedAtMs;
  const isLocked = findLockEndMs(known, nowMs) !== null;
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
