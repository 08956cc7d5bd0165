import cors from '@koa/cors';
import type { Context } from 'koa';
import type { HeaderFamilies } from './header-families.ts';

/** Suffixes of the headers of both families (http-api §2). */
const familySuffixes = [
  'ApiKey',
  'ApiSecret',
  'CreatedBy',
  'Reason',
  'Comment',
  'Encoding',
  'Profiling-Req',
  'Request-Id-Req',
  'Pagination-CurrentOffset',
  'Pagination-NextOffset',
  'Pagination-TotalNbRecords',
  'Pagination-MaxNbRecords',
  'Pagination-NextPageUri',
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

/** Seconds for which a browser may remember what is allowed; longer ones are cut by browsers. */
const preflightSeconds = 7_200;

/**
 * Sets the headers that let pages of other origins call (http-api §10 rule 1): none if no origin is allowed, for `*`
 * those without credentials, else for the listed origins those with credentials. A preflight request is told what it may
 * do.
 */
export function crossOrigin(
  allowedOrigins: readonly string[],
  { prefixes }: HeaderFamilies,
): (ctx: Context) => Promise<void> {
  if (allowedOrigins.length === 0) return async () => undefined;
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
  // Every OPTIONS goes on to its answer, 200 with `Allow` (http-api §1 rule 6).
  return (ctx) => setHeaders(isPlainOptions(ctx) ? likeGet(ctx) : ctx, async () => undefined);
}

/** An OPTIONS that a page sends itself, not its browser on its behalf: the package would let no page read its answer. */
function isPlainOptions(ctx: Context): boolean {
  return ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') === '';
}

function likeGet(ctx: Context): Context {
  return Object.create(ctx, { method: { value: 'GET' } });
}
