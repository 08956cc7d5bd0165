/** The sources of properties besides options: variables of the environment, and names as in a configuration file. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Prefixes of a property in the environment, the documented one first (platform §4.1). */
export const variablePrefixes = ['SERVICE_', 'SERVICE_org_service_', 'SERVICE_org_killbill_'];
/** Prefixes in a configuration file, which the environment overrides. */
export const namePrefixes = ['org.service.', 'org.killbill.'];

/** The variable, or name in the file, that sets a property, and its value; both empty if there is none. */
export function environmentValue(
  property: string,
  environment: Environment,
): readonly [source: string, text: string | undefined] {
  const sources = [
    ...variablePrefixes.map((prefix) => prefix + property.replaceAll('.', '_')),
    ...namePrefixes.map((prefix) => prefix + property),
  ];
  const source = sources.find((each) => environment[each] !== undefined) ?? '';
  return [source, environment[source]];
}
