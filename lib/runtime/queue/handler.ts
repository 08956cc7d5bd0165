import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';

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
