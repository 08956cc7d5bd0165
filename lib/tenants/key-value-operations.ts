import type { Leading } from '../records/index.ts';
import {
  isSecretName,
  maskNamedValue,
  maskSecretShapes,
  maskWords,
  SECRET_MASK,
  secretNameEnd,
} from '../values/text/index.ts';

/** A key with its values in the order in which they were added. */
export interface KeyValues {
  readonly key: string;
  readonly values: readonly string[];
}

/** Values that a tenant stores by key. */
export interface KeyValueOperations<C extends Leading = []> {
  /**
   * Adds a value to the key, or replaces the value of a key that holds one. Values of the server's own keys are checked
   * first, and the bus event TENANT_CONFIG_CHANGE tells of the change. Names in a configuration that have no effect
   * (misspelt, retired, or of properties of the whole server) are stored and logged as warnings.
   * @param key 1–255 characters, any of them.
   * @param value at most 10 MiB, not empty.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a bad key, an empty value, a bad configuration, template or
   * translation,
   * MALFORMED_BODY (60001) for a configuration that is not a flat JSON object, INVALID_PARAMETER (60002) for a bad
   * callback URL, a locale that is none, TOO_LARGE (60012), CATALOG_INVALID_FOR_TENANT (2080) for a bad catalog,
   * OVERDUE_INVALID_FOR_TENANT (5010) for a bad overdue configuration, NOT_IMPLEMENTED (1) for a key
   * of a part that this version does not have.
   */
  add(...given: [...C, key: string, value: string]): Promise<void>;

  /** The key's values; none for an unknown key. @throws BillingError MISSING_OR_INVALID_FIELD for a bad key. */
  get(...given: [...C, key: string]): Promise<KeyValues>;

  /**
   * Removes every value of the key; an unknown key is no error. If one of the server's own keys had a value, the bus
   * event TENANT_CONFIG_DELETION tells of it.
   * @throws BillingError MISSING_OR_INVALID_FIELD for a bad key, CATALOG_INVALID_FOR_TENANT (2080) for a catalog that a
   * subscription refers to.
   */
  delete(...given: [...C, key: string]): Promise<void>;

  /** Every key that begins with the prefix, sorted; the empty prefix finds all. Letter case counts. */
  search(...given: [...C, prefix: string]): Promise<readonly KeyValues[]>;
}

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

const separator = /[=:>]/;

/** Properties by name, with secrets in their values masked (platform §6.3 rule 3). */
export function maskedProperties(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, maskedProperty(name, value)]),
  );
}

function maskedProperty(name: string, value: unknown): unknown {
  if (typeof value === 'string') return maskNamedValue(name, value);
  if (isSecretName(name)) return SECRET_MASK;
  return Array.isArray(value) ? value.map((each) => maskedProperty(name, each)) : value;
}

/**
 * The values of a key with secrets masked: properties by name, a plugin's configuration by line, the tenant's own
 * values by key, and all by shape. Documents stay as they are.
 */
export function maskedValues({ key, values }: KeyValues): KeyValues {
  switch (keyKind(key)) {
    case KeyKind.CONFIGURATION:
      return { key, values: values.map(maskedJson) };
    case KeyKind.PLUGIN_CONFIGURATION:
      return { key, values: values.map(maskedLines) };
    case KeyKind.CALLBACK:
    case KeyKind.USER:
      return { key, values: values.map((value) => maskNamedValue(key, value)) };
    default:
      return { key, values };
  }
}

function maskedJson(text: string): string {
  try {
    return JSON.stringify(maskedProperties(JSON.parse(text) as Readonly<Record<string, unknown>>));
  } catch {
    return maskedLines(text);
  }
}

/**
 * Masks the rest of a line after a name such as password, secret, token, key or credential, deeper indented lines
 * after it (YAML values), and words shaped like secrets.
 */
export function maskedLines(text: string): string {
  const shown: string[] = [];
  let maskedBeyond = Number.POSITIVE_INFINITY;
  for (const line of maskSecretShapes(text).split('\n')) {
    const indent = line.search(/\S/);
    if (indent > maskedBeyond) shown.push(line.slice(0, indent) + SECRET_MASK);
    else {
      const valueAt = secretAt(line);
      if (indent >= 0) maskedBeyond = valueAt === null ? Number.POSITIVE_INFINITY : indent;
      shown.push(valueAt === null ? maskWords(line) : maskedFrom(line, valueAt));
    }
  }
  return shown.join('\n');
}

/** Where the value of a secret begins in a line; null if the line names no secret. */
function secretAt(line: string): number | null {
  const from = secretNameEnd(line);
  if (from === null) return null;
  const between = line.slice(from).search(separator);
  return between < 0 ? null : from + between + 1;
}

function maskedFrom(line: string, valueAt: number): string {
  const blanks = line.slice(valueAt).search(/\S/);
  if (blanks < 0) return line;
  return maskWords(line.slice(0, valueAt + blanks)) + SECRET_MASK;
}
