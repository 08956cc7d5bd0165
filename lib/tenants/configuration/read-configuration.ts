import { BillingError, billingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import { closestTo, shortenText } from '../../values/text/index.ts';
import { serverProperties } from './server-properties.ts';
import type { PropertyTable, SettingsOfTable, TenantSettings } from './settings.ts';
import { tenantProperties } from './tenant-properties.ts';

/** Property values by their full name, including the prefix. */
export type ConfigurationObject = Readonly<Record<string, string | number | boolean>>;

/** The properties that this server reads from a configuration. Unknown names are left to plugins. */
interface ConfigurationReading {
  /** Settings with valid values. */
  readonly settings: Partial<TenantSettings>;
  /** One problem for each invalid value. */
  readonly problems: readonly Problem[];
  /**
   * Warnings about names without effect, one sentence each. Names that look like a plugin's property are not included.
   */
  readonly ineffective: readonly string[];
}

/**
 * Parses a new value of the tenant key PER_TENANT_CONFIG (platform §3 rule 7).
 * @throws BillingError MALFORMED_BODY if the value is not a flat JSON object of strings, numbers and booleans.
 * MISSING_OR_INVALID_FIELD with every invalid property in `problems`.
 */
export function checkConfiguration(text: string): ConfigurationReading {
  const reading = readConfiguration(objectOf(text));
  refuseProblems(reading.problems);
  return reading;
}

/**
 * Throws one error for all problems. Does nothing if the list is empty.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) with all problems.
 */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const listed = problems.map(({ message }) => message).join('; ');
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message: `Invalid configuration: ${listed}`,
    problems,
  });
}

/** Parses a stored value. If a setting is invalid, the result contains a problem, and the default applies (R13). */
export function readStoredConfiguration(text: string): ConfigurationReading {
  try {
    return readConfiguration(objectOf(text));
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return { settings: {}, problems: error.problems ?? [{ message: error.message }], ineffective: [] };
  }
}

/** Parses the per-tenant properties of a configuration object. */
export function readConfiguration(object: ConfigurationObject): ConfigurationReading {
  const ineffective = ineffectiveNames(Object.keys(object), 'TENANT');
  return { ...readProperties(object, tenantProperties), ineffective };
}

/** Parses the properties of `table`. The prefixes `org.killbill.` and `org.service.` have the same meaning. */
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
      problems.push({ message: `${path} "${shortenText(text)}" is not ${property.expectation}`, path });
    else if (Object.hasOwn(settings, name))
      problems.push({ message: `${path} is set twice, once with each prefix. Remove one of them`, path });
    else settings[name] = value;
  }
  return { settings: settings as Partial<SettingsOfTable<T>>, problems };
}

function objectOf(text: string): ConfigurationObject {
  const value = parseJsonText(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformedConfigurationError('expected an object of property names and values');
  const bad = Object.entries(value).filter(
    ([, each]) => !['string', 'number', 'boolean'].includes(typeof each),
  );
  if (bad.length === 0) return value as ConfigurationObject;
  const list = bad.map(([name]) => shortenText(name)).join(', ');
  throw malformedConfigurationError(`values must be texts, numbers or booleans, but these are not: ${list}`);
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw malformedConfigurationError(error instanceof Error ? error.message : String(error));
  }
}

function malformedConfigurationError(reason: string): BillingError {
  return billingError(ErrorCode.MALFORMED_BODY, `The configuration is not a JSON object: ${reason}`);
}

/** Maximum number of ineffective property names that are listed individually. */
const MAX_LISTED_SETTING_NAMES = 20;

type ConfigurationOwner = 'TENANT' | 'SERVER';

/** Names that are accepted with a warning although they have no effect (platform §3 rule 7). */
const retired: ReadonlySet<string> = new Set(['invoice.usage.tz.mode']);

const ofTenants: ReadonlySet<string> = new Set(Object.keys(tenantProperties));
const readNames: Readonly<Record<ConfigurationOwner, ReadonlySet<string>>> = {
  TENANT: ofTenants,
  SERVER: new Set([...ofTenants, ...Object.keys(serverProperties)]),
};

/**
 * Returns one sentence for each name that has no effect. These are retired names, names that the owner cannot set, and
 * unknown names with the product's prefix.
 */
export function ineffectiveNames(fullNames: readonly string[], owner: ConfigurationOwner): readonly string[] {
  const found = fullNames.filter((fullName) => reasonOf(fullName, owner) !== null);
  const listed = found
    .slice(0, MAX_LISTED_SETTING_NAMES)
    .map((fullName) => `${shortenText(fullName)} ${reasonOf(fullName, owner)}${suggestion(fullName, owner)}`);
  const more = found.length - listed.length;
  return more > 0 ? [...listed, `${more} more names have no effect`] : listed;
}

function reasonOf(fullName: string, owner: ConfigurationOwner): string | null {
  const name = propertyName(fullName);
  if (name === null) return readNames[owner].has(fullName) ? `lacks its prefix ${DOCUMENTED_PREFIX}` : null;
  if (retired.has(name)) return 'no longer has an effect';
  if (readNames[owner].has(name)) return null;
  if (!serverWideNames.has(name)) return 'is not a property of this server';
  return owner === 'TENANT'
    ? 'applies to the whole server and has no effect for one tenant'
    : 'is not read by the engine';
}

function suggestion(fullName: string, owner: ConfigurationOwner): string {
  const name = propertyName(fullName);
  if (name === null || retired.has(name) || serverWideNames.has(name)) return '';
  const meant = closestTo(name, [...readNames[owner]]);
  return meant === null ? '' : `; did you mean ${DOCUMENTED_PREFIX}${meant}?`;
}

/**
 * Properties of platform §4.3 that the engine does not read. They are for the HTTP server, the process or future use.
 */
const ofTheProcess = [
  'server.test.mode',
  'server.basePath',
  'server.nodeName',
  'server.workers',
  'server.defaultDialect',
  'server.headers.aliasPrefixes',
  'server.trustedProxies',
  'server.cors.allowedOrigins',
  'server.docs',
  'server.console',
  'server.limits.json',
  'server.limits.text',
  'server.limits.header',
  'server.limits.url',
  'server.limits.list',
  'server.limits.page',
  'server.limits.requestTime',
  'server.limits.connections',
  'server.limits.rate.tenant',
  'server.limits.rate.principal',
  'server.limits.rate.gateways',
  'server.multitenant',
  'jaxrs.location.host',
  'jaxrs.location.full.url',
  'jaxrs.timeout',
  'metrics.requireAuth',
  'rbac.globalSessionTimeout',
  'security.admin.user',
  'security.admin.password',
  'security.lockout',
  'security.token.lifetime',
  'security.token.issuer',
  'security.jwt.issuers',
  'catalog.uri',
  'overdue.uri',
  'usage.bulk.hotBuckets',
  'accesslog.retention',
  'export.extra.tables.prefix',
  'health.diagnostic.logDirs',
] as const;

/** The names, without prefix, of all server-wide properties. */
export const serverWideNames: ReadonlySet<string> = new Set([
  ...Object.keys(serverProperties),
  ...ofTheProcess,
]);

/** Prefixes of a property. The documented prefix is first (platform §4.1, R20). */
const prefixes = ['org.service.', 'org.killbill.'] as const;
const DOCUMENTED_PREFIX = prefixes[0];

/** Returns the name without its prefix, or null for a name without the product's prefix, such as a plugin's. */
function propertyName(fullName: string): string | null {
  const prefix = prefixes.find((each) => fullName.startsWith(each));
  return prefix === undefined ? null : fullName.slice(prefix.length);
}
