import { readFile } from 'node:fs/promises';
import type { FakeClock } from '../adapters/testing/index.ts';
import type { Billing, TenantBilling } from '../lib/index.ts';
import { BillingError, ErrorCode } from '../lib/index.ts';

/** A customer of the demo's tenant, and what it subscribes to. */
export interface Customer {
  readonly key: string;
  readonly name: string;
  readonly timeZone: string;
  readonly currency: string;
  readonly planName: string;
  /** Day on which it signs up. */
  readonly joins: string;
}

export const GATEWAY = 'sandbox';
export const TENANT_KEY = 'meadow';
export const STORY_BEGINS = '2024-01-15';
export const STORY_ENDS = '2025-02-15';

/** Three zones, three currencies, a trial, and a start on the 31st. */
export const customers: readonly Customer[] = [
  {
    key: 'ada',
    name: 'Ada Larsen',
    timeZone: 'America/Los_Angeles',
    currency: 'USD',
    planName: 'bloom-monthly',
    joins: '2024-01-15',
  },
  {
    key: 'bruno',
    name: 'Bruno Keller',
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    planName: 'sprout-monthly-direct',
    joins: '2024-01-31',
  },
  {
    key: 'chiyo',
    name: 'Chiyo Arai',
    timeZone: 'Asia/Tokyo',
    currency: 'JPY',
    planName: 'canopy-monthly',
    joins: '2024-02-10',
  },
];

/** Time of day of every step of the story, chosen so that no customer's date changes before that day's due work is done. */
const TIME_OF_DAY = 'T12:00:00Z';

const catalogFile = new URL('./catalogs/meadow.xml', import.meta.url);

/**
 * Plays the story day by day from the clock's date to its end: sets up the tenant, signs customers up on their days,
 * and lets all due work be done. Each step asks first whether it is done, so a story that was cut off goes
 * on where it stopped.
 */
export async function playStory(
  billing: Billing<never>,
  clock: FakeClock,
  options: { readonly until?: string; readonly onDay?: (day: string) => Promise<void> } = {},
): Promise<TenantBilling> {
  const acme = await openShop(billing);
  const joined = new Set<Customer>();
  for (let day = dayOf(clock); day <= (options.until ?? STORY_ENDS); day = nextDay(clock)) {
    await options.onDay?.(day);
    clock.set(`${day}${TIME_OF_DAY}`);
    for (const customer of customers) {
      if (customer.joins > day || joined.has(customer)) continue;
      await signUp(acme, customer);
      joined.add(customer);
    }
    await billing.settle();
  }
  return acme;
}

async function openShop(billing: Billing<never>): Promise<TenantBilling> {
  const tenant = await orElse(
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY,
    billing.tenants.getByApiKey(TENANT_KEY),
    () => billing.tenants.create({ userName: 'demo' }, { apiKey: TENANT_KEY, apiSecret: 'meadow-secret' }),
  );
  const acme = billing.as({ tenant: tenant.id, user: 'demo' });
  const catalog = await acme.catalogs.current();
  if (catalog.versions.length === 0) await acme.uploadCatalog(await readFile(catalogFile));
  return acme;
}

async function signUp(acme: TenantBilling, customer: Customer): Promise<void> {
  const { key, name, timeZone, currency, planName } = customer;
  const account = await orElse(ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY, acme.accounts.getByKey(key), () =>
    acme.createAccount({ externalKey: key, name, timeZone, currency }),
  );
  if (account.paymentMethodId === null) {
    await acme.addPaymentMethod({ accountId: account.id, pluginName: GATEWAY, isDefault: true });
  }
  await orElse<unknown>(
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
    acme.subscriptions.getByKey(key),
    () => acme.createSubscription({ accountId: account.id, externalKey: key, planName }),
  );
}

/** Returns the result of `found`, or of `make` if `found` fails with the code `missing`. */
async function orElse<T>(missing: ErrorCode, found: Promise<T>, make: () => Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof BillingError && error.code === missing) return make();
    throw error;
  }
}

function dayOf(clock: FakeClock): string {
  return clock.toString().slice(0, STORY_BEGINS.length);
}

function nextDay(clock: FakeClock): string {
  clock.advance({ days: 1 });
  return dayOf(clock);
}
