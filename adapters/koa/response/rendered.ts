import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import type { BrotliOptions } from 'node:zlib';
import type { Context } from 'koa';
import { jsonType } from '../routing/answer.ts';
import { onDemand } from '../wire/lazy-values.ts';

/** Milliseconds after which a streamed response is aborted if the client reads nothing. */
const STALLED_READER_MS = 60_000;

/** A rendered response. It is also stored, so that a repeated request gets the same response. */
export interface Rendered {
  readonly status: number;
  /** Headers of the response. The content type is included even if the body is empty. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | AsyncIterable<string | Uint8Array>;
  /** True if the body is a file. Files are not compressed again. */
  readonly isFile?: boolean;
}

/** Sends the response. If an error occurs after the headers were sent, aborts the connection. */
export async function writeRendered(
  ctx: Context,
  { status, headers, body, isFile }: Rendered,
): Promise<void> {
  ctx.status = status;
  ctx.set({ ...headers });
  if (status === 204) keepContentType(ctx.res);
  else if (isKnown(ctx.get('If-None-Match'), headers.ETag)) ctx.status = 304;
  else {
    const whole = isWhole(body) ? body : streamTo(ctx.res, body);
    // Files are already compressed.
    const isAsItIs = ctx.method === 'HEAD' || isFile === true || Buffer.isBuffer(whole) || isShort(whole);
    ctx.body = isAsItIs ? whole : await compressBody(ctx, whole);
  }
}

/** Releases the resources of a response that will not be sent. */
export async function discard({ body }: Rendered): Promise<void> {
  if (!isWhole(body)) await body[Symbol.asyncIterator]().return?.();
}

function isWhole(body: Rendered['body']): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** Streams a body. Aborts if the client stops reading, because the stream would otherwise hold memory forever. */
function streamTo(response: ServerResponse, body: AsyncIterable<string | Uint8Array>): Readable {
  response.setTimeout(STALLED_READER_MS, () => response.destroy());
  return Readable.from(body, { objectMode: false });
}

/**
 * Returns true if the client already has the current response. Ignores `Cache-Control: no-cache`, because `fetch`
 * always adds it to conditional requests.
 */
function isKnown(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === '') return false;
  const weak = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => weak(tag) === weak(etag));
}

/**
 * Keeps the content type of a 204 response. Koa would remove the header, and without this header, the Ruby client
 * returns nothing (http-api §2).
 */
function keepContentType(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...args: [number]) => {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', jsonType);
    return writeHead.apply(response, args);
  }) as typeof writeHead;
}

/** Minimum size in bytes of a response that is compressed (http-api §10 rule 2). */
const minBytes = 1_024;

function isShort(body: string | Readable): boolean {
  return typeof body === 'string' && Buffer.byteLength(body) < minBytes;
}

interface Coding {
  readonly text: (bytes: Buffer) => Promise<Buffer>;
  readonly stream: () => Transform;
}

/** The supported encodings, in order of preference. */
const codings = onDemand((): Readonly<Record<string, Coding>> => {
  const zlib = process.getBuiltinModule('node:zlib');
  // Brotli's default quality is meant for static files.
  const brotli: BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  const brotliText = promisify<Buffer, BrotliOptions, Buffer>(zlib.brotliCompress);
  return {
    br: { text: (bytes) => brotliText(bytes, brotli), stream: () => zlib.createBrotliCompress(brotli) },
    gzip: { text: promisify<Buffer, Buffer>(zlib.gzip), stream: () => zlib.createGzip() },
    deflate: { text: promisify<Buffer, Buffer>(zlib.deflate), stream: () => zlib.createDeflate() },
  };
});

/**
 * Compresses a response as `Accept-Encoding` allows. Replaces koa-compress (5.2), which hangs on failing sources,
 * returns 500 if every encoding is refused, and needs a third more processor time for short texts.
 */
async function compressBody(ctx: Context, body: string | Readable): Promise<string | Buffer | Readable> {
  ctx.vary('Accept-Encoding');
  if (ctx.headers['accept-encoding'] === undefined) return body;
  const offered = codings();
  const name = ctx.acceptsEncodings(...Object.keys(offered), 'identity');
  const coding = typeof name === 'string' ? offered[name] : undefined;
  if (coding === undefined || typeof name !== 'string') return body;
  ctx.set('Content-Encoding', name);
  if (typeof body === 'string') return coding.text(Buffer.from(body));
  // Errors and disconnects must be passed on in both directions.
  return pipeline(body, coding.stream(), () => undefined);
}
