import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

const tests = new URL('../', import.meta.url);

describe('the script `npm test`', () => {
  it('runs every directory that has tests, each once', () => {
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' });
    const directories = files.filter((file) => file.endsWith('.test.ts')).map((file) => file.split('/')[0]);
    const run = manifest.scripts.test.match(/(?<=test\/)[\w-]+/g) ?? [];
    expect(run.toSorted()).to.deep.equal([...new Set(directories)].toSorted());
  });
});
