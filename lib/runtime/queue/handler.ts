import { retryLaterOf } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent, Authorship, NewBusEvent, TenantRef } from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import { QUEUE_RETRY_PAUSES_MS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';

/** Entries of one tenant for one handler, at most one per account. This node has claimed them. */
export interface HandlerBatch {
  readonly tenant: TenantRef;
  readonly entries: readonly ClaimedEntry[];
  /**
   * Ends these entries for this handler in the session's transaction, together with the handler's writes.
   * When `handle` resolves, the dispatcher ends all entries that were not passed to `finish`, `busy` or
   * `failed`.
   */
  finish(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<void>;
  /** Releases entries whose accounts are busy. They are retried after `delayMs` (default `busyPauseMs`). */
  busy(entries: readonly ClaimedEntry[], delayMs?: number): void;
  /** Reports that one entry of the batch has failed. It is retried or becomes FAILED. */
  failed(entry: ClaimedEntry, error: unknown): void;
}

/**
 * Handles queue entries (§9.3). Each entry is delivered at least once, so `handle` must have no further effect if it
 * receives an entry again. If `handle` throws, the entries are handled one by one, so that one failing entry does not
 * block the others.
 */
export interface QueueHandler {
  /** Stable name of the handler. Bus entries are marked with it when the handler has finished. */
  readonly name: string;
  /** Bus event types and queue names for which the handler receives entries. */
  readonly topics: readonly string[];
  /** Returns true if the handler has work for an event of its topics. By default, it has work for all events. */
  needs?(event: Pick<NewBusEvent, 'type' | 'payload'>, now: Instant): boolean;
  handle(batch: HandlerBatch): Promise<void>;
  /**
   * Ends entries whose accounts stayed busy (§15 rule 2). If this method is absent, the entries are retried at
   * intervals of the last pause.
   */
  giveUp?(batch: HandlerBatch): Promise<void>;
  /**
   * Resolves when the results of all work that `handle` left running have been recorded. The dispatcher awaits it at
   * shutdown.
   */
  idle?(): Promise<void>;
}

/** Returns the topics of all handlers. */
export function topicsOf(handlers: readonly QueueHandler[]): readonly string[] {
  return [...new Set(handlers.flatMap(({ topics }) => topics))];
}

/** Returns true if one of the handlers has work for the event. */
export function hasWork(
  handlers: readonly Pick<QueueHandler, 'topics' | 'needs'>[],
  event: Pick<NewBusEvent, 'type' | 'payload'>,
  now: Instant,
): boolean {
  return handlers.some(
    (handler) => handler.topics.includes(event.type) && handler.needs?.(event, now) !== false,
  );
}

/**
 * Returns the authorship of work on queue entries. Each account uses the user token of the call that caused its entry.
 */
export function batchAuthorship(
  entries: readonly ClaimedEntry[],
  actor: ActingComponent,
  now: Instant,
): Authorship {
  const [first] = entries;
  assertInvariant(first, 'A batch must have at least one entry');
  const tokens = new Map(entries.map((entry) => [entry.accountRecordId, entry.userToken]));
  return {
    userName: actor,
    reasonCode: null,
    comments: null,
    createdDate: now,
    userTokenOf: (accountRecordId) => tokens.get(accountRecordId) ?? first.userToken,
  };
}

/** Milliseconds to pause when the database is full or an account is busy. */
const QUEUE_PASSING_PAUSE_MS = 5_000;

type ErrorDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  /** The entry is retried later. The retry does not count as a failure. */
  | { readonly kind: 'later'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * Returns how to react to the error of a handler (§9.2). An entry is retried up to `maxFailures` times: after 1 s,
 * after 5 s and then every 30 s. After that, the entry is FAILED. A `RetryLater`, a full disk, an unreachable database
 * and a busy account do not count as failures.
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

/** Returns true for a temporary error that was not caused by an account or an entry. */
export function isPassing(error: unknown): boolean {
  return error instanceof BillingError && (error.code === ErrorCode.BUSY || error.code === ErrorCode.NO_ROOM);
}

const MAX_REASON_LENGTH = 2000;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, MAX_REASON_LENGTH);
}
