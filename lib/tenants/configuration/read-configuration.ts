import { BillingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
import { ineffectiveNames } from './ineffective-names.ts';
import { propertyName } from './property-names.ts';
import type { PropertyTable, SettingsOfTable, TenantSettings } from './settings.ts';
import { tenantProperties } from './tenant-properties.ts';

/** A configuration object: property names with their prefix, and what they are set to. */
export type ConfigurationObject = Readonly<Record<string, string | number | boolean>>;

/** What a configuration says about the properties of this server; unknown names are left to plugins. */
export interface ConfigurationReading {
  /** Only what is set to a valid value. */
  readonly settings: Partial<TenantSettings>;
  /** One for each invalid value. */
  readonly problems: readonly Problem[];
  /** A sentence for each name without effect, as far as it can be told from names of plugins. */
  readonly ineffective: readonly string[];
}

/**
 * Reads the value of the tenant key PER_TENANT_CONFIG before it is stored (platform §3 rule 7).
 * @throws BillingError MALFORMED_BODY for anything but a flat JSON object of texts, numbers and booleans,
 * MISSING_OR_INVALID_FIELD with every bad property as `problems`.
 */
export function checkConfiguration(text: string): ConfigurationReading {
  const reading = readConfiguration(objectOf(text));
  if (reading.problems.length === 0) return reading;
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message: `Invalid configuration: ${reading.problems.map(({ message }) => message).join('; ')}`,
    problems: reading.problems,
  });
}

/** Reads a stored value. What cannot be read is a problem, and the setting falls back to what holds without it (R13). */
export function readStoredConfiguration(text: string): ConfigurationReading {
  try {
    return readConfiguration(objectOf(text));
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return { settings: {}, problems: error.problems ?? [{ message: error.message }], ineffective: [] };
  }
}

/** Reads the per-tenant properties of a configuration object. */
export function readConfiguration(object: ConfigurationObject): ConfigurationReading {
  const ineffective = ineffectiveNames(Object.keys(object), 'TENANT');
  return { ...readProperties(object, tenantProperties), ineffective };
}

/** Reads the properties of `table`; `org.killbill.x` and `org.service.x` are the same one. */
export function readProperties<T extends PropertyTable>(
  object: ConfigurationObject,
  table: T,
): { readonly settings: Partial<SettingsOfTable<T>>; readonly problems: readonly Problem[] } {
  const settings: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [path, given] of Object.entries(object)) {
    const name = propertyName(path) ?? '';
    const property = Object.hasOwn(table, name) ? table[name] : undefined;
    if (property === undefined) continue;
    const text = String(given);
    const value = property.parse(text);
    if (value === undefined)
      problems.push({ message: `${path} "${shortened(text)}" is not ${property.expectation}`, path });
    else if (Object.hasOwn(settings, name))
      problems.push({ message: `${path} is set twice, once by its other prefix`, path });
    else settings[name] = value;
  }
  return { settings: settings as Partial<SettingsOfTable<T>>, problems };
}

function objectOf(text: string): ConfigurationObject {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('expected an object of property names and values');
  }
  const bad = Object.entries(value).filter(([, each]) => !isPlain(each));
  if (bad.length === 0) return value as ConfigurationObject;
  const list = bad.map(([name]) => shortened(name)).join(', ');
  throw malformed(`values are texts, numbers or booleans, which these are not: ${list}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error));
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function malformed(reason: string): BillingError {
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: `The configuration is no JSON object: ${reason}`,
  });
}
