import type { TenantGrants } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Whether the tenant may be used (platform §6.5). */
export function isGranted(grants: TenantGrants, tenantId: Uuid): boolean {
  return grants.allTenants || grants.tenantIds.includes(tenantId);
}
