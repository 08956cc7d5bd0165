import type { QueueBacklog } from '../ports/storage/index.ts';
import { HEALTH_ANSWER_MS, MAX_CLOCK_SKEW_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

/** How late a queue entry may be before a node counts as ill. */
const MAX_LATENESS_MS = 10 * 60_000;

/** The result of one check; `message` says why it fails, or what is worth knowing although it passes. */
export interface HealthCheck {
  readonly healthy: boolean;
  readonly message: string | null;
}

/** The time of the database as this process read it, in milliseconds of system time. */
export interface ClockReading {
  readonly askedMs: number;
  readonly databaseMs: number;
  readonly answeredMs: number;
}

const passed: HealthCheck = { healthy: true, message: null };

/** Fails if too many entries are late, or one is for too long (platform §13 rule 1). */
export function queuesCheck({ late, oldest }: QueueBacklog, now: Instant): HealthCheck {
  if (late > MAX_LATE_ENTRIES) return failed(`More than ${MAX_LATE_ENTRIES} queue entries are late`);
  const lateMs = oldest === null ? 0 : now - oldest;
  if (lateMs <= MAX_LATENESS_MS) return passed;
  return failed(`The oldest queue entry is ${Math.floor(lateMs / 1_000)} s late`);
}

/** Fails if the clocks of the database and of this process differ by more than the time that the answer took can explain. */
export function clockCheck({ askedMs, databaseMs, answeredMs }: ClockReading): HealthCheck {
  const skewMs = Math.max(askedMs - databaseMs, databaseMs - answeredMs, 0);
  if (skewMs <= MAX_CLOCK_SKEW_MS) return passed;
  return failed(`The clock of this process differs by ${Math.round(skewMs / 1_000)} s from the database's`);
}

/** Passes: this node does not process the queues (platform §13 rule 1). */
export const queuesOff: HealthCheck = { healthy: true, message: 'This node does not work on the queues' };

/** The database answers; `isRoleBound` says whether its row-level security binds the engine's role too. */
export function databaseAnswers({ isRoleBound }: { readonly isRoleBound: boolean }): HealthCheck {
  if (isRoleBound) return passed;
  return {
    healthy: true,
    message:
      'Row-level security does not bind the role of the engine: the conditions of its statements alone keep tenants apart',
  };
}

export const databaseSilent = failed('The database does not answer');
export const databaseSlow = failed(`The database does not answer within ${HEALTH_ANSWER_MS} ms`);

/** Fails while operators keep the node out of rotation (platform §11). */
export function rotationCheck(isInRotation: boolean): HealthCheck {
  return isInRotation ? passed : failed('This node is out of rotation');
}

function failed(message: string): HealthCheck {
  return { healthy: false, message };
}
