/** Every permission of the interface, `group:value` (http-api.md §5). */
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

export const permissions: readonly string[] = Object.entries(groups).flatMap(([group, values]) =>
  values.map((value) => `${group}:${value}`),
);
