import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
/** Directories of the image, created here inside a temporary directory. */
const places = ['/source', '/app', '/data'];
const readyWithinMs = 30_000;

interface Step {
  readonly instruction: string;
  readonly text: string;
}

/** Runs the steps of the Dockerfile without a container: copies, commands and start. */
describe('container', function () {
  this.timeout(300_000);

  let directory: string;
  let steps: readonly Step[];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'billwright-container-'));
    steps = stepsOf(await readFile(join(root, 'Dockerfile'), 'utf8'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('can be built, starts with its command, reports healthy and stops cleanly', async () => {
    await build();
    const server = spawn('node', [...(await command()), '--port', '0'], {
      cwd: join(directory, 'data'),
      env: { ...process.env, NODE_ENV: 'production', BILLWRIGHT_ADMIN_PASSWORD: 'correct horse battery' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((settle) => {
      server.on('exit', (code) => settle(code));
    });
    const url = await urlOf(server.stdout);
    try {
      const [program = '', ...probe] = JSON.parse(
        textOf('HEALTHCHECK').replace(/^.*?CMD /, ''),
      ) as readonly string[];
      const probing = probe.map((part) => part.replace('http://127.0.0.1:8080', url));
      expect(probing.join(' ')).to.contain(url);
      await run(program, probing);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).to.equal(0);
  });

  /** Runs everything before the second stage, which only copies the result of the first. */
  async function build(): Promise<void> {
    let workingDirectory = directory;
    for (const { instruction, text } of steps.slice(1)) {
      if (instruction === 'FROM') break;
      if (instruction === 'WORKDIR') {
        workingDirectory = inDirectory(text);
        await mkdir(workingDirectory, { recursive: true });
      } else if (instruction === 'COPY') await copySource(workingDirectory);
      else if (instruction === 'RUN')
        await run('sh', ['-ec', inDirectory(text)], { cwd: workingDirectory, maxBuffer: 16 * 1024 * 1024 });
      else throw new Error(`the check does not know ${instruction}`);
    }
    await mkdir(join(directory, 'data'));
  }

  /** Copies what docker would send, without the files in .dockerignore: the tracked and the new files. */
  async function copySource(to: string): Promise<void> {
    const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      cwd: root,
    });
    for (const file of stdout.split('\0').filter((name) => name !== ''))
      await cp(join(root, file), join(to, file), { errorOnExist: false }).catch(
        (error: NodeJS.ErrnoException) => {
          // The file is tracked, but deleted in the working tree.
          if (error.code !== 'ENOENT') throw error;
        },
      );
  }

  async function command(): Promise<readonly string[]> {
    const [node, ...entry] = JSON.parse(textOf('ENTRYPOINT')) as readonly string[];
    expect(node).to.equal('node');
    return [...entry, ...(JSON.parse(textOf('CMD')) as readonly string[])].map(inDirectory);
  }

  function textOf(instruction: string): string {
    const step = steps.findLast((each) => each.instruction === instruction);
    if (step === undefined) throw new Error(`the Dockerfile has no ${instruction}`);
    return step.text;
  }

  function inDirectory(text: string): string {
    return text.replaceAll(new RegExp(`(?<![\\w.])(${places.join('|')})(?=[/ ]|$)`, 'g'), `${directory}$1`);
  }
});

function stepsOf(dockerfile: string): readonly Step[] {
  return dockerfile
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [instruction = '', ...rest] = line.split(' ');
      return { instruction, text: rest.join(' ') };
    });
}

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: output });
  const timer = setTimeout(() => lines.close(), readyWithinMs);
  try {
    for await (const line of lines) {
      const [, url] = /ready at (\S+)/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error('the server was not ready in time');
}
