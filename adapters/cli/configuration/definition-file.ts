import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerDefinition } from '../../server/index.ts';
import { ownModules } from '../package-manifest.ts';
import { UsageError } from '../usage-error.ts';
import { checkedDefinition } from './checked-definition.ts';

/**
 * The server that the module's default export defines. It is run as it stands: Node takes the types out of TypeScript, and
 * what it imports of `billwright` is the code that runs here, wherever the file lies.
 * @throws UsageError that names the file.
 */
export async function loadDefinition(file: string): Promise<ServerDefinition> {
  if (!existsSync(file))
    throw new UsageError(
      `--config ${file} is not there: name another file, or write one with "billwright init"`,
    );
  const { href } = pathToFileURL(file);
  giveOwnModules(href);
  const module: unknown = await import(href).catch((error: unknown) => {
    throw new UsageError(`${file}${faultOf(error, file)}`, { cause: error });
  });
  return checkedDefinition((module as { readonly default?: unknown }).default, file);
}

/** Plugins have to be of the very classes that the server knows, such as `RetryLater`. */
function giveOwnModules(definition: string): void {
  // Before there are hooks, through which it would look for itself.
  const modules = ownModules();
  registerHooks({
    resolve(specifier, context, next) {
      const own = modules.get(specifier);
      if (own !== undefined) return { url: own, shortCircuit: true };
      const found = next(specifier, context);
      // Else Node takes it for CommonJS, or says that it had to guess, in a project without `"type": "module"`.
      return found.url === definition && definition.endsWith('.ts')
        ? { ...found, format: 'module-typescript' }
        : found;
    },
  });
}

/** The line, where Node tells one, and what is wrong. */
function faultOf(error: unknown, file: string): string {
  if (!(error instanceof Error)) return `: ${String(error)}`;
  const stack = error.stack ?? '';
  const at = stack.indexOf(`${basename(file)}:`);
  const [, line] = at < 0 ? [] : (/:(\d+)/.exec(stack.slice(at)) ?? []);
  const isTakenForCommonJs =
    file.endsWith('.js') && /Unexpected token 'export'|import statement outside a module/.test(error.message);
  const wayOut = isTakenForCommonJs ? '. Call the file .mjs, or put "type": "module" into package.json' : '';
  return `${line === undefined ? '' : `:${line}`}: ${error.message}${wayOut}`;
}
