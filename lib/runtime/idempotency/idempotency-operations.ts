import type { RequestClaim } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { Begun, KeptAnswer } from './service.ts';

/** Requests that run once however often they are sent, for whoever serves them. */
export interface IdempotencyOperations {
  /**
   * Takes the key for this request, or gives the answer of its first call.
   * @param request `hash` covers everything that identifies the request; `tenant` is null for a request of no tenant.
   * @throws BillingError INVALID_PARAMETER for a bad key, IDEMPOTENCY_IN_PROGRESS while the first call runs,
   * IDEMPOTENCY_KEY_REUSED for another request under the same key.
   */
  begin(request: {
    readonly tenant: TenantRef | null;
    readonly key: string;
    readonly hash: string;
  }): Promise<Begun>;

  /** Stores the answer for repeats; false if another call has taken the request over, so that its answer counts. */
  keep(claim: RequestClaim, answer: KeptAnswer): Promise<boolean>;

  /** Forgets the request, so that a repeat runs it anew; if the database cannot, the next call on this node does it. */
  release(claim: RequestClaim): Promise<void>;
}
