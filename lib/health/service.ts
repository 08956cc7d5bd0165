import type { Ports } from '../ports/index.ts';
import type { QueueStore, SystemStore } from '../ports/storage/index.ts';
import type { QueueKind } from '../records/index.ts';
import { atMost, TIME_OVER } from '../runtime/index.ts';
import { HEALTH_ANSWER_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';
import {
  clockCheck,
  databaseAnswers,
  databaseSilent,
  databaseSlow,
  type HealthCheck,
  queuesCheck,
  queuesOff,
  rotationCheck,
} from './checks.ts';

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
