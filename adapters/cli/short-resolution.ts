import { registerHooks } from 'node:module';

const scope = '/node_modules/';
/** Packages with hundreds of ES modules. Resolving their relative imports takes half of their load time. */
const packages = ['kysely/', 'zod/', '@mikro-orm/'];

/**
 * Runs `start`. While it runs, relative imports with a file extension in these packages and in our sources are resolved
 * without file system lookups.
 */
export async function withShortResolution<T>(start: () => Promise<T>): Promise<T> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const format = formatOf(specifier, context.parentURL);
      if (format === undefined) return next(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
    },
  });
  try {
    return await start();
  } finally {
    hooks.deregister();
  }
}

/** Returns the format of a relative import with a file extension. Returns undefined if Node must resolve the import. */
export function formatOf(specifier: string, parent: string | undefined): string | undefined {
  if (parent === undefined || !specifier.startsWith('.')) return undefined;
  const at = parent.lastIndexOf(scope);
  if (at < 0) return specifier.endsWith('.ts') && parent.endsWith('.ts') ? 'module-typescript' : undefined;
  if (!specifier.endsWith('.js') || !parent.endsWith('.js')) return undefined;
  return packages.some((name) => parent.startsWith(name, at + scope.length)) ? 'module' : undefined;
}
