import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerDefinition } from '../../server/index.ts';
import { type Environment, refuseUnknownProperties } from '../environment.ts';
import { ownModules } from '../packages.ts';
import { reasonOf, UsageError } from '../usage-error.ts';
import { checkedDefinition, isPartOfServer } from './definition.ts';

/**
 * Reads properties from a JSON file (platform §4.1). Keeps values that are not text as JSON.
 * @throws UsageError for an invalid file or name.
 */
export async function configurationFile(file: string): Promise<Environment> {
  const value = await jsonOf(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--config ${file} is not a JSON object of properties`);
  const part = Object.keys(value).find(isPartOfServer);
  if (part !== undefined)
    throw new UsageError(
      `${file}: "${part}" is not a property, and a JSON file can contain only properties; use a module instead: "billwright init" writes one`,
    );
  return propertiesOf(value, file);
}

/** @throws UsageError for an unknown property. */
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
    const reason = reasonOf(error);
    throw new UsageError(
      error instanceof SyntaxError
        ? `--config ${file} is neither a module (.ts, .mts, .mjs, .js) nor JSON: ${reason.replaceAll(/\s*\n\s*/g, ' ')}`
        : `--config ${file}: ${reason}`,
    );
  }
}

/**
 * Loads the default export of a module, without a build step. Its `billwright` imports resolve to the running code.
 * @throws UsageError with the name of the file if the module is missing, cannot be loaded or is not a valid definition.
 */
export async function loadDefinition(file: string): Promise<ServerDefinition> {
  if (!existsSync(file))
    throw new UsageError(
      `--config ${file} does not exist: specify a different file, or write one with "billwright init"`,
    );
  const { href } = pathToFileURL(file);
  giveOwnModules(href);
  const module: unknown = await import(href).catch((error: unknown) => {
    throw new UsageError(`${file}${faultOf(error, file)}`, { cause: error });
  });
  return checkedDefinition((module as { readonly default?: unknown }).default, file);
}

/**
 * Makes the configuration file import the server's own modules. Plugins need the same classes as the server, such as
 * `RetryLater`.
 */
function giveOwnModules(definition: string): void {
  // Look up the modules before the hooks are installed, because the hooks would affect the result.
  const modules = ownModules();
  registerHooks({
    resolve(specifier, context, next) {
      const own = modules.get(specifier);
      if (own !== undefined) return { url: own, shortCircuit: true };
      const found = next(specifier, context);
      // Without `"type": "module"`, Node would by default treat the file as CommonJS or print a warning.
      return found.url === definition && definition.endsWith('.ts')
        ? { ...found, format: 'module-typescript' }
        : found;
    },
  });
}

function faultOf(error: unknown, file: string): string {
  if (!(error instanceof Error)) return `: ${String(error)}`;
  const stack = error.stack ?? '';
  const at = stack.indexOf(`${basename(file)}:`);
  const [, line] = at < 0 ? [] : (/:(\d+)/.exec(stack.slice(at)) ?? []);
  const isParsedAsCommonJs =
    file.endsWith('.js') && /Unexpected token 'export'|import statement outside a module/.test(error.message);
  const wayOut = isParsedAsCommonJs
    ? '. Rename the file to .mjs, or add "type": "module" to package.json'
    : '';
  return `${line === undefined ? '' : `:${line}`}: ${error.message}${wayOut}`;
}
