import type { Principal } from '../../../lib/records/index.ts';
import type { Permission } from '../../../lib/security/index.ts';
import { isPermitted } from '../../../lib/security/index.ts';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a caller without the permission. */
export function checkPermission(
  caller: Pick<Principal, 'name' | 'permissions'> | null,
  permission: Permission,
): void {
  if (isPermitted(caller?.permissions ?? [], permission)) return;
  const user = caller?.name ?? 'nobody';
  throw new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `User ${user} lacks the permission ${permission}`,
    facts: { user, permission },
  });
}
