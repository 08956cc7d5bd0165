export type Environment = Readonly<Record<string, string | undefined>>;

/** Prefixes of a property in the environment, the documented one first (platform.md §4.1). */
const prefixes = ['SERVICE_', 'SERVICE_org_service_', 'SERVICE_org_killbill_'];

/** The variable that sets a property, and its value; both empty where there is none. */
export function environmentValue(
  property: string,
  environment: Environment,
): readonly [variable: string, text: string | undefined] {
  const variables = prefixes.map((prefix) => prefix + property.replaceAll('.', '_'));
  const variable = variables.find((each) => environment[each] !== undefined) ?? '';
  return [variable, environment[variable]];
}
