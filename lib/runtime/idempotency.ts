import type { Ports } from '../ports/index.ts';
import type { RequestClaim, StoredRequest } from '../ports/storage/index.ts';
import type { TenantRef } from '../records/index.ts';
import {
  type BillingError,
  billingError,
  ErrorCode,
  InvariantError,
  invalidParameter,
  isMoving,
} from '../values/errors/index.ts';
import {
  IDEMPOTENCY_ABANDONED_MS,
  IDEMPOTENCY_RETENTION_MS,
  MAX_EXTERNAL_KEY_CHARACTERS,
} from '../values/limits.ts';
import { isStorable, NOT_STORABLE } from '../values/text/index.ts';

/** Operations that ensure that a repeated request runs only once. */
export interface IdempotencyOperations {
  /**
   * Claims the key for this request, or returns the response of its first call.
   * @param request `hash` covers everything that identifies the request; `tenant` is null for a request without a
   * tenant.
   * @throws BillingError INVALID_PARAMETER for an invalid key, IDEMPOTENCY_IN_PROGRESS while the first call runs,
   * IDEMPOTENCY_KEY_REUSED for another request under the same key.
   */
  begin(request: {
    readonly tenant: TenantRef | null;
    readonly key: string;
    readonly hash: string;
  }): Promise<Begun>;

  /**
   * Stores the response for repeated requests. Returns false if another call now holds the claim. In that case, only
   * the response of the other call is stored.
   */
  keep(claim: RequestClaim, answer: StoredAnswer): Promise<boolean>;

  /**
   * Deletes the request, so that a repeated request runs again. If the database fails, the next call on this node
   * deletes the request.
   */
  release(claim: RequestClaim): Promise<void>;
}

/** Number of keys that one statement deletes. */
const IDEMPOTENCY_PURGE_SIZE = 1_000;

/** Maximum number of keys that a node remembers to release when the database works again. */
const MAX_LEFT_CLAIMS = 10_000;

/** Maximum number of attempts to read a request that is deleted between two statements. */
const IDEMPOTENCY_CLAIM_ATTEMPTS = 3;

/** The stored answer to a request. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Either a claim to run the request, or the response of its first call. */
export type Begun =
  | { readonly claim: RequestClaim; readonly answer?: never }
  | { readonly answer: StoredAnswer; readonly claim?: never };

type IdempotencyPorts = Pick<Ports, 'storage' | 'ids' | 'cipher' | 'systemClock'>;

/** Tenant number of requests that have no tenant. No tenant has this number (§17 rule 2). */
const noTenant = 0;

/**
 * Stores the encrypted response of a request under the caller's key, for repeated requests on any node (http-api §11
 * rule 2).
 */
export class IdempotencyService {
  readonly #ports: IdempotencyPorts;
  readonly #retentionMs: number;
  /** Claims that could not be released because the database failed. */
  readonly #left = new Map<string, RequestClaim>();

  constructor(ports: IdempotencyPorts, retentionMs: number = IDEMPOTENCY_RETENTION_MS) {
    this.#ports = ports;
    this.#retentionMs = retentionMs;
  }

  async begin(request: Parameters<IdempotencyOperations['begin']>[0]): Promise<Begun> {
    checkKey(request.key);
    const { storage, ids, systemClock } = this.#ports;
    const claim = {
      tenantRecordId: request.tenant?.recordId ?? noTenant,
      key: request.key,
      claimId: ids.next(),
    };
    await this.#releaseLeft(claim);
    for (let attempt = 1; attempt <= IDEMPOTENCY_CLAIM_ATTEMPTS; attempt += 1) {
      const nowMs = systemClock.nowMs();
      const known = await storage.idempotency.claim(
        { ...claim, requestHash: request.hash, nowMs },
        {
          expiredBeforeMs: nowMs - this.#retentionMs,
          abandonedBeforeMs: nowMs - IDEMPOTENCY_ABANDONED_MS,
        },
      );
      if (known === null) return { claim };
      if (known !== undefined) return { answer: await this.#answerOf(known, request.hash) };
    }
    throw inProgress(request.key);
  }

  async keep(claim: RequestClaim, answer: StoredAnswer): Promise<boolean> {
    const { storage, cipher } = this.#ports;
    const body = await cipher.encrypt(answer.body);
    return storage.idempotency.keep(claim, { ...answer, body });
  }

  async release(claim: RequestClaim): Promise<void> {
    try {
      await this.#ports.storage.idempotency.release(claim);
    } catch (error) {
      // The key of a moving tenant is released in its new cell (cells §2 rule 9).
      if (!isMoving(error) && this.#left.size < MAX_LEFT_CLAIMS) this.#left.set(keyOf(claim), claim);
      throw error;
    }
  }

  async #releaseLeft(request: Pick<RequestClaim, 'tenantRecordId' | 'key'>): Promise<void> {
    const left = this.#left.get(keyOf(request));
    if (left === undefined) return;
    await this.#ports.storage.idempotency.release(left);
    this.#left.delete(keyOf(request));
  }

  /** Deletes expired responses, a limited number at a time. */
  async purge(): Promise<void> {
    const { storage, systemClock } = this.#ports;
    await storage.idempotency.purge(systemClock.nowMs() - this.#retentionMs, IDEMPOTENCY_PURGE_SIZE);
  }

  async #answerOf(known: StoredRequest, hash: string): Promise<StoredAnswer> {
    const { key, requestHash, status, headers, body } = known;
    if (requestHash !== hash) {
      throw billingError(
        ErrorCode.IDEMPOTENCY_KEY_REUSED,
        `Idempotency-Key "${key}" was used for another request; send each request under a key of its own`,
      );
    }
    if (status === null || headers === null || body === null) throw inProgress(key);
    const text = await this.#ports.cipher.decrypt(body);
    if (text !== null) return { status, headers, body: text };
    throw new InvariantError(
      `The answer under Idempotency-Key "${key}" was encrypted with another server key`,
    );
  }
}

function keyOf({ tenantRecordId, key }: Pick<RequestClaim, 'tenantRecordId' | 'key'>): string {
  return `${tenantRecordId} ${key}`;
}

function checkKey(key: string): void {
  if (key.length <= MAX_EXTERNAL_KEY_CHARACTERS && isStorable(key)) return;
  const problem =
    key.length > MAX_EXTERNAL_KEY_CHARACTERS
      ? `is ${key.length} characters long; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`
      : NOT_STORABLE;
  throw invalidParameter(`Header Idempotency-Key ${problem}`);
}

function inProgress(key: string): BillingError {
  return billingError(
    ErrorCode.IDEMPOTENCY_IN_PROGRESS,
    `The first request under Idempotency-Key "${key}" is still running; try again in a moment`,
  );
}
