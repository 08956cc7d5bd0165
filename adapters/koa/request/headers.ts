import type { IncomingHttpHeaders } from 'node:http';
import cors from '@koa/cors';
import type { Context } from 'koa';
import { billingError, ErrorCode, invalidField, invalidParameter } from '../../../lib/values/errors/index.ts';
import { isUuid, type Uuid } from '../../../lib/values/ids/index.ts';
import { isStorable, NOT_STORABLE } from '../../../lib/values/text/index.ts';
import { type Dialect, type HeaderFamilies, headerPrefixOf } from '../dialect.ts';
import { type Authorship, producedTypes, type Success } from '../routing/route.ts';

const maxCharacters = 255;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns the author, reason and comment of a request. Decodes them if the header `Encoding: base64` is set.
 * @throws BillingError INVALID_PARAMETER for an invalid header.
 */
export function authorshipOf(
  headers: IncomingHttpHeaders,
  families: HeaderFamilies,
  dialect: Dialect,
): Authorship {
  const isEncoded = families.header(headers, 'Encoding')?.trim().toLowerCase() === 'base64';
  const read = (suffix: string): string | null => {
    const raw = families.header(headers, suffix)?.trim();
    const value = raw && isEncoded ? decodeHeader(raw) : raw;
    if (value === undefined || value === '') return null;
    const name = `Header ${headerPrefixOf[dialect]}${suffix}`;
    if (!isStorable(value)) throw invalidParameter(`${name} ${NOT_STORABLE}`);
    if (value.length <= maxCharacters) return value;
    throw invalidParameter(
      `${name} is ${value.length} characters long; at most ${maxCharacters} are allowed`,
    );
  };
  return { createdBy: read('CreatedBy'), reason: read('Reason'), comment: read('Comment') };
}

/**
 * Checks that a call that changes data names an author (http-api §2).
 * @throws BillingError MISSING_OR_INVALID_FIELD if it does not.
 */
export function requireAuthor(authorship: Authorship, dialect: Dialect): string {
  if (authorship.createdBy !== null) return authorship.createdBy;
  throw invalidField(`Header ${headerPrefixOf[dialect]}CreatedBy needs to be set`);
}

/** The request id sent in the response, and the user token that groups the changes of the request. */
export interface RequestId {
  readonly echo: string;
  readonly userToken: Uuid;
}

const visibleText = /^[\x20-\x7e]{1,255}$/;

/**
 * Returns the request id of the caller if it can be sent back in a header. Otherwise returns `fresh` (http-api §2,
 * `X-Request-Id`).
 */
export function requestIdOf(
  headers: IncomingHttpHeaders,
  families: HeaderFamilies,
  fresh: () => Uuid,
): RequestId {
  const sent = [headers['x-request-id']].flat()[0] ?? families.header(headers, 'Request-Id-Req');
  const lower = sent?.trim().toLowerCase() ?? '';
  const userToken = isUuid(lower) ? lower : fresh();
  return { echo: sent !== undefined && visibleText.test(sent) ? sent : userToken, userToken };
}

/** Decodes a header value. If the value is not base64 of UTF-8 text, returns it unchanged (http-api §2). */
function decodeHeader(value: string): string {
  if (!base64Form.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
  } catch {
    return value;
  }
}

/**
 * Media types that are sent even if `Accept` requests only JSON, because some clients send this `Accept` header with
 * every request (http-api §3 rule 4).
 */
const servedToJsonClients = new Set([
  'application/octet-stream',
  'text/plain',
  'text/html',
  'application/pdf',
]);

/**
 * Returns the media type of the response. An empty response satisfies every `Accept` header.
 * @throws BillingError NOT_ACCEPTABLE if no type is acceptable.
 */
export function negotiatedType(ctx: Context, success: Success): string {
  const types = producedTypes(success);
  const [first] = types;
  if (first === undefined) return 'application/json';
  const { accept } = ctx.headers;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  const chosen = ctx.accepts([...types]);
  if (typeof chosen === 'string') return chosen;
  if (servedToJsonClients.has(first) && ctx.accepts('application/json') !== false) return first;
  throw billingError(
    ErrorCode.NOT_ACCEPTABLE,
    `The response type is ${types.join(' or ')}, which the Accept header does not allow`,
    { accept: ctx.get('Accept') },
  );
}

/** Suffixes of the headers that exist with each prefix (http-api §2). */
const familySuffixes = [
  'ApiKey',
  'ApiSecret',
  'CreatedBy',
  'Reason',
  'Comment',
  'Encoding',
  'Profiling-Req',
  'Request-Id-Req',
  ...['CurrentOffset', 'NextOffset', 'TotalNbRecords', 'MaxNbRecords', 'NextPageUri'].map(
    (name) => `Pagination-${name}`,
  ),
];

const plainNames = [
  'Authorization',
  'Content-Type',
  'Location',
  'ETag',
  'If-None-Match',
  'Idempotency-Key',
  'Idempotency-Replayed',
  'Retry-After',
  'X-Request-Id',
];

const methods = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';

const preflightSeconds = 7_200;

/**
 * Returns a function that sets CORS headers (http-api §10 rule 1), or null if no origins are allowed. Credentials are
 * allowed for listed origins, but not for `*`.
 */
export function crossOrigin(
  allowedOrigins: readonly string[],
  { prefixes }: HeaderFamilies,
): ((ctx: Context) => Promise<void>) | null {
  if (allowedOrigins.length === 0) return null;
  const isForAll = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  const familyNames = prefixes.flatMap((prefix) => familySuffixes.map((suffix) => prefix + suffix));
  const headerNames = [...plainNames, ...familyNames].join(', ');
  const setHeaders = cors({
    origin: (ctx) => (isForAll ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    credentials: !isForAll,
    allowMethods: methods,
    allowHeaders: headerNames,
    exposeHeaders: headerNames,
    maxAge: preflightSeconds,
  });
  return (ctx) => {
    // An OPTIONS request that a page's own code sends is not a preflight. `@koa/cors` would hide the response from the
    // page.
    const isPlain = ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') === '';
    const shown: Context = isPlain ? Object.create(ctx, { method: { value: 'GET' } }) : ctx;
    // Every OPTIONS request returns 200 and `Allow` (http-api §1 rule 6).
    return setHeaders(shown, async () => undefined);
  };
}
