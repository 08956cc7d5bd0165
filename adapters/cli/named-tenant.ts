import type { Storage } from '../../lib/ports/storage/index.ts';
import type { TenantRef } from '../../lib/records/index.ts';
import { isUuid } from '../../lib/values/ids/index.ts';
import { UsageError } from './usage-error.ts';

/** The tenant that `--tenant` names. @throws UsageError if there is none. */
export async function namedTenant(storage: Storage<never>, name: string): Promise<TenantRef> {
  const byId = isUuid(name) ? (await storage.system.findTenantsByIds([name]))[0] : undefined;
  const tenant = byId ?? (await storage.system.findTenantByApiKey(name));
  if (!tenant) throw new UsageError(`--tenant ${name} is the id or API key of no tenant`);
  return { id: tenant.id, recordId: tenant.recordId };
}
