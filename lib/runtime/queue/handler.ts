import { retryLaterOf } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent, Authorship, TenantRef } from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import { QUEUE_RETRY_PAUSES_MS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';

/** Entries of one tenant and one handler, at most one per account, claimed by this node. */
export interface HandlerBatch {
  readonly tenant: TenantRef;
  readonly entries: readonly ClaimedEntry[];
  /**
   * Ends these entries for this handler inside the session's transaction, so that what the handler wrote and the
   * outcome of the entry commit together. Entries not named in `finish`, `busy` or `failed` by the time `handle`
   * resolves are ended by the dispatcher.
   */
  finish(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<void>;
  /** Gives entries back untouched: their account is busy; they come again after `delayMs` (default `busyPauseMs`). */
  busy(entries: readonly ClaimedEntry[], delayMs?: number): void;
  /** One entry of the batch failed while the others went on; by the error rules it is retried or ends as FAILED. */
  failed(entry: ClaimedEntry, error: unknown): void;
}

/**
 * Consumer of queue entries (§9.3). Delivery is at least once: `handle` may get an entry again whose effect is already
 * stored, and must then have no further effect. If it throws, the dispatcher runs the entries one by one, so that one bad
 * entry does not hold back the others.
 */
export interface QueueHandler {
  /** Stable name, under which a bus entry is marked as completed. */
  readonly name: string;
  /** Bus event types and queue names it consumes. */
  readonly topics: readonly string[];
  handle(batch: HandlerBatch): Promise<void>;
  /**
   * Ends entries whose accounts were always busy, for as long as the tenant lets background work come back (§15 rule 2).
   * For a handler without it, they come again after the last of these pauses.
   */
  giveUp?(batch: HandlerBatch): Promise<void>;
  /** Resolves when nothing that `handle` has left running is being recorded any more; awaited at shutdown. */
  idle?(): Promise<void>;
}

/** The topics of all handlers. */
export function topicsOf(handlers: readonly QueueHandler[]): readonly string[] {
  return [...new Set(handlers.flatMap(({ topics }) => topics))];
}

/** Authorship of work on queue entries: each account's rows carry the token of the call that caused its entry. */
export function batchAuthorship(
  entries: readonly ClaimedEntry[],
  actor: ActingComponent,
  now: Instant,
): Authorship {
  const [first] = entries;
  assertInvariant(first, 'A batch has at least one entry');
  const tokens = new Map(entries.map((entry) => [entry.accountRecordId, entry.userToken]));
  return {
    userName: actor,
    reasonCode: null,
    comments: null,
    createdDate: now,
    userTokenOf: (accountRecordId) => tokens.get(accountRecordId) ?? first.userToken,
  };
}

/** Pause before an entry is tried again for which the database had no room or whose account stays busy. */
const QUEUE_PASSING_PAUSE_MS = 5_000;

type ErrorDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  /** A plugin said when to come again, or the database could not work: it does not count as a failure. */
  | { readonly kind: 'later'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * The reaction to a handler error (§9.2): `maxFailures` retries after 1 s, 5 s, then 30 s, then FAILED. `RetryLater`
 * sets its own delay. A full disk, unreachable database or busy account does not count as a failure.
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
