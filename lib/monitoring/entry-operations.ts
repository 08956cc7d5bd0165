import type { Leading, QueueKind } from '../records/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { MonitoredEntry } from './monitored-entry.ts';

export interface FailedEntriesRequest {
  readonly kind: QueueKind;
  /** Due then or later (business time); default 90 days before `to`. */
  readonly from?: Instant | undefined;
  /** Due before; default now. */
  readonly to?: Instant | undefined;
  /** 1 to 1000; default 100. */
  readonly limit?: number | undefined;
}

/** Entries by their numbers, 1 to 1000 of them; those that are not fit for the call are passed over. */
export interface ChosenEntriesRequest {
  readonly kind: QueueKind;
  readonly recordIds: readonly number[];
}

/** Work of the tenant, or of the system, that went wrong. */
export interface EntryOperations<C extends Leading = []> {
  /**
   * Entries that were given up, the oldest first, pushes among the notifications.
   * @throws BillingError INVALID_PARAMETER (60002) for a range of more than 90 days, or a limit out of bounds.
   */
  failedEntries(...given: [...C, request: FailedEntriesRequest]): Promise<readonly MonitoredEntry[]>;
  /**
   * Has entries that were given up done anew, with no failures counted; the old ones read REAPED from then on. Returns how
   * many. Their handlers take each effect for once.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for no numbers or too many, or what is no number of an entry.
   */
  reinsertEntries(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
  /**
   * Frees entries that are stuck: late by more than `health.lateThreshold`, and on which no node works. They are ready at
   * once on any node. Returns how many.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) as `reinsertEntries`.
   */
  clearEntries(...given: [...C, request: ChosenEntriesRequest]): Promise<number>;
}
