import { createHash } from 'node:crypto';
import { stringifyExactJson } from '../../../lib/money/index.ts';
import type { BaseUrl } from '../request/base-url.ts';
import type { Answer } from '../routing/answer.ts';
import { CORE } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import { filledQuery } from '../wire/query.ts';
import { isLong, jsonListPieces } from './json-pieces.ts';
import { type Paging, paginationHeaders } from './pagination.ts';
import { jsonType, type Rendered } from './rendered.ts';

/** What a handler gave back, as it goes out. */
export function renderAnswer(input: {
  readonly route: Route;
  readonly answer: Answer;
  readonly base: BaseUrl;
  readonly mediaType: string;
  /** Of the request, as it was sent. */
  readonly place: { readonly path: string; readonly queryString: string };
  readonly paging: Paging;
}): Rendered {
  const { route, answer, base } = input;
  const place = { path: input.place.path, query: filledQuery(route.query, input.place.queryString) };
  const { type, body } = contentOf(answer, input.mediaType);
  return {
    status: answer.status ?? route.success.status,
    headers: {
      'Content-Type': type,
      ...answer.headers,
      ...(answer.location === undefined
        ? {}
        : { Location: `${base.origin}${base.path}${CORE}${answer.location}` }),
      ...(answer.page === undefined ? {} : paginationHeaders(answer.page, place, input.paging)),
      ...(typeof body === 'string' && isResource(route, answer) ? { ETag: entityTag(body) } : {}),
    },
    body,
  };
}

/** Exact JSON; undefined is an empty body, which has a type and a length all the same. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : stringifyExactJson(value);
}

/** One JSON resource, not a list (http-api.md §11 rule 1); what needs no credentials tells of the moment. */
function isResource(route: Pick<Route, 'method' | 'credentials'>, { json, status }: Answer): boolean {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject && status === undefined && route.method === 'GET' && route.credentials !== 'NONE';
}

/** Weak: a compressed answer has the same one. */
function entityTag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

function contentOf({ jsonPieces, textPieces, text, json, page }: Answer, mediaType: string) {
  if (jsonPieces !== undefined) return { type: jsonType, body: jsonPieces };
  if (textPieces !== undefined) return { type: mediaType, body: textPieces };
  if (text !== undefined) return { type: `${mediaType}; charset=utf-8`, body: text };
  if (page !== undefined && Array.isArray(json) && isLong(json))
    return { type: jsonType, body: jsonListPieces(json) };
  return { type: jsonType, body: jsonText(json) };
}
