import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { CellsBilling, CellsOptions, TenantBilling, Uuid } from '../../lib/index.ts';
import { endWith, type OpenDatabase, type TestDatabase } from './databases.ts';
import { plainHasher } from './plain-hasher.ts';
import { migrated, storageOf } from './storage.ts';
import { pushableSystemClock, recordingLogger } from './system-time.ts';

/** Two cells on databases of their own. The directory is on the database of the first, `west`. */
export interface TestCells {
  readonly west: TestDatabase;
  readonly east: TestDatabase;
  readonly billing: CellsBilling;
  readonly clock: FakeClock;
  readonly systemClock: ReturnType<typeof pushableSystemClock>;
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly gateway: ReturnType<typeof sandboxGateway>;
  /** Opens another node over the same cells; it closes with the databases. */
  node(options?: Partial<CellsOptions<never>>): Promise<CellsBilling>;
  /** Creates a tenant with a monthly plan in a cell. */
  shopIn(cell: string, apiKey: string): Promise<TestTenant>;
}

export interface TestTenant {
  readonly id: Uuid;
  readonly recordId: number;
  readonly apiKey: string;
  readonly acme: TenantBilling;
  /** Creates an account that pays with the sandbox and subscribes it to the monthly plan of 10.00. */
  subscriber(): Promise<Uuid>;
}

export const operator = { userName: 'operator' };
export const CELL_PLAN = 'cell-monthly';

/** Opens two cells. `reach` may replace the URL of a cell, such as by one through a proxy. */
export async function openCells(
  open: OpenDatabase,
  options: Partial<CellsOptions<never>> & { readonly reach?: (east: TestDatabase) => TestDatabase } = {},
): Promise<TestCells> {
  const { reach = (same: TestDatabase) => same, ...given } = options;
  const [west, east] = [await open(migrated), await open(migrated)];
  const clock = fakeClock('2024-01-01');
  const ledger = memoryLedger();
  const logger = recordingLogger();
  const systemClock = pushableSystemClock();
  const gateway = sandboxGateway({ ledger });
  const node: TestCells['node'] = async (more = {}) => {
    const billing = await Billing.cells<never>({
      hasher: plainHasher(),
      pushSender: null,
      logger,
      clock,
      systemClock,
      gateways: [gateway],
      directory: storageOf(west),
      cells: { west: storageOf(west), east: storageOf(reach(east)) },
      ...given,
      ...more,
    });
    // Connections to the first database end before its removal, so both databases have to wait.
    endWith(west, () => billing.close());
    endWith(east, () => billing.close());
    return billing;
  };
  const billing = await node();
  return {
    west,
    east,
    billing,
    clock,
    systemClock,
    logger,
    gateway,
    node,
    shopIn: async (cell, apiKey) => {
      const { id } = await billing.tenants.create(operator, { apiKey, apiSecret: 'secret', cell });
      const { recordId } = await billing.tenants.refOf(id);
      const acme = billing.as({ tenant: id, user: 'test' });
      await acme.catalogs.addSimplePlan({
        planId: CELL_PLAN,
        productName: 'Cell',
        productCategory: 'BASE',
        currency: 'USD',
        amount: '10.00',
        billingPeriod: 'MONTHLY',
      });
      const subscriber = async () => {
        const account = await acme.createAccount({ currency: 'USD' });
        await acme.addPaymentMethod({ accountId: account.id, pluginName: gateway.name, isDefault: true });
        await acme.createSubscription({ accountId: account.id, planName: CELL_PLAN });
        return account.id;
      };
      return { id, recordId, apiKey, acme, subscriber };
    },
  };
}
