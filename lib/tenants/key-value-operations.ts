import type { Leading } from '../records/index.ts';
import {
  isSecretName,
  maskNamedValue,
  maskSecretShapes,
  maskWords,
  SECRET_MASK,
  secretNameEnd,
} from '../values/text/index.ts';

/** A key with its values, in the order in which they were added. */
export interface KeyValues {
  readonly key: string;
  readonly values: readonly string[];
}

/** Values of a tenant by key. */
export interface KeyValueOperations<C extends Leading = []> {
  /**
   * Adds a value to the key, or replaces the value of a single-value key. The server's own keys are validated, and
   * their changes publish the bus event TENANT_CONFIG_CHANGE. Configuration names without effect (misspelled,
   * retired, or server-wide) are stored and logged as warnings.
   * @param key name of 1–255 characters.
   * @param value text of at most 10 MiB that is not empty.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid key, configuration, template or translation,
   * or an empty value, MALFORMED_BODY (60001) for a configuration that is not a flat JSON object, INVALID_PARAMETER
   * (60002) for an invalid callback URL or locale, TOO_LARGE (60012), CATALOG_INVALID_FOR_TENANT (2080) for an
   * invalid catalog, OVERDUE_INVALID_FOR_TENANT (5010) for an invalid overdue configuration, NOT_IMPLEMENTED (1) for
   * a reserved key that this version does not support.
   */
  add(...given: [...C, key: string, value: string]): Promise<void>;

  /**
   * Returns the values of the key. The list is empty for an unknown key.
   * @throws BillingError MISSING_OR_INVALID_FIELD.
   */
  get(...given: [...C, key: string]): Promise<KeyValues>;

  /**
   * Deletes all values of the key. For the server's own keys, publishes the bus event TENANT_CONFIG_DELETION.
   * @throws BillingError MISSING_OR_INVALID_FIELD for an invalid key, CATALOG_INVALID_FOR_TENANT (2080) for a catalog
   * that a subscription uses.
   */
  delete(...given: [...C, key: string]): Promise<void>;

  /**
   * Returns all keys that start with the prefix, sorted. The comparison is case-sensitive. An empty prefix matches all
   * keys.
   */
  search(...given: [...C, prefix: string]): Promise<readonly KeyValues[]>;
}

/** The tenant keys that the server itself reads (platform §3). */
export const SystemKey = {
  PUSH_NOTIFICATION_CB: 'PUSH_NOTIFICATION_CB',
  PER_TENANT_CONFIG: 'PER_TENANT_CONFIG',
  CATALOG: 'CATALOG',
  OVERDUE_CONFIG: 'OVERDUE_CONFIG',
  USAGE_METERS: 'USAGE_METERS',
  USAGE_TERMS: 'USAGE_TERMS',
} as const;

/** The purpose of a key. */
export const KeyKind = {
  CALLBACK: 'CALLBACK',
  CONFIGURATION: 'CONFIGURATION',
  PLUGIN_CONFIGURATION: 'PLUGIN_CONFIGURATION',
  PAYMENT_STATE_MACHINE: 'PAYMENT_STATE_MACHINE',
  CATALOG: 'CATALOG',
  OVERDUE: 'OVERDUE',
  INVOICE_TEXT: 'INVOICE_TEXT',
  USAGE: 'USAGE',
  /** A key that the tenant chose itself. It can have any number of values, and the server never reads them. */
  USER: 'USER',
} as const;
export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];

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

/** Returns the kind of a key. Keys are case-sensitive. */
export function keyKind(key: string): KeyKind {
  return kinds.find(([pattern]) => pattern.test(key))?.[1] ?? KeyKind.USER;
}

/** Returns the key under which a plugin's configuration is stored. */
export function pluginConfigurationKey(pluginName: string): string {
  return `PLUGIN_CONFIG_${pluginName}`;
}

/** Returns the key under which a plugin's payment state machine is stored. */
export function paymentStateMachineKey(pluginName: string): string {
  return `PLUGIN_PAYMENT_STATE_MACHINE_${pluginName}`;
}

const separator = /[=:>]/;

/** Returns the properties with masked secrets (platform §6.3 rule 3). */
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
 * Returns the values of a key with masked secrets. Configuration properties are masked by their names, a plugin's
 * configuration line by line, and the tenant's own values by their key. Text that looks like a secret is always masked.
 * Documents are not masked.
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
 * Masks the rest of a line after a name such as password, secret, token, key or credential. Also masks more deeply
 * indented lines after it (YAML values) and words that look like a secret.
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
      shown.push(valueAt === null ? maskWords(line) : maskLineFrom(line, valueAt));
    }
  }
  return shown.join('\n');
}

/** Returns the index at which a secret's value starts in a line, or null if the line contains no name of a secret. */
function secretAt(line: string): number | null {
  const from = secretNameEnd(line);
  if (from === null) return null;
  const between = line.slice(from).search(separator);
  return between < 0 ? null : from + between + 1;
}

function maskLineFrom(line: string, valueAt: number): string {
  const blanks = line.slice(valueAt).search(/\S/);
  if (blanks < 0) return line;
  return maskWords(line.slice(0, valueAt + blanks)) + SECRET_MASK;
}
