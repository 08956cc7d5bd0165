import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type ConfigurationObject,
  configurableProperties,
  serverProperties,
  tenantProperties,
} from '../../lib/tenants/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { type OptionValues, textOf } from './commands/options.ts';
import type { Configured } from './configuration/configured.ts';
import { type Environment, environmentValue } from './environment.ts';
import { reasonOf, UsageError } from './usage-error.ts';

const SHOWN_PROBLEMS = 10;

/**
 * Returns the engine's properties from the environment (platform §4.1), by full name.
 * @throws UsageError for invalid values.
 */
export function environmentConfiguration(environment: Environment): ConfigurationObject {
  const set = configurableProperties.flatMap((name) => {
    const [source, text] = environmentValue(name, environment);
    if (text === undefined || !isSet(name, source, text)) return [];
    return [[`org.service.${name}`, text] as const];
  });
  return Object.fromEntries(set);
}

/**
 * Returns true if the property is set. Empty text means that it is not set, except for a tenant property that is a
 * list.
 */
function isSet(name: string, source: string, text: string): boolean {
  const properties = { ...serverProperties, ...tenantProperties };
  const property = Object.entries(properties).find(([each]) => each === name)?.[1];
  if (property === undefined) return true;
  const isValid = property.parse(text) !== undefined;
  if (text === '') return isValid && !Object.hasOwn(serverProperties, name);
  if (isValid) return true;
  throw new UsageError(`${source} "${text}" is not ${property.expectation}`);
}

const bundledCatalog = 'examples/catalogs/orchard-demo.xml';

/**
 * Returns the default catalog and overdue documents. Reads them from the options, otherwise from `catalog.uri` and
 * `overdue.uri`, otherwise from the configuration file, otherwise from the sample (platform §4.3).
 * @throws UsageError for an unreadable file.
 */
export async function defaultDocuments(
  given: OptionValues,
  { environment, definition }: Pick<Configured, 'environment' | 'definition'>,
) {
  const readDocument = async (option: string, property: string): Promise<string | undefined> => {
    const path = textOf(given, option);
    const [source, file] =
      path === undefined ? environmentValue(property, environment) : [`--${option}`, path];
    if (file === undefined || file === '') return undefined;
    try {
      return await readFile(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
    } catch (error) {
      throw new UsageError(`${source}: ${reasonOf(error)}`);
    }
  };
  const sample = () =>
    readFileSync(new URL(bundledCatalog, import.meta.resolve('billwright/package.json')), 'utf8');
  return {
    defaultCatalog:
      (await readDocument('default-catalog', 'catalog.uri')) ?? definition.defaultCatalog ?? sample,
    defaultOverdueConfig:
      (await readDocument('default-overdue', 'overdue.uri')) ?? definition.defaultOverdueConfig,
  };
}

/** Adds the problems of a default document to its error, each on its own line. Returns other errors unchanged. */
export function withProblems(error: unknown): unknown {
  if (!(error instanceof BillingError) || !error.problems?.length) return error;
  const lines = error.problems
    .slice(0, SHOWN_PROBLEMS)
    .map(({ message, line }) => (line === undefined ? message : `line ${line}: ${message}`));
  const more = error.problems.length - lines.length;
  const subject =
    error.code === ErrorCode.OVERDUE_INVALID_FOR_TENANT
      ? 'Invalid default overdue configuration'
      : `${error.message} (the default catalog)`;
  return new UsageError([subject, ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n  '));
}
