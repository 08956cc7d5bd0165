import { readFile } from 'node:fs/promises';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import type { Plain, Tenant, TenantBilling, Uuid } from '../../lib/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { storageAt, withRows } from './databases.ts';
import { type Mark, markNow, multiply } from './seed.ts';

export interface Past {
  readonly accounts: number;
  /** Number of invoices of each account, one month apart, all paid. */
  readonly invoices: number;
  /** Number of monthly subscriptions of each account, all billed on the same day. */
  readonly subscriptions: number;
  /** Day of the first invoices; default: the effective date of the catalog. */
  readonly begins?: string;
}

export interface Seeded extends Past {
  readonly tenantId: Uuid;
  /** The account that the engine itself billed. The others are copies of it. */
  readonly accountId: Uuid;
  readonly due: string;
  readonly rows: number;
}

export const TENANT_KEY = 'bench';
export const TENANT_SECRET = 'bench-secret';

export const GATEWAY = 'sandbox';
/** 12.00 USD a month in advance, without a trial. */
export const PLAN = 'sprout-monthly-direct';
export const PRICE = 12;
export const BEGINS = '2024-01-01';

/** Fills an empty database: the engine bills one account through its whole history, and the rest are copies of it. */
export async function seed(database: BenchDatabase, past: Past): Promise<Seeded> {
  const played = await play(database, { ...past, accounts: 1 });
  const copies = past.accounts - 1;
  const rows = await withRows(database, (access) => multiply(access, played.mark, copies));
  return { ...past, tenantId: played.tenantId, accountId: played.accountId, due: dueAfter(past), rows };
}

/** Lets the engine bill all accounts together through their history. */
export async function play(
  database: BenchDatabase,
  past: Past,
): Promise<{ readonly mark: Mark; readonly tenantId: Uuid; readonly accountId: Uuid }> {
  const { begins = BEGINS } = past;
  const tenantId = await withEngine(database, begins, async ({ billing }) => {
    const tenant = await openShop(billing);
    await settle(billing);
    return tenant.id;
  });
  const mark = await withRows(database, markNow);
  const accountId = await withEngine(database, begins, async ({ billing, clock }) => {
    const acme = billing.as({ tenant: tenantId, user: 'bench' });
    const accountIds: Uuid[] = [];
    for (let count = 0; count < past.accounts; count += 1) {
      accountIds.push(await signUp(acme, past.subscriptions));
    }
    await settle(billing);
    for (let invoice = 1; invoice < past.invoices; invoice += 1) {
      clock.advance({ months: 1 });
      await settle(billing);
    }
    return accountIds[0];
  });
  if (accountId === undefined) throw new Error('A past needs an account');
  return { mark, tenantId, accountId };
}

/**
 * Runs `work` with an engine and closes it: two SQLite libraries in one process would release each other's file locks.
 */
export async function withEngine<T>(
  database: BenchDatabase,
  at: string,
  work: (engine: { readonly billing: Billing<never>; readonly clock: FakeClock }) => Promise<T>,
): Promise<T> {
  const clock = fakeClock(at);
  const billing = await Billing.open({ storage: storageAt(database), clock, gateways: [sandboxGateway()] });
  try {
    return await work({ billing, clock });
  } finally {
    await billing.close();
  }
}

export async function signUp(acme: TenantBilling, subscriptions: number): Promise<Uuid> {
  const { id } = await acme.createAccount({ currency: 'USD', name: 'Ada Larsen', email: 'ada@example.com' });
  await acme.addPaymentMethod({ accountId: id, pluginName: GATEWAY, isDefault: true });
  for (let count = 0; count < subscriptions; count += 1) {
    await acme.createSubscription({ accountId: id, planName: PLAN });
  }
  return id;
}

export async function openShop(billing: Billing<never>): Promise<Plain<Tenant>> {
  const secrets = { apiKey: TENANT_KEY, apiSecret: TENANT_SECRET };
  const tenant = await billing.tenants.create({ userName: 'bench' }, secrets);
  const catalog = await readFile(new URL('../../examples/catalogs/meadow.xml', import.meta.url));
  await billing.as({ tenant: tenant.id, user: 'bench' }).uploadCatalog(catalog);
  return tenant;
}

export function firstOfMonth(monthsAhead: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead, 1))
    .toISOString()
    .slice(0, 10);
}

export async function settle(billing: Billing<never>): Promise<void> {
  if (!(await billing.settle())) throw new Error('The engine did not settle in time');
}

/** Returns the due instant of the next invoice after the history. */
export function dueAfter({ invoices, begins = BEGINS }: Pick<Past, 'invoices' | 'begins'>): string {
  const clock = fakeClock(begins);
  clock.advance({ months: invoices });
  return clock.toString();
}
