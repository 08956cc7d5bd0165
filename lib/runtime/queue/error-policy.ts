import { retryLaterOf } from '../../ports/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { QUEUE_RETRY_PAUSES_MS } from '../../values/limits.ts';

/** Pause before an entry is tried again for which the database had no room or whose account stays busy. */
const QUEUE_PASSING_PAUSE_MS = 5_000;

export type ErrorDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  /** A plugin said when to come again, or the database could not work: it does not count as a failure. */
  | { readonly kind: 'later'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * What follows a handler error (§9.2): up to `maxFailures` retries after 1 s, 5 s and then 30 s, then FAILED with the
 * error count unchanged. A plugin's `RetryLater` replaces that schedule. A full disk, an unreachable database or an
 * account that stays busy is not the entry's failure, and it must not be given up for that.
 */
export function decideAfterError(errorCount: number, error: unknown, maxFailures: number): ErrorDecision {
  const reason = reasonOf(error);
  const later = retryLaterOf(error);
  if (later !== undefined) return { kind: 'later', delayMs: later.delayMs, reason };
  if (isPassing(error)) return { kind: 'later', delayMs: QUEUE_PASSING_PAUSE_MS, reason };
  if (errorCount + 1 > maxFailures) return { kind: 'fail', reason };
  const last = QUEUE_RETRY_PAUSES_MS.at(-1) ?? 0;
  return { kind: 'retry', delayMs: QUEUE_RETRY_PAUSES_MS[errorCount] ?? last, reason };
}

/** Something that is over by itself: no account or entry is the worse for it. */
export function isPassing(error: unknown): boolean {
  return error instanceof BillingError && (error.code === ErrorCode.BUSY || error.code === ErrorCode.NO_ROOM);
}

const MAX_REASON_LENGTH = 2000;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, MAX_REASON_LENGTH);
}
