import { type DeliveryState, ProcessingState, type PushDelivery } from '../records/index.ts';
import { addMilliseconds, type Instant } from '../values/time/index.ts';

/** Minimum delay in milliseconds before a sink receives a rejected event again. */
const EVENT_SINK_LEAST_PAUSE_MS = 1_000;

const MAX_DELIVERY_ERROR_CHARACTERS = 500;

export type AttemptOutcome =
  /** The HTTP status of a response. */
  | { readonly kind: 'DELIVERED'; readonly status: number | null }
  | { readonly kind: 'FAILED'; readonly status: number | null; readonly error: string }
  /** The sink requested another delivery of the event after a delay. */
  | { readonly kind: 'LATER'; readonly delayMs: number; readonly error: string }
  /** Another callback has been registered in the meantime, so nothing was sent. */
  | { readonly kind: 'WITHDRAWN'; readonly error: string };

interface Attempt {
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: AttemptOutcome;
}

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
 * Returns the delivery after an attempt (platform §10.2 rules 2, 4 and 5). A failed attempt is retried when the next
 * delay of the schedule has passed since the start of the attempt. The failure becomes final after the last delay. A
 * delay that a sink requested does not count as a failure (platform §10.6).
 */
export function afterAttempt(
  delivery: PushDelivery,
  { startedAt, endedAt, outcome }: Attempt,
  retriesMs: readonly number[],
): AfterAttempt {
  const { recordId, attempts, failures } = delivery;
  if (outcome.kind === 'WITHDRAWN') {
    const { attemptedDate, lastStatus } = delivery;
    const unchanged = { attempts, failures, attemptedDate, lastStatus };
    return {
      ...endDelivery(recordId, 'REMOVED', endedAt),
      ...unchanged,
      lastError: shortError(outcome.error),
    };
  }
  if (outcome.kind === 'LATER') {
    const put = { attempts: attempts + 1, attemptedDate: startedAt, lastStatus: null, failures };
    const delayMs = Math.max(EVENT_SINK_LEAST_PAUSE_MS, outcome.delayMs);
    return { ...comesAgain(recordId, startedAt, delayMs), ...put, lastError: shortError(outcome.error) };
  }
  const attempted = { attempts: attempts + 1, attemptedDate: startedAt, lastStatus: outcome.status };
  if (outcome.kind === 'DELIVERED')
    return { ...endDelivery(recordId, 'PROCESSED', endedAt), ...attempted, failures, lastError: null };
  const failed = { ...attempted, failures: failures + 1, lastError: shortError(outcome.error) };
  const delayMs = retriesMs[failures];
  if (delayMs === undefined) return { ...endDelivery(recordId, 'FAILED', endedAt), ...failed };
  return { ...comesAgain(recordId, startedAt, delayMs), ...failed };
}

function comesAgain(recordId: number, startedAt: Instant, delayMs: number) {
  // A `dueOrder` of 0 is reserved for first attempts.
  const dueOrder = Math.max(1, addMilliseconds(startedAt, delayMs));
  return { recordId, state: ProcessingState.AVAILABLE, dueOrder, endedDate: null };
}

function endDelivery(recordId: number, state: DeliveryState, endedDate: Instant) {
  return { recordId, state, dueOrder: 0, endedDate };
}

function shortError(error: string): string {
  return error.slice(0, MAX_DELIVERY_ERROR_CHARACTERS);
}
