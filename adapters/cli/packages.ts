import { readFileSync } from 'node:fs';

/** What this program reads of the `package.json` that it belongs to. */
interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

export function manifest(): Manifest {
  return JSON.parse(readFileSync(new URL(place()), 'utf8')) as Manifest;
}

/** What `billwright` and each `billwright/…` is in the running program: URLs by specifier. */
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

/** Whether the sources run as they are, in place of what is built of them. */
const isSource = import.meta.url.endsWith('.ts');

function place(): string {
  return import.meta.resolve('billwright/package.json');
}

const storage = ['@mikro-orm/core', '@mikro-orm/migrations'];
/** What stands beside billwright for each part of the command. */
export const packagesOf = {
  sqlite: [...storage, '@mikro-orm/sqlite'],
  postgresql: [...storage, '@mikro-orm/postgresql'],
  log: ['pino'],
  http: ['koa', '@koa/router', '@koa/cors', 'koa-body', 'zod', 'jose', 'prom-client'],
} as const;

/**
 * A sentence for an error that tells of a package that is not installed beside billwright, with the line that installs
 * what the command lacks; null for any other error.
 */
export function missingPackages(error: unknown, needed: readonly string[]): string | null {
  const missing = missingPackage(error);
  const { peerDependencies } = manifest();
  if (missing === null || !Object.hasOwn(peerDependencies, missing)) return null;
  const lacking = [...new Set([...needed, missing])].filter((name) => name === missing || !isInstalled(name));
  const packages = lacking.map((name) => quoted(`${name}@${peerDependencies[name]}`));
  return `The package "${missing}" is not installed beside billwright: npm install ${packages.join(' ')}`;
}

/** The package that Node did not find, of the error or of one that caused it. */
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

/** A range of several parts has blanks and signs that a shell reads. */
function quoted(text: string): string {
  return /^[\w@/.^~-]+$/.test(text) ? text : `"${text}"`;
}
