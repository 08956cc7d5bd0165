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
const preflightSeconds = '7200';

/**
 * Sets the headers that let pages of other origins call (http-api §10 rule 1): none if no origin is allowed, for `*`
 * those without credentials, else for the listed origins those with credentials. A preflight request is told what it may
 * do.
 */
export function crossOrigin(
  allowedOrigins: readonly string[],
  { prefixes }: HeaderFamilies,
): (ctx: Context) => void {
  const familyNames = prefixes.flatMap((prefix) => familySuffixes.map((suffix) => prefix + suffix));
  const headerNames = [...plainNames, ...familyNames].join(', ');
  const isForAll = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  return (ctx) => {
    if (allowed.size === 0) return;
    if (!isForAll) ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (!isForAll && !allowed.has(origin)) return;
    ctx.set('Access-Control-Allow-Origin', isForAll ? '*' : origin);
    if (!isForAll) ctx.set('Access-Control-Allow-Credentials', 'true');
    ctx.set('Access-Control-Expose-Headers', headerNames);
    if (ctx.method !== 'OPTIONS') return;
    ctx.set('Access-Control-Allow-Methods', methods);
    ctx.set('Access-Control-Allow-Headers', headerNames);
    ctx.set('Access-Control-Max-Age', preflightSeconds);
  };
}
