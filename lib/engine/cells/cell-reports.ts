import type { HealthCheck, HealthReport } from '../../health/index.ts';
import type { Metric, MetricValue } from '../../metrics/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { TenantPlace } from '../../records/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { Billing } from '../billing.ts';
import type { CellRouter } from './cell-router.ts';

type Answer<T> = { readonly cell: string } & (
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: string }
);

/** Calls every cell. If a cell does not respond, the result contains a description of the problem for that cell. */
async function answers<Host, T>(
  router: CellRouter<Host>,
  work: (billing: Billing<Host>, storage: Storage<Host>) => Promise<T>,
): Promise<readonly Answer<T>[]> {
  return Promise.all(
    router.cells.map(async (cell) => {
      try {
        const value = await cell.answer((billing) => work(billing, cell.storage));
        return { cell: cell.name, value, problem: null };
      } catch (error) {
        if (error instanceof BillingError) return { cell: cell.name, value: null, problem: error.message };
        throw error;
      }
    }),
  );
}

/**
 * Combines the health of the cells (cells §2.1). A check fails only if it fails in every cell, so that a cell that is
 * down does not take this node out of service for the other cells. The message names the cells with a problem, unless
 * all cells have the same problem.
 */
export async function cellsHealth<Host>(router: CellRouter<Host>): Promise<HealthReport> {
  const found = await answers(router, (billing) => billing.health());
  const check = (name: keyof HealthReport): HealthCheck => {
    const ofCells = found.map(({ cell, value, problem }) => {
      const own: HealthCheck = value === null ? { healthy: false, message: problem } : value[name];
      return { cell, ...own };
    });
    const isOfNode = ofCells.every(({ message }) => message === ofCells[0]?.message);
    const named = ofCells.flatMap(({ cell, message }) => {
      if (message === null) return [];
      return [isOfNode ? message : `${cell}: ${message}`];
    });
    const messages = [...new Set(named)];
    if (name === 'queues') messages.push(...router.moves.interrupted.map(interruptedText));
    return {
      healthy: ofCells.some(({ healthy }) => healthy),
      message: messages.length === 0 ? null : messages.join('; '),
    };
  };
  return {
    database: check('database'),
    queues: check('queues'),
    clock: check('clock'),
    rotation: check('rotation'),
    serverKey: check('serverKey'),
  };
}

function interruptedText({ tenant }: TenantPlace) {
  return `the move of tenant ${tenant.id} was interrupted; continue or undo it`;
}

/** Returns the metrics of all cells, each labeled with its cell, and a metric that shows which cells respond. */
export async function cellsMetrics<Host>(router: CellRouter<Host>): Promise<readonly Metric[]> {
  const found = await answers(router, async (billing, storage) => {
    await storage.system.ping();
    return billing.metrics();
  });
  const merged = new Map<string, Metric>();
  const add = (metric: Metric, labels: MetricValue['labels']) => {
    const values = metric.values.map((value) => ({ ...value, labels: { ...labels, ...value.labels } }));
    merged.set(metric.name, { ...metric, values: [...(merged.get(metric.name)?.values ?? []), ...values] });
  };
  for (const { cell, value } of found) {
    const values = [{ labels: {}, value: value === null ? 0 : 1 }];
    add(
      {
        name: 'cell_reachable',
        help: 'Whether the database of a cell answers: 1 or 0',
        kind: 'gauge',
        values,
      },
      { cell },
    );
    for (const metric of value ?? []) add(metric, { cell });
  }
  return [...merged.values()];
}
