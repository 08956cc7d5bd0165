/** Prefixes of a property, the documented one first (platform §4.1, R20). */
const prefixes = ['org.service.', 'org.killbill.'] as const;
export const DOCUMENTED_PREFIX = prefixes[0];

/** The name without its prefix; null for a name that is no property of this server, such as a plugin's. */
export function propertyName(fullName: string): string | null {
  const prefix = prefixes.find((each) => fullName.startsWith(each));
  return prefix === undefined ? null : fullName.slice(prefix.length);
}
