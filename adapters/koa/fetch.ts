import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, Server } from 'node:http';
import { Duplex, pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { MAX_HEADER_BYTES, MAX_HEADERS_MS } from '../../lib/values/limits.ts';
import { createServer, request as startRequest } from './node-http.ts';
import { unreadableAnswer } from './response/render-error.ts';

/** Headers that are about one connection (RFC 9110 §7.6.1), or about how a body travels on it. */
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
/** Statuses whose answers have no body (null body statuses of the Fetch standard). */
const withoutBody = new Set([204, 205, 304]);

/** A server of Node that listens nowhere: it is handed its connections. */
export function handedServer(listener: RequestListener): Server {
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    (request, response) => {
      // The server that sends the answer on tells the time itself.
      response.sendDate = false;
      listener(request, response);
    },
  );
  const bounds = { maxHeaderBytes: MAX_HEADER_BYTES, maxHeadersMs: MAX_HEADERS_MS };
  return server.on('clientError', unreadableAnswer(bounds));
}

/**
 * Lets a server of Node answer a fetch request, over a connection inside the process: so everything is as it is for callers
 * from outside, the pieces of a stream and who breaks it off included.
 * @throws TypeError for a body that was read before; the reason of the request's signal once it is aborted.
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
      'The body of the request has been read: hand the request on as it came, or read request.clone() instead',
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
  // Whatever has become of the request, nobody reads its connection any more.
  sending.on('close', () => caller.destroy());
  if (request.body !== null) {
    const body = Readable.fromWeb(request.body as NodeReadableStream<Uint8Array>);
    // An answer may have come before its end; then nobody minds.
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
    // Next.js takes the header off that says how an answer is compressed; to compress is for the server that sends it on.
    'accept-encoding': 'identity',
    // The length that a caller has told may be that of a body which the application has changed since.
    ...(request.body === null ? {} : { 'transfer-encoding': 'chunked' }),
  };
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    const isKept = name === 'content-length' || !ofConnection.has(name);
    if (isKept) for (const value of values ?? []) headers.append(name, value);
  }
  if (method !== 'HEAD' && !withoutBody.has(status))
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}

/** What Node's HTTP server asks of a connection beyond its bytes. */
interface Peer {
  /** The address of who calls; undefined: not known. */
  readonly remoteAddress?: string | undefined;
  /** Whether the caller has reached the application by TLS. */
  readonly encrypted: boolean;
}

/**
 * One end of a connection inside the process. What is written to one end is read at the other, no faster than it is read
 * there. Unlike `duplexPair` of `node:stream` before Node 24, an end that is destroyed takes the other one with it, and an
 * end has the timeout by which stalled readers are found.
 */
export class Wire extends Duplex implements Peer {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;
  #other: Wire | undefined;
  /** Goes on with the writing of the other end. */
  #resume: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor({ remoteAddress, encrypted }: Peer) {
    super();
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }

  /** The two ends: of who calls, and of the server. */
  static pair(peer: Peer): readonly [caller: Wire, server: Wire] {
    const ends = [new Wire({ encrypted: false }), new Wire(peer)] as const;
    ends[0].#join(ends[1]);
    ends[1].#join(ends[0]);
    return ends;
  }

  #join(other: Wire): void {
    this.#other = other;
  }

  /** As sockets have it: emits `timeout` when nothing has been read or written for so long; 0 = never. */
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
    // In a turn of its own, so that the other end reads first what has been sent to it.
    setImmediate(() => other?.destroy());
    done(error);
  }
}
