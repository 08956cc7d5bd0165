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
  /** Reason of the failure, which is stored with the entry for operators. */
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
  /** Maximum number per account, counted separately for entries in processing and for all others. */
  readonly limit: number;
}

/** The instant up to which work of an account precedes the work of `asker`. */
export interface WorkAhead {
  /** A number that identifies the query in the result. */
  readonly asker: number;
  readonly accountRecordId: number;
  readonly dueBy: Instant;
}

export interface WorkAheadRequest {
  readonly work: readonly WorkAhead[];
  readonly topics: readonly string[];
  /** System time; entries that are paused beyond this time are omitted. */
  readonly availableByMs: number;
}

export interface EarlierWork {
  readonly asker: number;
  /** The last due date. For bus entries, the time of creation. */
  readonly lastDue: Instant;
  /** End of the last pause (system time). Null without a pause. */
  readonly availableAtMs: number | null;
  readonly isUnderWay: boolean;
}

/** Planned work, for business reads. Entries of the open transaction are omitted. */
export interface NotificationReads {
  findPending(uniqueKeys: readonly string[]): Rows<PendingNotification>;
  /**
   * Returns live entries of these accounts, due or not: entries in processing first, then the others in processing
   * order.
   */
  findLive(request: LiveEntriesRequest): Rows<LiveEntry>;
  /** Returns live entries that precede each asker's work. Askers without such entries are omitted. */
  findEarlierWork(request: WorkAheadRequest): Rows<EarlierWork>;
  /**
   * Returns true if work of the account is due or in processing. Entries that are paused after an error are included.
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

/** Identifies the entries that a call caused, by the call's token. */
export interface WorkCause {
  readonly userToken: Uuid;
  /** Limits the result to this account. Null means all accounts of the tenant. */
  readonly accountRecordId: number | null;
}

/** Access to queue entries across tenants, for the dispatcher (platform §9). */
export interface QueueStore {
  /**
   * Claims up to `limit` due entries in one statement: the first due entry of each account that has no entry in
   * processing and no earlier paused bus entry. Two nodes never get entries of one account.
   */
  claim(request: ClaimRequest): Rows<ClaimedEntry>;
  /** Extends leases. Returns the record ids of the claims that this node still holds. */
  renew(entries: readonly ClaimedEntry[], leaseUntilMs: number): Rows<number>;
  /** Ends entries as PROCESSED, unless a handler has ended them in its transaction. */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
  /** Releases entries as AVAILABLE with one more error. They are not claimed before `availableAtMs` (system time). */
  retry(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]): Promise<void>;
  /**
   * Releases entries unchanged, for example at shutdown or if their account is busy. The entries are not claimed before
   * `availableAtMs`.
   */
  release(entries: readonly ClaimedEntry[], availableAtMs: number): Promise<void>;
  /** Ends entries as FAILED, with their reason. */
  fail(failures: readonly FailedEntry[]): Promise<void>;
  /**
   * Makes all entries with expired leases AVAILABLE, except the `held` claims of the caller, in one statement.
   * Returns their number.
   */
  takeBackLapsed(request: { readonly systemNowMs: number; readonly held: readonly Uuid[] }): Promise<number>;
  /** Makes the entries of these claims AVAILABLE, regardless of their leases. Returns their number. */
  takeBack(claimIds: readonly Uuid[]): Promise<number>;
  /** Makes all claims of these nodes AVAILABLE, regardless of their leases, in one statement. Returns their number. */
  takeBackFrom(owners: readonly string[]): Promise<number>;
  owners(): Rows<string>;
  /** Returns the end of the next lease in system time. Null without leases. */
  nextLeaseEnd(): Promise<number | null>;
  /**
   * Ends entries as REAPED if they were first claimed before `claimedBeforeMs`, their leases have expired more than
   * `maxLapses` times since then, and they are not in processing. Inserts AVAILABLE copies, at most `limit`. Returns
   * their number.
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
   * Counts live entries of one tenant or of all tenants (null) that are due or in processing, including entries
   * paused after an error. Optionally counts only the entries of `cause`.
   */
  countPending(tenantRecordId: number | null, businessNow: Instant, cause?: WorkCause): Promise<number>;
  /** Returns the backlog of all tenants, counted up to `limit` at bounded cost. */
  backlog(request: BacklogRequest): Promise<QueueBacklog>;
  /**
   * Returns the backlog by topic, over the first `limit` due entries of each kind in claim order. Topics without
   * entries are omitted.
   */
  backlogByTopic(request: Omit<BacklogRequest, 'kind'>): Rows<TopicBacklog>;
  /** Calls `listener` after commits of entries by other nodes or the host. */
  onSignal(listener: () => void): () => void;
  /** Deletes up to `limit` finished entries older than `before`. Returns their number. */
  purgeHistory(before: Instant, limit: number): Promise<number>;
}
