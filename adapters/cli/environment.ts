import { configurableProperties, serverWideNames } from '../../lib/tenants/index.ts';
import { closestTo } from '../../lib/values/text/index.ts';
import { UsageError } from './usage-error.ts';

/**
 * Values of environment variables and properties, by name. Properties have the same names as in a configuration file.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Prefixes of environment variables. The documented prefix comes first (platform §4.1). */
const variablePrefixes = ['SERVICE_', 'SERVICE_org_service_', 'SERVICE_org_killbill_'];
const namePrefixes = ['org.service.', 'org.killbill.'];

/**
 * Returns the value of a property, and the variable or property name that sets it. Both are empty if the property is
 * not set.
 */
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

/** Names of all properties, without their prefix (platform §4.2, §4.3). */
const properties = [...new Set([...configurableProperties, ...serverWideNames])];
const [documentedPrefix = ''] = namePrefixes;
const [variablePrefix = ''] = variablePrefixes;

const ownVariables = [
  'BILLWRIGHT_ADMIN_PASSWORD',
  'BILLWRIGHT_DATABASE',
  'BILLWRIGHT_FORMER_SERVER_KEY',
  'BILLWRIGHT_LOG_LEVEL',
  'BILLWRIGHT_SERVER_KEY',
  'BILLWRIGHT_TRACES',
];
/**
 * Matches variables that tests use, and variables that Kubernetes and container links set for a service named
 * `billwright`.
 */
const foreignVariable = /^BILLWRIGHT_(?:TEST|PORT|SERVICE)(?:_|$)|_(?:HOST|PORT)$|_PORT_\d+_/;

/**
 * Rejects unknown properties whose names resemble the name of a server property. Other names are allowed, because
 * plugins may use them.
 * @throws UsageError with the most similar name.
 */
export function refuseUnknownProperties(names: readonly string[], file: string): void {
  const known = new Set(properties);
  for (const name of names) {
    const prefix = namePrefixes.find((each) => name.startsWith(each));
    if (prefix !== undefined && known.has(name.slice(prefix.length))) continue;
    const full = properties.map((each) => documentedPrefix + each);
    const meant = closestTo(
      prefix === undefined && !known.has(name) ? name : documentedPrefix + name.slice(prefix?.length ?? 0),
      full,
    );
    if (prefix === undefined && meant === null) continue;
    const hint = meant === null ? '' : `; did you mean ${meant}?`;
    throw new UsageError(`${file}: "${name}" is not a property of this server${hint}`);
  }
}

/**
 * Returns the option that a variable was probably meant to set. Ignores port variables that Kubernetes sets to
 * `tcp://…`.
 */
function optionFor(name: string, value: string): string | null {
  if (name === 'BILLWRIGHT_HOST') return '--host';
  return name === 'BILLWRIGHT_PORT' && /^\d+$/.test(value) ? '--port' : null;
}

/** Returns warnings about variables that have no effect although their names resemble the name of a property. */
export function unknownVariables(environment: Environment): readonly string[] {
  const variables = properties.flatMap((name) =>
    variablePrefixes.map((prefix) => prefix + name.replaceAll('.', '_')),
  );
  const known = new Set([...variables, ...ownVariables]);
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const option = optionFor(name, value);
    if (option !== null)
      return [`${name} has no effect because this variable does not exist; use the option ${option}`];
    if (!/^(?:SERVICE|BILLWRIGHT)_/.test(name) || known.has(name) || foreignVariable.test(name)) return [];
    const meant = closestTo(name, name.startsWith(variablePrefix) ? variables : ownVariables);
    return [
      `${name} has no effect because this variable does not exist${meant === null ? '' : `; did you mean ${meant}?`}`,
    ];
  });
}
