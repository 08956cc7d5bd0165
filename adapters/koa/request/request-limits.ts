import {
  MAX_HEADER_BYTES,
  MAX_JSON_BODY_BYTES,
  MAX_TEXT_BODY_BYTES,
  MAX_URL_BYTES,
} from '../../../lib/limits.ts';
import type { RequestBody } from '../routing/body.ts';

/** Sizes of a request in bytes (`server.limits.…`, platform.md §16); above them it is refused with 413 or 414. */
export interface RequestLimits {
  readonly json: number;
  /** An XML document of a catalog has a bound of its own besides (catalog.md §3.2). */
  readonly text: number;
  readonly header: number;
  readonly url: number;
}

export const defaultRequestLimits: RequestLimits = {
  json: MAX_JSON_BODY_BYTES,
  text: MAX_TEXT_BODY_BYTES,
  header: MAX_HEADER_BYTES,
  url: MAX_URL_BYTES,
};

/** How many bytes a body may have; what is text takes JSON as text. */
export function bodyLimit(body: Pick<RequestBody<unknown>, 'mediaTypes'>, limits: RequestLimits): number {
  return body.mediaTypes[0] === 'application/json' ? limits.json : limits.text;
}
