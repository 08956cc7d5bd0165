import type { GatewayTransaction } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

/** Stripe forgets idempotency keys once they are at least 24 hours old; what is left is for clocks that disagree. */
const SURELY_KEPT_MS = 20 * 3_600_000;
const CLOCKS_DISAGREE_MS = 3_600_000;
const VERSION_AT = 14;

/**
 * Whether all requests that were ever made for something of this id are so young that Stripe still knows their keys: ids of
 * the engine (UUIDv7) tell when they were made, and nothing was asked for before.
 */
export function isSurelyKept(id: Uuid, nowMs: number): boolean {
  if (id[VERSION_AT] !== '7') return false;
  const madeMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const age = nowMs - madeMs;
  return age < SURELY_KEPT_MS && age > -CLOCKS_DISAGREE_MS;
}

/** Whether an earlier presentation of the transaction may have had an effect that no idempotency key tells of any more. */
export function mayBeForgotten({ transactionId, isCompletion = false }: GatewayTransaction): boolean {
  return isCompletion || !isSurelyKept(transactionId, Date.now());
}
