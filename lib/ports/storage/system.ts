import type { Authorship, New, Rows, Tenant, User } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** An unfinished payment attempt. */
export interface OpenAttempt {
  readonly tenantRecordId: number;
  readonly id: Uuid;
}

/** Data without a tenant: tenants, users, the shared test clock. */
export interface SystemStore {
  findTenantsByIds(ids: readonly Uuid[]): Rows<Tenant>;
  findTenantsByRecordIds(recordIds: readonly number[]): Rows<Tenant>;
  findTenantByApiKey(apiKey: string): Promise<Tenant | null>;
  /** A taken API key throws BillingError 20000. Audited as TENANT. */
  insertTenant(tenant: New<Tenant>, authorship: Authorship): Promise<Tenant>;
  findUserByName(name: string): Promise<User | null>;
  /** Returns false if the name exists. */
  insertUserIfAbsent(user: New<User>): Promise<boolean>;
  /** Also raises `credentialVersion`; false for an unknown user. */
  updatePasswordHash(name: string, passwordHash: string): Promise<boolean>;
  /**
   * Payment attempts of all tenants in INIT created before the instant, oldest first, except those with an UNKNOWN
   * transaction, which payment recovery decides.
   */
  findOpenAttempts(createdBefore: Instant, limit: number): Rows<OpenAttempt>;
  /** Deletes up to `limit` announcements of invoices dated before that day. */
  purgeInvoiceAnnouncements(before: LocalDate, limit: number): Promise<void>;
  /** Deletes up to `limit` usage threshold marks of periods that ended before. */
  purgeThresholdAnnouncements(before: Instant, limit: number): Promise<void>;
  /**
   * Returns the shared test clock (platform §14.1): business time `base` at system time `setAtMs`; null means real
   * time.
   */
  readTestClock(): Promise<{ readonly base: Instant; readonly setAtMs: number } | null>;
  writeTestClock(value: { readonly base: Instant; readonly setAtMs: number } | null): Promise<void>;
  /**
   * Returns the role of the engine's connection if row-level security does not apply to it: a superuser, one with
   * BYPASSRLS, or any role if a table has it disabled. Otherwise null.
   */
  unboundRole(): Promise<string | null>;
  ping(): Promise<void>;
  /** System time of the database in epoch milliseconds. */
  nowMs(): Promise<number>;
}

/** What is encrypted with the server key (platform §6.3). */
export const EncryptedKind = {
  SIGNING_SECRET: 'SIGNING_SECRET',
  TOKEN_KEY: 'TOKEN_KEY',
  STORED_ANSWER: 'STORED_ANSWER',
} as const;
export type EncryptedKind = keyof typeof EncryptedKind;

export interface EncryptedText {
  readonly recordId: number;
  /** What it is and whose, for operators. */
  readonly name: string;
  readonly text: string;
}

/** The texts of all tenants that are encrypted with the server key. */
export interface SecretStore {
  /** Returns texts in use by record id, after `after`. */
  list(kind: EncryptedKind, page: { readonly after: number; readonly limit: number }): Rows<EncryptedText>;
  /** Replaces texts that are still the same, in one transaction. Returns their number. */
  replace(
    kind: EncryptedKind,
    texts: readonly { readonly recordId: number; readonly before: string; readonly after: string }[],
  ): Promise<number>;
}

/** A request with an idempotency key (http-api §11). */
export interface KeyedRequest {
  /** 0 if there is no tenant. */
  readonly tenantRecordId: number;
  readonly key: string;
}

/** The right to run a keyed request and to store its answer; `claimId` is the fencing token. */
export interface RequestClaim extends KeyedRequest {
  readonly claimId: Uuid;
}

/** A stored answer; parts are null while the request runs. */
export interface StoredRequest {
  readonly key: string;
  /** Hexadecimal SHA-256 of the request. */
  readonly requestHash: string;
  readonly claimId: Uuid;
  /** System time of the first call in epoch milliseconds. */
  readonly startedMs: number;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  /** Encrypted. */
  readonly body: string | null;
}

/** Cross-tenant, since some requests have no tenant. */
export interface IdempotencyStore {
  /**
   * Inserts the request as running, or replaces one that started before `expiredBeforeMs`, or the same request running
   * since before `abandonedBeforeMs`, in one statement, so that only one caller gets the claim.
   * @returns null with the claim, otherwise the request with the key; undefined if that has disappeared meanwhile.
   */
  claim(
    claim: RequestClaim & { readonly requestHash: string; readonly nowMs: number },
    bounds: { readonly expiredBeforeMs: number; readonly abandonedBeforeMs: number },
  ): Promise<StoredRequest | null | undefined>;
  /** Returns false if another call has the claim. */
  keep(claim: RequestClaim, answer: Pick<StoredRequest, 'status' | 'headers' | 'body'>): Promise<boolean>;
  /** Deletes the request while the claim is ours. */
  release(claim: RequestClaim): Promise<void>;
  /** Deletes up to `limit` older requests; returns their number. */
  purge(startedBeforeMs: number, limit: number): Promise<number>;
}
