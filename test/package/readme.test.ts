import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { blocksOf, DOCUMENTS } from './readme-examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Its blocks are excerpts of an application (`saas.test.ts`). */
const QUOTES_AN_EXAMPLE = 'examples/saas/README.md';

function documents(): readonly string[] {
  return globSync(['*.md', '{lib,adapters,examples,test}/**/*.md'], { cwd: root });
}

/** `newcomers.check.ts` runs the commands of the documentation. */
describe('user documentation', () => {
  it('contains only tested TypeScript blocks', async () => {
    const tested = (document: string) => document.endsWith('README.md') && document !== QUOTES_AN_EXAMPLE;
    for (const document of documents().filter(tested)) {
      const expected = DOCUMENTS[document]?.length ?? 0;
      expect(await blocksOf(document, 'ts'), document).to.have.length(expected);
    }
  });

  it('links only to existing files', async () => {
    const missing: string[] = [];
    for (const document of documents()) {
      const text = await readFile(join(root, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        if (!existsSync(join(root, dirname(document), target))) missing.push(`${document}: ${target}`);
      }
    }
    expect(missing).to.eql([]);
  });
});
