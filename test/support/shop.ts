import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { Billing as Engine, TenantBilling, TenantRef } from '../../lib/index.ts';
import type { DatabaseTemplate } from './databases.ts';
import { example } from './files.ts';
import { plainHasher } from './plain-hasher.ts';
import { migrated, storageOf } from './storage.ts';
import { recordingLogger } from './system-time.ts';

export interface Shop {
  readonly tenant: TenantRef;
  readonly acme: TenantBilling;
}

/**
 * Creates a tenant with a catalog: a file of `examples/catalogs` or a test fixture, XML text, or null for no catalog.
 */
export async function openShop(
  billing: Engine<never>,
  catalog: URL | string | null = example('catalogs/meadow.xml'),
): Promise<Shop> {
  return found(billing, `shop-${shops++}`, catalog);
}

/** A database with one shop, prepared once per run and opened by `shopIn`. Its tenant is older than all test data. */
export function shopTemplate(catalog: URL | null): DatabaseTemplate {
  const sold = catalog === null ? 'nothing' : basename(catalog.pathname, '.xml').replaceAll('-', '_');
  return {
    name: `shop_selling_${sold}`,
    from: migrated,
    async prepare(database) {
      const billing = await Billing.open({
        storage: storageOf(database),
        clock: fakeClock(SHOP_OPENED),
        hasher: plainHasher(),
        logger: recordingLogger(),
      });
      await found(billing, SHOP, catalog);
      await billing.settle();
      await billing.close();
    },
  };
}

/** Returns the shop of a database copied from a `shopTemplate`. */
export async function shopIn(billing: Engine<never>): Promise<Shop> {
  const { id } = await billing.tenants.getByApiKey(SHOP);
  return { tenant: await billing.tenants.refOf(id), acme: billing.as({ tenant: id, user: 'test' }) };
}

const SHOP = 'shop';
export const SHOP_KEYS = { apiKey: SHOP, apiSecret: 'secret' };
const SHOP_OPENED = '2000-01-01T00:00:00Z';

async function found(billing: Engine<never>, apiKey: string, catalog: URL | string | null): Promise<Shop> {
  const { id } = await billing.tenants.create({ userName: 'test' }, { apiKey, apiSecret: 'secret' });
  const acme = billing.as({ tenant: id, user: 'test' });
  if (catalog !== null)
    await acme.uploadCatalog(typeof catalog === 'string' ? catalog : await readFile(catalog));
  return { tenant: await billing.tenants.refOf(id), acme };
}

let shops = 0;
