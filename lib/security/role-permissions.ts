import type { Role } from '../records/index.ts';
import { BUILT_IN_ROLES } from './built-in-roles.ts';
import { joinPermissions } from './permissions.ts';

/** Permissions of these roles together; a role that does not exist has none. */
export async function permissionsOfRoles(
  reads: { findRoles(names: readonly string[]): Promise<readonly Pick<Role, 'permissions'>[]> },
  roles: readonly string[],
): Promise<readonly string[]> {
  const found = await reads.findRoles(roles.filter((name) => !BUILT_IN_ROLES.has(name)));
  const builtIn = roles.map((name) => BUILT_IN_ROLES.get(name) ?? []);
  return joinPermissions([...builtIn, ...found.map((role) => role.permissions)]);
}

/** Returns the names of roles that are neither built in nor stored. */
export async function undefinedRoles(
  reads: { findRoles(names: readonly string[]): Promise<readonly Pick<Role, 'name'>[]> },
  roles: readonly string[],
): Promise<readonly string[]> {
  const names = roles.filter((name) => !BUILT_IN_ROLES.has(name));
  const defined = new Set((await reads.findRoles(names)).map(({ name }) => name));
  return names.filter((name) => !defined.has(name));
}
