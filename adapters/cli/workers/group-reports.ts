import type { HealthChecks, Measured, MetricSeries } from '../../koa/index.ts';
import { PREFIX } from '../../koa/monitoring/http-metrics.ts';
import { combineMetrics } from '../../koa/monitoring/metric-forms.ts';
import type { WorkerProcess } from './worker-process.ts';

/**
 * Metric types whose counts are kept after a worker ends. Otherwise the counts would decrease, which would look like a
 * restart.
 */
const countingTypes = ['counter', 'histogram'];

/** Metrics of all workers. Includes the counts of workers that have ended. */
export class GroupMetrics {
  /** Counts of workers that have ended, combined into one entry. */
  #departed: Promise<readonly Measured[]> = Promise.resolve([]);
  #replaced = 0;

  countReplaced(): void {
    this.#replaced += 1;
  }

  keep({ metrics }: Pick<WorkerProcess, 'metrics'>): void {
    if (metrics === null) return;
    const series = metrics.series.filter(({ type }) => countingTypes.includes(type));
    this.#departed = this.#departed.then(async (former) => [
      await combineMetrics([...former, { ...metrics, series }]),
    ]);
  }

  async read(workers: readonly WorkerProcess[]): Promise<Measured> {
    // The metrics include workers that are stopping until they exit.
    const counted = workers.filter(({ hasServed }) => hasServed);
    await Promise.all(counted.map((worker) => worker.readMetrics()));
    const departed = await this.#departed;
    const serving = workers.filter(({ isServing }) => isServing).length;
    const own: Measured = { series: this.#ofPrimary(serving), maxSeconds: {} };
    return combineMetrics([own, ...departed, ...counted.flatMap(({ metrics }) => metrics ?? [])]);
  }

  #ofPrimary(serving: number): readonly MetricSeries[] {
    const single = (value: number) => [{ value, labels: {} }];
    return [
      {
        name: `${PREFIX}workers`,
        help: 'Workers that serve the port',
        type: 'gauge',
        aggregator: 'sum',
        values: single(serving),
      },
      {
        name: `${PREFIX}workers_replaced_total`,
        help: 'Workers that ended unexpectedly and were replaced',
        type: 'counter',
        aggregator: 'sum',
        values: single(this.#replaced),
      },
    ];
  }
}

interface Report {
  readonly number: number;
  /** Null if the worker did not answer. */
  readonly checks: HealthChecks | null;
}

/**
 * Combines the checks of all workers into the checks of one node. A check fails if it fails in any worker. The check
 * `workers` fails if a worker does not respond, except while it is being replaced.
 */
export function groupHealth(reports: readonly Report[], wanted: number): HealthChecks {
  const silent = reports.filter(({ checks }) => checks === null);
  const names = new Set(reports.flatMap(({ checks }) => Object.keys(checks ?? {})));
  const joined = [...names].map((name) => [name, checkOf(name, reports)] as const);
  const workers =
    silent.length === 0
      ? { healthy: reports.length > 0, message: `${reports.length} of ${wanted} workers are serving` }
      : {
          healthy: false,
          message: `Workers that did not respond: ${silent.map(({ number }) => number).join(', ')}`,
        };
  return { ...Object.fromEntries(joined), workers };
}

function checkOf(name: string, reports: readonly Report[]): HealthChecks[string] {
  const found = reports.flatMap(({ number, checks }) => {
    const check = checks?.[name];
    return check === undefined ? [] : [{ number, ...check }];
  });
  const failed = found.filter(({ healthy }) => !healthy);
  const [first = found.find(({ message }) => message !== null)] = failed;
  if (first === undefined) return { healthy: true, message: null };
  const { healthy, number, message } = first;
  const isOfAll = healthy || failed.length === found.length;
  return { healthy, message: isOfAll ? message : `Worker ${number}: ${message}` };
}
