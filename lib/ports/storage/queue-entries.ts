import type { PushDelivery, QueueEntry, QueueKind } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A queue entry as those see it who look after the queue, live or finished (platform §9.1). */
export interface KeptEntry extends QueueEntry {
  /** End of its lease, or time of its next attempt (system time); null = neither. */
  readonly availableAtMs: number | null;
  /** What went wrong last. */
  readonly reason: string | null;
  /** Whether a fix-up has cleared it and nobody has taken it since (platform §12.4). */
  readonly isCleared: boolean;
}

/** A push as they see it: an entry of the queue of pushes, kept in a table of its own. */
export interface KeptDelivery extends PushDelivery {
  readonly tenantRecordId: number;
}

/** Which entries are looked at. */
export interface OfTenants {
  /** Tenants by record id (0 = the system); null = all. */
  readonly tenants: readonly number[] | null;
}

export interface EntriesOf extends OfTenants {
  readonly kind: QueueKind;
}

/** Entries that were due before `before`: bus entries by creation, notifications by their effective date. */
export interface LateEntriesRequest extends EntriesOf {
  readonly before: Instant;
  readonly limit: number;
}

export interface ChosenEntries extends EntriesOf {
  readonly recordIds: readonly number[];
}

/** The queue as those see it who look after it: of some tenants or of all (platform §12). */
export interface EntryStore {
  /** Live entries that are late, whoever works on them, the oldest first. */
  late(request: LateEntriesRequest): Promise<readonly KeptEntry[]>;
  /** Finished entries among the last `among` record ids of the queue, the newest first. */
  recent(
    request: EntriesOf & { readonly limit: number; readonly among: number },
  ): Promise<readonly KeptEntry[]>;
  /** Finished entries in state FAILED that were due from `from` to before `to`, the oldest first. */
  failed(
    request: EntriesOf & { readonly from: Instant; readonly to: Instant; readonly limit: number },
  ): Promise<readonly KeptEntry[]>;
  /**
   * Clears those of these entries that are stuck: late and not under a lease. They are then ready at once on any node, with
   * no failures counted. Returns their record ids.
   */
  clear(
    request: ChosenEntries & { readonly before: Instant; readonly systemNowMs: number },
  ): Promise<readonly number[]>;
  /**
   * Inserts AVAILABLE copies of those of these finished entries that are FAILED, with no failures counted and without the
   * handlers that were done; they read REAPED from then on. Returns how many.
   */
  reinsert(request: ChosenEntries & { readonly now: Instant }): Promise<number>;
  /** How many entries are in processing. */
  countProcessing(kind: QueueKind): Promise<number>;
  /** Pushes that were due before that and are not sent, the oldest first. */
  lateDeliveries(request: Omit<LateEntriesRequest, 'kind'>): Promise<readonly KeptDelivery[]>;
  /** Pushes that have ended among the last `among` of all tenants, the newest first. */
  recentDeliveries(
    request: OfTenants & { readonly limit: number; readonly among: number },
  ): Promise<readonly KeptDelivery[]>;
  /** Pushes that were given up and were due from `from` to before `to`, the oldest first. */
  failedDeliveries(
    request: OfTenants & { readonly from: Instant; readonly to: Instant; readonly limit: number },
  ): Promise<readonly KeptDelivery[]>;
  /** Has those of these pushes sent at once that were due before that, with no failures counted. Returns how many. */
  clearDeliveries(
    request: OfTenants & { readonly recordIds: readonly number[]; readonly before: Instant },
  ): Promise<number>;
  /** Has those of these pushes sent again that were given up, with the schedule from its start. Returns how many. */
  resendDeliveries(
    request: OfTenants & { readonly recordIds: readonly number[]; readonly now: Instant },
  ): Promise<number>;
}
