import { hash } from 'node:crypto';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import type { BaseUrl } from '../request/base-url.ts';
import type { Answer } from '../routing/answer.ts';
import { CORE } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import { filledQuery } from '../wire/query.ts';
import { isList, isLong, jsonBits, piecesOf, textOrPieces, wholeText, windowBits } from './json-pieces.ts';
import { type Paging, paginationHeaders } from './pagination.ts';
import { jsonType, type Rendered } from './rendered.ts';

interface Rendering {
  readonly route: Route;
  readonly answer: Answer;
  readonly base: BaseUrl;
  readonly mediaType: string;
  /** Of the request, as it was sent. */
  readonly place: { readonly path: string; readonly queryString: string };
  readonly paging: Paging;
  /** Aborted once nobody waits for the answer. */
  readonly wanted: AbortSignal | undefined;
}

/** What a handler gave back, as it goes out. */
export async function renderAnswer(input: Rendering): Promise<Rendered> {
  const { route, answer, base } = input;
  const { type, body } = await contentOf(input);
  return {
    status: answer.status ?? route.success.status,
    headers: {
      'Content-Type': type,
      ...answer.headers,
      ...(answer.location === undefined ? {} : { Location: locationOf(base, answer.location) }),
      ...(answer.page === undefined ? {} : paginationHeaders(answer.page, placeOf(input), input.paging)),
      ...(typeof body === 'string' && isResource(route, answer) ? { ETag: entityTag(body) } : {}),
    },
    body,
    ...(answer.bytePieces === undefined ? {} : { isFile: true }),
  };
}

/** The whole `Location` of a path below the core prefix. */
export function locationOf(base: BaseUrl, path: string): string {
  return `${base.origin}${base.path}${CORE}${path}`;
}

/** The path and the whole query of the request, for links to other pages. */
function placeOf({ route, place }: Pick<Rendering, 'route' | 'place'>) {
  return { path: place.path, query: filledQuery(route.query, place.queryString) };
}

/** Exact JSON; undefined is an empty body, which has a type and a length all the same. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : stringifyExactJson(value);
}

/** One JSON resource, not a list (http-api §11 rule 1); answers without credentials are about the present moment. */
function isResource(route: Pick<Route, 'method' | 'credentials'>, { json, status }: Answer): boolean {
  const isObject = typeof json === 'object' && json !== null && !isList(json);
  return isObject && status === undefined && route.method === 'GET' && route.credentials !== 'NONE';
}

/** Weak, since a compressed answer has the same one. */
function entityTag(body: string): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

async function contentOf({ route, answer, mediaType, wanted }: Rendering) {
  const { jsonPieces, textPieces, bytePieces, jsonWindows, text, json, bytes } = answer;
  if (jsonPieces !== undefined) return { type: jsonType, body: jsonPieces };
  if (textPieces !== undefined) return { type: mediaType, body: textPieces };
  if (bytePieces !== undefined) return { type: mediaType, body: bytePieces };
  if (bytes !== undefined) return { type: mediaType, body: Buffer.from(bytes) };
  if (text !== undefined) return { type: `${mediaType}; charset=utf-8`, body: text };
  if (jsonWindows !== undefined)
    return { type: jsonType, body: await textOrPieces(piecesOf(windowBits(jsonWindows), wanted)) };
  if (!isLong(json)) return { type: jsonType, body: jsonText(json) };
  const pieces = piecesOf([jsonBits(json)], wanted);
  const isWhole = isResource(route, answer) && answer.isStreamed !== true;
  return { type: jsonType, body: isWhole ? await wholeText(pieces) : await textOrPieces(pieces) };
}
