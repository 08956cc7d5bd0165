import type { Uuid } from '../values/ids/index.ts';
import type { TenantGrants } from './model.ts';

/** Whether the tenant may be used (platform.md §6.5). */
export function isGranted(grants: TenantGrants, tenantId: Uuid): boolean {
  return grants.allTenants || grants.tenantIds.includes(tenantId);
}
