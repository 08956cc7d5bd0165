import type { BillingOptions } from '../../adapters/node/billwright.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { cellStorage } from '../../lib/cells/index.ts';
import type { CellsBilling, CellsOptions, SystemClock, TenantBilling, Uuid } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { CELL_ANSWER_MS } from '../../lib/values/limits.ts';
import { firstCell, secondCell } from './cells/registered-cells.ts';
import {
  type DatabaseTemplate,
  endWith,
  freshDatabase,
  type OpenDatabase,
  removeDatabase,
  type TestDatabase,
} from './databases.ts';
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

/** Lets cells take their time to answer, also if the test shortens timers. */
function waitingForCells(clock: SystemClock): SystemClock {
  const { after } = pushableSystemClock();
  return {
    ...clock,
    // Tests can replace the members of their clock.
    nowMs: () => clock.nowMs(),
    nextTurn: () => clock.nextTurn(),
    after: (delayMs, ...rest) => (delayMs === CELL_ANSWER_MS ? after : clock.after)(delayMs, ...rest),
  };
}

/** The databases beside the databases of tests, by URL. Each is removed with the database of the test. */
const others = new Map<string, Promise<TestDatabase>>();

/** Returns the database of a test and, if an engine has opened it as a cell, the database of the other cell. */
export async function cellsWith(database: TestDatabase): Promise<readonly TestDatabase[]> {
  const other = database.kind === 'postgresql' ? await others.get(database.url) : undefined;
  return other === undefined ? [database] : [database, other];
}

function otherOf(
  database: TestDatabase & { readonly kind: 'postgresql' },
  template: DatabaseTemplate,
): Promise<TestDatabase> {
  const known = others.get(database.url);
  if (known !== undefined) return known;
  const made = freshDatabase('postgresql', template);
  others.set(database.url, made);
  endWith(database, async () => {
    others.delete(database.url);
    await removeDatabase(await made);
  });
  return made;
}

/**
 * Returns the open function for an engine on two cells: `near` is the database of the test, `far` another one. The
 * directory is `far`, so that the tenants of the test are in a cell without it. If the database already has tenants, it
 * has to be the directory, and a `firstCell` with these names. Otherwise it can be a `secondCell`.
 */
export async function cellsBeside(
  database: TestDatabase & { readonly kind: 'postgresql' },
  storage: Storage<never>,
  { hasTenants }: { readonly hasTenants: boolean },
) {
  const isRegistered = (await storage.cells.number()) !== null;
  const directoryBeside = isRegistered ? firstCell(migrated, ['far', 'near']) : migrated;
  const far = storageOf(await otherOf(database, hasTenants ? secondCell() : directoryBeside));
  // A storage of its own, so that traces of the test show only the statements of its cell.
  const directory = hasTenants ? storageOf(database) : far;
  const cells = hasTenants ? { near: storage, far } : { far, near: storage };
  return {
    /** The parts of the directory and of the near cell, as an engine sees them. */
    storage: cellStorage('near', storage, directory),
    open: ({ storage: _storage, systemClock, ...options }: Partial<BillingOptions<never>>) =>
      Billing.cells<never>({
        ...options,
        ...(systemClock === undefined ? {} : { systemClock: waitingForCells(systemClock) }),
        directory,
        cells,
      }),
  };
}
