import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const readyWithinMs = 60_000;

/** A machine of a user who follows the README: a directory, a Node version, and the server that runs there. */
export class Newcomer {
  readonly #directory: string;
  readonly #environment: NodeJS.ProcessEnv;
  #server: { readonly child: ChildProcess; output: string } | undefined;

  /** `node`: the Node binary to find first; undefined: the machine's default. */
  constructor(directory: string, node: string | undefined) {
    this.#directory = directory;
    // npm adds directories of this repository to the path of its scripts.
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

  /** Output of the running server so far. */
  get output(): string {
    return this.#server?.output ?? '';
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.child.exitCode !== null || server.child.pid === undefined) return;
    const ended = once(server.child, 'close');
    // npm and npx do not reliably pass signals on, so the whole group gets the signal, as from the keyboard.
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
    const server = { child, output: '' };
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${line} was not ready in time:\n${server.output}`)),
        readyWithinMs,
      );
      const listen = (chunk: Buffer) => {
        server.output += chunk.toString();
        if (!/is ready at .*\n/.test(server.output)) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('exit', () => {
        clearTimeout(timer);
        reject(new Error(`${line} ended:\n${server.output}`));
      });
    });
  }
}

/** Clones the repository in its current state, with uncommitted changes. */
export async function cloneInto(directory: string, root: string): Promise<void> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await run('git', listing, { cwd: root });
  for (const file of stdout.split('\0').filter((name) => name !== ''))
    await cp(join(root, file), join(directory, file)).catch((error: NodeJS.ErrnoException) => {
      // The file is tracked, but deleted in the working tree.
      if (error.code !== 'ENOENT') throw error;
    });
}

/** Returns the environment without the variables that npm sets for scripts. */
function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const npmNames = /^(npm_(?!config_)|NODE_|INIT_CWD|BILLWRIGHT_|SERVICE_)/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !npmNames.test(name)));
}
