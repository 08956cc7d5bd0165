import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bundledTogether } from '../support/bundled.ts';
import { importingFrom, readmeBlocks, SOURCES } from './readme-examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

describe('README', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-readme-'));
    await mkdir(join(directory, 'examples'));
    await cp(join(root, 'examples/catalogs'), join(directory, 'examples/catalogs'), { recursive: true });
  });

  after(() => rm(directory, { recursive: true, force: true }));

  const examples = [
    'the embedding example',
    'the catalog as code',
    'the payment gateway of your own',
    'the invoice plugin of your own',
    'the states of those who do not pay',
    'the usage of a subscription',
    'the usage that a host meters itself',
    'the events that a host is told of',
  ] as const;

  /** The block as a file that finds what the package holds where it would find the package. */
  async function writeExample(index: number): Promise<string> {
    const file = join(directory, `example-${index}.ts`);
    const block = (await readmeBlocks('ts'))[index] ?? '';
    await writeFile(file, importingFrom(bundledTogether(Object.values(SOURCES)), block, '.js'));
    return file;
  }

  for (const [index, example] of examples.entries()) {
    it(`${example} runs as it stands and prints what the README says`, async () => {
      const { stdout } = await run(process.execPath, [await writeExample(index)], { cwd: directory });
      expect(stdout).to.equal((await readmeBlocks('text'))[index]);
    });
  }

  it('has no block of TypeScript that no test runs', async () => {
    expect(await readmeBlocks('ts')).to.have.length(examples.length);
  });

  it('the curl walk-through runs as it stands and ends in two paid invoices', async () => {
    const walkThrough = (await readmeBlocks('sh')).find((block) => block.includes('call()')) ?? '';
    const server = await startServer();
    try {
      const script = walkThrough.replace('http://127.0.0.1:8080', server.url);
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory });
      const answer = stdout.slice(stdout.lastIndexOf('[{'));
      const invoices = JSON.parse(answer) as readonly { readonly amount: number; readonly balance: number }[];
      expect(invoices.map(({ amount, balance }) => [amount, balance])).to.deep.equal([
        [11, 0],
        [11, 0],
      ]);
    } finally {
      await server.stop();
    }
  });

  /** The server as `npm start -- --test-mode` starts it, on a free port and a database of its own. */
  async function startServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const args = [
      'adapters/cli/billwright.ts',
      'serve',
      '--test-mode',
      '--port',
      '0',
      '--database',
      join(directory, 'b.db'),
    ];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise<string>((resolve, reject) => {
      let told = '';
      child.stdout.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(told);
        if (found) resolve(found[0]);
      });
      child.once('exit', () => reject(new Error(`the server ended: ${told}`)));
    });
    return {
      url,
      stop: async () => {
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  }
});
