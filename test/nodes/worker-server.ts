import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type Program, start } from '../cli/program.ts';
import { eventually } from './deployment.ts';

const WITHIN_MS = 90_000;
/** A connection that no process answers fails after this time. */
const ANSWERS_WITHIN_MS = 30_000;

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly worker?: number;
  readonly pid?: number;
}

export interface Response {
  readonly status: number;
  readonly body: string;
  readonly location: string;
}

export interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: a new connection for the request. */
  readonly agent?: Agent;
}

/** A process of `billwright serve --workers` with its workers. */
export class WorkerServer {
  readonly log: LogLine[] = [];
  readonly greeting: string[] = [];
  readonly #process: Program;
  readonly #ended: Promise<number | null>;

  private constructor(process: Program) {
    this.#process = process;
    this.#ended = once(process, 'close').then(([code]) => code as number | null);
    createInterface(process.stderr).on('line', (line) => this.log.push(parsed(line)));
    createInterface(process.stdout).on('line', (line) => this.greeting.push(line));
  }

  static async start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const server = new WorkerServer(start(['serve', '--port', '0', ...args], environment));
    let code: number | null | undefined;
    void server.#ended.then((status) => {
      code = status;
    });
    await eventually(Date.now() + WITHIN_MS, () => {
      if (code !== undefined) throw new Error(`serve ended with ${code}: ${JSON.stringify(server.log)}`);
      return server.greeting.some((line) => line.includes('/openapi.json'));
    });
    return server;
  }

  get url(): string {
    return /http:\/\/\S+?:\d+/.exec(this.greeting.join('\n'))?.[0] ?? '';
  }

  /** Process ids of the workers that are ready and have not ended, by worker number. */
  get workers(): ReadonlyMap<number, number> {
    const running = new Map<number, number>();
    for (const { msg, worker = 0, pid = 0 } of this.log) {
      if (msg === 'a worker is ready') running.set(worker, pid);
      else if (/^a worker (?:has ended|ended)/.test(msg) && running.get(worker) === pid)
        running.delete(worker);
    }
    return running;
  }

  count(msg: string): number {
    return this.log.filter((line) => line.msg === msg).length;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    await eventually(Date.now() + WITHIN_MS, isSo, 50);
  }

  /** @returns the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.signal(signal);
    return this.#ended;
  }

  async send(path: string, { method = 'GET', headers = {}, body, agent }: Request = {}): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const sent = request(`${this.url}${path}`, { method, headers, signal, agent: agent ?? false });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const { statusCode, headers: answered } = response as IncomingMessage;
    const location = answered.location ?? '';
    return { status: statusCode ?? 0, body: await text(response), location };
  }
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: 'text', msg: line };
  }
}
