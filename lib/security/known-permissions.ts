import { BillingError, ErrorCode } from '../values/errors/index.ts';
import { closestTo, shortened } from '../values/text/index.ts';

/** Every permission of the product, `group:value` (http-api §5); plugins have groups of their own. */
const groups = {
  account: ['create', 'update', 'add_emails', 'delete_emails', 'charge', 'credit'],
  catalog: ['config_upload', 'delete'],
  custom_field: ['add', 'update', 'delete'],
  entitlement: ['create', 'change_plan', 'pause_resume', 'cancel', 'transfer'],
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

/** All of them, by group. */
export const permissions: readonly string[] = Object.entries(groups).flatMap(([group, values]) =>
  values.map((value) => `${group}:${value}`),
);

/**
 * Refuses what only looks like a permission: an unknown value in a group of the product. Other groups belong to plugins
 * (platform §8 rule 2).
 * @throws BillingError SECURITY_INVALID_PERMISSIONS (40005) that names the nearest one.
 */
export function checkKnownPermissions(given: readonly string[]): void {
  for (const permission of given) {
    const group = permission.split(':', 1)[0] ?? '';
    const ofGroup = permissions.filter((known) => known.startsWith(`${group}:`));
    if (ofGroup.length === 0 || permission === `${group}:*` || ofGroup.includes(permission)) continue;
    const nearest = closestTo(shortened(permission), ofGroup, Number.POSITIVE_INFINITY);
    throw new BillingError({
      code: ErrorCode.SECURITY_INVALID_PERMISSIONS,
      message: `"${shortened(permission)}" is no permission; did you mean ${nearest}? The group has ${ofGroup.join(', ')}`,
      facts: { permission, nearest },
    });
  }
}
