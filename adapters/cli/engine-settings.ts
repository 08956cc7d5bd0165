import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type ConfigurationObject,
  configurableProperties,
  serverProperties,
} from '../../lib/tenants/index.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { type Given, textOf } from './commands/options.ts';
import type { Configured } from './configuration/configured.ts';
import { type Environment, environmentValue } from './environment.ts';
import { reasonOf, UsageError } from './usage-error.ts';

/** How many problems of a catalog a message lists. */
const SHOWN_PROBLEMS = 10;

/**
 * Properties of the engine that the environment sets (platform §4.1), with their full names: for the whole server, and
 * for tenants without a value of their own.
 * @throws UsageError for a property of the whole server whose value is no good; the others fall back to their default
 * with a warning.
 */
export function environmentConfiguration(environment: Environment): ConfigurationObject {
  const set = configurableProperties.flatMap((name) => {
    const [source, text] = environmentValue(name, environment);
    if (text === undefined || !isSet(name, source, text)) return [];
    return [[`org.service.${name}`, text] as const];
  });
  return Object.fromEntries(set);
}

/** An empty text does not set a property of the whole server; for a tenant it may be an empty list. */
function isSet(name: string, source: string, text: string): boolean {
  const property = Object.entries(serverProperties).find(([each]) => each === name)?.[1];
  if (property === undefined) return true;
  if (text === '') return false;
  if (property.parse(text) !== undefined) return true;
  throw new UsageError(`${source} "${text}" is not ${property.expectation}`);
}

/** The sample catalog that comes with the package, beside its `package.json`. */
const bundledCatalog = 'examples/catalogs/orchard-demo.xml';

/**
 * The default documents, as a command is given and configured: those of the options, else of the properties `catalog.uri` and
 * `overdue.uri`, each a path or a file URL, else of the configuration file; else the catalog is the sample of the package
 * (platform §4.3), which is known to be good and is read when a tenant needs it.
 * @throws UsageError for a file that cannot be read.
 */
export async function defaultDocuments(
  given: Given,
  { environment, definition }: Pick<Configured, 'environment' | 'definition'>,
) {
  const named = (option: string, property: string) =>
    namedDocument({ option: textOf(given, option), flag: `--${option}`, property }, environment);
  const sample = () =>
    readFileSync(new URL(bundledCatalog, import.meta.resolve('billwright/package.json')), 'utf8');
  return {
    defaultCatalog: (await named('default-catalog', 'catalog.uri')) ?? definition.defaultCatalog ?? sample,
    defaultOverdueConfig: (await named('default-overdue', 'overdue.uri')) ?? definition.defaultOverdueConfig,
  };
}

/** The file that an option or a property names; undefined if neither does. */
async function namedDocument(
  named: { readonly option: string | undefined; readonly flag: string; readonly property: string },
  environment: Environment,
): Promise<string | undefined> {
  const [variable, text] = environmentValue(named.property, environment);
  const [source, file] = named.option === undefined ? [variable, text] : [named.flag, named.option];
  if (file === undefined || file === '') return undefined;
  try {
    return await readFile(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${source}: ${reasonOf(error)}`);
  }
}

/** An error of a default document with what is wrong, line by line; any other error as it is. */
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
