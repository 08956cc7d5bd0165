import type { Registry } from 'prom-client';
import { onDemand } from '../wire/lazy-values.ts';

export const PREFIX = 'billwright_';

/** Upper bounds in seconds. */
const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const MAX_WAITING = 1_000;

export const LATENCY_NAME = `${PREFIX}http_request_duration_seconds`;

export interface Answered {
  /** Path template, such as `/1.0/kb/accounts/{accountId}`, or `none` for unknown paths. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly dialect: string;
  readonly seconds: number;
}

export type HttpMeasured = Pick<HttpMeters, 'registry' | 'maxSeconds'>;

/** Key of a route in the maximum durations. */
export const latencyKey = (route: string, method: string): string => `${method} ${route}`;

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Counts requests by route, and never by text that a caller controls. Buffers the first requests, so that startup does
 * not load the metrics library.
 */
export class HttpMetrics {
  readonly #waiting: Answered[] = [];
  #meters: HttpMeters | undefined;

  observe(answered: Answered): void {
    if (this.#meters !== undefined) this.#meters.observe(answered);
    else if (this.#waiting.push(answered) === MAX_WAITING) this.#load().catch(() => undefined);
  }

  async read(): Promise<HttpMeasured> {
    return this.#load();
  }

  async #load(): Promise<HttpMeters> {
    const client = await promClient();
    this.#meters ??= new HttpMeters(client);
    for (const answered of this.#waiting.splice(0)) this.#meters.observe(answered);
    return this.#meters;
  }
}

class HttpMeters {
  readonly registry: Registry;
  readonly #requests;
  readonly #seconds;
  readonly #maxima = new Map<string, number>();

  constructor({ Counter, Histogram, Registry }: PromClient) {
    this.registry = new Registry();
    const registers = [this.registry];
    this.#requests = new Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Requests by route, method, status and dialect',
      labelNames: ['route', 'method', 'status', 'dialect'],
      registers,
    });
    this.#seconds = new Histogram({
      name: LATENCY_NAME,
      help: 'Request durations',
      labelNames: ['route', 'method'],
      buckets: bucketSeconds,
      registers,
    });
  }

  observe({ route, method: sent, status, dialect, seconds }: Answered): void {
    const method = methods.has(sent) ? sent : 'other';
    this.#requests.inc({ route, method, status: String(status), dialect });
    this.#seconds.observe({ route, method }, seconds);
    const key = latencyKey(route, method);
    if (seconds > (this.#maxima.get(key) ?? 0)) this.#maxima.set(key, seconds);
  }

  /** Returns the duration of the longest request, by `latencyKey`. A histogram does not contain this value. */
  maxSeconds(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#maxima);
  }
}

type PromClient = typeof import('prom-client');

/** The metrics library. It is loaded on first use, because loading takes 60 ms of processor time (Node 24). */
export const promClient = onDemand((): Promise<PromClient> => import('prom-client'));
