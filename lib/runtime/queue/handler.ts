import { retryLaterOf } from '../../ports/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { ActingComponent, Authorship, NewBusEvent, TenantRef } from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import { QUEUE_RETRY_PAUSES_MS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';

/** Entries of one tenant and one handler, at most one per account, claimed by this node. */
export interface HandlerBatch {
  readonly tenant: TenantRef;
  readonly entries: readonly ClaimedEntry[];
  /**
   * Ends these entries for this handler in the session's transaction, together with the handler's writes.
   * When `handle` resolves, the dispatcher ends all entries that were not passed to `finish`, `busy` or
   * `failed`.
   */
  finish(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<void>;
  /** Releases entries of busy accounts. They are retried after `delayMs` (default `busyPauseMs`). */
  busy(entries: readonly ClaimedEntry[], delayMs?: number): void;
  /** Fails one entry of the batch. The entry is retried or ends as FAILED. */
  failed(entry: ClaimedEntry, error: unknown): void;
}

/**
 * Handles queue entries (§9.3), each at least once: `handle` must have no further effect if it gets an entry again.
 * If it throws, the entries are handled one by one, so that one failing entry does not block the others.
 */
export interface QueueHandler {
  /** Stable name that marks bus entries as completed. */
  readonly name: string;
  /** Bus event types and queue names that the handler consumes. */
  readonly topics: readonly string[];
  /** Returns true if the handler has work for an event of its topics. By default it has work for every event. */
  needs?(event: Pick<NewBusEvent, 'type' | 'payload'>, now: Instant): boolean;
  handle(batch: HandlerBatch): Promise<void>;
  /**
   * Ends entries whose accounts stayed busy (§15 rule 2). Without this method, the entries are retried after the last
   * pause.
   */
  giveUp?(batch: HandlerBatch): Promise<void>;
  /** Resolves when all work that `handle` left running is recorded. Awaited at shutdown. */
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

/** Returns the authorship of work on queue entries. Each account has the token of the call that caused its entry. */
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

/** Milliseconds to pause if the database is full or an account is busy. */
const QUEUE_PASSING_PAUSE_MS = 5_000;

type ErrorDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string }
  /** The entry is retried later, which does not count as a failure. */
  | { readonly kind: 'later'; readonly delayMs: number; readonly reason: string }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * Returns the reaction to a handler error (§9.2): `maxFailures` retries after 1 s, 5 s, then 30 s, then FAILED. A
 * `RetryLater`, a full disk, an unreachable database and a busy account do not count as failures.
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

/** Returns true for a temporary condition that neither an account nor an entry has caused. */
export function isPassing(error: unknown): boolean {
  return error instanceof BillingError && (error.code === ErrorCode.BUSY || error.code === ErrorCode.NO_ROOM);
}

const MAX_REASON_LENGTH = 2000;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, MAX_REASON_LENGTH);
}
