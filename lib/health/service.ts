import type { Ports } from '../ports/index.ts';
import type { QueueBacklog, QueueStore, SystemStore } from '../ports/storage/index.ts';
import type { QueueKind } from '../records/index.ts';
import { atMost, TIME_OVER } from '../runtime/index.ts';
import { HEALTH_ANSWER_MS, MAX_CLOCK_SKEW_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import { addMilliseconds, type Instant } from '../values/time/index.ts';

/** The checks of a node by name (platform §13). */
export interface HealthReport {
  /**
   * Passes if the database responds within 2 s. The message contains a warning if the engine's role bypasses row-level
   * security.
   */
  readonly database: HealthCheck;
  /**
   * Passes if at most 1000 queue entries are late (`health.lateThreshold`), and no entry is late by more than 10
   * minutes.
   */
  readonly queues: HealthCheck;
  /** Passes if the clocks of this process and the database differ by at most 5 s. */
  readonly clock: HealthCheck;
  /** Passes unless operators have removed the node from rotation. */
  readonly rotation: HealthCheck;
  /** Passes if the server key can decrypt the stored secrets. The log names the secrets that it cannot decrypt. */
  readonly serverKey: HealthCheck;
}

type HealthPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: {
    readonly queue: Pick<QueueStore, 'backlog'>;
    readonly system: Pick<SystemStore, 'ping' | 'nowMs' | 'unboundRole'>;
  };
};

interface NodeHealth {
  isInRotation(): boolean;
  /** Returns the names of the secrets that the server key cannot decrypt. */
  lostSecrets(): Promise<readonly string[]>;
  /** Returns the kinds of queue entries that this node processes now. */
  workedOn(): readonly QueueKind[];
  /** Number of milliseconds after its due date at which a queue entry counts as late (`health.lateThreshold`). */
  readonly lateThresholdMs: number;
}

/** Runs all health checks of this node with a constant number of fast queries. Never throws. */
export async function healthReport(
  { clock, systemClock, logger, storage }: HealthPorts,
  node: NodeHealth,
): Promise<HealthReport> {
  // Anyone may read the report, so only the log contains the database's error.
  const runCheck = async (name: keyof HealthReport, check: () => Promise<HealthCheck>) => {
    try {
      const result = await atMost(systemClock, HEALTH_ANSWER_MS, check());
      return result === TIME_OVER
        ? failedCheck(`The database does not answer within ${HEALTH_ANSWER_MS} ms`)
        : result;
    } catch (error) {
      logger.warn({ err: error, check: name }, 'a health check failed');
      return failedCheck('The database does not answer');
    }
  };
  const kinds = node.workedOn();
  const [kind, other] = kinds;
  const [database, queues, clocks, serverKey] = await Promise.all([
    runCheck('database', async () => {
      const [role] = await Promise.all([storage.system.unboundRole(), storage.system.ping()]);
      return role === null ? passed : { healthy: true, message: ROLE_NOT_BOUND };
    }),
    kinds.length === 0
      ? { healthy: true, message: 'This node does not process the queues' }
      : runCheck('queues', async () => {
          const now = clock.now();
          const backlog = await storage.queue.backlog({
            since: addMilliseconds(now, -node.lateThresholdMs),
            limit: MAX_LATE_ENTRIES + 1,
            ...(kind === undefined || other !== undefined ? {} : { kind }),
          });
          return queuesCheck(backlog, now);
        }),
    runCheck('clock', async () => {
      const startedMs = systemClock.nowMs();
      const databaseMs = await storage.system.nowMs();
      return clockCheck({ startedMs, databaseMs, answeredMs: systemClock.nowMs() });
    }),
    runCheck('serverKey', async () => serverKeyCheck(await node.lostSecrets())),
  ]);
  const rotation = node.isInRotation() ? passed : failedCheck('This node is out of rotation');
  return { database, queues, clock: clocks, rotation, serverKey };
}

const ROLE_NOT_BOUND =
  'Row-level security does not apply to the database role of the engine; only the conditions of its statements separate tenants';

/** Maximum lateness of a queue entry in milliseconds. The check fails above this value. */
const MAX_LATENESS_MS = 10 * 60_000;

/** The result of one check, with the reason for a failure or a warning. */
export interface HealthCheck {
  readonly healthy: boolean;
  readonly message: string | null;
}

const passed: HealthCheck = { healthy: true, message: null };

/**
 * Returns the result for the queues. The result is a failure if too many entries are late, or if one entry is very late
 * (platform §13 rule 1).
 */
export function queuesCheck({ late, oldest }: QueueBacklog, now: Instant): HealthCheck {
  if (late > MAX_LATE_ENTRIES) return failedCheck(`More than ${MAX_LATE_ENTRIES} queue entries are late`);
  const lateMs = oldest === null ? 0 : now - oldest;
  if (lateMs <= MAX_LATENESS_MS) return passed;
  return failedCheck(`The oldest queue entry is ${Math.floor(lateMs / 1_000)} s late`);
}

/**
 * Returns the result for the clocks. The result is a failure if the clocks differ by more than the duration of the
 * query explains. Times are milliseconds of system time.
 */
export function clockCheck({
  startedMs,
  databaseMs,
  answeredMs,
}: Readonly<Record<'startedMs' | 'databaseMs' | 'answeredMs', number>>): HealthCheck {
  const skewMs = Math.max(startedMs - databaseMs, databaseMs - answeredMs, 0);
  if (skewMs <= MAX_CLOCK_SKEW_MS) return passed;
  return failedCheck(
    `The clock of this process differs by ${Math.round(skewMs / 1_000)} s from the database's`,
  );
}

/**
 * Returns the result for the server key. The result is a failure if the key was changed (platform §6.3 rule 4). The
 * report does not name secrets, because anyone may read it.
 */
export function serverKeyCheck({ length }: readonly string[]): HealthCheck {
  if (length === 0) return passed;
  return failedCheck(`The server key cannot decrypt ${length} stored secrets; the log names them`);
}

function failedCheck(message: string): HealthCheck {
  return { healthy: false, message };
}
