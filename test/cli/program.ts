import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bundled } from '../support/bundled.ts';

const program = new URL('../../adapters/cli/billwright.ts', import.meta.url);

export type Program = ChildProcessByStdio<null, Readable, Readable>;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  workingDirectory = process.cwd(),
): Program {
  const { NODE_ENV: _env, BILLWRIGHT_ADMIN_PASSWORD: _password, ...inherited } = process.env;
  return spawn(process.execPath, [bundled(program), ...args], {
    cwd: workingDirectory,
    // Without it, a PostgreSQL server would leave its key file in the working directory.
    env: { BILLWRIGHT_SERVER_KEY: 'k'.repeat(44), ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  directory?: string,
): Promise<Ended> {
  const child = start(args, environment, directory);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, output, errors };
}

/**
 * Runs a command on a pseudo-terminal of `script` (util-linux) and writes standard output to a file. Returns the text
 * on the terminal, which is the standard error.
 */
export async function runOnTerminal(
  args: readonly string[],
  output: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { CI: _ci, ...inherited } = process.env;
  const words = [process.execPath, bundled(program), ...args].map((word) => `'${word}'`);
  const child = spawn('script', ['-qec', `${words.join(' ')} > '${output}'`, '/dev/null'], {
    env: { ...inherited, TERM: 'xterm', BILLWRIGHT_SERVER_KEY: 'k'.repeat(44), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [terminal] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return terminal;
}

export interface RunningServer {
  readonly greeting: string;
  readonly url: string;
  /** Sends `signal` to the process. Returns its exit code and log. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly log: string }>;
}

export function serve(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return serving(start(['serve', '--port', '0', ...args], environment));
}

export async function serving(child: Program): Promise<RunningServer> {
  const log = text(child.stderr);
  let greeting = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    greeting += chunk;
    if (greeting.includes('/openapi.json')) resolve();
  });
  child.on('close', (code) => {
    void log.then((lines) => reject(new Error(`serve ended with ${code}: ${lines}`)));
  });
  await promise;
  return {
    greeting,
    url: /http:\/\/\S+?:\d+/.exec(greeting)?.[0] ?? '',
    async stop(signal = 'SIGTERM') {
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = await closed;
      return { code, log: await log };
    },
  };
}

export function login(user: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
