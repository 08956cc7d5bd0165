import type { SecurityCheck, SecurityReads } from '../ports/storage/index.ts';
import type { Principal, PrincipalKind, SystemAuthor, TenantGrants } from '../records/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import { shortened } from '../values/text/index.ts';
import { ALL_PERMISSIONS, isPermitted } from './permissions.ts';
import { permissionsOfRoles, undefinedRoles } from './role-permissions.ts';

/** Somebody with roles in tenants: a user or a client. */
interface Managed extends TenantGrants {
  readonly name: string;
  readonly roles: readonly string[];
}

/**
 * The check that a change by this author must pass inside its transaction; undefined for authors without limits: the host
 * itself, and whoever may do everything in every tenant.
 */
export function checkBy(
  { principal }: SystemAuthor,
  check: (manager: Principal, now: SecurityReads) => Promise<void>,
): SecurityCheck | undefined {
  if (!principal || (principal.allTenants && isPermitted(principal.permissions, ALL_PERMISSIONS)))
    return undefined;
  return (now) => check(principal, now);
}

/** True if somebody belongs to tenants of the manager and to no others (platform §8, R39). */
export function isManagedBy(manager: Principal, { allTenants, tenantIds }: TenantGrants): boolean {
  if (manager.allTenants) return true;
  const isWithin = tenantIds.every((id) => manager.tenantIds.includes(id));
  return !allTenants && tenantIds.length > 0 && isWithin;
}

export function isSelf(manager: Principal, kind: PrincipalKind, name: string): boolean {
  return manager.kind === kind && manager.name === name;
}

/** @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a grant that reaches beyond the manager's own. */
export function checkGiven(manager: Principal | null | undefined, grants: TenantGrants): void {
  if (!manager || isManagedBy(manager, grants)) return;
  throw new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `User ${manager.name} is bound to tenants and grants these only, one at least: ${manager.tenantIds.join(', ') || 'none'}`,
    facts: { user: manager.name, tenantIds: manager.tenantIds },
  });
}

/** @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for permissions that the manager does not hold. */
export function checkHeld(manager: Principal, permissions: readonly string[]): void {
  const missing = permissions.filter((each) => !isPermitted(manager.permissions, each));
  if (missing.length === 0) return;
  throw new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `User ${manager.name} does not hold ${shortened(missing.join(', '))}, and neither hands it out nor manages who holds it`,
    facts: { user: manager.name, permissions: missing },
  });
}

/**
 * A role that is not defined may come to grant anything, so only a manager with all permissions hands it out or manages
 * who has it (R39, R63).
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for roles that can grant more than the manager holds.
 */
export async function checkRolesHeld(
  manager: Principal,
  roles: readonly string[],
  now: SecurityReads,
): Promise<void> {
  const [undefinedRole] = isPermitted(manager.permissions, ALL_PERMISSIONS)
    ? []
    : await undefinedRoles(now, roles);
  if (undefinedRole === undefined) return checkHeld(manager, await permissionsOfRoles(now, roles));
  throw new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `Role "${shortened(undefinedRole)}" is not defined and may be defined with any permission. User ${manager.name} needs all permissions to assign it, or to manage a user who has it; define the role first`,
    facts: { user: manager.name, role: undefinedRole },
  });
}

/**
 * Refuses a manager who may not change this user or client as it is now; everybody may change themselves.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS, or what `unknown` makes for somebody of other tenants.
 */
export async function checkManaged(
  manager: Principal,
  managed: { readonly kind: PrincipalKind; readonly record: Managed | null },
  { now, unknown }: { readonly now: SecurityReads; readonly unknown: (name: string) => BillingError },
): Promise<void> {
  const { kind, record } = managed;
  if (record === null || isSelf(manager, kind, record.name)) return;
  if (!isManagedBy(manager, record)) throw unknown(record.name);
  await checkRolesHeld(manager, record.roles, now);
}

/**
 * A role belongs to the tenants of those who have it; if nobody has it, to none.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a role with more permissions, and for one that is not
 * of the manager's tenants alone.
 */
export async function checkRoleManaged(manager: Principal, name: string, now: SecurityReads): Promise<void> {
  const [role] = await now.findRoles([name]);
  if (role === undefined) return checkNewRole(manager, name, now);
  checkHeld(manager, role.permissions);
  if (manager.allTenants) return;
  const holders = await now.holdersOf(name);
  if (holders.length > 0 && holders.every((each) => isManagedBy(manager, each))) return;
  throw notOfTenants(manager, name);
}

/**
 * Whoever has a role before it is defined gets its permissions with the definition, so somebody bound to tenants does not
 * define a role that users of other tenants have (R63).
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000).
 */
export async function checkNewRole(manager: Principal, name: string, now: SecurityReads): Promise<void> {
  if (manager.allTenants) return;
  const holders = await now.holdersOf(name);
  if (!holders.every((each) => isManagedBy(manager, each))) throw notOfTenants(manager, name);
}

function notOfTenants(manager: Principal, name: string): BillingError {
  return new BillingError({
    code: ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS,
    message: `User ${manager.name} is bound to tenants and changes roles that users of these alone have: not "${shortened(name)}"`,
    facts: { user: manager.name, role: name },
  });
}
