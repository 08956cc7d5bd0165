import type { Ports } from '../ports/index.ts';
import type { SecurityCheck, SecurityReads } from '../ports/storage/index.ts';
import type { Principal, PrincipalKind, SystemAuthor, TenantGrants } from '../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { checkStorable, shortenText } from '../values/text/index.ts';
import { ALL_PERMISSIONS, isPermitted, permissionsOfRoles, undefinedRoles } from './permissions.ts';

/** A user or a client. */
interface Managed extends TenantGrants {
  readonly name: string;
  readonly roles: readonly string[];
}

/**
 * Returns the check that a change by this author must pass. Returns undefined for the host, and for managers with all
 * permissions.
 */
export function checkBy(
  { principal }: SystemAuthor,
  check: (manager: Principal, now: SecurityReads) => Promise<void>,
): SecurityCheck | undefined {
  if (!principal || (principal.allTenants && isPermitted(principal.permissions, ALL_PERMISSIONS)))
    return undefined;
  return (now) => check(principal, now);
}

/** Returns true if the manager has access to all tenants of the user or client (platform §8, R39). */
export function isManagedBy(manager: Principal, { allTenants, tenantIds }: TenantGrants): boolean {
  if (manager.allTenants) return true;
  const isWithin = tenantIds.every((id) => manager.tenantIds.includes(id));
  return !allTenants && tenantIds.length > 0 && isWithin;
}

function isSelf(manager: Principal, kind: PrincipalKind, name: string): boolean {
  return manager.kind === kind && manager.name === name;
}

/**
 * Returns true if the viewer may see the user. The host sees all users. Other viewers see themselves and the users of
 * their own tenants.
 */
export function isVisibleTo(
  viewer: Principal | null | undefined,
  kind: PrincipalKind,
  record: Managed,
): boolean {
  return !viewer || isSelf(viewer, kind, record.name) || isManagedBy(viewer, record);
}

function notEnoughPermissions(
  { name: user }: Principal,
  message: string,
  facts: Readonly<Record<string, unknown>>,
): BillingError {
  return billingError(ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, message, { user, ...facts });
}

/**
 * Checks that the manager has access to these tenants.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a tenant to which the manager has no access.
 */
export function checkGrantable(manager: Principal | null | undefined, grants: TenantGrants): void {
  if (!manager || isManagedBy(manager, grants)) return;
  const { name, tenantIds } = manager;
  const message = `User ${name} is bound to tenants and can grant only these (at least one): ${tenantIds.join(', ') || 'none'}`;
  throw notEnoughPermissions(manager, message, { tenantIds });
}

/**
 * Checks that the manager has these permissions.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if one is missing.
 */
export function checkHeld(manager: Principal, permissions: readonly string[]): void {
  const missing = permissions.filter((each) => !isPermitted(manager.permissions, each));
  if (missing.length === 0) return;
  const message = `User ${manager.name} does not hold ${shortenText(missing.join(', '))}, and therefore cannot grant it or manage users who hold it`;
  throw notEnoughPermissions(manager, message, { permissions: missing });
}

/**
 * Checks the roles that a manager assigns. An undefined role may later grant anything, so only a manager with all
 * permissions may assign it or manage its holders (R39, R63).
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for roles with more permissions than the manager's.
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
  const message = `Role "${shortenText(undefinedRole)}" is not defined and could be defined later with any permission. User ${manager.name} needs all permissions to assign it, or to manage a user who has it; define the role first`;
  throw notEnoughPermissions(manager, message, { role: undefinedRole });
}

/**
 * Rejects a manager who may not change this user or client. Managers may always change their own record.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS, or the error of `unknown` for other tenants.
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
 * Checks that the manager may change a role. A role belongs to the tenants of its holders; a role without holders
 * belongs to no tenant.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a role with permissions or tenants that the manager
 * does not have.
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
 * Checks a new role. A new role grants its permissions to users who already hold it. A manager with limited tenants
 * therefore cannot define a role that has holders in other tenants (R63).
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000).
 */
export async function checkNewRole(manager: Principal, name: string, now: SecurityReads): Promise<void> {
  if (manager.allTenants) return;
  const holders = await now.holdersOf(name);
  if (!holders.every((each) => isManagedBy(manager, each))) throw notOfTenants(manager, name);
}

function notOfTenants(manager: Principal, name: string): BillingError {
  const message = `User ${manager.name} is bound to tenants and can change only roles that no user outside of them has, which excludes "${shortenText(name)}"`;
  return notEnoughPermissions(manager, message, { role: name });
}

const MAX_SECURITY_NAME_CHARACTERS = 128;

/**
 * Minimum length of a password outside test mode. The maximum length applies to all secrets, because hashing is slow.
 */
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_SECRET_CHARACTERS = 1_024;

/**
 * Checks a name.
 * @throws BillingError MISSING_OR_INVALID_FIELD if it is missing, too long, cannot be stored, or is `.` or `..`, which
 * cannot be used in paths.
 */
export function checkName(field: string, name: string): void {
  if (name === '') throw invalidField(`${field} needs to be set`, { field });
  if (name === '.' || name === '..') throw invalidField(`${field} must not be "${name}"`, { field });
  checkStorable(field, name);
  if (name.length > MAX_SECURITY_NAME_CHARACTERS)
    throw invalidField(`${field} is longer than ${MAX_SECURITY_NAME_CHARACTERS} characters`, { field });
}

/**
 * Checks a secret.
 * @throws BillingError MISSING_OR_INVALID_FIELD if it is missing, too long, or shorter than 8 characters.
 */
export function checkSecret(field: string, secret: string, options: { readonly allowShort: boolean }): void {
  if (secret === '') throw invalidField(`${field} needs to be set`, { field });
  if (secret.length > MAX_SECRET_CHARACTERS)
    throw invalidField(`${field} is longer than ${MAX_SECRET_CHARACTERS} characters`, { field });
  if (!options.allowShort && secret.length < MIN_PASSWORD_CHARACTERS)
    throw invalidField(`${field} needs at least ${MIN_PASSWORD_CHARACTERS} characters`, { field });
}

/**
 * Returns the names of roles in the form that is stored, sorted and without duplicates. The roles need not exist.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an invalid role name.
 */
export function possibleRoles(roles: readonly string[]): readonly string[] {
  const names = [...new Set(roles)].sort();
  for (const name of names) checkName('UserRolesJson role', name);
  return names;
}

/**
 * Returns the names of roles in the form that is stored, sorted and without duplicates.
 * @throws BillingError SECURITY_INVALID_ROLE (40003) for an unknown role.
 */
export async function existingRoles(
  { storage }: Pick<Ports, 'storage'>,
  roles: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(roles)].sort();
  const missing = await undefinedRoles(storage.security, names);
  if (missing.length === 0) return names;
  throw billingError(
    ErrorCode.SECURITY_INVALID_ROLE,
    `There is no role ${missing.map((name) => JSON.stringify(name.slice(0, MAX_SECURITY_NAME_CHARACTERS))).join(', ')}`,
    { roles: missing },
  );
}

/** Returns the tenants. @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001) for an unknown tenant. */
export async function existingTenants(
  { storage }: Pick<Ports, 'storage'>,
  tenantIds: readonly Uuid[],
): Promise<readonly Uuid[]> {
  const ids = [...new Set(tenantIds)].sort();
  const found = new Set((await storage.system.findTenantsByIds(ids)).map((tenant) => tenant.id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return ids;
  throw billingError(
    ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    `Tenant does not exist for id ${missing.join(', ')}`,
    { tenantIds: missing },
  );
}
