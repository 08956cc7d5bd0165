import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** The maximum that a reader can overview. A larger folder must be split. */
const MAX_FILES = 30;
/** The entry point lists the operations; their implementation is in the area folders. */
const MAX_LINES_OF_DOOR = 150;
const root = join(import.meta.dirname, '../..');

describe('folders', () => {
  for (const top of ['lib', 'adapters', 'examples'])
    it(`contain at most ${MAX_FILES} files per folder in ${top}`, () => {
      const files = readdirSync(join(root, top), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const full = [...Map.groupBy(files, ({ parentPath }) => parentPath)].filter(
        ([, inFolder]) => inFolder.length > MAX_FILES,
      );
      expect(files).not.to.be.empty;
      expect(full.map(([folder, inFolder]) => `${folder}: ${inFolder.length}`)).to.eql([]);
    });

  it(`include the entry point lib/billing.ts with at most ${MAX_LINES_OF_DOOR} lines`, () => {
    const lines = readFileSync(join(root, 'lib/billing.ts'), 'utf8').trimEnd().split('\n');
    expect(lines).to.have.length.within(1, MAX_LINES_OF_DOOR);
  });
});
