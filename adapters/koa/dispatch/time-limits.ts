import type { Context } from 'koa';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Route } from '../routing/route.ts';

/**
 * Returns true if the caller asked to wait for completion. Only a few routes offer this option. The wait has its own
 * time limit.
 */
export function waitsForCompletion({ query }: Pick<Route, 'query'>, queryString: string): boolean {
  if (queryString === '' || !('callCompletion' in query)) return false;
  return new URLSearchParams(queryString).get('callCompletion')?.toLowerCase() === 'true';
}

/**
 * Returns the result of `work` or, after the time limit, the result of `over`. The work continues after the limit. If
 * its result arrives late, `late` releases it.
 */
export function withinTime<T>(
  limitMs: number,
  work: Promise<T>,
  { over, late }: { readonly over: () => T; readonly late: (result: T) => Promise<void> },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(Promise.try(over));
      // A late failure has already been reported and logged.
      work.then(late).catch(() => undefined);
    }, limitMs);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * Returns the error for a call that has exceeded its time limit, so that its effect is unknown (platform §16). Payment
 * calls return 7019 with status 503, because 60018 means that nothing was attempted (http-api §12).
 */
export function timeOver(limitMs: number, { permission }: Pick<Route, 'permission'>): BillingError {
  return billingError(
    permission.startsWith('payment:') ? ErrorCode.PAYMENT_INTERNAL_ERROR : ErrorCode.BUSY,
    `The request did not finish within ${limitMs / 1_000} s; it may still take effect`,
  );
}

export const statusOfTimeOver = { [ErrorCode.PAYMENT_INTERNAL_ERROR]: 503 };

/** Returns the error for a body that arrives too late. The work has not started, because it requires the whole body. */
export function lateBody(limitMs: number): BillingError {
  return billingError(
    ErrorCode.MALFORMED_BODY,
    `The body did not arrive within ${limitMs / 1_000} s; the request was not processed`,
  );
}

/** HTTP status of a request that exceeds its time limit (platform §16). */
export const statusOfLateBody = { [ErrorCode.MALFORMED_BODY]: 408 };

/** HTTP status in logs and metrics for a request whose client disconnects. Proxies use the same status. */
const CALLER_GONE = 499;

export const statusOfUnwanted = { [ErrorCode.BUSY]: CALLER_GONE };

export function changesNothing({ method, changesNothing: isRead }: Route): boolean {
  return method === 'GET' || isRead === true;
}

/** Returns a controller that aborts when the caller disconnects before the response is sent. */
export function abortOnDisconnect({ res }: Context, gone: () => void): AbortController {
  const controller = new AbortController();
  const close = (): void => {
    if (res.writableFinished) return;
    gone();
    controller.abort(clientDisconnectedError());
  };
  if (res.destroyed) close();
  else res.once('close', close);
  return controller;
}

export function clientDisconnectedError(): BillingError {
  return billingError(ErrorCode.BUSY, 'The client disconnected, so the request was stopped', {
    isUnwanted: true,
  });
}
