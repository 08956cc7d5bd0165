import cluster, { type Worker } from 'node:cluster';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../../lib/values/limits.ts';
import type { HealthChecks, Measured } from '../../koa/index.ts';
import { Channel } from './channel.ts';
import { returnConnections } from './returned-connections.ts';
import { type Address, type PrimaryCalls, SEAT_VARIABLE, type Seat, type WorkerCalls } from './seat.ts';

/** Time limit in milliseconds for the start of a worker, including the host's `opened` hook. */
const START_LIMIT_MS = 120_000;
/**
 * Time limit in milliseconds for a worker to finish open connections, stop the queue and close. It is the sum of the
 * limits of these three steps.
 */
const STOP_LIMIT_MS = 3 * QUEUE_SHUTDOWN_WAIT_MS;
const METRICS_LIMIT_MS = 3_000;
/**
 * Time limit in milliseconds of a health request to a worker. It is longer than the time limit of the health checks
 * themselves.
 */
const HEALTH_LIMIT_MS = 5_000;
const CALL_LIMIT_MS = 5_000;

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker process, seen from the primary. */
export class WorkerProcess {
  readonly number: number;
  /** Rejects if the process ends first. */
  readonly ready: Promise<Address>;
  readonly ended: Promise<Ending>;
  readonly #worker: Worker;
  readonly #channel: Channel<PrimaryCalls, WorkerCalls>;
  #readyAtMs: number | null = null;
  #isStopping = false;
  #hasEnded = false;
  #hasLeft = false;
  #metrics: Measured | null = null;

  /** @param hasOthers Returns true if another worker accepts connections. */
  constructor(
    seat: Seat,
    calls: Pick<PrimaryCalls, 'metrics' | 'health' | 'setInRotation'>,
    hasOthers: () => boolean,
  ) {
    this.number = seat.number;
    const ready = Promise.withResolvers<Address>();
    const ended = Promise.withResolvers<Ending>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    this.#worker = cluster.fork({ [SEAT_VARIABLE]: JSON.stringify(seat) });
    returnConnections(this.#worker, hasOthers);
    this.#channel = new Channel<PrimaryCalls, WorkerCalls>(
      // A message may be lost because the process has ended. The `exit` handler covers that case.
      (message) => this.#worker.send(message, () => undefined),
      {
        ...calls,
        ready: (at) => {
          this.#readyAtMs = performance.now();
          ready.resolve(at);
        },
        leave: (metrics) => {
          this.#metrics = metrics;
          this.#hasLeft = true;
        },
      },
    );
    const startLimit = setTimeout(() => this.kill(), START_LIMIT_MS);
    const end = (ending: Ending): void => {
      clearTimeout(startLimit);
      this.#hasEnded = true;
      this.#channel.close();
      ready.reject(new Error(`Worker ${this.number} ended with ${textOf(ending)} before it was ready`));
      ended.resolve(ending);
    };
    this.ready.then(
      () => clearTimeout(startLimit),
      () => undefined,
    );
    this.#worker.on('message', (message: unknown) => this.#channel.receive(message));
    this.#worker.once('exit', (code, signal) => end({ code, signal }));
    // If the process could not be created, no `exit` event follows.
    this.#worker.on('error', () => {
      if (this.#worker.process.pid === undefined) end({ code: null, signal: null });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** True from the time the worker is ready until it begins to shut down or exits. */
  get isServing(): boolean {
    return this.#readyAtMs !== null && !this.#isStopping && !this.#hasEnded;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get hasServed(): boolean {
    return this.#readyAtMs !== null;
  }

  /** Milliseconds since the worker became ready. */
  get readyForMs(): number {
    return this.#readyAtMs === null ? 0 : performance.now() - this.#readyAtMs;
  }

  /** The metrics of the last answer. */
  get metrics(): Measured | null {
    return this.#metrics;
  }

  /** Reads the metrics of the worker. If the worker does not respond, the previous metrics are kept. */
  async readMetrics(): Promise<void> {
    try {
      const metrics = await this.#channel.call('metrics', undefined, METRICS_LIMIT_MS);
      // The final metrics of an ending worker may have arrived in the meantime.
      if (!this.#hasLeft) this.#metrics = metrics;
    } catch {
      // Busy or ended.
    }
  }

  /** Returns the health checks of the worker, or null if it does not respond. */
  async health(): Promise<HealthChecks | null> {
    return this.#channel.call('health', undefined, HEALTH_LIMIT_MS).catch(() => null);
  }

  async setInRotation(isInRotation: boolean): Promise<void> {
    await this.#channel.call('setInRotation', isInRotation, CALL_LIMIT_MS);
  }

  /** Ends the process gracefully. After a time limit, ends it by force. */
  async stop(how: { readonly drain: boolean }): Promise<Ending> {
    if (this.#isStopping) return this.ended;
    this.#isStopping = true;
    const limit = setTimeout(() => this.kill(), STOP_LIMIT_MS);
    // A worker that is still starting has nothing to finish.
    if (this.hasServed) this.#channel.call('stop', how, CALL_LIMIT_MS).catch(() => this.kill('SIGTERM'));
    else this.kill('SIGTERM');
    const ending = await this.ended;
    clearTimeout(limit);
    return ending;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#worker.process.kill(signal);
  }
}

export function textOf({ code, signal }: Ending): string {
  return signal === null ? `status ${code ?? 'unknown'}` : `signal ${signal}`;
}
