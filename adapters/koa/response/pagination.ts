import type { PageRequest } from '../../../lib/records/index.ts';

/** What the headers of a paged list tell. */
export interface PageFacts extends PageRequest {
  /** Records on this page. */
  readonly returned: number;
  /** Records that match. */
  readonly total: number;
  /** All records of the type in the tenant, or in the account. */
  readonly max: number;
}

/** `max` of a list that nobody has counted: no header shows it. */
export const UNCOUNTED = Number.POSITIVE_INFINITY;

/** How the server tells of pages. */
export interface Paging {
  /** Of the headers, each of which is sent in every family. */
  readonly prefixes: readonly string[];
  /** Records above which lists have no totals (`server.pagination.countThreshold`). */
  readonly countThreshold: number;
}

/**
 * The pagination headers in every spelling (http-api §8 rule 3). `path` is the request's as the client sees it, `query`
 * its parameters with their defaults filled in.
 */
export function paginationHeaders(
  facts: PageFacts,
  place: { readonly path: string; readonly query: URLSearchParams },
  { prefixes, countThreshold }: Paging,
): Readonly<Record<string, string>> {
  const isLarge = facts.max > countThreshold;
  // A list of all existing records is an unfiltered one.
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
      // A header without value is absent, never empty: clients parse them as numbers.
      if (value !== undefined) headers[`${prefix}Pagination-${name}`] = value;
    }
  }
  return headers;
}

/** Without a count, a full page means that there may be another one (http-api §8 rule 4). */
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
