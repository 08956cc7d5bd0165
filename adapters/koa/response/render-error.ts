import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isInstance, plainError } from '../../../lib/runtime/index.ts';
import { BillingError, billingError, classNameOf, ErrorCode } from '../../../lib/values/errors/index.ts';
import { challengeOf, type Scheme } from '../auth/credentials.ts';
import { STATUS_CODES } from '../node-http.ts';
import type { BaseUrl } from '../request/addresses.ts';
import { AnsweredError, jsonType } from '../routing/answer.ts';
import { type StatusContext, statusOfCode, statusOfError } from './error-status.ts';
import { jsonText, locationOf } from './render-answer.ts';
import type { Rendered } from './rendered.ts';

/** Retry delay in seconds after a busy account, a busy server, or an unavailable database. */
const retryAfterSeconds = '1';

type ErrorBodyOf = (error: BillingError, status: number) => unknown;

/** Renders the error with its status and headers (http-api §12). */
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

/** The error body of http-api §12, with exactly these keys. */
interface ErrorBody {
  readonly className: string;
  readonly code: number;
  readonly message: string;
  readonly causeClassName: string | null;
  readonly causeMessage: string | null;
  readonly stackTrace: readonly StackFrame[];
}

interface StackFrame {
  readonly className: string;
  readonly fileName: string | null;
  readonly lineNumber: number;
  readonly methodName: string;
  readonly isNativeMethod: boolean;
}

/** Returns a BillingError as is; logs others under the request id and hides their internals. */
export function publicError(error: unknown, requestId: string): BillingError {
  if (isInstance(error, BillingError)) return error;
  return new BillingError({
    code: ErrorCode.UNEXPECTED,
    message: `The request failed for a reason that only the log of the server tells; request id ${requestId}`,
    cause: plainError(error),
  });
}

/** Traces show internals, so `withStackTrace` is for test mode. */
export function errorBody(error: BillingError, options: { readonly withStackTrace: boolean }): ErrorBody {
  const cause = error.cause instanceof BillingError ? error.cause : null;
  const traced = error.code === ErrorCode.UNEXPECTED && error.cause instanceof Error ? error.cause : error;
  return {
    className: error.className,
    code: error.code,
    message: error.message,
    causeClassName: cause === null ? null : classNameOf(cause.code),
    causeMessage: cause === null ? null : cause.message,
    stackTrace: options.withStackTrace ? framesOf(traced) : [],
  };
}

const frameForm = /^\s*at (?:(.*?) \()?(.*?)(?::(\d+))?(?::\d+)?\)?$/;

function framesOf(error: Error): readonly StackFrame[] {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s*at /.test(line));
  return lines.map((line) => {
    const match = frameForm.exec(line);
    const [className = '', methodName = ''] = splitName(match?.[1] ?? '');
    const file = match?.[2] ?? null;
    return {
      className,
      fileName: file,
      lineNumber: Number(match?.[3] ?? -1),
      methodName,
      isNativeMethod: file === 'native',
    };
  });
}

function splitName(name: string): readonly [className: string, methodName: string] {
  const at = name.lastIndexOf('.');
  return at < 0 ? ['', name] : [name.slice(0, at), name.slice(at + 1)];
}

/** Answers a request during shutdown and disconnects (platform §1), so that the client uses another node. */
export function refuseWhileStopping(request: IncomingMessage, response: ServerResponse): void {
  const error = billingError(
    ErrorCode.BUSY,
    'This node is shutting down and has done nothing; send the request again in a moment',
  );
  const { status, headers } = renderError(error, {
    dialect: 'D',
    withStackTrace: false,
    scheme: 'BASIC',
    base: { origin: '', path: '' },
  });
  const body = JSON.stringify(errorBody(error, { withStackTrace: false }));
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...headers, ...length, Connection: 'close' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

type ParseError = Error & { readonly code?: string; readonly reason?: string };

interface Bounds {
  readonly maxHeaderBytes: number;
  readonly maxHeadersMs: number;
}

/** Answers requests that Node cannot parse or that are late, and disconnects (http-api §3 rule 5, §12). */
export function unreadableAnswer(bounds: Bounds) {
  return (error: ParseError, socket: Duplex): void => answerUnreadable(error, socket, bounds);
}

function answerUnreadable(error: ParseError, socket: Duplex, bounds: Bounds): void {
  // The client has disconnected.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...problem } = problemOf(error, bounds);
  const body = JSON.stringify(errorBody(new BillingError(problem), { withStackTrace: false }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // A slow client would continue after a half-close.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    if (status === TIME_OVER) socket.destroy();
  });
}

const TIME_OVER = 408;

function problemOf({ code, reason }: ParseError, { maxHeaderBytes, maxHeadersMs }: Bounds) {
  const refused = (problem: { readonly code: ErrorCode; readonly message: string }) => ({
    ...problem,
    status: statusOfCode(problem.code, { dialect: 'D' }),
  });
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refused({
        code: ErrorCode.TOO_LARGE,
        message: `The headers are larger than ${maxHeaderBytes} bytes`,
      });
    case 'HPE_INVALID_URL':
      return refused({
        code: ErrorCode.INVALID_PARAMETER,
        message: 'The URL holds characters that need to be percent-encoded (UTF-8)',
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        code: ErrorCode.INVALID_PARAMETER,
        message: `The headers of a request have to arrive within ${maxHeadersMs / 1_000} s, its body in the time of a request`,
        status: TIME_OVER,
      };
    default: {
      const why = reason === undefined ? '' : `: ${reason}`;
      return refused({ code: ErrorCode.INVALID_PARAMETER, message: `The request is not HTTP/1.1${why}` });
    }
  }
}
