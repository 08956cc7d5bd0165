import type { IncomingMessage } from 'node:http';
import { finished as ended, PassThrough, Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { shortened } from '../../../lib/values/text/index.ts';
import { ANY_TYPE, type BodyStream, type RequestBody } from '../routing/body.ts';

/**
 * A streamed body may keep its reader waiting for this time, and for the time that its bytes take at the least speed: its call
 * holds one of a bounded number of places. The time for which the server does not read does not count.
 */
const STREAMED_BODY_PATIENCE_MS = 5_000;
const MIN_STREAMED_BYTES_PER_SECOND = 1_024;

/**
 * How much of a body that is too large is read before the refusal is sent, and for how long: a client that is still
 * sending would otherwise see a broken connection instead of the answer.
 */
const MAX_DRAINED_BYTES = 64 * 1_048_576;
const MAX_DRAIN_MS = 10_000;

const utf8Names = new Set(['', 'utf-8', 'utf8', 'us-ascii']);
const finished = async (): Promise<void> => undefined;

/**
 * The bytes of a request body, undefined when there is none: JSON is parsed later, with exact numbers, and an XML
 * document declares its own encoding.
 * @throws BillingError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, MALFORMED_BODY.
 */
export async function readBody(
  ctx: Context,
  body: RequestBody<unknown>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (!hasBody(ctx)) return undefined;
  const readBefore = bodyReadBefore(ctx);
  checkEncoding(ctx, body, readBefore !== undefined);
  await refuseTooLarge(ctx, maxBytes);
  if (readBefore !== undefined) return withinLimit(readBefore, maxBytes);
  // A body without a type is of the endpoint's own type, since proxies drop the header (http-api §3 rule 1).
  const type = ctx.req.headers['content-type'];
  // What is read whatever its type may have one that nobody can parse.
  ctx.req.headers['content-type'] = takesAnyType(body) ? BYTES : (type ?? body.mediaTypes[0]);
  const read = await readerOf(body, maxBytes);
  try {
    await read(ctx, finished);
  } catch (error) {
    const refusal = readingError(error, maxBytes);
    if (refusal.code === ErrorCode.TOO_LARGE) await drain(ctx.req);
    throw refusal;
  } finally {
    setOrDelete(ctx.req.headers, type);
  }
  const { body: text } = ctx.request;
  return typeof text === 'string' ? Buffer.from(text, byteEncoding) : undefined;
}

interface Streaming {
  readonly maxBytes: number;
  /** Called when the reading ends because the body comes too slowly. */
  readonly onTooSlow: () => void;
}

/**
 * The body as it comes, undefined when there is none.
 * @throws BillingError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE for one that says so itself.
 */
export async function streamBody(
  ctx: Context,
  body: RequestBody<unknown>,
  { maxBytes, onTooSlow }: Streaming,
): Promise<BodyStream | undefined> {
  if (!hasBody(ctx)) return undefined;
  const readBefore = bodyReadBefore(ctx);
  checkEncoding(ctx, body, readBefore !== undefined);
  await refuseTooLarge(ctx, maxBytes);
  const { type } = ctx.request;
  return {
    ...(readBefore === undefined
      ? chunksOf(ctx.req, onTooSlow)
      : chunksOfBytes(withinLimit(readBefore, maxBytes))),
    mediaType: type === '' ? body.mediaTypes[0] : type.toLowerCase(),
  };
}

/**
 * The end of the reading must not be that of the connection, on which the answer goes out; nor does a request say that its
 * connection has ended once it was answered, so that who still reads it has to be told.
 */
function chunksOf(request: IncomingMessage, onTooSlow: () => void): Pick<BodyStream, 'chunks' | 'giveUp'> {
  const chunks = new PassThrough();
  // Who reads gets it.
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
    giveUp: () => end(new Error('Nobody waits for the rest of the body any more')),
  };
}

/** The chunks of a body; `giveUp` ends it when waiting for its bytes has taken too long. */
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

function withinLimit(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

async function refuseTooLarge({ req }: Context, maxBytes: number): Promise<void> {
  if (announcedBytes(req) <= maxBytes) return;
  await drain(req);
  throw tooLarge(maxBytes);
}

const BYTES = 'application/octet-stream';

function takesAnyType({ mediaTypes }: Pick<RequestBody<unknown>, 'mediaTypes'>): boolean {
  return mediaTypes[0] === ANY_TYPE;
}

function setOrDelete(headers: IncomingMessage['headers'], type: string | undefined): void {
  if (type === undefined) delete headers['content-type'];
  else headers['content-type'] = type;
}

/**
 * Reads what is left of the body, a bounded amount for a bounded time, and discards it: a client that is still sending
 * when the connection ends would never read the answer.
 */
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

/** As `drain`; a body of which more comes all the same is given up with its connection. */
export async function readToEnd(ctx: Context): Promise<void> {
  if (ctx.req.readableEnded) return;
  await drain(ctx.req);
  if (!ctx.req.readableEnded) ctx.set('Connection', 'close');
}

/**
 * Node loses what it reads in one piece with the end of a body whose request offers an upgrade, as each one of Java's own
 * client does without TLS: a client that had its answer before would wait for that of its next request in vain.
 */
export async function endUpgradableBody(ctx: Context): Promise<void> {
  if (ctx.req.headers.upgrade !== undefined && hasBody(ctx)) await readToEnd(ctx);
}

/** Under this name one character is one byte, in koa-body as in `Buffer`. */
const byteEncoding = 'latin1';

/** One reader per combination of types and limit. */
const readers = new Map<string, Promise<Middleware>>();

function readerOf(body: RequestBody<unknown>, maxBytes: number): Promise<Middleware> {
  const key = `${maxBytes} ${body.mediaTypes.join()}`;
  let reader = readers.get(key);
  if (reader === undefined) {
    reader = makeReader(body, maxBytes);
    readers.set(key, reader);
  }
  return reader;
}

async function makeReader(body: RequestBody<unknown>, maxBytes: number): Promise<Middleware> {
  // Loaded with the first body, since it takes a fifth of the time in which a server may start.
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: takesAnyType(body) ? [BYTES] : [...body.mediaTypes],
    textLimit: maxBytes,
    encoding: byteEncoding,
    // Any method may carry a body (http-api §1 rule 8); the table decides which routes read one.
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.DELETE],
  });
}

/** Clients send `Content-Type: application/json` with an empty body; that is no body. */
function hasBody({ req }: Context): boolean {
  return 'transfer-encoding' in req.headers || announcedBytes(req) > 0;
}

/** What `Content-Length` says; Koa's own reading of it has 32 bits. */
function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** What was read before is no longer compressed. */
function checkEncoding(ctx: Context, body: RequestBody<unknown>, wasRead: boolean): void {
  const { 'content-encoding': coding, 'content-type': type } = ctx.req.headers;
  const isPlain = wasRead || coding === undefined || coding.toLowerCase() === 'identity';
  const isTypeFit =
    type === undefined || takesAnyType(body) || body.mediaTypes.includes(ctx.request.type.toLowerCase());
  const isReadable = !body.utf8Only || utf8Names.has(ctx.request.charset.toLowerCase());
  if (isPlain && isTypeFit && isReadable) return;
  const came = shortened([type, coding].filter((each) => each !== undefined).join(', '));
  throw billingError(
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    `The body must be ${body.mediaTypes.join(' or ')}${body.utf8Only ? ' in UTF-8' : ''}, not compressed; it came as ${came}`,
    { contentType: type, contentEncoding: coding },
  );
}

function tooLarge(maxBytes: number): BillingError {
  return billingError(ErrorCode.TOO_LARGE, `The body is larger than ${maxBytes} bytes`, { maxBytes });
}

/** What was complete of it may have been taken. */
function tooSlow(): BillingError {
  return billingError(
    ErrorCode.MALFORMED_BODY,
    `The body came at less than ${MIN_STREAMED_BYTES_PER_SECOND} bytes per second; its first records may have been stored`,
  );
}

function readingError(error: unknown, maxBytes: number): BillingError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return tooLarge(maxBytes);
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: 'The body could not be read',
    cause: error,
  });
}

/**
 * The bytes of a body that the application of the host has read before it handed the request on, as it left them: in
 * `rawBody`, or parsed in `body`, of Node's request or of Koa's. Undefined: nobody has read it yet.
 * @throws BillingError MALFORMED_BODY where it was read and left nowhere.
 */
function bodyReadBefore({ req, request }: Context): Uint8Array | undefined {
  if (!req.readableDidRead) return undefined;
  const places = [req, request].flatMap((each) => [Reflect.get(each, 'rawBody'), Reflect.get(each, 'body')]);
  const left: unknown = places.find((each) => each !== undefined);
  if (left === undefined) {
    throw billingError(
      ErrorCode.MALFORMED_BODY,
      'The application that this server is part of has read the body of the request, and left it neither in request.rawBody nor in request.body',
    );
  }
  if (left instanceof Uint8Array) return left;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '');
  return Buffer.from(typeof left === 'string' ? left : isForm ? formOf(left) : JSON.stringify(left));
}

/** A form as it was, of what a parser has made of its fields: a text each, or a list of them. */
function formOf(fields: unknown): string {
  const pairs = Object.entries(fields ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
