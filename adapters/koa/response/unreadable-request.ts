import type { Duplex } from 'node:stream';
import { BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import { STATUS_CODES } from '../node-http.ts';
import { errorBody } from './error-body.ts';
import { statusOfCode } from './error-status.ts';

type ParseError = Error & { readonly code?: string; readonly reason?: string };

/** Answers what Node's parser cannot read as HTTP with the one error shape, and hangs up (http-api.md §3 rule 5, §12). */
export function unreadableAnswer(maxHeaderBytes: number) {
  return (error: ParseError, socket: Duplex): void => answerUnreadable(error, socket, maxHeaderBytes);
}

function answerUnreadable(error: ParseError, socket: Duplex, maxHeaderBytes: number): void {
  // A client that has gone gets no answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error, maxHeaderBytes);
  const status = statusOfCode(problem.code, { dialect: 'D' });
  const body = JSON.stringify(errorBody(new BillingError(problem), { withStackTrace: false }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function problemOf({ code, reason }: ParseError, maxHeaderBytes: number) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: ErrorCode.TOO_LARGE, message: `The headers are larger than ${maxHeaderBytes} bytes` };
    case 'HPE_INVALID_URL':
      return {
        code: ErrorCode.INVALID_PARAMETER,
        message: 'The URL holds characters that need to be percent-encoded (UTF-8)',
      };
    default: {
      const why = reason === undefined ? '' : `: ${reason}`;
      return { code: ErrorCode.INVALID_PARAMETER, message: `The request is not HTTP/1.1${why}` };
    }
  }
}
