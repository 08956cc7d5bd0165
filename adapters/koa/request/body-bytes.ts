import type { Context, Middleware } from 'koa';
import { BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import type { RequestBody } from '../routing/body.ts';

const utf8Names = new Set(['', 'utf-8', 'utf8', 'us-ascii']);
const finished = async (): Promise<void> => undefined;

/**
 * The bytes of a request body, undefined when there is none: JSON is parsed later with exact numbers, and an XML
 * document tells its own encoding.
 * @throws BillingError UNSUPPORTED_MEDIA_TYPE, TOO_LARGE, MALFORMED_BODY.
 */
export async function readBody(
  ctx: Context,
  body: RequestBody<unknown>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (!hasBody(ctx)) return undefined;
  checkEncoding(ctx, body);
  // No type with a body: the endpoint's own, since proxies drop it (http-api.md §3 rule 1).
  ctx.req.headers['content-type'] ??= body.mediaTypes[0];
  const read = await readerOf(body, maxBytes);
  try {
    await read(ctx, finished);
  } catch (error) {
    throw readingError(error, maxBytes);
  }
  const { body: text } = ctx.request;
  return typeof text === 'string' ? Buffer.from(text, byteEncoding) : undefined;
}

/** Under this name a character stands for one byte, in koa-body as in `Buffer`. */
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
  // Loaded with the first body: it takes a fifth of the time in which a server may start.
  const { HttpMethodEnum, koaBody } = await import('koa-body');
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [...body.mediaTypes],
    textLimit: maxBytes,
    encoding: byteEncoding,
    // Any method may carry a body (http-api.md §1 rule 8); which routes read one is the table's decision.
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.DELETE],
  });
}

/** Clients send `Content-Type: application/json` with an empty body; that is no body. */
function hasBody(ctx: Context): boolean {
  return ctx.request.length === undefined ? 'transfer-encoding' in ctx.req.headers : ctx.request.length > 0;
}

function checkEncoding(ctx: Context, body: RequestBody<unknown>): void {
  const { 'content-encoding': coding, 'content-type': type } = ctx.req.headers;
  const isPlain = coding === undefined || coding.toLowerCase() === 'identity';
  const isTypeFit = type === undefined || body.mediaTypes.includes(ctx.request.type.toLowerCase());
  const isReadable = !body.utf8Only || utf8Names.has(ctx.request.charset.toLowerCase());
  if (isPlain && isTypeFit && isReadable) return;
  throw new BillingError({
    code: ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    message: `The body must be ${body.mediaTypes.join(' or ')}${body.utf8Only ? ' in UTF-8' : ''}, not compressed`,
    facts: { contentType: type, contentEncoding: coding },
  });
}

function readingError(error: unknown, maxBytes: number): BillingError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) {
    return new BillingError({
      code: ErrorCode.TOO_LARGE,
      message: `The body is larger than ${maxBytes} bytes`,
      facts: { maxBytes },
    });
  }
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: 'The body could not be read',
    cause: error,
  });
}
