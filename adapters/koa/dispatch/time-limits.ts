import type { Context } from 'koa';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Route } from '../routing/route.ts';

/** Whether the caller has asked to wait for what the call causes, which has a limit of its own. Few routes can do that. */
export function waitsForCompletion({ query }: Pick<Route, 'query'>, queryString: string): boolean {
  if (queryString === '' || !('callCompletion' in query)) return false;
  return new URLSearchParams(queryString).get('callCompletion')?.toLowerCase() === 'true';
}

/** What replaces a result that does not come in time. */
export interface Overdue<T> {
  /** Gives another result, or throws. */
  readonly over: () => T;
  /** Takes the result if it comes after all, since nobody else will. */
  readonly late: (result: T) => Promise<void>;
}

/** The result of `work` if it comes in time; else what `over` returns or throws, while the work itself goes on. */
export async function withinTime<T>(
  limitMs: number,
  work: Promise<T>,
  { over, late }: Overdue<T>,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    resolve(Promise.try(over));
    // A failure this late has already been answered and logged where it happened; nobody waits for it here.
    work.then(late).catch(() => undefined);
  }, limitMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Leaves open whether the request took effect (platform §16). On payment calls code 60018 would mean that nothing was
 * attempted, so they answer 7019 with 503: the outcome is unknown (http-api §12).
 */
export function timeOver(limitMs: number, { permission }: Pick<Route, 'permission'>): BillingError {
  return billingError(
    permission.startsWith('payment:') ? ErrorCode.PAYMENT_INTERNAL_ERROR : ErrorCode.BUSY,
    `The request did not end within ${limitMs / 1_000} s; it may still take effect`,
  );
}

/** Status of that error, if it is not the code's own. */
export const statusOfTimeOver = { [ErrorCode.PAYMENT_INTERNAL_ERROR]: 503 };

/** Nothing has been done yet, since the body says what to do. */
export function lateBody(limitMs: number): BillingError {
  return billingError(
    ErrorCode.MALFORMED_BODY,
    `The body did not arrive within ${limitMs / 1_000} s; nothing was done`,
  );
}

/** Status of that error (platform §16). */
export const statusOfLateBody = { [ErrorCode.MALFORMED_BODY]: 408 };

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
  return billingError(ErrorCode.BUSY, 'Nobody waits for the answer any more, so the work on it has ended', {
    isUnwanted: true,
  });
}
