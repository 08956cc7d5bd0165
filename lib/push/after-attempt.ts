import { type DeliveryState, ProcessingState, type PushDelivery } from '../records/index.ts';
import { MAX_DELIVERY_ERROR_CHARACTERS } from '../values/limits.ts';
import { addMilliseconds, type Instant } from '../values/time/index.ts';

/** How an attempt ended. */
export type AttemptOutcome =
  | { readonly kind: 'DELIVERED'; readonly status: number }
  | { readonly kind: 'FAILED'; readonly status: number | null; readonly error: string }
  /** The callback is no longer the one that is registered: nothing was sent. */
  | { readonly kind: 'WITHDRAWN'; readonly error: string };

/** One attempt of a delivery. */
export interface Attempt {
  /** By the business clock. */
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: AttemptOutcome;
}

/** What an attempt changes of its delivery. */
export type AfterAttempt = Pick<
  PushDelivery,
  | 'recordId'
  | 'state'
  | 'dueOrder'
  | 'attempts'
  | 'failures'
  | 'attemptedDate'
  | 'lastStatus'
  | 'lastError'
  | 'endedDate'
>;

/**
 * The delivery after an attempt (platform §10.2 rules 2, 4 and 5): a failure comes again at the start of the attempt and
 * the next delay of the schedule; after the last delay it is given up.
 */
export function afterAttempt(
  delivery: PushDelivery,
  { startedAt, endedAt, outcome }: Attempt,
  retriesMs: readonly number[],
): AfterAttempt {
  const { recordId, attempts, failures } = delivery;
  if (outcome.kind === 'WITHDRAWN') {
    const { attemptedDate, lastStatus } = delivery;
    const lastError = shortError(outcome.error);
    return {
      ...ended(recordId, 'REMOVED', endedAt),
      attempts,
      failures,
      attemptedDate,
      lastStatus,
      lastError,
    };
  }
  const attempted = { attempts: attempts + 1, attemptedDate: startedAt, lastStatus: outcome.status };
  if (outcome.kind === 'DELIVERED')
    return { ...ended(recordId, 'PROCESSED', endedAt), ...attempted, failures, lastError: null };
  const failed = { ...attempted, failures: failures + 1, lastError: shortError(outcome.error) };
  const delayMs = retriesMs[failures];
  if (delayMs === undefined) return { ...ended(recordId, 'FAILED', endedAt), ...failed };
  // An instant of 0 would mean a first attempt.
  const dueOrder = Math.max(1, addMilliseconds(startedAt, delayMs));
  return { recordId, state: ProcessingState.AVAILABLE, dueOrder, endedDate: null, ...failed };
}

function ended(recordId: number, state: DeliveryState, endedDate: Instant) {
  return { recordId, state, dueOrder: 0, endedDate };
}

function shortError(error: string): string {
  return error.slice(0, MAX_DELIVERY_ERROR_CHARACTERS);
}
