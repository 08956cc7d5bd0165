import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const readyWithinMs = 60_000;

/** A machine on which somebody does what the README says: a directory, a Node, and what was started and still runs. */
export class Newcomer {
  readonly #directory: string;
  readonly #environment: NodeJS.ProcessEnv;
  #server: { readonly child: ChildProcess; told: string } | undefined;

  /** `node`: the Node that is found first; undefined: that of the machine, whatever it is. */
  constructor(directory: string, node: string | undefined) {
    this.#directory = directory;
    // What npm puts before the path of its scripts belongs to this repository.
    const path = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
    const PATH = [...(node === undefined ? [] : [dirname(node)]), ...path].join(delimiter);
    this.#environment = { ...withoutNpm(process.env), PATH };
  }

  /** Runs a README block line by line and returns the output. A started server replaces the one that ran before. */
  async play(block: string): Promise<string> {
    const printed: string[] = [];
    let lines: string[] = [];
    const flush = async () => {
      if (lines.some((line) => line.trim() !== '')) printed.push(await this.#shell(lines.join('\n')));
      lines = [];
    };
    for (const line of block.split('\n')) {
      if (!/^(npm start|npx billwright serve)\b/.test(line)) lines.push(line);
      else {
        await flush();
        await this.#start(line);
      }
    }
    await flush();
    return printed.join('');
  }

  /** What the server that runs has said until now. */
  get told(): string {
    return this.#server?.told ?? '';
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.child.exitCode !== null || server.child.pid === undefined) return;
    const ended = once(server.child, 'close');
    // npm and npx pass signals on unreliably: the whole group gets it, as from the keyboard.
    process.kill(-server.child.pid, 'SIGINT');
    await ended;
  }

  async #shell(script: string): Promise<string> {
    const options = { cwd: this.#directory, env: this.#environment, maxBuffer: 64 * 1024 * 1024 };
    try {
      return (await run('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${script}\nfailed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  async #start(line: string): Promise<void> {
    await this.stop();
    const child = spawn('bash', ['-c', `exec ${line}`], {
      cwd: this.#directory,
      env: this.#environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const server = { child, told: '' };
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${line} was not ready in time:\n${server.told}`)),
        readyWithinMs,
      );
      const listen = (chunk: Buffer) => {
        server.told += chunk.toString();
        if (!/is ready at .*\n/.test(server.told)) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('exit', () => {
        clearTimeout(timer);
        reject(new Error(`${line} ended:\n${server.told}`));
      });
    });
  }
}

/** A clone of the repository as it is now, with what is not committed yet. */
export async function cloneInto(directory: string, root: string): Promise<void> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await run('git', listing, { cwd: root });
  for (const file of stdout.split('\0').filter((name) => name !== ''))
    await cp(join(root, file), join(directory, file)).catch((error: NodeJS.ErrnoException) => {
      // Listed, but deleted in the working tree.
      if (error.code !== 'ENOENT') throw error;
    });
}

/** The environment without what npm tells the scripts that it runs. */
function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const told = /^(npm_(?!config_)|NODE_|INIT_CWD|BILLWRIGHT_|SERVICE_)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !told.test(name)));
}
