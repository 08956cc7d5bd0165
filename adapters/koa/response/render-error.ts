import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isInstance, plainError } from '../../../lib/runtime/index.ts';
import {
  BillingError,
  billingError,
  classNameOf,
  ErrorCode,
  invalidParameter,
} from '../../../lib/values/errors/index.ts';
import { challengeOf, type Scheme } from '../auth/credentials.ts';
import { STATUS_CODES } from '../node-http.ts';
import type { BaseUrl } from '../request/addresses.ts';
import { AnsweredError, jsonType } from '../routing/answer.ts';
import { type StatusContext, statusOfCode, statusOfError } from './error-status.ts';
import { jsonText, locationOf } from './render-answer.ts';
import type { Rendered } from './rendered.ts';

/** Seconds after which a client may try again when the account or the server is busy or the database is unavailable. */
const retryAfterSeconds = '1';

type ErrorBodyOf = (error: BillingError, status: number) => unknown;

/** Converts the error to a response with its status and headers (http-api §12). */
export function renderError(
  error: BillingError,
  context: StatusContext & {
    readonly withStackTrace: boolean;
    readonly scheme: Scheme;
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

/**
 * Returns a BillingError unchanged. Logs any other error with the request id, and returns an error that hides its
 * details.
 */
export function publicError(error: unknown, requestId: string): BillingError {
  if (isInstance(error, BillingError)) return error;
  return new BillingError({
    code: ErrorCode.UNEXPECTED,
    message: `The request failed; the server log contains the reason under request id ${requestId}`,
    cause: plainError(error),
  });
}

/**
 * Returns the body of an error response with exactly the keys of http-api §12. Stack traces reveal internals, so they
 * are included only in test mode.
 */
export function errorBody(
  error: BillingError,
  { withStackTrace = false }: { readonly withStackTrace?: boolean } = {},
) {
  const cause = error.cause instanceof BillingError ? error.cause : null;
  const traced = error.code === ErrorCode.UNEXPECTED && error.cause instanceof Error ? error.cause : error;
  return {
    className: error.className,
    code: error.code,
    message: error.message,
    causeClassName: cause === null ? null : classNameOf(cause.code),
    causeMessage: cause === null ? null : cause.message,
    stackTrace: withStackTrace ? framesOf(traced) : [],
  };
}

/**
 * Returns the body of an error response with the error's facts. Facts with their own JSON form, such as dates, become
 * text.
 */
export function errorBodyWithFacts(error: BillingError) {
  return { ...errorBody(error), facts: error.facts, problems: error.problems ?? [] };
}

const frameForm = /^\s*at (?:(.*?) \()?(.*?)(?::(\d+))?(?::\d+)?\)?$/;

function framesOf(error: Error) {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s*at /.test(line));
  return lines.map((line) => {
    const [, name = '', fileName = null, lineNumber = -1] = frameForm.exec(line) ?? [];
    const at = name.lastIndexOf('.');
    return {
      className: name.slice(0, Math.max(at, 0)),
      fileName,
      lineNumber: Number(lineNumber),
      methodName: name.slice(at + 1),
      isNativeMethod: fileName === 'native',
    };
  });
}

/** Rejects a request during shutdown and closes the connection, so that the client uses another node (platform §1). */
export function refuseWhileStopping(request: IncomingMessage, response: ServerResponse): void {
  const error = billingError(
    ErrorCode.BUSY,
    'This node is shutting down and did not process the request; send it again in a moment',
  );
  const { status, headers } = renderError(error, {
    dialect: 'D',
    withStackTrace: false,
    scheme: 'BASIC',
    base: { origin: '', path: '' },
  });
  const body = JSON.stringify(errorBody(error));
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...headers, ...length, Connection: 'close' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

type ParseError = Error & { readonly code?: string; readonly reason?: string };

interface Bounds {
  readonly maxHeaderBytes: number;
  readonly maxHeadersMs: number;
}

/**
 * Rejects requests that Node cannot parse or that arrive too late, and closes the connection (http-api §3 rule 5, §12).
 */
export function unreadableAnswer(bounds: Bounds) {
  return (error: ParseError, socket: Duplex): void => {
    // The client has disconnected.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const problem = problemOf(error, bounds);
    const status = isLate ? 408 : statusOfCode(problem.code, { dialect: 'D' });
    const body = JSON.stringify(errorBody(problem));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    // If the connection were only half-closed, a slow client would continue to send.
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
      if (isLate) socket.destroy();
    });
  };
}

function problemOf({ code, reason }: ParseError, { maxHeaderBytes, maxHeadersMs }: Bounds): BillingError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return billingError(ErrorCode.TOO_LARGE, `The headers are larger than ${maxHeaderBytes} bytes`);
    case 'HPE_INVALID_URL':
      return invalidParameter('The URL contains characters that must be percent-encoded (UTF-8)');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return invalidParameter(
        `The request headers must arrive within ${maxHeadersMs / 1_000} s, and the body within the request time limit`,
      );
    default:
      return invalidParameter(`The request is not HTTP/1.1${reason === undefined ? '' : `: ${reason}`}`);
  }
}
