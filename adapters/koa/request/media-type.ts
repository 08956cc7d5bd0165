import type { Context } from 'koa';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Success } from '../routing/route.ts';

/** Types that are also served to clients that ask for JSON: these send a fixed `Accept` (http-api §3 rule 4). */
const servedToJsonClients = new Set([
  'application/octet-stream',
  'text/plain',
  'text/html',
  'application/pdf',
]);

/** The media types that a route can produce; none for empty answers. */
export function producedTypes(success: Success): readonly string[] {
  return success.mediaTypes ?? (success.body === undefined ? [] : ['application/json']);
}

/** The type to answer in. @throws BillingError NOT_ACCEPTABLE; empty answers suit every `Accept`. */
export function negotiatedType(ctx: Context, success: Success): string {
  const types = producedTypes(success);
  const [first] = types;
  if (first === undefined) return 'application/json';
  const { accept } = ctx.headers;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  const chosen = ctx.accepts([...types]);
  if (typeof chosen === 'string') return chosen;
  if (servedToJsonClients.has(first) && ctx.accepts('application/json') !== false) return first;
  throw new BillingError({
    code: ErrorCode.NOT_ACCEPTABLE,
    message: `The answer is ${types.join(' or ')}, which the Accept header excludes`,
    facts: { accept: ctx.get('Accept') },
  });
}
