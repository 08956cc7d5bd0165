import type { Ports } from '../ports/index.ts';
import type { QueueBacklog, QueueStore, SystemStore } from '../ports/storage/index.ts';
import type { QueueKind } from '../records/index.ts';
import { atMost, TIME_OVER } from '../runtime/index.ts';
import { HEALTH_ANSWER_MS, MAX_CLOCK_SKEW_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import { addMilliseconds, type Instant } from '../values/time/index.ts';

/** The checks of a node by name (platform §13). */
export interface HealthReport {
  /** The database answers within 2 s; the message says so if row-level security does not bind the engine's role. */
  readonly database: HealthCheck;
  /** At most 1000 queue entries are late (`health.lateThreshold`), and none for more than 10 minutes. */
  readonly queues: HealthCheck;
  /** The clocks of this process and of the database differ by at most 5 s. */
  readonly clock: HealthCheck;
  /** The node is in rotation, as it is unless operators have taken it out. */
  readonly rotation: HealthCheck;
}

type HealthPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: {
    readonly queue: Pick<QueueStore, 'backlog'>;
    readonly system: Pick<SystemStore, 'ping' | 'nowMs' | 'unboundRole'>;
  };
};

/** What the checks know about this node. */
interface NodeHealth {
  isInRotation(): boolean;
  /** The kinds of entries that this node processes now. */
  workedOn(): readonly QueueKind[];
  /** By how much an entry must be behind to be late (`health.lateThreshold`). */
  readonly lateThresholdMs: number;
}

/** Tells whether this node can serve, by a constant number of cheap queries. */
export class HealthService {
  readonly #ports: HealthPorts;
  readonly #node: NodeHealth;

  constructor(ports: HealthPorts, node: NodeHealth) {
    this.#ports = ports;
    this.#node = node;
  }

  /** Runs all checks at once; never throws. */
  async report(): Promise<HealthReport> {
    const kinds = this.#node.workedOn();
    const [database, queues, clock] = await Promise.all([
      this.#check('database', () => this.#database()),
      kinds.length === 0 ? queuesOff : this.#check('queues', () => this.#queues(kinds)),
      this.#check('clock', () => this.#clock()),
    ]);
    return { database, queues, clock, rotation: rotationCheck(this.#node.isInRotation()) };
  }

  /** What the database says about its failure stays in the log, since anybody may read the report. */
  async #check(name: keyof HealthReport, check: () => Promise<HealthCheck>): Promise<HealthCheck> {
    const { systemClock, logger } = this.#ports;
    try {
      const result = await atMost(systemClock, HEALTH_ANSWER_MS, check());
      return result === TIME_OVER ? databaseSlow : result;
    } catch (error) {
      logger.warn({ err: error, check: name }, 'a health check failed');
      return databaseSilent;
    }
  }

  async #database(): Promise<HealthCheck> {
    const { system } = this.#ports.storage;
    const [role] = await Promise.all([system.unboundRole(), system.ping()]);
    return databaseAnswers({ isRoleBound: role === null });
  }

  async #queues(kinds: readonly QueueKind[]): Promise<HealthCheck> {
    const now = this.#ports.clock.now();
    const [kind, other] = kinds;
    const backlog = await this.#ports.storage.queue.backlog({
      since: addMilliseconds(now, -this.#node.lateThresholdMs),
      limit: MAX_LATE_ENTRIES + 1,
      ...(kind === undefined || other !== undefined ? {} : { kind }),
    });
    return queuesCheck(backlog, now);
  }

  async #clock(): Promise<HealthCheck> {
    const { storage, systemClock } = this.#ports;
    const askedMs = systemClock.nowMs();
    const databaseMs = await storage.system.nowMs();
    return clockCheck({ askedMs, databaseMs, answeredMs: systemClock.nowMs() });
  }
}

/** How late a queue entry may be before a node counts as ill. */
const MAX_LATENESS_MS = 10 * 60_000;

/** The result of one check; `message` says why it fails, or what is worth knowing although it passes. */
export interface HealthCheck {
  readonly healthy: boolean;
  readonly message: string | null;
}

/** The time of the database as this process read it, in milliseconds of system time. */
interface ClockReading {
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
const queuesOff: HealthCheck = { healthy: true, message: 'This node does not work on the queues' };

/** The database answers; `isRoleBound` says whether its row-level security binds the engine's role too. */
function databaseAnswers({ isRoleBound }: { readonly isRoleBound: boolean }): HealthCheck {
  if (isRoleBound) return passed;
  return {
    healthy: true,
    message:
      'Row-level security does not bind the role of the engine: the conditions of its statements alone keep tenants apart',
  };
}

const databaseSilent = failed('The database does not answer');
const databaseSlow = failed(`The database does not answer within ${HEALTH_ANSWER_MS} ms`);

/** Fails while operators keep the node out of rotation (platform §11). */
function rotationCheck(isInRotation: boolean): HealthCheck {
  return isInRotation ? passed : failed('This node is out of rotation');
}

function failed(message: string): HealthCheck {
  return { healthy: false, message };
}
