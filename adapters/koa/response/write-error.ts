import type { Context } from 'koa';
import { type BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import { challengeOf, type Scheme } from '../auth/challenge.ts';
import { errorBody } from './error-body.ts';
import { type StatusContext, statusOfCode } from './error-status.ts';
import { writeJson } from './write-answer.ts';

/** Seconds after which a caller may try again what found the account or the server busy. */
const retryAfterSeconds = '1';

/** The body of a failure on a route that has a form of its own. */
type ErrorBodyOf = (error: BillingError, status: number) => unknown;

/** Writes the one error shape with its status and the headers that belong to it (http-api.md §12). */
export function writeError(
  ctx: Context,
  error: BillingError,
  context: StatusContext & {
    readonly withStackTrace: boolean;
    readonly scheme: Scheme;
    readonly bodyOf?: ErrorBodyOf | undefined;
  },
): void {
  ctx.status = statusOfCode(error.code, context);
  const headers = headersOf(error);
  if (ctx.status === 413) headers.Connection = 'close';
  const challenge = challengeOf(error, context.scheme);
  if (challenge !== null) headers['WWW-Authenticate'] = challenge;
  ctx.set(headers);
  writeJson(ctx, context.bodyOf?.(error, ctx.status) ?? errorBody(error, context));
}

function headersOf(error: BillingError): Record<string, string> {
  switch (error.code) {
    case ErrorCode.METHOD_NOT_ALLOWED:
      return { Allow: String(error.facts.allow) };
    case ErrorCode.BUSY:
    case ErrorCode.TOO_MANY_REQUESTS:
      return { 'Retry-After': retryAfterSeconds };
    case ErrorCode.SECURITY_LOCKED_OUT:
      return { 'Retry-After': String(error.facts.retryAfterSeconds ?? retryAfterSeconds) };
    default:
      return {};
  }
}
