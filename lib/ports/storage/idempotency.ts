import type { Uuid } from '../../values/ids/index.ts';

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
