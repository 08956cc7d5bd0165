import type { Duplex } from 'node:stream';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { STATUS_CODES } from '../node-http.ts';
import { errorBody } from './error-body.ts';
import { statusOfCode } from './error-status.ts';

type ParseError = Error & { readonly code?: string; readonly reason?: string };

interface Bounds {
  readonly maxHeaderBytes: number;
  readonly maxHeadersMs: number;
}

/**
 * Answers what Node's parser cannot read as HTTP, or what does not come in time, with the one error shape, and hangs up
 * (http-api §3 rule 5, §12).
 */
export function unreadableAnswer(bounds: Bounds) {
  return (error: ParseError, socket: Duplex): void => answerUnreadable(error, socket, bounds);
}

function answerUnreadable(error: ParseError, socket: Duplex, bounds: Bounds): void {
  // A client that has gone gets no answer.
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
  // A client that sends slowly would go on if the connection were ended on one side only.
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
