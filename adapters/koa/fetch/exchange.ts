import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, Server } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { MAX_HEADER_BYTES, MAX_HEADERS_MS } from '../../../lib/values/limits.ts';
import { createServer, request as startRequest } from '../node-http.ts';
import { unreadableAnswer } from '../response/unreadable-request.ts';
import { Wire } from './wire.ts';

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
