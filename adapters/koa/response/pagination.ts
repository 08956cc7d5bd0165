import { MAX_COUNTED_RECORDS } from '../../../lib/limits.ts';
import type { PageRequest } from '../../../lib/ports/storage/index.ts';

/** What the headers of a paged list tell. */
export interface PageFacts extends PageRequest {
  /** Records that match. */
  readonly total: number;
  /** All records of the type in the tenant, or in the account. */
  readonly max: number;
}

const families = ['X-Service-', 'X-Killbill-'] as const;

/**
 * The pagination headers in both spellings (http-api.md §8 rule 3). `path` is that of the request as the client sees
 * it, `query` its parameters with their defaults filled in.
 */
export function paginationHeaders(
  facts: PageFacts,
  place: { readonly path: string; readonly query: URLSearchParams },
): Readonly<Record<string, string>> {
  const next = nextOffset(facts);
  const values: Record<string, string | undefined> = {
    CurrentOffset: String(facts.offset),
    NextOffset: next === undefined ? undefined : String(next),
    TotalNbRecords: String(facts.total),
    MaxNbRecords: facts.max > MAX_COUNTED_RECORDS ? undefined : String(facts.max),
    NextPageUri: next === undefined ? undefined : nextPageUri(next, place),
  };
  const headers: Record<string, string> = {};
  for (const family of families) {
    for (const [name, value] of Object.entries(values)) {
      // A header without value is absent, never empty: clients parse them as numbers.
      if (value !== undefined) headers[`${family}Pagination-${name}`] = value;
    }
  }
  return headers;
}

function nextOffset(facts: PageFacts): number | undefined {
  if (facts.limit === 0) return undefined;
  const next = facts.offset + Math.abs(facts.limit);
  return next < facts.total ? next : undefined;
}

function nextPageUri(
  offset: number,
  place: { readonly path: string; readonly query: URLSearchParams },
): string {
  const query = new URLSearchParams(place.query);
  query.set('offset', String(offset));
  return `${place.path}?${query}`;
}
