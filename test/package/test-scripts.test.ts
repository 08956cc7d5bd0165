import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

const tests = new URL('../', import.meta.url);

describe('script `npm test`', () => {
  it('runs every directory with tests once', () => {
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' });
    const directories = files.filter((file) => file.endsWith('.test.ts')).map((file) => file.split('/')[0]);
    const run = manifest.scripts.test.match(/(?<=test\/)[\w-]+/g) ?? [];
    expect(run.toSorted()).to.eql([...new Set(directories)].toSorted());
  });
});

describe('script `npm run test:package`', () => {
  it('runs every package check, and runs in continuous integration', () => {
    const checks = readdirSync(new URL('package/', tests)).filter((file) => file.endsWith('.check.ts'));
    const run = manifest.scripts['test:package'].match(/[\w-]+\.check\.ts/g) ?? [];
    expect(run.toSorted()).to.eql(checks.toSorted());
    expect(readFileSync(new URL('../.ci/run', tests), 'utf8')).to.match(
      /^tests .* npm run test:package --$/m,
    );
  });
});
