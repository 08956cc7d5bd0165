import { hash } from 'node:crypto';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import type { BaseUrl } from '../request/addresses.ts';
import { type Answer, jsonType, type PageFacts } from '../routing/answer.ts';
import { CORE } from '../routing/path.ts';
import type { Route } from '../routing/route.ts';
import {
  isList,
  isLong,
  JsonText,
  jsonBits,
  piecesOf,
  textOrPieces,
  wholeText,
  windowBits,
} from '../wire/json-pieces.ts';
import { filledQuery } from '../wire/query.ts';
import type { Rendered } from './rendered.ts';

interface Rendering {
  readonly route: Route;
  readonly answer: Answer;
  readonly base: BaseUrl;
  readonly mediaType: string;
  readonly place: { readonly path: string; readonly queryString: string };
  readonly paging: Paging;
  /** Signal that aborts when the caller disconnects. */
  readonly wanted: AbortSignal | undefined;
}

export async function renderAnswer(input: Rendering): Promise<Rendered> {
  const { route, answer, base } = input;
  const { type, body } = wholeContent(input) ?? (await longContent(input));
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

export function locationOf(base: BaseUrl, path: string): string {
  return `${base.origin}${base.path}${CORE}${path}`;
}

function placeOf({ route, place }: Pick<Rendering, 'route' | 'place'>) {
  return { path: place.path, query: filledQuery(route.query, place.queryString) };
}

/** Returns the body as exact JSON. An empty body still has a type and a length. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : stringifyExactJson(value);
}

/**
 * Returns true if the route returns a single JSON resource (http-api §11 rule 1). Excludes routes without credentials,
 * because their responses change constantly.
 */
function isResource(route: Pick<Route, 'method' | 'credentials'>, { json, status }: Answer): boolean {
  const isObject =
    json instanceof JsonText ? !json.isList : typeof json === 'object' && json !== null && !isList(json);
  return isObject && status === undefined && route.method === 'GET' && route.credentials !== 'NONE';
}

/** Returns a weak entity tag. A strong tag would have to differ for the compressed response. */
function entityTag(body: string): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

/** Returns the content of a response. Returns null for long JSON, which is written in pieces. */
function wholeContent({ answer, mediaType }: Rendering) {
  const { jsonPieces, textPieces, bytePieces, jsonWindows, text, json, bytes } = answer;
  if (json instanceof JsonText) return { type: jsonType, body: json.text };
  if (jsonPieces !== undefined) return { type: jsonType, body: jsonPieces };
  if (textPieces !== undefined) return { type: mediaType, body: textPieces };
  if (bytePieces !== undefined) return { type: mediaType, body: bytePieces };
  if (bytes !== undefined) return { type: mediaType, body: Buffer.from(bytes) };
  if (text !== undefined) return { type: `${mediaType}; charset=utf-8`, body: text };
  return jsonWindows !== undefined || isLong(json) ? null : { type: jsonType, body: jsonText(json) };
}

async function longContent({ route, answer, wanted }: Rendering) {
  const { jsonWindows, json } = answer;
  const pieces = piecesOf(jsonWindows === undefined ? [jsonBits(json)] : windowBits(jsonWindows), wanted);
  const isWhole = jsonWindows === undefined && isResource(route, answer) && answer.isStreamed !== true;
  return { type: jsonType, body: isWhole ? await wholeText(pieces) : await textOrPieces(pieces) };
}

interface Paging {
  /** Prefixes of the pagination headers. */
  readonly prefixes: readonly string[];
  /** Number of rows above which lists contain no total (`server.pagination.countThreshold`). */
  readonly countThreshold: number;
}

/** Returns the pagination headers in all spellings (http-api §8 rule 3). `query` includes default values. */
export function paginationHeaders(
  facts: PageFacts,
  place: { readonly path: string; readonly query: URLSearchParams },
  { prefixes, countThreshold }: Paging,
): Readonly<Record<string, string>> {
  const isLarge = facts.max > countThreshold;
  // The list is not filtered, so the total counts all records.
  const isCounted = !isLarge || facts.total < facts.max;
  const next = nextOffset(facts, isCounted);
  const values: Record<string, string | undefined> = {
    CurrentOffset: String(facts.offset),
    NextOffset: next === undefined ? undefined : String(next),
    TotalNbRecords: isCounted ? String(facts.total) : undefined,
    MaxNbRecords: isLarge ? undefined : String(facts.max),
    NextPageUri: next === undefined ? undefined : nextPageUri(next, place),
  };
  const headers: Record<string, string> = {};
  for (const prefix of prefixes) {
    for (const [name, value] of Object.entries(values)) {
      // Clients parse these headers as numbers, so an empty header is omitted.
      if (value !== undefined) headers[`${prefix}Pagination-${name}`] = value;
    }
  }
  return headers;
}

/**
 * Returns the offset of the next page. If the total is unknown, a full page may be followed by another page (http-api
 * §8 rule 4).
 */
function nextOffset(facts: PageFacts, isCounted: boolean): number | undefined {
  const size = Math.abs(facts.limit);
  if (size === 0) return undefined;
  const next = facts.offset + size;
  const hasMore = isCounted ? next < facts.total : facts.returned === size;
  return hasMore ? next : undefined;
}

function nextPageUri(
  offset: number,
  place: { readonly path: string; readonly query: URLSearchParams },
): string {
  const query = new URLSearchParams(place.query);
  query.set('offset', String(offset));
  return `${place.path}?${query}`;
}
