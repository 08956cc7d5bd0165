import type { QueueEntry, QueueKind } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** An entry under our lease; `claimId` is the fencing token of the claim. */
export interface ClaimedEntry extends QueueEntry {
  readonly claimId: Uuid;
}

export interface ClaimRequest {
  readonly node: string;
  readonly claimId: Uuid;
  readonly limit: number;
  /** Topics that this node has handlers for; entries of other topics are left to nodes that know them. */
  readonly topics: readonly string[];
  readonly businessNow: Instant;
  readonly systemNowMs: number;
  readonly leaseEndsAtMs: number;
  /** Only entries of this kind; default: of both. */
  readonly kind?: QueueKind;
  /** Only entries of this account; default: of all. */
  readonly account?: AccountOfTenant;
}

/** An account as the queue knows it. */
export interface AccountOfTenant {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
}

export interface FailedEntry {
  readonly entry: ClaimedEntry;
  /** What went wrong, kept with the entry for operators. */
  readonly reason: string;
}

/** A live notification that nobody is processing. */
export interface PendingNotification {
  readonly uniqueKey: string;
  readonly effectiveDate: Instant;
}

/** A live entry as business reads see it. */
export type LiveEntry = Pick<QueueEntry, 'kind' | 'topic' | 'payload' | 'accountRecordId'>;

export interface LiveEntriesRequest {
  readonly accountRecordIds: readonly number[];
  readonly topics: readonly string[];
  /** Of each account, of those in processing and of the others. */
  readonly limit: number;
}

/** Up to when work of an account goes before that of `asker`. */
export interface WorkAhead {
  /** A number for who asks, which the answer repeats. */
  readonly asker: number;
  readonly accountRecordId: number;
  readonly dueBy: Instant;
}

export interface WorkAheadRequest {
  readonly work: readonly WorkAhead[];
  /** Only entries of these topics. */
  readonly topics: readonly string[];
  /** Entries that are in a pause after that (system time) are left out. */
  readonly availableByMs: number;
}

/** What goes before the work of an account. */
export interface FoundAhead {
  readonly asker: number;
  /** When the last of it is due; for bus entries, their creation. */
  readonly lastDue: Instant;
  /** When the last pause of it ends (system time); null = none is in one. */
  readonly availableAtMs: number | null;
  /** Whether some of it is being processed. */
  readonly isUnderWay: boolean;
}

/** The queue as business reads see it: what is planned. Entries of the open transaction are not part of it. */
export interface NotificationReads {
  /** The AVAILABLE notifications with these keys, in any order. */
  findPending(uniqueKeys: readonly string[]): Promise<readonly PendingNotification[]>;
  /** Live entries of these accounts, due or not, those in processing first, each account's in the order of processing. */
  findLive(request: LiveEntriesRequest): Promise<readonly LiveEntry[]>;
  /** The live entries that go before the work of each who asks; those without any are left out. */
  findAhead(request: WorkAheadRequest): Promise<readonly FoundAhead[]>;
  /** Whether work of the account is due at that instant or in processing, entries in an error pause included. */
  hasDue(accountRecordId: number, at: Instant): Promise<boolean>;
}

export interface BacklogRequest {
  /** Entries that could have been processed at that time or before. */
  readonly since: Instant;
  readonly limit: number;
  /** Only entries of this kind; default: of both. */
  readonly kind?: QueueKind;
}

/** Entries that are due and that nobody processes. */
export interface QueueBacklog {
  /** How many, counted up to a limit. */
  readonly late: number;
  /** Since when the oldest could have been processed: its due date, or its creation if that was later. */
  readonly oldest: Instant | null;
}

/** The backlog of one topic. */
export interface TopicBacklog {
  readonly topic: string;
  readonly late: number;
  readonly oldest: Instant;
}

/** Identifies the entries that one call has caused: they carry its token. */
export interface WorkCause {
  readonly userToken: Uuid;
  /** The account that the call is about, to whose entries the answer is limited; null = the tenant's entries that are due. */
  readonly accountRecordId: number | null;
}

/** Cross-tenant access to queue entries, for the dispatcher (platform §9). */
export interface QueueStore {
  /**
   * Claims up to `limit` due entries in one statement, at most one per account: the first due of each account that has
   * nothing in processing and no earlier bus entry in an error pause. Two nodes never get entries of one account.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]>;
  /** Extends the leases; returns the record ids of claims that are still ours. */
  renew(entries: readonly ClaimedEntry[], leaseUntilMs: number): Promise<readonly number[]>;
  /** Ends entries as PROCESSED if no handler has done so in its own transaction. */
  finish(entries: readonly ClaimedEntry[]): Promise<void>;
  markDone(entries: readonly ClaimedEntry[], handler: string): Promise<void>;
  /** Gives entries back as AVAILABLE with one more error, not before `availableAtMs` (system time). */
  retry(failures: readonly (FailedEntry & { readonly availableAtMs: number })[]): Promise<void>;
  /** Gives entries back untouched (shutdown, busy account), not before `availableAtMs`. */
  release(entries: readonly ClaimedEntry[], availableAtMs: number): Promise<void>;
  /** Ends entries as FAILED, visible with their reason. */
  fail(failures: readonly FailedEntry[]): Promise<void>;
  /**
   * Makes all entries whose lease has ended AVAILABLE, whoever has claimed them, in one statement; except the `held`
   * claims, on which the caller is still working. Returns how many.
   */
  takeBackLapsed(request: { readonly systemNowMs: number; readonly held: readonly Uuid[] }): Promise<number>;
  /**
   * Makes everything that these nodes have claimed AVAILABLE, whatever the leases say, in one statement. Returns how
   * many.
   */
  takeBackFrom(owners: readonly string[]): Promise<number>;
  /** Names of the nodes that have claimed entries. */
  owners(): Promise<readonly string[]>;
  /** When the next lease ends (system time), or null. */
  nextLeaseEnd(): Promise<number | null>;
  /**
   * Reaps entries that were taken back more than `maxLapses` times since their first claim, if that was before
   * `claimedBeforeMs` and nobody processes them: ends them as REAPED and inserts AVAILABLE copies, at most `limit`.
   * Returns how many.
   */
  reap(request: {
    readonly systemNowMs: number;
    readonly businessNow: Instant;
    readonly claimedBeforeMs: number;
    readonly maxLapses: number;
    readonly limit: number;
    /** Only entries of this kind; default: of both. */
    readonly kind?: QueueKind;
  }): Promise<number>;
  /** When the next live notification falls due, or null. */
  nextDue(topics: readonly string[]): Promise<Instant | null>;
  /**
   * Number of live entries that are due or in processing (error pauses included), of one tenant or of all (null); with
   * `cause`, only those that this call has caused.
   */
  countPending(tenantRecordId: number | null, businessNow: Instant, cause?: WorkCause): Promise<number>;
  /** The backlog of all tenants, counted up to `limit`; the cost does not grow with the backlog. */
  backlog(request: BacklogRequest): Promise<QueueBacklog>;
  /** The same by topic, of the first `limit` due entries of each kind in the order of claims; topics without any are left out. */
  backlogByTopic(request: Omit<BacklogRequest, 'kind'>): Promise<readonly TopicBacklog[]>;
  /** Calls `listener` when another node, or a transaction of the host, has committed entries. */
  onSignal(listener: () => void): () => void;
  /** Deletes finished entries older than `before`, at most `limit`; returns how many. */
  purgeHistory(before: Instant, limit: number): Promise<number>;
}
