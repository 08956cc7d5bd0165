import type { Authorship, New, Page, PageRequest, Rows, Tenant, User } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** An unfinished payment attempt. */
export interface OpenAttempt {
  readonly tenantRecordId: number;
  readonly id: Uuid;
}

/** Conditions on the tenants of a list. */
export interface TenantChoice {
  /** Null means all tenants. */
  readonly ids: readonly Uuid[] | null;
  /** Prefix of the API keys to select, case-sensitive. An empty string selects all keys. */
  readonly apiKeyPrefix: string;
}

/** Data that does not belong to a tenant, such as tenants, users and the shared test clock. */
export interface SystemStore {
  findTenantsByIds(ids: readonly Uuid[]): Rows<Tenant>;
  findTenantsByRecordIds(recordIds: readonly number[]): Rows<Tenant>;
  findTenantByApiKey(apiKey: string): Promise<Tenant | null>;
  /**
   * Returns a page of the selected tenants in the order of their API keys. A negative limit lists backward. `max`
   * counts all tenants, regardless of the prefix.
   */
  pageTenants(choice: TenantChoice, page: PageRequest): Promise<Page<Tenant>>;
  /** Inserts a tenant (audited as TENANT). @throws BillingError 20000 if the API key is already used. */
  insertTenant(tenant: New<Tenant>, authorship: Authorship): Promise<Tenant>;
  findUserByName(name: string): Promise<User | null>;
  /** Inserts the user. Returns false if the name exists. */
  insertUserIfAbsent(user: New<User>): Promise<boolean>;
  /** Replaces the hash of a password and increments `credentialVersion`. Returns false if the user is unknown. */
  updatePasswordHash(name: string, passwordHash: string): Promise<boolean>;
  /**
   * Returns the INIT payment attempts of all tenants that were created before the instant, oldest first. Omits
   * attempts with an UNKNOWN transaction, because payment recovery determines their outcome.
   */
  findOpenAttempts(createdBefore: Instant, limit: number): Rows<OpenAttempt>;
  /** Deletes up to `limit` announcements of invoices that are dated before the given day. */
  purgeInvoiceAnnouncements(before: LocalDate, limit: number): Promise<void>;
  /**
   * Deletes up to `limit` uses of quotas that are older than an instant, and up to `limit` counters that are no longer
   * needed.
   */
  purgeQuotas(before: { readonly uses: Instant; readonly counters: Instant }, limit: number): Promise<void>;
  /** Deletes up to `limit` usage threshold marks of periods that ended before an instant. */
  purgeThresholdAnnouncements(before: Instant, limit: number): Promise<void>;
  /**
   * Returns the setting of the shared test clock (platform §14.1): business time was `base` at system time `setAtMs`.
   * Returns null if the clock shows real time.
   */
  readTestClock(): Promise<{ readonly base: Instant; readonly setAtMs: number } | null>;
  writeTestClock(value: { readonly base: Instant; readonly setAtMs: number } | null): Promise<void>;
  /**
   * Returns the role of the engine's connection if the role bypasses row-level security. This is the case for a
   * superuser, a role with BYPASSRLS, or any role if row-level security is disabled for a table. Otherwise returns
   * null.
   */
  unboundRole(): Promise<string | null>;
  ping(): Promise<void>;
  /** Returns the system time of the database in epoch milliseconds. */
  nowMs(): Promise<number>;
}

/** The kinds of values that are encrypted with the server key (platform §6.3). */
export const EncryptedKind = {
  SIGNING_SECRET: 'SIGNING_SECRET',
  TOKEN_KEY: 'TOKEN_KEY',
  STORED_ANSWER: 'STORED_ANSWER',
} as const;
export type EncryptedKind = keyof typeof EncryptedKind;

export interface EncryptedText {
  readonly recordId: number;
  /** Description of the secret and its owner, as operators see it. */
  readonly name: string;
  readonly text: string;
}

/** All tenants' values that are encrypted with the server key. */
export interface SecretStore {
  /** Returns the current encrypted values whose record ids are above `after`, sorted by record id. */
  list(kind: EncryptedKind, page: { readonly after: number; readonly limit: number }): Rows<EncryptedText>;
  /**
   * Replaces values in one transaction, unless they have changed in the meantime. Returns the number of replaced
   * values.
   */
  replace(
    kind: EncryptedKind,
    texts: readonly { readonly recordId: number; readonly before: string; readonly after: string }[],
  ): Promise<number>;
}

/** A request with an idempotency key (http-api §11). */
export interface KeyedRequest {
  /** Record id of the tenant, or 0 for a request without a tenant. */
  readonly tenantRecordId: number;
  readonly key: string;
}

/** The right to run a keyed request and to store its response. `claimId` is the fencing token. */
export interface RequestClaim extends KeyedRequest {
  readonly claimId: Uuid;
}

/** A stored response. Its fields are null while the request is running. */
export interface StoredRequest {
  readonly key: string;
  /** Hexadecimal SHA-256 of the request. */
  readonly requestHash: string;
  readonly claimId: Uuid;
  /** System time of the first call, in epoch milliseconds. */
  readonly startedMs: number;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Body of the response, encrypted. */
  readonly body: string | null;
}

/** Stored requests of all tenants, and stored requests that belong to no tenant. */
export interface IdempotencyStore {
  /**
   * Inserts the request as running. Replaces a request that started before `expiredBeforeMs`, or the same request if it
   * has been running since before `abandonedBeforeMs`. Executes one statement, so that only one caller gets the claim.
   * @returns null if the caller got the claim, otherwise the stored request with the key, or undefined if that request
   * has been deleted in the meantime.
   */
  claim(
    claim: RequestClaim & { readonly requestHash: string; readonly nowMs: number },
    bounds: { readonly expiredBeforeMs: number; readonly abandonedBeforeMs: number },
  ): Promise<StoredRequest | null | undefined>;
  /** Stores the response. Returns false if another call now holds the claim. */
  keep(claim: RequestClaim, answer: Pick<StoredRequest, 'status' | 'headers' | 'body'>): Promise<boolean>;
  /** Deletes the request if this caller still holds the claim. */
  release(claim: RequestClaim): Promise<void>;
  /** Deletes up to `limit` requests that started before the given time. Returns the number of deleted requests. */
  purge(startedBeforeMs: number, limit: number): Promise<number>;
}
