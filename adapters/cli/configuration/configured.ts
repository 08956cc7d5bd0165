import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServerDefinition } from '../../server/index.ts';
import type { Environment } from '../environment.ts';
import { UsageError } from '../usage-error.ts';

export interface Configured {
  /** Null: no configuration file. */
  readonly file: string | null;
  readonly definition: ServerDefinition;
  /** Properties from environment variables and the configuration file. Environment variables take precedence. */
  readonly environment: Environment;
}

/** Names of the configuration files that the command looks for in the working directory. */
export const definitionNames = ['ts', 'mts', 'mjs', 'js'].map((ending) => `billwright.config.${ending}`);

/**
 * Reads the configuration file from `--config` or `billwright.config.*`. The file contains JSON properties or is a
 * server module.
 * @throws UsageError that names the file.
 */
export async function readConfiguration(
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
    throw new UsageError(
      `${first} and ${second} both exist in ${directory}: select one of them with --config`,
    );
  return first === undefined ? null : join(directory, first);
}
