/** Names of the tenant keys that the server itself reads (platform §3). */
export const SystemKey = {
  PUSH_NOTIFICATION_CB: 'PUSH_NOTIFICATION_CB',
  PER_TENANT_CONFIG: 'PER_TENANT_CONFIG',
  CATALOG: 'CATALOG',
  OVERDUE_CONFIG: 'OVERDUE_CONFIG',
  USAGE_METERS: 'USAGE_METERS',
  USAGE_TERMS: 'USAGE_TERMS',
} as const;

/** What a key stands for. */
export const KeyKind = {
  CALLBACK: 'CALLBACK',
  CONFIGURATION: 'CONFIGURATION',
  PLUGIN_CONFIGURATION: 'PLUGIN_CONFIGURATION',
  PAYMENT_STATE_MACHINE: 'PAYMENT_STATE_MACHINE',
  CATALOG: 'CATALOG',
  OVERDUE: 'OVERDUE',
  INVOICE_TEXT: 'INVOICE_TEXT',
  USAGE: 'USAGE',
  /** The tenant's own: any number of values, which the server never reads. */
  USER: 'USER',
} as const;
export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];

const PLUGIN_CONFIGURATION_PREFIX = 'PLUGIN_CONFIG_';
const PAYMENT_STATE_MACHINE_PREFIX = 'PLUGIN_PAYMENT_STATE_MACHINE_';

const kinds: readonly (readonly [pattern: RegExp, kind: KeyKind])[] = [
  [/^PUSH_NOTIFICATION_CB$/, KeyKind.CALLBACK],
  [/^PER_TENANT_CONFIG$/, KeyKind.CONFIGURATION],
  [/^PLUGIN_CONFIG_./s, KeyKind.PLUGIN_CONFIGURATION],
  [/^PLUGIN_PAYMENT_STATE_MACHINE_./s, KeyKind.PAYMENT_STATE_MACHINE],
  [/^CATALOG$/, KeyKind.CATALOG],
  [/^OVERDUE_CONFIG$/, KeyKind.OVERDUE],
  [/^(?:INVOICE|CATALOG)_TRANSLATION_./s, KeyKind.INVOICE_TEXT],
  [/^INVOICE_(?:MP_)?TEMPLATE(?:_.+)?$/s, KeyKind.INVOICE_TEXT],
  [/^USAGE_(?:METERS|TERMS)$/, KeyKind.USAGE],
];

/** What the key stands for; letter case counts. */
export function keyKind(key: string): KeyKind {
  return kinds.find(([pattern]) => pattern.test(key))?.[1] ?? KeyKind.USER;
}

/** The key that holds the configuration of a plugin. */
export function pluginConfigurationKey(pluginName: string): string {
  return PLUGIN_CONFIGURATION_PREFIX + pluginName;
}

/** The key that holds the payment state machine of a plugin. */
export function paymentStateMachineKey(pluginName: string): string {
  return PAYMENT_STATE_MACHINE_PREFIX + pluginName;
}
