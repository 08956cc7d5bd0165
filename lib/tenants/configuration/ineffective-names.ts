import { closestTo, shortened } from '../../values/text/index.ts';
import { DOCUMENTED_PREFIX, propertyName } from './property-names.ts';
import { serverProperties } from './server-properties.ts';
import { serverWideNames } from './server-wide-names.ts';
import { tenantProperties } from './tenant-properties.ts';

/** Names in a configuration that are listed one by one as having no effect. */
const MAX_LISTED_SETTING_NAMES = 20;

/** Whose configuration names a property. */
export type ConfigurationOwner = 'TENANT' | 'SERVER';

/** Accepted without effect, with a warning (platform §3 rule 7). */
const retired: ReadonlySet<string> = new Set(['invoice.usage.tz.mode']);

const ofTenants: ReadonlySet<string> = new Set(Object.keys(tenantProperties));
const readNames: Readonly<Record<ConfigurationOwner, ReadonlySet<string>>> = {
  TENANT: ofTenants,
  SERVER: new Set([...ofTenants, ...Object.keys(serverProperties)]),
};

/**
 * One sentence for each name that is set without effect: retired names, names that are not the owner's to set, and
 * unknown names that look like a property of this server. Names of plugins are none of these.
 */
export function ineffectiveNames(fullNames: readonly string[], owner: ConfigurationOwner): readonly string[] {
  const found = fullNames.filter((fullName) => reasonOf(fullName, owner) !== null);
  const listed = found
    .slice(0, MAX_LISTED_SETTING_NAMES)
    .map((fullName) => `${shortened(fullName)} ${reasonOf(fullName, owner)}${suggestion(fullName, owner)}`);
  const more = found.length - listed.length;
  return more > 0 ? [...listed, `${more} more names have no effect`] : listed;
}

function reasonOf(fullName: string, owner: ConfigurationOwner): string | null {
  const name = propertyName(fullName);
  if (name === null) return readNames[owner].has(fullName) ? `lacks its prefix ${DOCUMENTED_PREFIX}` : null;
  if (retired.has(name)) return 'has no effect any more';
  if (readNames[owner].has(name)) return null;
  if (!serverWideNames.has(name)) return 'is no property of this server';
  return owner === 'TENANT'
    ? 'holds for the whole server and has no effect for one tenant'
    : 'is not read by the engine';
}

function suggestion(fullName: string, owner: ConfigurationOwner): string {
  const name = propertyName(fullName);
  if (name === null || retired.has(name) || serverWideNames.has(name)) return '';
  const meant = closestTo(name, [...readNames[owner]]);
  return meant === null ? '' : `; did you mean ${DOCUMENTED_PREFIX}${meant}?`;
}
