import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { builtConsole } from '../support/console/built-console.ts';

const MAX_BYTES = 150_000;

describe('console scripts', () => {
  const sizes = new Map<string, number>();
  const sources = new Map<string, string>();

  before(async () => {
    const folder = await builtConsole();
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((each) => each.endsWith('.js'))) {
      const source = await readFile(join(folder, name));
      sources.set(name, source.toString('utf8'));
      sizes.set(name, gzipSync(source).length);
    }
  });

  const sizeOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);

  it(`are at most ${MAX_BYTES / 1_000} kB compressed, in total and before the first page`, function () {
    const initial = sizeOf(staticImports(sources, 'main.js'));
    const all = sizeOf(sizes.keys());
    const inKilobytes = `${Math.round(initial / 1_000)} kB at first, ${Math.round(all / 1_000)} kB of all pages`;
    if (this.test !== undefined) this.test.title += ` (${inKilobytes})`;
    expect(initial).to.be.above(0);
    expect(all, inKilobytes).to.be.at.most(MAX_BYTES);
    expect(initial, inKilobytes).to.be.below(all);
  });
});

/** Returns the script and the scripts that it imports statically, directly or indirectly. */
function staticImports(sources: ReadonlyMap<string, string>, start: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, imported = ''] of (sources.get(name) ?? '').matchAll(/(?:from|import)\s*"(\.[^"]+)"/g))
      visit(join(name, '..', imported));
  };
  visit(start);
  return found;
}
