import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { challengeOf, type Scheme } from '../auth/challenge.ts';
import type { BaseUrl } from '../request/base-url.ts';
import { AnsweredError } from './answered-error.ts';
import { errorBody } from './error-body.ts';
import { type StatusContext, statusOfError } from './error-status.ts';
import { jsonText, locationOf } from './render-answer.ts';
import { jsonType, type Rendered } from './rendered.ts';

/**
 * Seconds after which a caller may try again that found the account, the server or the database busy, unreachable or
 * full.
 */
const retryAfterSeconds = '1';

/** The body of a failure on a route that has a form of its own. */
type ErrorBodyOf = (error: BillingError, status: number) => unknown;

/** The one error shape with its status and the headers that belong to it (http-api §12). */
export function renderError(
  error: BillingError,
  context: StatusContext & {
    readonly withStackTrace: boolean;
    readonly scheme: Scheme;
    /** What stands before a path of `Location`. */
    readonly base: BaseUrl;
    readonly bodyOf?: ErrorBodyOf | undefined;
  },
): Rendered {
  const status = statusOfError(error, context);
  const headers: Record<string, string> = { 'Content-Type': jsonType, ...headersOf(error) };
  if (error instanceof AnsweredError && error.location !== null) {
    headers.Location = locationOf(context.base, error.location);
  }
  if (status === 413) headers.Connection = 'close';
  const challenge = challengeOf(error, context.scheme);
  if (challenge !== null) headers['WWW-Authenticate'] = challenge;
  return { status, headers, body: jsonText(context.bodyOf?.(error, status) ?? errorBody(error, context)) };
}

function headersOf(error: BillingError): Record<string, string> {
  switch (error.code) {
    case ErrorCode.METHOD_NOT_ALLOWED:
      return { Allow: String(error.facts.allow) };
    case ErrorCode.BUSY:
    case ErrorCode.NO_ROOM:
      return { 'Retry-After': retryAfterSeconds };
    case ErrorCode.TOO_MANY_REQUESTS:
    case ErrorCode.SECURITY_LOCKED_OUT:
      return { 'Retry-After': String(error.facts.retryAfterSeconds ?? retryAfterSeconds) };
    default:
      return {};
  }
}
