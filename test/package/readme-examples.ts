import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the README's imports are in the source tree. */
export const SOURCES: Readonly<Record<string, string>> = {
  billwright: 'adapters/node/billwright.ts',
  'billwright/sqlite': 'adapters/mikro-orm/sqlite.ts',
  'billwright/testing': 'adapters/testing/index.ts',
};

/** The blocks of the README that are in a language. */
export async function readmeBlocks(language: string): Promise<readonly string[]> {
  const readme = await readFile(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
  const blocks = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...readme.matchAll(blocks)].map((match) => match[1] ?? '');
}

/** A block of TypeScript that imports, in place of the package, the sources below `root`, by another ending where one is named. */
export function importingFrom(root: string, block: string, ending = '.ts'): string {
  return block.replaceAll(/from '(billwright[^']*)'/g, (_, name: string) => {
    const source = (SOURCES[name] ?? 'missing').replace(/\.ts$/, ending);
    return `from '${join(root, source)}'`;
  });
}
