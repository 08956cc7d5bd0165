import type { Ports } from '../ports/index.ts';
import { BillingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { undefinedRoles } from './role-permissions.ts';

/** Characters of the name of a user, role or client. */
const MAX_SECURITY_NAME_CHARACTERS = 128;

/** Characters of a password outside test mode, and of any secret: hashing must not take a megabyte. */
const MIN_PASSWORD_CHARACTERS = 8;
const MAX_SECRET_CHARACTERS = 1_024;

/**
 * @throws BillingError MISSING_OR_INVALID_FIELD for a name that is missing, too long, cannot be stored, or cannot stand
 * in a path: `.` and `..` would lead to another path.
 */
export function checkName(field: string, name: string): void {
  if (name === '') throw invalidField(`${field} needs to be set`, { field });
  if (name === '.' || name === '..') throw invalidField(`${field} must not be "${name}"`, { field });
  checkStorable(field, name);
  if (name.length > MAX_SECURITY_NAME_CHARACTERS)
    throw invalidField(`${field} is longer than ${MAX_SECURITY_NAME_CHARACTERS} characters`, { field });
}

/** @throws BillingError MISSING_OR_INVALID_FIELD for a secret that is missing, too long, or shorter than 8 characters. */
export function checkSecret(field: string, secret: string, options: { readonly allowShort: boolean }): void {
  if (secret === '') throw invalidField(`${field} needs to be set`, { field });
  if (secret.length > MAX_SECRET_CHARACTERS)
    throw invalidField(`${field} is longer than ${MAX_SECRET_CHARACTERS} characters`, { field });
  if (!options.allowShort && secret.length < MIN_PASSWORD_CHARACTERS)
    throw invalidField(`${field} needs at least ${MIN_PASSWORD_CHARACTERS} characters`, { field });
}

/**
 * Returns the names as they are stored, sorted, each once, whether the roles exist or not.
 * @throws BillingError MISSING_OR_INVALID_FIELD for a name that no role can have.
 */
export function possibleRoles(roles: readonly string[]): readonly string[] {
  const names = [...new Set(roles)].sort();
  for (const name of names) checkName('UserRolesJson role', name);
  return names;
}

/**
 * Returns the names as they are stored, sorted, each once.
 * @throws BillingError SECURITY_INVALID_ROLE (40003) if one does not exist.
 */
export async function existingRoles(
  { storage }: Pick<Ports, 'storage'>,
  roles: readonly string[],
): Promise<readonly string[]> {
  const names = [...new Set(roles)].sort();
  const missing = await undefinedRoles(storage.security, names);
  if (missing.length === 0) return names;
  throw new BillingError({
    code: ErrorCode.SECURITY_INVALID_ROLE,
    message: `There is no role ${missing.map((name) => JSON.stringify(name.slice(0, MAX_SECURITY_NAME_CHARACTERS))).join(', ')}`,
    facts: { roles: missing },
  });
}

/** @throws BillingError TENANT_DOES_NOT_EXIST_FOR_ID (20001): a grant for a tenant that does not exist is a mistake. */
export async function existingTenants(
  { storage }: Pick<Ports, 'storage'>,
  tenantIds: readonly Uuid[],
): Promise<readonly Uuid[]> {
  const ids = [...new Set(tenantIds)].sort();
  const found = new Set((await storage.system.findTenantsByIds(ids)).map((tenant) => tenant.id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return ids;
  throw new BillingError({
    code: ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
    message: `Tenant does not exist for id ${missing.join(', ')}`,
    facts: { tenantIds: missing },
  });
}
