import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import type { BrotliOptions } from 'node:zlib';
import type { Context } from 'koa';
import { jsonType } from '../routing/answer.ts';
import { onDemand } from '../wire/on-demand.ts';

/** How long the reader of a streamed answer may read nothing before the answer is broken off. */
const STALLED_READER_MS = 60_000;

/** An answer as it is sent, to the first caller or to a repeat. */
export interface Rendered {
  readonly status: number;
  /** With the type of the content, on an empty answer too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or pieces of it as they come, or a file. */
  readonly body: string | Buffer | AsyncIterable<string | Uint8Array>;
  /** True: the pieces are those of a file. */
  readonly isFile?: boolean;
}

/** Sends it. An error while pieces are sent can only break off the answer, whose head has already been sent. */
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
    // Files are compressed by what made them.
    const isAsItIs = ctx.method === 'HEAD' || isFile === true || Buffer.isBuffer(whole);
    ctx.body = isAsItIs ? whole : await compressed(ctx, whole);
  }
}

/** Releases what is behind an answer that nobody gets. */
export async function discard({ body }: Rendered): Promise<void> {
  if (!isWhole(body)) await body[Symbol.asyncIterator]().return?.();
}

function isWhole(body: Rendered['body']): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** A stalled reader must not keep memory in use for ever: the answer is broken off. */
function streamTo(response: ServerResponse, body: AsyncIterable<string | Uint8Array>): Readable {
  response.setTimeout(STALLED_READER_MS, () => response.destroy());
  return Readable.from(body, { objectMode: false });
}

/**
 * Whether the caller already has the present state of the resource. Unlike `ctx.fresh` it does not mind `Cache-Control:
 * no-cache`, which `fetch` adds by itself to a request with this header and which is meant for caches.
 */
function isKnown(ifNoneMatch: string, etag: string | undefined): boolean {
  if (etag === undefined || ifNoneMatch === '') return false;
  const weak = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => weak(tag) === weak(etag));
}

/**
 * Koa removes the type of a 204 when it sends it, but without one the Ruby client returns nothing instead of an object
 * (http-api §2). So it is set again at the moment the head is written.
 */
function keepContentType(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...args: [number]) => {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', jsonType);
    return writeHead.apply(response, args);
  }) as typeof writeHead;
}

/** Shorter texts are not worth the time (http-api §10 rule 2). */
const minBytes = 1_024;

interface Coding {
  readonly text: (bytes: Buffer) => Promise<Buffer>;
  readonly stream: () => Transform;
}

/** In the order of our preference. */
const codings = onDemand((): Readonly<Record<string, Coding>> => {
  const zlib = process.getBuiltinModule('node:zlib');
  // The default quality of brotli is for files that are compressed once.
  const brotli: BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  const brotliText = promisify<Buffer, BrotliOptions, Buffer>(zlib.brotliCompress);
  return {
    br: { text: (bytes) => brotliText(bytes, brotli), stream: () => zlib.createBrotliCompress(brotli) },
    gzip: { text: promisify<Buffer, Buffer>(zlib.gzip), stream: () => zlib.createGzip() },
    deflate: { text: promisify<Buffer, Buffer>(zlib.deflate), stream: () => zlib.createDeflate() },
  };
});

/**
 * The body in a coding that the caller's `Accept-Encoding` allows, with the headers that say so. Not by the package
 * koa-compress (5.2, measured): an answer whose source fails hangs there and does not break off; who refuses every coding
 * and the plain form gets 500; and a text becomes a stream, without a length and, for 2 KiB, with a third more processor
 * time for the whole request.
 */
export async function compressed(ctx: Context, body: string | Readable): Promise<string | Buffer | Readable> {
  if (typeof body === 'string' && Buffer.byteLength(body) < minBytes) return body;
  ctx.vary('Accept-Encoding');
  if (ctx.headers['accept-encoding'] === undefined) return body;
  const offered = codings();
  const name = ctx.acceptsEncodings(...Object.keys(offered), 'identity');
  const coding = typeof name === 'string' ? offered[name] : undefined;
  if (coding === undefined || typeof name !== 'string') return body;
  ctx.set('Content-Encoding', name);
  if (typeof body === 'string') return coding.text(Buffer.from(body));
  // A failure on one side ends the other: the answer breaks off, and a reader that has gone ends the source.
  return pipeline(body, coding.stream(), () => undefined);
}
