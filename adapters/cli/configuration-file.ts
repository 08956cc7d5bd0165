import { readFile } from 'node:fs/promises';
import { isPartOfServer } from './configuration/checked-definition.ts';
import { refuseUnknownProperties } from './configuration/unknown-names.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

/**
 * Properties of a file, under their full names: a JSON object such as `{"org.service.server.limits.json": "2MiB"}`
 * (platform §4.1). Values other than text become their JSON.
 * @throws UsageError for a file that cannot be read or is no such object, for a name that is no property, and for a part of a
 * server, which would go without effect.
 */
export async function configurationFile(file: string): Promise<Environment> {
  const value = await jsonOf(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--config ${file} is not a JSON object of properties`);
  const part = Object.keys(value).find(isPartOfServer);
  if (part !== undefined)
    throw new UsageError(
      `${file}: "${part}" is no property, and JSON holds properties alone; a module may have it: "billwright init" writes one`,
    );
  return propertiesOf(value, file);
}

/** The properties of a configuration that is read from `file`, as text. @throws UsageError for a name that is no property. */
export function propertiesOf(configuration: object, file: string): Environment {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(configuration);
  refuseUnknownProperties(
    entries.map(([name]) => name),
    file,
  );
  return Object.fromEntries(
    entries.map(([name, each]) => [name, typeof each === 'string' ? each : JSON.stringify(each)]),
  );
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      error instanceof SyntaxError
        ? `--config ${file} is neither a module (.ts, .mts, .mjs, .js) nor JSON: ${reason.replaceAll(/\s*\n\s*/g, ' ')}`
        : `--config ${file}: ${reason}`,
    );
  }
}
