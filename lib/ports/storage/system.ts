import type { Authorship, New, Tenant, User } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A payment attempt that has begun and not ended. */
export interface OpenAttempt {
  readonly tenantRecordId: number;
  readonly id: Uuid;
}

/** Access that belongs to no tenant: tenants themselves, users, the shared test clock. */
export interface SystemStore {
  findTenantsByIds(ids: readonly Uuid[]): Promise<readonly Tenant[]>;
  findTenantsByRecordIds(recordIds: readonly number[]): Promise<readonly Tenant[]>;
  findTenantByApiKey(apiKey: string): Promise<Tenant | null>;
  /** A taken API key throws BillingError 20000. Audited as TENANT. */
  insertTenant(tenant: New<Tenant>, authorship: Authorship): Promise<Tenant>;
  findUserByName(name: string): Promise<User | null>;
  /** Inserts unless a user of that name exists; true if it was inserted. */
  insertUserIfAbsent(user: New<User>): Promise<boolean>;
  /** Replaces the user's password hash and raises its `credentialVersion`; false if there is no such user. */
  updatePasswordHash(name: string, passwordHash: string): Promise<boolean>;
  /**
   * Payment attempts of all tenants in INIT that were created before that instant, the oldest first; without those whose
   * transaction is UNKNOWN, which recovery of transactions decides.
   */
  findOpenAttempts(createdBefore: Instant, limit: number): Promise<readonly OpenAttempt[]>;
  /** Forgets, of at most `limit` invoices whose date is before that day, that they were told of before they came. */
  purgeToldInvoices(before: LocalDate, limit: number): Promise<void>;
  /** Forgets that at most `limit` thresholds of usage were told of whose periods were over before that instant. */
  purgeToldThresholds(before: Instant, limit: number): Promise<void>;
  /** The shared test clock (platform §14.1): business time `base` at system time `setAtMs`, or null = real time. */
  readTestClock(): Promise<{ readonly base: Instant; readonly setAtMs: number } | null>;
  writeTestClock(value: { readonly base: Instant; readonly setAtMs: number } | null): Promise<void>;
  /**
   * The role as which the engine connects, if the row-level security of the database does not bind it: a superuser, one
   * with BYPASSRLS, or any role if it was switched off for a table. Null if it does bind, and if the database has none.
   */
  unboundRole(): Promise<string | null>;
  /** Resolves when the database answers; throws when it does not. */
  ping(): Promise<void>;
  /** System time of the database, in milliseconds since the epoch. */
  nowMs(): Promise<number>;
}

/** A request under a caller's key (http-api §11). */
export interface KeyedRequest {
  /** Number of the tenant that the key is unique in; 0 for requests of no tenant. */
  readonly tenantRecordId: number;
  readonly key: string;
}

/** The right to run a keyed request and to store its answer; `claimId` is its fencing token. */
export interface RequestClaim extends KeyedRequest {
  readonly claimId: Uuid;
}

/** An answer as it is stored; null parts mean that the request is still running. */
export interface KeptRequest {
  readonly key: string;
  /** SHA-256 of the request, in hexadecimal digits. */
  readonly requestHash: string;
  readonly claimId: Uuid;
  /** System time of the first call, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Encrypted by the cipher. */
  readonly body: string | null;
}

/** Answers to requests that carry a key, stored for repeats; cross-tenant, since some requests have no tenant. */
export interface IdempotencyStore {
  /**
   * Inserts the request as running, or replaces one that started before `expiredBeforeMs`, or the same request if it has
   * been running since before `abandonedBeforeMs`. All in one statement, so that only one of two callers gets the claim.
   * @returns null if this call has the claim now, else the request that has the key; undefined if that request has gone
   * in between.
   */
  claim(
    claim: RequestClaim & { readonly requestHash: string; readonly nowMs: number },
    bounds: { readonly expiredBeforeMs: number; readonly abandonedBeforeMs: number },
  ): Promise<KeptRequest | null | undefined>;
  /** Stores the answer; false if the claim was taken over. */
  keep(claim: RequestClaim, answer: Pick<KeptRequest, 'status' | 'headers' | 'body'>): Promise<boolean>;
  /** Forgets the request, unless the claim was taken over. */
  release(claim: RequestClaim): Promise<void>;
  /** Removes requests that started before that time, at most `limit`; returns how many. */
  purge(startedBeforeMs: number, limit: number): Promise<number>;
}
