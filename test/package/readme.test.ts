import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bundled, bundledTogether } from '../support/bundled.ts';
import { blocksOf, DOCUMENTS, importingFrom, SOURCES } from './readme-examples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Stands behind what an example prints. */
const end = '-- end of the example --';

async function allBlocks(language: string): Promise<readonly string[]> {
  return (await Promise.all(Object.keys(DOCUMENTS).map((document) => blocksOf(document, language)))).flat();
}

/** Whatever is there to be read. */
function documents(): readonly string[] {
  return globSync(['*.md', '{lib,adapters,test}/**/*.md'], { cwd: root });
}

describe('what users read', () => {
  let directory: string;

  /** What each example prints, in the order of `DOCUMENTS`. */
  let printed: readonly string[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-readme-'));
    const built = bundledTogether(Object.values(SOURCES));
    const steps: string[] = [];
    for (const block of await allBlocks('ts')) {
      const name = `example-${steps.length}.ts`;
      await writeFile(join(directory, name), importingFrom(built, block, '.js'));
      steps.push(`await import('./${name}'); console.log('${end}');`);
    }
    await writeFile(join(directory, 'all.ts'), steps.join('\n'));
    const { stdout } = await run(process.execPath, ['all.ts'], { cwd: directory });
    printed = stdout.split(`${end}\n`);
  });

  after(() => rm(directory, { recursive: true, force: true }));

  const examples = Object.entries(DOCUMENTS).flatMap(([document, shown]) =>
    shown.map((example) => `${document}: ${example}`),
  );
  for (const [index, example] of examples.entries()) {
    it(`${example}, runs as it stands and prints what is said`, async () => {
      expect(printed[index]).to.equal((await allBlocks('text'))[index]);
    });
  }

  it('has no block of TypeScript that no test runs', async () => {
    for (const document of documents().filter((each) => each.endsWith('README.md'))) {
      const expected = DOCUMENTS[document]?.length ?? 0;
      expect(await blocksOf(document, 'ts'), document).to.have.length(expected);
    }
  });

  it('leads to files that are there', async () => {
    const missing: string[] = [];
    for (const document of documents()) {
      const text = await readFile(join(root, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        if (!existsSync(join(root, dirname(document), target))) missing.push(`${document}: ${target}`);
      }
    }
    expect(missing).to.deep.equal([]);
  });

  it('the curl walk-through runs as it stands and ends in two paid invoices', async () => {
    const walkThrough = (await blocksOf('README.md', 'sh')).find((block) => block.includes('call()')) ?? '';
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

  /** The server as `npm start -- --test-mode` starts it, made as the package is, on a free port and a database of its own. */
  async function startServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const args = [
      bundled(new URL('../../adapters/cli/billwright.ts', import.meta.url)),
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
