import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import manifest from '../../package.json' with { type: 'json' };

const tests = new URL('../', import.meta.url);

describe('test scripts', () => {
  it('run every directory with tests once (`npm test`)', () => {
    const files = readdirSync(tests, { recursive: true, encoding: 'utf8' });
    const directories = files.filter((file) => file.endsWith('.test.ts')).map((file) => file.split('/')[0]);
    const run = manifest.scripts.test.match(/(?<=test\/)[\w-]+/g) ?? [];
    expect(run.toSorted()).to.eql([...new Set(directories)].toSorted());
  });
});

describe('scripts that check the package', () => {
  it('run every package check and are part of continuous integration (`npm run test:package`)', () => {
    const checks = readdirSync(new URL('package/', tests)).filter((file) => file.endsWith('.check.ts'));
    const run = manifest.scripts['test:package'].match(/[\w-]+\.check\.ts/g) ?? [];
    expect(run.toSorted()).to.eql(checks.toSorted());
    expect(readFileSync(new URL('../.ci/run', tests), 'utf8')).to.match(
      /^tests .* npm run test:package --$/m,
    );
  });
});
