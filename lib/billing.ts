import type { CheckOperations } from './check/index.ts';
import { type Billing as BillingEngine, openBilling } from './engine/billing.ts';
import type { BillingOptions } from './engine/billing-options.ts';
import type { CellsBilling, CellsOptions } from './engine/cells/cells-options.ts';
import { openCells } from './engine/cells/open-cells.ts';
import { openedBacklog } from './engine/queues.ts';
import { openIdleEngine } from './engine/running-engine.ts';
import type { BacklogOperations } from './queues/index.ts';

export type {
  BillingOperations,
  CallerBilling,
  EngineEventOperations,
  TenantBilling,
} from './engine/billing.ts';

/** The engine (lib/README.md rule 4): operations, tenants, users and the control of background work. */
export interface Billing<Host = never> extends BillingEngine<Host> {}

export const Billing = {
  /**
   * Opens the engine with its ports.
   * @example const billing = await Billing.open({ storage: sqlite('billing.db'), ...nodePorts() });
   * @throws Error if the storage has the schema of another version. The message names the command to run.
   */
  async open<Host>(given: BillingOptions<Host>): Promise<Billing<Host>> {
    return (await openBilling(given)).billing;
  },
  /**
   * Opens an engine over several PostgreSQL databases (cells §2). Each tenant is in one of them. The result has the
   * operations of `Billing.open`, and `cells` for operators.
   * @example const billing = await Billing.cells({ directory: postgresql(urlWest), cells: { west: postgresql(urlWest),
   * east: postgresql(urlEast) }, ...nodePorts() });
   */
  async cells<Host>(given: CellsOptions<Host>): Promise<CellsBilling<Host>> {
    return openCells(given);
  },
  /**
   * Opens only the checks, for use alongside running nodes. The checks process no queued work and write nothing. Pass
   * the same plugins and settings as those nodes. The caller closes the storage.
   * @throws Error if the storage has the schema of another version.
   */
  async openChecks<Host>(options: BillingOptions<Host>): Promise<CheckOperations> {
    return (await openIdleEngine(options)).checks;
  },
  /**
   * Opens only the queue operations, for use alongside running nodes. They process no queued work and write only when
   * entries are retried or released. Pass the same plugins and settings as those nodes. The caller closes the
   * storage.
   * @throws Error if the storage has the schema of another version.
   */
  async openBacklog<Host>(options: BillingOptions<Host>): Promise<BacklogOperations> {
    const { backlog, tenants } = await openIdleEngine(options);
    return openedBacklog(backlog, (id) => tenants.refOf(id));
  },
};
