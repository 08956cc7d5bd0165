import type { IncomingMessage } from 'node:http';
import { finished as ended, PassThrough, Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { shortenText } from '../../../lib/values/text/index.ts';
import { ANY_TYPE, type BodyStream, malformedBody, type RequestBody } from '../routing/body.ts';

/**
 * Milliseconds by which a streamed body may fall behind the minimum speed. Only a few calls with streamed bodies can
 * run at a time, so a slow call must end soon.
 */
const STREAMED_BODY_PATIENCE_MS = 5_000;
const MIN_STREAMED_BYTES_PER_SECOND = 1_024;

/**
 * Maximum number of bytes that are read from an oversized body before it is rejected. If nothing were read, a client
 * that is still sending would see a broken connection.
 */
const MAX_DRAINED_BYTES = 64 * 1_048_576;
const MAX_DRAIN_MS = 10_000;

const utf8Names = new Set(['', 'utf-8', 'utf8', 'us-ascii']);
const doNothing = async (): Promise<void> => undefined;

/**
 * Returns the bytes of the body, or undefined if the request has no body.
 * @throws BillingError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE or MALFORMED_BODY.
 */
export async function readBody(
  ctx: Context,
  body: RequestBody<unknown>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (!hasBody(ctx)) return undefined;
  const readBefore = await checkedBody(ctx, body, maxBytes);
  if (readBefore !== undefined) return readBefore;
  // Proxies may drop the header `Content-Type`, so the default is the endpoint's own type (http-api §3 rule 1).
  const type = ctx.req.headers['content-type'];
  // Routes that accept any media type also accept a malformed `Content-Type`.
  ctx.req.headers['content-type'] = takesAnyType(body) ? BYTES : (type ?? body.mediaTypes[0]);
  const read = await readerOf(body, maxBytes);
  try {
    await read(ctx, doNothing);
  } catch (error) {
    const refusal = readingError(error, maxBytes);
    if (refusal.code === ErrorCode.TOO_LARGE) await drain(ctx.req);
    throw refusal;
  } finally {
    if (type === undefined) delete ctx.req.headers['content-type'];
    else ctx.req.headers['content-type'] = type;
  }
  const { body: text } = ctx.request;
  return typeof text === 'string' ? Buffer.from(text, byteEncoding) : undefined;
}

/**
 * Returns the body as a stream, or undefined if the request has no body.
 * @throws BillingError UNSUPPORTED_MEDIA_TYPE or TOO_LARGE.
 */
export async function streamBody(
  ctx: Context,
  body: RequestBody<unknown>,
  { maxBytes, onTooSlow }: { readonly maxBytes: number; readonly onTooSlow: () => void },
): Promise<BodyStream | undefined> {
  if (!hasBody(ctx)) return undefined;
  const readBefore = await checkedBody(ctx, body, maxBytes);
  const { type } = ctx.request;
  return {
    ...(readBefore === undefined ? chunksOf(ctx.req, onTooSlow) : chunksOfBytes(readBefore)),
    mediaType: type === '' ? body.mediaTypes[0] : type.toLowerCase(),
  };
}

/** Yields the chunks of a request body. When the body ends or fails, the connection stays open for the response. */
function chunksOf(request: IncomingMessage, onTooSlow: () => void): Pick<BodyStream, 'chunks' | 'giveUp'> {
  const chunks = new PassThrough();
  // The reader of the chunks gets the error.
  chunks.on('error', () => undefined);
  ended(request, { writable: false }, (error) => {
    if (error) chunks.destroy(error);
  });
  request.pipe(chunks);
  const end = (error: Error): void => {
    request.unpipe(chunks);
    chunks.destroy(error);
  };
  const giveUpSlow = (): void => {
    onTooSlow();
    end(tooSlow());
  };
  return {
    chunks: atLeastSpeed(chunks, giveUpSlow),
    giveUp: () => end(new Error('The rest of the body is no longer needed')),
  };
}

/** Yields the chunks of a body. If the body arrives more slowly than the minimum speed, calls `giveUp` to end it. */
async function* atLeastSpeed(chunks: AsyncIterable<Buffer>, giveUp: () => void): AsyncGenerator<Buffer> {
  let patienceMs = STREAMED_BODY_PATIENCE_MS;
  const reading = chunks[Symbol.asyncIterator]();
  for (;;) {
    const beganMs = performance.now();
    const timer = setTimeout(giveUp, patienceMs);
    const next = await reading.next().finally(() => clearTimeout(timer));
    if (next.done) return;
    const earnedMs = (next.value.length / MIN_STREAMED_BYTES_PER_SECOND) * 1_000;
    const leftMs = patienceMs + earnedMs - (performance.now() - beganMs);
    patienceMs = Math.min(STREAMED_BODY_PATIENCE_MS, leftMs);
    yield next.value;
  }
}

function chunksOfBytes(bytes: Uint8Array): Pick<BodyStream, 'chunks' | 'giveUp'> {
  const chunks = Readable.from([bytes]);
  return { chunks, giveUp: () => chunks.destroy() };
}

/** Checks the encoding and size of a body. If the host has already read the body, returns it. */
async function checkedBody(
  ctx: Context,
  body: RequestBody<unknown>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const readBefore = bodyReadBefore(ctx);
  checkEncoding(ctx, body, readBefore !== undefined);
  const isAnnounced = announcedBytes(ctx.req) > maxBytes;
  if (isAnnounced) await drain(ctx.req);
  if (isAnnounced || (readBefore?.length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return readBefore;
}

const BYTES = 'application/octet-stream';

function takesAnyType({ mediaTypes }: Pick<RequestBody<unknown>, 'mediaTypes'>): boolean {
  return mediaTypes[0] === ANY_TYPE;
}

/** Discards the rest of the body, up to a limit, because a client that is still sending would not read the response. */
export async function drain(req: IncomingMessage): Promise<void> {
  if (announcedBytes(req) > MAX_DRAINED_BYTES) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let leftBytes = MAX_DRAINED_BYTES;
  const count = (chunk: Uint8Array): void => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) resolve();
  };
  const timer = setTimeout(resolve, MAX_DRAIN_MS);
  for (const event of ['end', 'error', 'close'] as const) req.once(event, resolve);
  req.on('data', count);
  if (req.readableEnded || req.destroyed) resolve();
  req.resume();
  await promise;
  clearTimeout(timer);
  req.off('data', count);
}

/** Reads the body to its end. If it is too large, closes the connection. */
export async function readToEnd(ctx: Context): Promise<void> {
  if (ctx.req.readableEnded) return;
  await drain(ctx.req);
  if (!ctx.req.readableEnded) ctx.set('Connection', 'close');
}

/**
 * Returns true if the request has a body and an `Upgrade` header, as Java's client sends it. Such a body must be read to
 * its end. Otherwise Node drops data that arrives together with the end of the body, and loses the next request.
 */
export function hasUpgradableBody(ctx: Context): boolean {
  return ctx.req.headers.upgrade !== undefined && hasBody(ctx);
}

/** An encoding that reads each byte as one character. */
const byteEncoding = 'latin1';

const readers = new Map<string, Promise<Middleware>>();

function readerOf(body: RequestBody<unknown>, maxBytes: number): Promise<Middleware> {
  const key = `${maxBytes} ${body.mediaTypes.join()}`;
  const reader = readers.get(key) ?? makeReader(body, maxBytes);
  readers.set(key, reader);
  return reader;
}

async function makeReader(body: RequestBody<unknown>, maxBytes: number): Promise<Middleware> {
  // koa-body is loaded on first use, because loading it takes a fifth of the startup time.
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: takesAnyType(body) ? [BYTES] : [...body.mediaTypes],
    textLimit: maxBytes,
    encoding: byteEncoding,
    // Any method may carry a body (http-api §1 rule 8); the route table decides which bodies are read.
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.DELETE],
  });
}

/** Returns true if the request has a body. An empty body with `Content-Type: application/json` counts as no body. */
function hasBody({ req }: Context): boolean {
  return 'transfer-encoding' in req.headers || announcedBytes(req) > 0;
}

/** Returns the length of the body in the `Content-Length` header. Koa would read this header as a 32-bit number. */
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** Checks the content type and encoding. If the host has already read the body, the host has also decompressed it. */
function checkEncoding(ctx: Context, body: RequestBody<unknown>, wasRead: boolean): void {
  const { 'content-encoding': coding, 'content-type': type } = ctx.req.headers;
  const isPlain = wasRead || coding === undefined || coding.toLowerCase() === 'identity';
  const isTypeFit =
    type === undefined || takesAnyType(body) || body.mediaTypes.includes(ctx.request.type.toLowerCase());
  const isReadable = !body.utf8Only || utf8Names.has(ctx.request.charset.toLowerCase());
  if (isPlain && isTypeFit && isReadable) return;
  const came = shortenText([type, coding].filter((each) => each !== undefined).join(', '));
  throw billingError(
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    `The body must be uncompressed ${body.mediaTypes.join(' or ')}${body.utf8Only ? ' in UTF-8' : ''}; the request declares ${came}`,
    { contentType: type, contentEncoding: coding },
  );
}

function tooLarge(maxBytes: number): BillingError {
  return billingError(ErrorCode.TOO_LARGE, `The body is larger than ${maxBytes} bytes`, { maxBytes });
}

function tooSlow(): BillingError {
  return billingError(
    ErrorCode.MALFORMED_BODY,
    `The body arrived at less than ${MIN_STREAMED_BYTES_PER_SECOND} bytes per second; its first records may have been stored`,
  );
}

function readingError(error: unknown, maxBytes: number): BillingError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 413 ? tooLarge(maxBytes) : malformedBody('The body could not be read', error);
}

/**
 * Returns the body that the host's parser left in `rawBody` or `body`, if the host has read the body.
 * @throws BillingError MALFORMED_BODY if both are missing.
 */
function bodyReadBefore({ req, request }: Context): Uint8Array | undefined {
  if (!req.readableDidRead) return undefined;
  const places = [req, request].flatMap((each) => [Reflect.get(each, 'rawBody'), Reflect.get(each, 'body')]);
  const left: unknown = places.find((each) => each !== undefined);
  if (left === undefined) {
    const message =
      'The host application has read the request body without keeping it in request.rawBody or request.body';
    throw billingError(ErrorCode.MALFORMED_BODY, message);
  }
  if (left instanceof Uint8Array) return left;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '');
  return Buffer.from(typeof left === 'string' ? left : isForm ? formOf(left) : JSON.stringify(left));
}

/** Converts the parsed fields of a form back to form text. Each field is a string or a list. */
function formOf(fields: unknown): string {
  const pairs = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
