import type { Property } from './property.ts';
import { serverProperties } from './server-properties.ts';
import { tenantProperties } from './tenant-properties.ts';

/**
 * Default time limit of a gateway call in test mode. It is short so that tests of gateways that do not respond are
 * fast.
 */
const TEST_GATEWAY_TIMEOUT_MS = 5_000;

/** The typed values of a property table by name without prefix. */
export type SettingsOfTable<T> = {
  readonly [K in keyof T]: T[K] extends Property<infer V> ? V : never;
};

/**
 * Per-tenant settings by name without prefix. Time spans are in milliseconds. Times of day are in milliseconds since
 * midnight.
 */
export type TenantSettings = SettingsOfTable<typeof tenantProperties>;

/** Server-wide settings by name without prefix. */
export type ServerSettings = SettingsOfTable<typeof serverProperties>;

export type PropertyTable = Readonly<Record<string, Property<unknown>>>;

/** The defaults of platform §4.2. */
export const DEFAULT_TENANT_SETTINGS: TenantSettings = defaultsOf(tenantProperties);

/** The defaults in test mode. */
export const TEST_MODE_TENANT_SETTINGS: TenantSettings = Object.freeze({
  ...DEFAULT_TENANT_SETTINGS,
  'payment.plugin.timeout': TEST_GATEWAY_TIMEOUT_MS,
});

/** The defaults of platform §4.3. */
export const DEFAULT_SERVER_SETTINGS: ServerSettings = defaultsOf(serverProperties);

function defaultsOf<T extends PropertyTable>(table: T): SettingsOfTable<T> {
  const entries = Object.entries(table).map(([name, { fallback }]) => [name, fallback]);
  return Object.freeze(Object.fromEntries(entries)) as SettingsOfTable<T>;
}
