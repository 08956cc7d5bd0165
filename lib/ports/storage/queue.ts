import type { QueueEntry, QueueKind, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A leased entry; `claimId` is the fencing token. */
export interface ClaimedEntry extends QueueEntry {
  readonly claimId: Uuid;
}

export interface ClaimRequest {
  readonly node: string;
  readonly claimId: Uuid;
  readonly limit: number;
  /** Topics with handlers on this node; others are left to other nodes. */
  readonly topics: readonly string[];
  readonly businessNow: Instant;
  readonly systemNowMs: number;
  readonly leaseEndsAtMs: number;
  /** Default both kinds. */
  readonly kind?: QueueKind;
  /** Default all accounts. */
  readonly account?: AccountOfTenant;
}

export interface AccountOfTenant {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
}

export interface FailedEntry {
  readonly entry: ClaimedEntry;
  /** Stored with the entry for operators. */
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
  /** Per account, separately for entries in processing and all others. */
  readonly limit: number;
}

/** The instant up to which work of an account comes before that of `asker`. */
export interface WorkAhead {
  /** A number repeated in the answer. */
  readonly asker: number;
  readonly accountRecordId: number;
  readonly dueBy: Instant;
}

export interface WorkAheadRequest {
  readonly work: readonly WorkAhead[];
  readonly topics: readonly string[];
  /** Omits entries paused beyond this system time. */
  readonly availableByMs: number;
}

export interface EarlierWork {
  readonly asker: number;
  /** The last due date; for bus entries, their creation. */
  readonly lastDue: Instant;
  /** End of the last pause (system time); null for none. */
  readonly availableAtMs: number | null;
  readonly isUnderWay: boolean;
}

/** Planned work for business reads, without entries of the open transaction. */
export interface NotificationReads {
  findPending(uniqueKeys: readonly string[]): Rows<PendingNotification>;
  /** Live entries of these accounts, due or not: those in processing first, then in processing order. */
  findLive(request: LiveEntriesRequest): Rows<LiveEntry>;
  /** Live entries before each asker's work; askers without any are omitted. */
  findEarlierWork(request: WorkAheadRequest): Rows<EarlierWork>;
  /** True if work of the account is due or in processing, including error pauses. */
  hasDue(accountRecordId: number, at: Instant): Promise<boolean>;
}

export interface BacklogRequest {
  readonly since: Instant;
  readonly limit: number;
  /** Default both kinds. */
  readonly kind?: QueueKind;
}

export interface QueueBacklog {
  /** Counted up to a limit. */
  readonly late: number;
  /** Due date or, if later, creation of the oldest entry. */
  readonly oldest: Instant | null;
}

export interface TopicBacklog {
  readonly topic: string;
  readonly late: number;
  readonly oldest: Instant;
}

/** Identifies entries caused by a call by its token. */
export interface WorkCause {
  readonly userToken: Uuid;
  /** Limits the answer to this account; null means the tenant's due entries. */
  readonly accountRecordId: number | null;
}

/** Cross-tenant access to queue entries for the dispatcher (platform §9). */
export interface QueueStore {
  /**
   * Claims up to `limit` due entries in one statement, at most one per account: the first due of each account without
   * entries in processing or an earlier paused bus entry. Two nodes never get entries of one account.
   */
  claim(request: ClaimRequest): Rows<ClaimedEntry>;
  /** Extends leases; returns the record ids of claims we still hold. */
  renew(entries: readonly ClaimedEntry[], leaseUntilMs: number): Rows<number>;
  /** Ends entries as PROCESSED unless a handler did in its transaction. */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
  /** Releases entries as AVAILABLE with one more error, not before `availableAtMs` (system time). */
  retry(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]): Promise<void>;
  /** Releases entries unchanged (shutdown, busy account), not before `availableAtMs`. */
  release(entries: readonly ClaimedEntry[], availableAtMs: number): Promise<void>;
  /** Ends entries as FAILED with their reason. */
  fail(failures: readonly FailedEntry[]): Promise<void>;
  /**
   * Makes all entries with expired leases AVAILABLE, except the caller's `held` claims, in one statement. Returns their
   * number.
   */
  takeBackLapsed(request: { readonly systemNowMs: number; readonly held: readonly Uuid[] }): Promise<number>;
  /** Makes all claims of these nodes AVAILABLE, regardless of their leases, in one statement. Returns their number. */
  takeBackFrom(owners: readonly string[]): Promise<number>;
  owners(): Rows<string>;
  /** System time; null for none. */
  nextLeaseEnd(): Promise<number | null>;
  /**
   * Ends entries as REAPED that lapsed more than `maxLapses` times since their first claim before `claimedBeforeMs` and
   * are not in processing, and inserts AVAILABLE copies, at most `limit`. Returns their number.
   */
  reap(request: {
    readonly systemNowMs: number;
    readonly businessNow: Instant;
    readonly claimedBeforeMs: number;
    readonly maxLapses: number;
    readonly limit: number;
    /** Default both kinds. */
    readonly kind?: QueueKind;
  }): Promise<number>;
  nextDue(topics: readonly string[]): Promise<Instant | null>;
  /**
   * Counts live entries that are due or in processing (including error pauses) of one tenant or all (null), optionally
   * only those of `cause`.
   */
  countPending(tenantRecordId: number | null, businessNow: Instant, cause?: WorkCause): Promise<number>;
  /** Returns the backlog of all tenants, counted up to `limit` at bounded cost. */
  backlog(request: BacklogRequest): Promise<QueueBacklog>;
  /** Returns the backlog by topic, over the first `limit` due entries of each kind in claim order; empty topics are omitted. */
  backlogByTopic(request: Omit<BacklogRequest, 'kind'>): Rows<TopicBacklog>;
  /** Calls `listener` after commits of entries by other nodes or the host. */
  onSignal(listener: () => void): () => void;
  /** Deletes up to `limit` finished entries older than `before`; returns their number. */
  purgeHistory(before: Instant, limit: number): Promise<number>;
}
