import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, Server } from 'node:http';
import { Duplex, pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { MAX_HEADER_BYTES, MAX_HEADERS_MS } from '../../lib/values/limits.ts';
import { createServer, request as startRequest } from './node-http.ts';
import { unreadableAnswer } from './response/render-error.ts';

/** Headers that apply to a single connection (RFC 9110 §7.6.1) and headers that frame the body. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Statuses whose responses have no body (the "null body statuses" of the Fetch standard). */
const withoutBody = new Set([204, 205, 304]);

/** Creates a Node server without a port. `exchange` passes connections to it. */
export function handedServer(listener: RequestListener): Server {
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    (request, response) => {
      // The outer server sets the `Date` header.
      response.sendDate = false;
      listener(request, response);
    },
  );
  const bounds = { maxHeaderBytes: MAX_HEADER_BYTES, maxHeadersMs: MAX_HEADERS_MS };
  return server.on('clientError', unreadableAnswer(bounds));
}

/**
 * Handles a fetch request over an in-process connection.
 * @throws TypeError if the body was already read, or the abort reason if the signal is aborted.
 */
export async function exchange(
  server: Server,
  request: Request,
  remoteAddress: string | undefined,
): Promise<Response> {
  const { method, signal } = request;
  signal.throwIfAborted();
  if (request.bodyUsed || request.body?.locked) {
    throw new TypeError(
      'The request body has already been read: pass on the unread request, or read request.clone() instead',
    );
  }
  const url = new URL(request.url);
  const [caller, served] = Wire.pair({ remoteAddress, encrypted: url.protocol === 'https:' });
  server.emit('connection', served);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sending = startRequest({
    createConnection: () => caller,
    method,
    path: url.pathname + url.search,
    headers: sentHeaders(request, url),
    setHost: false,
    signal,
  });
  sending.on('response', (answer) => resolve(responseOf(answer, method)));
  sending.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  sending.on('close', () => caller.destroy());
  if (request.body !== null) {
    const body = Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>);
    // If the response has already been sent, nobody receives the error.
    body.once('error', reject);
    pipeline(body, sending, () => undefined);
  } else sending.end();
  return promise;
}

function sentHeaders(request: Request, url: URL): OutgoingHttpHeaders {
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !ofConnection.has(name)));
  return {
    host: url.host,
    ...headers,
    // Next.js drops `content-encoding`, so compression is left to the outer server.
    'accept-encoding': 'identity',
    // The application may have changed the body, so the announced length may be wrong.
    ...(request.body === null ? {} : { 'transfer-encoding': 'chunked' }),
  };
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    const isForwarded = name === 'content-length' || !ofConnection.has(name);
    if (isForwarded) for (const value of values ?? []) headers.append(name, value);
  }
  if (method !== 'HEAD' && !withoutBody.has(status))
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}

interface Peer {
  /** Undefined if unknown. */
  readonly remoteAddress?: string | undefined;
  readonly encrypted: boolean;
}

/**
 * One end of an in-process connection with back pressure. Unlike the ends of `duplexPair`, both ends are destroyed
 * together.
 */
export class Wire extends Duplex implements Peer {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;
  #other: Wire | undefined;
  /** Resumes the other end's write. */
  #resume: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor({ remoteAddress, encrypted }: Peer) {
    super();
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }

  static pair(peer: Peer): readonly [caller: Wire, server: Wire] {
    const ends = [new Wire({ encrypted: false }), new Wire(peer)] as const;
    ends[0].#join(ends[1]);
    ends[1].#join(ends[0]);
    return ends;
  }

  #join(other: Wire): void {
    this.#other = other;
  }

  /** Emits `timeout` after this idle time, as sockets do. 0 disables the timeout. */
  setTimeout(ms: number): this {
    clearTimeout(this.#timer);
    this.#timer = ms === 0 ? undefined : setTimeout(() => this.emit('timeout'), ms).unref();
    return this;
  }

  override _read(): void {
    this.#timer?.refresh();
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#timer?.refresh();
    const other = this.#other;
    if (other === undefined || other.push(chunk)) done();
    else other.#resume = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    const other = this.#other;
    // Close the stream later, so that the other end can first read all its data.
    setImmediate(() => other?.destroy());
    done(error);
  }
}
