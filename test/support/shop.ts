import { readFile } from 'node:fs/promises';
import type { Billing, TenantBilling, TenantRef } from '../../lib/index.ts';

/** A tenant with a catalog of the examples, and its operations. */
export interface Shop {
  readonly tenant: TenantRef;
  readonly acme: TenantBilling;
}

/** Makes a tenant that sells by a catalog: of `examples/catalogs` or the test fixtures, the XML itself, or (null) none. */
export async function openShop(
  billing: Billing<never>,
  catalog: URL | string | null = new URL('../../examples/catalogs/meadow.xml', import.meta.url),
): Promise<Shop> {
  const tenant = await billing.tenants.create(
    { userName: 'test' },
    { apiKey: `shop-${shops++}`, apiSecret: 'secret' },
  );
  const acme = billing.as({ tenant: tenant.id, user: 'test' });
  if (catalog !== null) {
    await acme.uploadCatalog(typeof catalog === 'string' ? catalog : await readFile(catalog));
  }
  return { tenant: await billing.tenants.refOf(tenant.id), acme };
}

let shops = 0;
