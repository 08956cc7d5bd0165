import { readFileSync } from 'node:fs';

/** What this program reads of the `package.json` that it belongs to. */
export interface Manifest {
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
