import type { IncomingMessage, ServerResponse } from 'node:http';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { errorBody } from './error-body.ts';
import { renderError } from './render-error.ts';

/**
 * Answers a request that comes on a kept connection while the server stops, and hangs up (platform §1), so that its
 * client goes to another node.
 */
export function refuseWhileStopping(request: IncomingMessage, response: ServerResponse): void {
  const error = new BillingError({
    code: ErrorCode.BUSY,
    message: 'This node is shutting down and has done nothing; send the request again in a moment',
  });
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
