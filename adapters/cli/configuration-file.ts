import { readFile } from 'node:fs/promises';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

/**
 * Properties of a file, under their full names: a JSON object such as `{"org.service.server.limits.json": "2MiB"}`
 * (platform §4.1). Values other than text become their JSON.
 * @throws UsageError for a file that cannot be read or is no such object.
 */
export async function configurationFile(file: string): Promise<Environment> {
  const value = await jsonOf(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--config ${file} is not a JSON object of properties`);
  const texts = Object.entries(value).map(([name, each]) => [
    name,
    typeof each === 'string' ? each : JSON.stringify(each),
  ]);
  return Object.fromEntries(texts);
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--config: ${error instanceof Error ? error.message : String(error)}`);
  }
}
