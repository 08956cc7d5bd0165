import { readFileSync } from 'node:fs';

/** The fields of `package.json` that this module reads. */
interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

export function manifest(): Manifest {
  return JSON.parse(readFileSync(new URL(place()), 'utf8')) as Manifest;
}

/** Returns the URLs of the running `billwright` and `billwright/…` modules, by import specifier. */
export function ownModules(): ReadonlyMap<string, string> {
  const root = place();
  return new Map(
    Object.entries(manifest().exports).map(([name, entry]) => {
      const target = typeof entry === 'string' ? entry : entry.default;
      const file = isSource ? target.replace('./dist/', './').replace(/\.js$/, '.ts') : target;
      return [name.replace('.', 'billwright'), new URL(file, root).href];
    }),
  );
}

/** True if the command runs from source code and not from the build. */
const isSource = import.meta.url.endsWith('.ts');

function place(): string {
  return import.meta.resolve('billwright/package.json');
}

const storage = ['@mikro-orm/core', '@mikro-orm/migrations'];
/** Optional packages that each part of the command requires. */
export const packagesOf = {
  sqlite: [...storage, '@mikro-orm/sqlite'],
  postgresql: [...storage, '@mikro-orm/postgresql'],
  log: ['pino'],
  http: ['koa', '@koa/router', '@koa/cors', 'koa-body', 'zod', 'jose', 'prom-client'],
} as const;

/** Returns a message with the missing package and the install command, or null for other errors. */
export function missingPackages(error: unknown, needed: readonly string[]): string | null {
  const missing = missingPackage(error);
  const { peerDependencies } = manifest();
  if (missing === null || !Object.hasOwn(peerDependencies, missing)) return null;
  const lacking = [...new Set([...needed, missing])].filter((name) => name === missing || !isInstalled(name));
  const packages = lacking.map((name) => quoteForShell(`${name}@${peerDependencies[name]}`));
  return `The package "${missing}" is not installed: npm install ${packages.join(' ')}`;
}

/** Returns the name of the missing package from the error or its causes. */
function missingPackage(error: unknown): string | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String(Reflect.get(each, 'code')))) continue;
    const [, name] =
      /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/.exec(each.message) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Quotes a package specifier for the shell, because version ranges may contain special characters. */
function quoteForShell(text: string): string {
  return /^[\w@/.^~-]+$/.test(text) ? text : `"${text}"`;
}
