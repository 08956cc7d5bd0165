import { BillingError, ErrorCode } from '../values/errors/index.ts';
import { shortened } from '../values/text/index.ts';

/** Everything: the permission of the bootstrap administrator and of the role `admin` (platform §8). */
export const ALL_PERMISSIONS = '*:*';

/** Whether granted permissions cover a needed one: `*`, `*:*`, `group:*` or equality (platform §8 rule 4). */
export function isPermitted(granted: readonly string[], needed: string): boolean {
  const group = needed.split(':', 1)[0] ?? '';
  return granted.some(
    (each) => each === '*' || each === ALL_PERMISSIONS || each === needed || each === `${group}:*`,
  );
}

/**
 * A role's permissions as they are stored (platform §8 rule 2): empty ones dropped; `*` anywhere is all; `g`, `g:`
 * and `g:*` are the whole group, which absorbs its values; duplicates merge; the order is that of first mention.
 * @throws BillingError SECURITY_INVALID_PERMISSIONS (40005) for one with more than one colon or without a group.
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
  throw new BillingError({
    code: ErrorCode.SECURITY_INVALID_PERMISSIONS,
    message: `"${shortened(permission)}" is no permission; one is group:value, group:* or *`,
    facts: { permission },
  });
}

/** The permissions of several roles together: sorted, each once. */
export function joinPermissions(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].sort();
}
