import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const module = new URL('../../adapters/mikro-orm/hosts/lender.ts', import.meta.url);

/** Returns the output of a process that only watches a transaction of 100 ms. */
async function printed(watch: string): Promise<string> {
  const script = `
    import { endOf } from '${module}';
    const endsAt = performance.now() + 100;
    const isOpen = () => performance.now() < endsAt;
    ${watch}`;
  return (await run(process.execPath, ['--input-type=module', '-e', script])).stdout.trim();
}

describe('end of a host transaction', () => {
  it('keeps the process alive only while a caller waits for that end', async () => {
    expect(await printed('console.log(await endOf(isOpen, 5_000));')).to.equal('true');
    expect(await printed('void endOf(isOpen).then(console.log);')).to.equal('');
  });
});
