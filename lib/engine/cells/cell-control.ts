import type { Storage } from '../../ports/storage/index.ts';
import { atMost } from '../../runtime/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../values/limits.ts';
import type { Billing } from '../billing.ts';
import type { Calls } from '../calls.ts';
import { type BillingControl, earliest } from '../control.ts';
import { checkedControl } from '../inputs/server-inputs.ts';
import { settleThrough } from '../settle-through.ts';
import { cellsHealth, cellsMetrics } from './cell-reports.ts';
import { type CellRouter, tenantOfContext } from './cell-router.ts';
import type { CellsOptions } from './cells-options.ts';

/** The state that the router shares with the engines of cells that open later. */
export interface Shared {
  isStarted: boolean;
  isInRotation: boolean;
}

/** Controls the engines of all cells. */
export function cellControl<Host>(parts: {
  readonly given: CellsOptions<Host>;
  readonly router: CellRouter<Host>;
  readonly clock: Billing['clock'];
  readonly calls: Calls;
  readonly shared: Shared;
}): BillingControl {
  const { given, router, clock, calls, shared } = parts;
  const { directory, systemClock } = given;
  const openEngines = () => router.cells.filter((cell) => cell.isOpen).map((cell) => cell.engine.billing);
  const settleAll = async (options: { readonly timeoutMs?: number } | undefined) => {
    const settled = router.cells.map((cell) => cell.call((billing) => billing.settle(options)));
    return (await Promise.all(settled)).every(Boolean);
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await atMost(systemClock, QUEUE_SHUTDOWN_WAIT_MS, calls.close());
    await closeCells(router, directory);
  };
  return {
    start: () => {
      calls.check();
      shared.isStarted = true;
      for (const billing of openEngines()) billing.start();
    },
    ...calls.of(
      checkedControl({
        settle: async (options: Parameters<BillingControl['settle']>[0]) =>
          options?.tenant == null
            ? settleAll(options)
            : router.call(options.tenant, (billing) => billing.settle(options)),
        settleThrough: (...asked: Parameters<BillingControl['settleThrough']>) =>
          settleThrough(
            { clock, systemClock },
            {
              settle: (timeoutMs) => settleAll({ timeoutMs }),
              nextDue: async () =>
                earliest(
                  await Promise.all(router.cells.map((cell) => cell.call(() => cell.engine.nextDue()))),
                ),
            },
            asked,
          ),
        completion: (...asked: Parameters<BillingControl['completion']>) =>
          router.call(tenantOfContext(asked[0]), (billing) => billing.completion(...asked)),
        ping: async () => {
          await Promise.all([directory.system.ping(), router.all((billing) => billing.ping())]);
        },
        health: () => cellsHealth(router),
        metrics: () => cellsMetrics(router),
      }),
    ),
    isInRotation: () => {
      calls.check();
      return shared.isInRotation;
    },
    setInRotation: (wanted) => {
      calls.check();
      shared.isInRotation = wanted;
      for (const billing of openEngines()) billing.setInRotation(wanted);
    },
    stop: async () => {
      shared.isStarted = false;
      await Promise.all(openEngines().map((billing) => billing.stop()));
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Closes the engines and all storages. */
export async function closeCells<Host>(
  router: CellRouter<Host>,
  directory: Pick<Storage<Host>, 'close'>,
): Promise<void> {
  await router.close();
  await Promise.all(router.cells.map((cell) => cell.close()));
  await directory.close();
}
