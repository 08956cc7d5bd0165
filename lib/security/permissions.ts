import type { Role } from '../records/index.ts';
import { billingError, ErrorCode } from '../values/errors/index.ts';
import { closestTo, shortenText } from '../values/text/index.ts';

/** The permission that the first administrator and the role `admin` have (platform §8). */
export const ALL_PERMISSIONS = '*:*';

/**
 * Returns true if the granted permissions include the required permission. A permission is included in `*`, `*:*`,
 * `group:*` and an equal permission (platform §8 rule 4).
 */
export function isPermitted(granted: readonly string[], needed: string): boolean {
  const group = needed.split(':', 1)[0] ?? '';
  return granted.some(
    (each) => each === '*' || each === ALL_PERMISSIONS || each === needed || each === `${group}:*`,
  );
}

/**
 * Returns a role's permissions as stored (platform §8 rule 2), which are distinct and not empty. `*` means all
 * permissions. `g`, `g:` and `g:*` mean the whole group and absorb its values.
 * @throws BillingError SECURITY_INVALID_PERMISSIONS (40005) for a permission with more than one colon or without a
 * group.
 */
export function normalisePermissions(given: readonly string[]): readonly string[] {
  const permissions = given.filter((each) => each !== '').map(wholeGroupOf);
  const all = permissions.find((each) => each === '*' || each === ALL_PERMISSIONS);
  if (all !== undefined) return [all];
  const groups = new Set(permissions.filter((each) => each.endsWith(':*')));
  const groupOf = (permission: string): string => `${permission.split(':', 1)[0]}:*`;
  return [...new Set(permissions.filter((each) => each.endsWith(':*') || !groups.has(groupOf(each))))];
}

function wholeGroupOf(permission: string): string {
  if (permission === '*') return permission;
  const [group = '', value = '', ...rest] = permission.split(':');
  if (group !== '' && rest.length === 0) return value === '' ? `${group}:*` : permission;
  throw billingError(
    ErrorCode.SECURITY_INVALID_PERMISSIONS,
    `"${shortenText(permission)}" is not a permission. Use group:value, group:* or *.`,
    { permission },
  );
}

/** Returns the permissions, sorted and without duplicates. */
export function joinPermissions(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].sort();
}

/** The role with all permissions. Clients enable their menus if the user has this role (http-api §5). */
export const ADMIN_ROLE = 'admin';

/** Permissions of immutable roles by name. */
export const BUILT_IN_ROLES: ReadonlyMap<string, readonly string[]> = new Map([
  [ADMIN_ROLE, [ALL_PERMISSIONS]],
]);

/** All permissions of the product, as `group:value` (http-api §5). Plugins use their own groups. */
const groups = {
  account: ['create', 'update', 'add_emails', 'delete_emails', 'charge', 'credit'],
  catalog: ['config_upload', 'delete'],
  coupon: ['view', 'manage', 'redeem'],
  custom_field: ['add', 'update', 'delete'],
  entitlement: ['create', 'change_plan', 'pause_resume', 'cancel', 'transfer'],
  feature: ['view', 'consume', 'override'],
  invoice: ['credit', 'item_adjust', 'delete_cba', 'trigger', 'dry_run', 'write_off', 'commit', 'void'],
  overdue: ['config_upload'],
  payment: ['trigger', 'refund', 'chargeback', 'transition', 'notification'],
  payment_method: ['create', 'update', 'delete'],
  tag: ['create_tag_definition', 'delete_tag_definition', 'add', 'delete'],
  tenant: ['create'],
  tenant_kvs: ['add', 'delete'],
  usage: ['record'],
  user: ['create'],
  admin: ['update', 'export', 'trigger_command', 'health'],
} as const;

type Groups = typeof groups;

export type Permission = { [G in keyof Groups]: `${G}:${Groups[G][number]}` }[keyof Groups];

export const permissions: readonly string[] = Object.entries(groups).flatMap(([group, values]) =>
  values.map((value) => `${group}:${value}`),
);

/**
 * Rejects unknown permissions in a group of the product. Other groups belong to plugins (platform §8 rule 2).
 * @throws BillingError SECURITY_INVALID_PERMISSIONS (40005) that suggests the most similar permission.
 */
export function checkKnownPermissions(given: readonly string[]): void {
  for (const permission of given) {
    const group = permission.split(':', 1)[0] ?? '';
    const ofGroup = permissions.filter((known) => known.startsWith(`${group}:`));
    if (ofGroup.length === 0 || permission === `${group}:*` || ofGroup.includes(permission)) continue;
    const nearest = closestTo(shortenText(permission), ofGroup, Number.POSITIVE_INFINITY);
    throw billingError(
      ErrorCode.SECURITY_INVALID_PERMISSIONS,
      `"${shortenText(permission)}" is not a permission; did you mean ${nearest}? The group has ${ofGroup.join(', ')}`,
      { permission, nearest },
    );
  }
}

/** Returns the permissions of roles. Unknown roles have no permissions. */
export async function permissionsOfRoles(
  reads: { findRoles(names: readonly string[]): Promise<readonly Pick<Role, 'permissions'>[]> },
  roles: readonly string[],
): Promise<readonly string[]> {
  const found = await reads.findRoles(roles.filter((name) => !BUILT_IN_ROLES.has(name)));
  const builtIn = roles.map((name) => BUILT_IN_ROLES.get(name) ?? []);
  return joinPermissions([...builtIn, ...found.map((role) => role.permissions)]);
}

export async function undefinedRoles(
  reads: { findRoles(names: readonly string[]): Promise<readonly Pick<Role, 'name'>[]> },
  roles: readonly string[],
): Promise<readonly string[]> {
  const names = roles.filter((name) => !BUILT_IN_ROLES.has(name));
  const defined = new Set((await reads.findRoles(names)).map(({ name }) => name));
  return names.filter((name) => !defined.has(name));
}
