import type { Context } from 'koa';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Route } from './route.ts';

/** Status of such an answer in logs and metrics, as proxies write it; nobody gets it. */
const CALLER_GONE = 499;

/** Status of the error of an answer that nobody waits for, if it is not the code's own. */
export const statusOfUnwanted = { [ErrorCode.BUSY]: CALLER_GONE };

/** Whether the answer of a route is all that a call of it is for. */
export function changesNothing({ method, changesNothing: isRead }: Route): boolean {
  return method === 'GET' || isRead === true;
}

/** A controller that is aborted when the caller hangs up before its answer has been sent. */
export function untilCallerGoes({ res }: Context, gone: () => void): AbortController {
  const controller = new AbortController();
  const close = (): void => {
    if (res.writableFinished) return;
    gone();
    controller.abort(unwanted());
  };
  if (res.destroyed) close();
  else res.once('close', close);
  return controller;
}

/** The error of work that has ended since nobody waits for its answer. */
export function unwanted(): BillingError {
  return new BillingError({
    code: ErrorCode.BUSY,
    message: 'Nobody waits for the answer any more, so the work on it has ended',
    facts: { isUnwanted: true },
  });
}
