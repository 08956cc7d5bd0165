import type { Metric } from '../../../lib/metrics/index.ts';

/** Upper bounds of the latency buckets, in seconds. */
const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** A request that has been answered. */
export interface Answered {
  /** Template of the path, such as `/1.0/kb/accounts/{accountId}`; `none` where there is no such route. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly dialect: string;
  readonly seconds: number;
}

/** Latency of a route: how many requests took at most as long as each bound. */
export interface Latency {
  readonly labels: { readonly route: string; readonly method: string };
  readonly buckets: readonly { readonly seconds: number; readonly count: number }[];
  readonly count: number;
  readonly sumSeconds: number;
  readonly maxSeconds: number;
}

interface Timing {
  readonly labels: Latency['labels'];
  /** By bucket: the requests that took longer than the bound before and at most as long as this one. */
  readonly counts: number[];
  count: number;
  sumSeconds: number;
  maxSeconds: number;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);

/** Counts the requests of this server. Its size is bounded by the route table: no text of a caller is a label. */
export class HttpMetrics {
  readonly #requests = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; value: number }
  >();
  readonly #timings = new Map<string, Timing>();

  observe({ route, method: sent, status, dialect, seconds }: Answered): void {
    const method = methods.has(sent) ? sent : 'other';
    const key = `${method} ${route} ${status} ${dialect}`;
    const known = this.#requests.get(key);
    if (known === undefined) {
      const labels = { route, method, status: String(status), dialect };
      this.#requests.set(key, { labels, value: 1 });
    } else known.value += 1;
    this.#time({ route, method }, seconds);
  }

  requests(): Metric {
    return {
      name: 'http_requests_total',
      help: 'Requests by route, method, status and dialect',
      kind: 'counter',
      values: [...this.#requests.values()],
    };
  }

  latencies(): readonly Latency[] {
    return [...this.#timings.values()].map(({ counts, ...timing }) => {
      let count = 0;
      return {
        ...timing,
        buckets: bucketSeconds.map((seconds, index) => {
          count += counts[index] ?? 0;
          return { seconds, count };
        }),
      };
    });
  }

  #time(labels: Latency['labels'], seconds: number): void {
    const key = `${labels.method} ${labels.route}`;
    let timing = this.#timings.get(key);
    if (timing === undefined) {
      timing = { labels, counts: bucketSeconds.map(() => 0), count: 0, sumSeconds: 0, maxSeconds: 0 };
      this.#timings.set(key, timing);
    }
    const bucket = bucketSeconds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) timing.counts[bucket] = (timing.counts[bucket] ?? 0) + 1;
    timing.count += 1;
    timing.sumSeconds += seconds;
    timing.maxSeconds = Math.max(timing.maxSeconds, seconds);
  }
}
