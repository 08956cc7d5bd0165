import {
  MAX_BULK_USAGE_BYTES,
  MAX_BULK_USAGE_LINES,
  MAX_HEADER_BYTES,
  MAX_JSON_BODY_BYTES,
  MAX_NOTIFICATION_BYTES,
  MAX_PAGE_SIZE,
  MAX_REQUEST_LIST,
  MAX_TEXT_BODY_BYTES,
  MAX_URL_BYTES,
} from '../../../lib/values/limits.ts';

/** Bounds of a request (`server.limits.…`, platform §16). Sizes are bytes; above them it is refused with 413 or 414. */
export interface RequestLimits {
  readonly json: number;
  /** An XML catalog also has a bound of its own (catalog §3.2). */
  readonly text: number;
  readonly header: number;
  readonly url: number;
  /** Elements of each list in a JSON body; more are refused with 400. */
  readonly list: number;
  /** Records of a page at most; a larger page is cut. */
  readonly page: number;
  /** Bytes and records of a bulk call of usage (`usage.bulk.…`). */
  readonly bulkBytes: number;
  readonly bulkRecords: number;
}

export const defaultRequestLimits: RequestLimits = {
  json: MAX_JSON_BODY_BYTES,
  text: MAX_TEXT_BODY_BYTES,
  header: MAX_HEADER_BYTES,
  url: MAX_URL_BYTES,
  list: MAX_REQUEST_LIST,
  page: MAX_PAGE_SIZE,
  bulkBytes: MAX_BULK_USAGE_BYTES,
  bulkRecords: MAX_BULK_USAGE_LINES,
};

/** Stands for every media type. */
export const ANY_TYPE = '*/*';

/** How many bytes a body may have; a text endpoint takes JSON as text, and a body of any type is a notification. */
export function bodyLimit(
  { mediaTypes, isStreamed }: { readonly mediaTypes: readonly string[]; readonly isStreamed?: true },
  limits: RequestLimits,
): number {
  if (isStreamed) return limits.bulkBytes;
  if (mediaTypes[0] === ANY_TYPE) return MAX_NOTIFICATION_BYTES;
  return mediaTypes[0] === 'application/json' ? limits.json : limits.text;
}
