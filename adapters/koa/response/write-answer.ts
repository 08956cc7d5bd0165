import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { stringifyExactJson } from '../../../lib/money/index.ts';
import type { BaseUrl } from '../request/base-url.ts';
import type { Answer } from '../routing/answer.ts';
import { CORE } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import { filledQuery } from '../wire/query.ts';
import { paginationHeaders } from './pagination.ts';

const jsonType = 'application/json';

/** Writes what a handler gave back. */
export function writeAnswer(
  ctx: Context,
  input: {
    readonly route: Route;
    readonly answer: Answer;
    readonly base: BaseUrl;
    readonly mediaType: string;
  },
): void {
  const { route, answer, base, mediaType } = input;
  ctx.status = answer.status ?? route.success.status;
  if (answer.headers !== undefined) ctx.set({ ...answer.headers });
  if (answer.location !== undefined)
    ctx.set('Location', `${base.origin}${base.path}${CORE}${answer.location}`);
  if (answer.page !== undefined) {
    const place = { path: ctx.path, query: filledQuery(route.query, ctx.querystring) };
    ctx.set({ ...paginationHeaders(answer.page, place) });
  }
  if (ctx.status === 204) keepContentType(ctx.res);
  else if (answer.jsonPieces !== undefined) writePieces(ctx, answer.jsonPieces);
  else if (answer.text !== undefined) writeText(ctx, answer.text, mediaType);
  else writeJson(ctx, answer.json);
}

/** `value` as exact JSON; undefined is an empty body, which has a type and a length all the same. */
export function writeJson(ctx: Context, value: unknown): void {
  ctx.set('Content-Type', jsonType);
  ctx.body = value === undefined ? '' : stringifyExactJson(value);
}

/** An error while it is sent can only break the answer off: its head is gone. */
function writePieces(ctx: Context, pieces: AsyncIterable<string>): void {
  ctx.set('Content-Type', jsonType);
  ctx.body = Readable.from(pieces);
}

function writeText(ctx: Context, text: string, mediaType: string): void {
  ctx.set('Content-Type', `${mediaType}; charset=utf-8`);
  ctx.body = text;
}

/**
 * Koa takes the type away from a 204 when it sends it, yet the Ruby client returns nothing instead of an object without
 * one (http-api.md §2): it is set again at the moment the head is written.
 */
function keepContentType(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...args: [number]) => {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', jsonType);
    return writeHead.apply(response, args);
  }) as typeof writeHead;
}
