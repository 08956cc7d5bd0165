/** Prefixes of a property, the documented one first (platform.md §4.1, R20). */
const prefixes = ['org.service.', 'org.killbill.'] as const;

/** The name without its prefix; null for a name of no property of this server, such as those of plugins. */
export function propertyName(fullName: string): string | null {
  const prefix = prefixes.find((each) => fullName.startsWith(each));
  return prefix === undefined ? null : fullName.slice(prefix.length);
}

/** Accepted without effect, with a warning (platform.md §3 rule 7). */
const retired: ReadonlySet<string> = new Set(['invoice.usage.tz.mode']);

/** The full names among these whose properties are retired. */
export function retiredNames(fullNames: readonly string[]): readonly string[] {
  return fullNames.filter((fullName) => retired.has(propertyName(fullName) ?? ''));
}
