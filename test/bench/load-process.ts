import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerParent } from './child.ts';
import { percentile } from './statistics.ts';

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface LoadInput {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in this order, and repeated from the start if there are more to send. */
  readonly requests: readonly LoadRequest[];
  readonly status: number;
  readonly connections: number;
  readonly total: number;
  /** Number of untimed requests sent first, from the start of the list; default 0. */
  readonly warmUp?: number;
  /** Requests per second, sent at fixed times regardless of response times; null = as fast as responses arrive. */
  readonly perSecond: number | null;
}

export interface LoadOutput {
  readonly perSecond: number;
  /** Measured from the planned time of the request to its response, so waiting for a free connection counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function load(input: LoadInput): Promise<LoadOutput> {
  const { url, connections, perSecond, warmUp = 0 } = input;
  if (warmUp > 0) await load({ ...input, total: warmUp, perSecond: null, warmUp: 0 });
  const { total } = input;
  const { hostname, port, host } = new URL(url);
  const texts = input.requests.map((request) => textOf(request, host, input.headers));
  const times: number[] = [];
  let sent = 0;
  const began = performance.now();
  /** Returns the planned time of request number `index`. */
  const dueAt = (index: number): number => (perSecond === null ? 0 : began + (index * 1_000) / perSecond);

  const work = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    const answers = new Answers(socket);
    while (sent < total) {
      const index = sent++;
      const waitMs = dueAt(index) - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const from = perSecond === null ? performance.now() : dueAt(index);
      socket.write(texts[index % texts.length] ?? '');
      const { status, text } = await answers.next();
      if (status !== input.status) throw new Error(`Answered with ${status}: ${text}`);
      times.push(performance.now() - from);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - began) / 1_000;
  return { perSecond: total / seconds, p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) };
}

function textOf(request: LoadRequest, host: string, headers: LoadInput['headers']): Buffer {
  const body = request.body === undefined ? '' : JSON.stringify(request.body);
  const all = {
    host,
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const headEnd = '\r\n\r\n';

/** Reads responses from a connection. Node's own client would use as much processor time as the server under test. */
class Answers {
  #received = Buffer.alloc(0);
  #arrived: ((answer: Answer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor(socket: Socket) {
    socket.on('data', (data) => {
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
      const answer = this.#take();
      if (answer) this.#arrived?.(answer);
    });
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('The server has closed the connection')));
  }

  next(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#arrived = resolve;
      this.#failed = reject;
    });
  }

  #take(): Answer | undefined {
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return undefined;
    const head = this.#received.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const from = end + headEnd.length;
    if (length === undefined) {
      if (/\r\ntransfer-encoding: chunked/i.test(head))
        throw new Error('This client reads no chunked answers');
      return this.#answer(head, from, 0);
    }
    return this.#received.length < from + Number(length)
      ? undefined
      : this.#answer(head, from, Number(length));
  }

  #answer(head: string, from: number, length: number): Answer {
    const text = this.#received.toString('utf8', from, from + length);
    this.#received = this.#received.subarray(from + length);
    return { status: Number(head.slice(9, 12)), text };
  }
}

answerParent(load);
