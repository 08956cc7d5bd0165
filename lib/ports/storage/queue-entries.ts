import type { PushDelivery, QueueEntry, QueueKind } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A queue entry as those see it who look after the queue, live or finished (platform §9.1). */
export interface KeptEntry extends QueueEntry {
  /** End of its lease, or time of its next attempt (system time); null = neither. */
  readonly availableAtMs: number | null;
  /** What went wrong last. */
  readonly reason: string | null;
  /** Whether a fix-up has cleared it and nobody has taken it since (platform §12.4). */
  readonly isCleared: boolean;
  /** Null = the system's own. */
  readonly tenantId: Uuid | null;
  readonly accountId: Uuid | null;
}

/** A live or failed entry, with what stands before it. */
export interface SeenEntry extends KeptEntry {
  /** Number and node of the entry of its account that is being processed. */
  readonly underWay: { readonly recordId: number; readonly owner: string | null } | null;
  /** Number of the first entry of its account that goes before it. */
  readonly behind: number | null;
}

/** A push as they see it: an entry of the queue of pushes, kept in a table of its own. */
export interface KeptDelivery extends PushDelivery {
  readonly tenantRecordId: number;
  readonly tenantId: Uuid | null;
}

/** Which entries are looked at. */
export interface OfTenants {
  /** Tenants by record id (0 = the system); null = all. */
  readonly tenants: readonly number[] | null;
}

export interface EntriesOf extends OfTenants {
  readonly kind: QueueKind;
}

/** AVAILABLE and PROCESSING = live, FAILED = given up. */
export type EntryPart = 'AVAILABLE' | 'PROCESSING' | 'FAILED';

/** Which entries are seen: bus entries are due when they are created, notifications at their effective date. */
export interface EntryLook extends EntriesOf {
  readonly part: EntryPart;
  /** Null = of any account, and those of a tenant itself. */
  readonly accountId: Uuid | null;
  /** Due then or later; null = any. Live ones are seen whenever they were due. */
  readonly from: Instant | null;
  /** Due before; null = any. */
  readonly before: Instant | null;
  readonly limit: number;
}

export interface ChosenEntries extends EntriesOf {
  readonly recordIds: readonly number[];
}

/** The queue as those see it who look after it: of some tenants or of all (platform §12). */
export interface EntryStore {
  /** Entries of a part, the oldest first: of live ones in the order of claims. */
  see(look: EntryLook): Promise<readonly SeenEntry[]>;
  /** Finished entries among the last `among` record ids of the queue, the newest first. */
  recent(
    request: EntriesOf & { readonly limit: number; readonly among: number },
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
  lateDeliveries(
    request: OfTenants & { readonly before: Instant; readonly limit: number },
  ): Promise<readonly KeptDelivery[]>;
  /** Pushes that have ended among the last `among` of all tenants, the newest first. */
  recentDeliveries(
    request: OfTenants & { readonly limit: number; readonly among: number },
  ): Promise<readonly KeptDelivery[]>;
  /** Pushes that were given up and were due from `from` to before `to`, the oldest first. */
  failedDeliveries(
    request: OfTenants &
      Pick<EntryLook, 'accountId' | 'limit'> & { readonly from: Instant; readonly to: Instant },
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

/** FINISHED = in the history; AVAILABLE and PROCESSING = live. */
export type QueuePart = 'FINISHED' | 'AVAILABLE' | 'PROCESSING';

export interface QueuePageRequest {
  readonly kind: QueueKind;
  readonly part: QueuePart;
  /** Null = of any account, and those of a tenant itself. */
  readonly accountRecordId: number | null;
  /** Null = of all. */
  readonly topics: readonly string[] | null;
  /** First instant at which they were due; null = any. */
  readonly from: Instant | null;
  /** Last instant at which they were, or will be, due; null = any. */
  readonly to: Instant | null;
  /** The last one of the page before; null = this is the first. */
  readonly after: Pick<QueueEntry, 'effectiveDate' | 'recordId'> | null;
  readonly limit: number;
}

export interface DeliveryPageRequest
  extends Pick<QueuePageRequest, 'accountRecordId' | 'from' | 'to' | 'limit'> {
  readonly part: 'FINISHED' | 'AVAILABLE';
  readonly afterRecordId: number;
}

/** The queue of a tenant as a list; a page costs no more for the pages before it. */
export interface QueuePages {
  /** Entries in the order in which they were, or will be, due, then by number. */
  entries(request: QueuePageRequest): Promise<readonly QueueEntry[]>;
  /** Pushes in the order of their numbers. */
  deliveries(request: DeliveryPageRequest): Promise<readonly PushDelivery[]>;
}
