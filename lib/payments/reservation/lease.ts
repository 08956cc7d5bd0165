import { addMilliseconds, type Instant } from '../../values/time/index.ts';

/** Time after the call's limit until nobody can still be recording its answer (§5.1 rule 1). */
const LEASE_MARGIN_MS = 30_000;

/** Leaves time for every call: they start in waves of `parallelCalls`, each at most one timeout long. */
export function leaseUntil(
  now: Instant,
  calls: { readonly count: number; readonly parallelCalls: number; readonly timeoutMs: number },
): Instant {
  const waves = Math.max(1, Math.ceil(calls.count / calls.parallelCalls));
  return addMilliseconds(now, waves * calls.timeoutMs + LEASE_MARGIN_MS);
}
