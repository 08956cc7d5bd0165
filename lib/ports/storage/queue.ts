import type { QueueEntry, QueueKind, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A leased entry. `claimId` is the fencing token. */
export interface ClaimedEntry extends QueueEntry {
  readonly claimId: Uuid;
}

export interface ClaimRequest {
  readonly node: string;
  readonly claimId: Uuid;
  readonly limit: number;
  /** Topics with handlers on this node. Entries of other topics are left to other nodes. */
  readonly topics: readonly string[];
  readonly businessNow: Instant;
  readonly systemNowMs: number;
  readonly leaseEndsAtMs: number;
  /** Kind of the entries. Defaults to both kinds. */
  readonly kind?: QueueKind;
  /** Account of the entries. Defaults to all accounts. */
  readonly account?: AccountOfTenant;
}

export interface AccountOfTenant {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
}

export interface FailedEntry {
  readonly entry: ClaimedEntry;
  /** Reason for the failure. It is stored with the entry for operators. */
  readonly reason: string;
}

export interface PendingNotification {
  readonly uniqueKey: string;
  readonly effectiveDate: Instant;
}

export type LiveEntry = Pick<QueueEntry, 'kind' | 'topic' | 'payload' | 'accountRecordId'>;

export interface LiveEntriesRequest {
  readonly accountRecordIds: readonly number[];
  readonly topics: readonly string[];
  /** Maximum number of entries per account. Entries that are being processed are counted separately from all others. */
  readonly limit: number;
}

/** A query for work of an account that must run before the work of `asker`, up to an instant. */
export interface WorkAhead {
  /** A number that identifies the query in the result. */
  readonly asker: number;
  readonly accountRecordId: number;
  readonly dueBy: Instant;
}

export interface WorkAheadRequest {
  readonly work: readonly WorkAhead[];
  readonly topics: readonly string[];
  /** A system time. Entries that are paused beyond this time are omitted. */
  readonly availableByMs: number;
}

export interface EarlierWork {
  readonly asker: number;
  /** The latest due date. A bus entry is due when it is created. */
  readonly lastDue: Instant;
  /** The end of the last pause in system time, or null if there was none. */
  readonly availableAtMs: number | null;
  readonly isUnderWay: boolean;
}

/** Reads planned work for business logic. Entries of the current transaction are omitted. */
export interface NotificationReads {
  findPending(uniqueKeys: readonly string[]): Rows<PendingNotification>;
  /**
   * Returns live entries of these accounts, whether or not they are due. Entries that are being processed come first,
   * then the others in processing order.
   */
  findLive(request: LiveEntriesRequest): Rows<LiveEntry>;
  /** Returns the live entries that precede the work of each asker. Omits askers without such entries. */
  findEarlierWork(request: WorkAheadRequest): Rows<EarlierWork>;
  /**
   * Returns true if work of the account is due or being processed. This includes entries that are paused after an
   * error.
   */
  hasDue(accountRecordId: number, at: Instant): Promise<boolean>;
}

export interface BacklogRequest {
  readonly since: Instant;
  readonly limit: number;
  /** Kind of the entries. Defaults to both kinds. */
  readonly kind?: QueueKind;
}

export interface QueueBacklog {
  /** Number of late entries, counted up to a limit. */
  readonly late: number;
  /** Due date of the oldest entry, or the time of its creation if that is later. */
  readonly oldest: Instant | null;
}

export interface TopicBacklog {
  readonly topic: string;
  readonly late: number;
  readonly oldest: Instant;
}

/** Selects the entries that a call caused, by the user token of the call. */
export interface WorkCause {
  readonly userToken: Uuid;
  /** Restricts the result to this account. Null means all accounts of the tenant. */
  readonly accountRecordId: number | null;
}

/** Access to queue entries across tenants, for the dispatcher (platform §9). */
export interface QueueStore {
  /**
   * Claims up to `limit` due entries in one statement. Claims only the first due entry of each account, and only if the
   * account has no entry in processing and no earlier paused bus entry. Two nodes never get entries of the same
   * account.
   */
  claim(request: ClaimRequest): Rows<ClaimedEntry>;
  /** Extends leases. Returns the record ids of the claims that this node still holds. */
  renew(entries: readonly ClaimedEntry[], leaseUntilMs: number): Rows<number>;
  /** Marks entries as PROCESSED, unless a handler has already ended them in its own transaction. */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
  /**
   * Makes entries AVAILABLE again and adds one to their number of errors. They are not claimed before `availableAtMs`
   * (system time).
   */
  retry(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]): Promise<void>;
  /**
   * Makes entries AVAILABLE again without any other change, for example at shutdown or if their account is busy. They
   * are not claimed before `availableAtMs`.
   */
  release(entries: readonly ClaimedEntry[], availableAtMs: number): Promise<void>;
  /** Marks entries as FAILED, with the reason for each failure. */
  fail(failures: readonly FailedEntry[]): Promise<void>;
  /**
   * Makes all entries with expired leases AVAILABLE again, except the `held` claims of the caller, in one statement.
   * Returns the number of these entries.
   */
  takeBackLapsed(request: { readonly systemNowMs: number; readonly held: readonly Uuid[] }): Promise<number>;
  /** Makes the entries of these claims AVAILABLE again, even if their leases have not expired. Returns their number. */
  takeBack(claimIds: readonly Uuid[]): Promise<number>;
  /**
   * Makes all claims of these nodes AVAILABLE again, even if their leases have not expired, in one statement. Returns
   * their number.
   */
  takeBackFrom(owners: readonly string[]): Promise<number>;
  owners(): Rows<string>;
  /** Returns the time at which the next lease ends, in system time, or null if there are no leases. */
  nextLeaseEnd(): Promise<number | null>;
  /**
   * Marks entries as REAPED if they were first claimed before `claimedBeforeMs`, their leases have expired more than
   * `maxLapses` times since then, and they are not in processing. Inserts at most `limit` AVAILABLE copies. Returns the
   * number of copies.
   */
  reap(request: {
    readonly systemNowMs: number;
    readonly businessNow: Instant;
    readonly claimedBeforeMs: number;
    readonly maxLapses: number;
    readonly limit: number;
    /** Kind of the entries. Defaults to both kinds. */
    readonly kind?: QueueKind;
  }): Promise<number>;
  nextDue(topics: readonly string[]): Promise<Instant | null>;
  /**
   * Counts live entries that are due or being processed, of one tenant or of all tenants (null). This includes entries
   * that are paused after an error. The count can be limited to the entries of `cause`.
   */
  countPending(tenantRecordId: number | null, businessNow: Instant, cause?: WorkCause): Promise<number>;
  /** Returns the backlog of all tenants, counted up to `limit`, so that the cost is limited. */
  backlog(request: BacklogRequest): Promise<QueueBacklog>;
  /**
   * Returns the backlog by topic. Considers the first `limit` due entries of each kind in claim order. Omits topics
   * without entries.
   */
  backlogByTopic(request: Omit<BacklogRequest, 'kind'>): Rows<TopicBacklog>;
  /** Registers a function that is called after other nodes or the host commit entries. */
  onSignal(listener: () => void): () => void;
  /** Deletes up to `limit` finished entries older than `before`. Returns the number of deleted entries. */
  purgeHistory(before: Instant, limit: number): Promise<number>;
}
