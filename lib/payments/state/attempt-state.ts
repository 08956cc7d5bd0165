import { AttemptState, TransactionStatus } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/**
 * State of an attempt after its run, or after a later fix of its transaction (§3.3). `retryAt` is the date
 * that §8.3 gives, null = none.
 */
export function attemptStateAfter(status: TransactionStatus, retryAt: Instant | null): AttemptState {
  if (status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING)
    return AttemptState.SUCCESS;
  if (status === TransactionStatus.UNKNOWN || retryAt === null) return AttemptState.ABORTED;
  return AttemptState.RETRIED;
}
