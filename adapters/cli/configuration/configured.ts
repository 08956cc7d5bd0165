import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServerDefinition } from '../../server/index.ts';
import type { Environment } from '../environment.ts';
import { UsageError } from '../usage-error.ts';

/** What a command is configured with, besides its options. */
export interface Configured {
  /** Where the definition or the properties come from; null: from no file. */
  readonly file: string | null;
  readonly definition: ServerDefinition;
  /** The environment, over the properties of the file. */
  readonly environment: Environment;
}

/** Names that are looked for in the working directory. */
export const definitionNames = ['ts', 'mts', 'mjs', 'js'].map((ending) => `billwright.config.${ending}`);

/**
 * The configuration of the file that `--config` names, a JSON object of properties or a module that defines a server;
 * without the option, of the `billwright.config.*` in the working directory, if there is one.
 * @throws UsageError that names the file, and what is wrong with it.
 */
export async function configured(
  option: string | undefined,
  environment: Environment,
  directory = process.cwd(),
): Promise<Configured> {
  const file = option === undefined ? fileIn(directory) : resolve(directory, option);
  if (file === null) return { file, definition: {}, environment };
  const { configurationFile, loadDefinition, propertiesOf } = await import('./configuration-file.ts');
  if (!/\.[cm]?[jt]s$/.test(file))
    return { file, definition: {}, environment: { ...(await configurationFile(file)), ...environment } };
  const definition = await loadDefinition(file);
  const properties = propertiesOf(definition.configuration ?? {}, file);
  return { file, definition, environment: { ...properties, ...environment } };
}

function fileIn(directory: string): string | null {
  const [first, second] = definitionNames.filter((name) => existsSync(join(directory, name)));
  if (second !== undefined)
    throw new UsageError(`${first} and ${second} are both in ${directory}: name one of them with --config`);
  return first === undefined ? null : join(directory, first);
}
