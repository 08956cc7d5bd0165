import cluster from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HealthChecks } from '../../koa/index.ts';
import { GroupMetrics, groupHealth } from './group-reports.ts';
import type { Address, Seat } from './seat.ts';
import { type Ending, WorkerProcess } from './worker-process.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Milliseconds that a worker must serve requests before the number of failures is reset. */
const STABLE_AFTER_MS = 60_000;
/** Milliseconds after which the server gives up if no worker is serving requests. */
const GIVES_UP_AFTER_MS = 30_000;
const HEALTHY_WITHIN_MS = 30_000;
const HEALTH_POLL_MS = 500;

interface PoolOptions {
  readonly count: number;
  readonly port: number;
  /** Prefix of the node names. If undefined, each worker generates its own name. */
  readonly nodeName: string | undefined;
  readonly logger: Logger;
  /** Called when workers can no longer be started and all workers have ended. */
  readonly giveUp: () => void;
}

/** Starts, replaces, restarts and stops the workers of a server, and reports on all of them together. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #workers = new Set<WorkerProcess>();
  readonly #metrics = new GroupMetrics();
  #isInRotation = true;
  #hasStarted = false;
  #isStopping = false;
  #isRestarting = false;
  #restartsAgain = false;
  #failures = 0;
  #servedAtMs = performance.now();

  constructor(options: PoolOptions) {
    this.#options = options;
    // Structured clones keep NaN, the value of a measurement without samples.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /**
   * Starts the first worker and then the others, so that a failure is reported only once.
   * @returns the address, or null if the pool was stopped in the meantime.
   * @throws Error if a worker ends before all are ready.
   */
  async start(): Promise<Address | null> {
    try {
      const at = await this.#open().ready;
      const others = Array.from({ length: this.#options.count - 1 }, () => this.#open().ready);
      await Promise.all(others);
      if (this.#serving.length < this.#options.count && !this.#isStopping)
        throw new Error('A worker ended while the others were starting');
      this.#hasStarted = true;
      return at;
    } catch (error) {
      if (this.#isStopping) return null;
      await this.stop();
      throw error;
    }
  }

  /**
   * Restarts the workers one after another. For each, starts a new worker, waits until it is healthy, and stops the old
   * worker when its requests are finished. If a new worker fails, the restart ends, and the remaining old workers
   * continue.
   */
  async restart(): Promise<void> {
    this.#restartsAgain = this.#isRestarting;
    if (this.#isRestarting || !this.#hasStarted || this.#isStopping) return;
    this.#isRestarting = true;
    try {
      await this.#restartEach();
    } finally {
      this.#isRestarting = false;
    }
    if (this.#restartsAgain) await this.restart();
  }

  /** Ends all workers gracefully. @returns the exit code or signal of each worker. */
  async stop(): Promise<readonly Ending[]> {
    this.#isStopping = true;
    return Promise.all([...this.#workers].map((worker) => worker.stop({ drain: false })));
  }

  /** Ends all workers immediately. */
  kill(): void {
    this.#isStopping = true;
    for (const worker of this.#workers) worker.kill();
  }

  get #serving(): readonly WorkerProcess[] {
    return [...this.#workers].filter(({ isServing }) => isServing);
  }

  #open(): WorkerProcess {
    const { port, nodeName } = this.#options;
    const taken = new Set([...this.#workers].map((worker) => worker.number));
    let number = 1;
    while (taken.has(number)) number += 1;
    const seat: Seat = {
      number,
      port,
      isInRotation: this.#isInRotation,
      ...(nodeName !== undefined && { nodeName: `${nodeName}.${number}` }),
    };
    const calls = {
      metrics: () => this.#metrics.read([...this.#workers]),
      health: () => this.#health(),
      setInRotation: (is: boolean) => this.#setInRotation(is),
    };
    const worker = new WorkerProcess(seat, calls, () => this.#serving.length > 0);
    this.#workers.add(worker);
    worker.ready.then(
      () => this.#onReady(worker, seat),
      () => undefined,
    );
    void worker.ended.then((ending) => this.#onEnded(worker, ending));
    return worker;
  }

  async #onReady(worker: WorkerProcess, seat: Seat): Promise<void> {
    const { logger } = this.#options;
    logger.info({ worker: worker.number, pid: worker.pid }, 'a worker is ready');
    if (seat.isInRotation === this.#isInRotation) return;
    await worker.setInRotation(this.#isInRotation).catch((error: unknown) => {
      logger.warn({ worker: worker.number, err: error }, 'the rotation state of a worker was not set');
    });
  }

  async #onEnded(worker: WorkerProcess, { code, signal }: Ending): Promise<void> {
    const { logger } = this.#options;
    this.#workers.delete(worker);
    this.#metrics.keep(worker);
    if (worker.hasServed) this.#servedAtMs = performance.now();
    const entry = { worker: worker.number, pid: worker.pid, code, signal };
    if (worker.isStopping || this.#isStopping) {
      logger.info(entry, 'a worker has ended');
      return;
    }
    logger.error(entry, 'a worker ended unexpectedly');
    if (!this.#hasStarted) return;
    this.#metrics.countReplaced();
    await this.#replace(worker);
  }

  async #replace(worker: WorkerProcess): Promise<void> {
    const { logger } = this.#options;
    if (this.#serving.length === 0 && performance.now() - this.#servedAtMs > GIVES_UP_AFTER_MS) {
      logger.error({}, 'no worker could be started for 30 s: giving up');
      await this.stop();
      this.#options.giveUp();
      return;
    }
    if (worker.readyForMs > STABLE_AFTER_MS) this.#failures = 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    await setTimeout(pauseMs);
    this.#fill();
  }

  /** Starts the missing workers. */
  #fill(): void {
    const live = [...this.#workers].filter(({ isStopping }) => !isStopping).length;
    for (let count = live; count < this.#options.count && !this.#isStopping; count += 1) this.#open();
  }

  async #restartEach(): Promise<void> {
    const { logger } = this.#options;
    const startedMs = performance.now();
    logger.info({}, 'restarting the workers one after the other');
    for (const old of this.#serving) {
      // A new process may have replaced this process in the meantime.
      if (!old.isServing) continue;
      const next = this.#open();
      const fault = await this.#faultOf(next, old);
      if (this.#isStopping) return;
      if (fault !== null) {
        logger.error({ worker: next.number, fault }, 'the restart ends: the new worker is not healthy');
        await next.stop({ drain: true });
        this.#fill();
        return;
      }
      await old.stop({ drain: true });
    }
    logger.info({ milliseconds: Math.round(performance.now() - startedMs) }, 'all workers are restarted');
  }

  /**
   * Returns null once the new worker is ready and passes all health checks that the old worker passes. A check that
   * fails in both, such as late queue work, does not stop the restart.
   */
  async #faultOf(next: WorkerProcess, old: WorkerProcess): Promise<string | null> {
    try {
      await next.ready;
    } catch (error) {
      return String(error);
    }
    for (const endsAtMs = performance.now() + HEALTHY_WITHIN_MS; ; await setTimeout(HEALTH_POLL_MS)) {
      const [checks, former] = await Promise.all([next.health(), old.health()]);
      const fault = checks === null ? 'the worker does not answer' : worse(checks, former ?? {});
      if (fault === null || this.#isStopping || performance.now() > endsAtMs) return fault;
    }
  }

  async #health(): Promise<HealthChecks> {
    const reports = this.#serving.map(async (worker) => ({
      number: worker.number,
      checks: await worker.health(),
    }));
    return groupHealth(await Promise.all(reports), this.#options.count);
  }

  async #setInRotation(isInRotation: boolean): Promise<void> {
    this.#isInRotation = isInRotation;
    await Promise.all(this.#serving.map((worker) => worker.setInRotation(isInRotation)));
  }
}

/** Returns the first check that passed before but fails now, with its message. */
function worse(checks: HealthChecks, former: HealthChecks): string | null {
  const found = Object.entries(checks).find(
    ([name, { healthy }]) => !healthy && former[name]?.healthy === true,
  );
  return found === undefined ? null : `${found[0]}: ${found[1].message}`;
}
