import { setTimeout } from 'node:timers/promises';
import { ConcurrentChangeError } from '../../../lib/ports/storage/index.ts';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** Maximum number of retries of an operation after a serialization failure, deadlock or busy database. */
const MAX_TRANSACTION_RETRIES = 10;

/** The pause before retry n is a random fraction of `min(2^n × first, longest)`. */
const FIRST_RETRY_PAUSE_MS = 5;
const LONGEST_RETRY_PAUSE_MS = 500;

/** Repeats the attempt after conflicts with other transactions, up to a maximum number of attempts. */
export async function runAgain<T>(
  attempt: () => Promise<T>,
  isInTheWay: (error: unknown) => boolean,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      if (retries === MAX_TRANSACTION_RETRIES) throw outOfAttempts(error);
      await pauseBefore(retries);
    }
  }
}

/**
 * Returns true for the only conflict that can be retried in a host's transaction. Any other conflict ends the whole
 * transaction.
 */
export function isConcurrentChange(error: unknown): error is ConcurrentChangeError {
  return error instanceof ConcurrentChangeError;
}

/** Waits longer before each retry. The pause is partly random, so that two calls do not collide again. */
async function pauseBefore(retry: number) {
  const longestMs = Math.min(FIRST_RETRY_PAUSE_MS * 2 ** retry, LONGEST_RETRY_PAUSE_MS);
  await setTimeout(longestMs * (0.5 + Math.random() / 2));
}

function outOfAttempts(cause: unknown) {
  const isConflict = isConcurrentChange(cause);
  const { message, facts } = isConflict
    ? cause
    : { message: 'Other operations changed the same records at the same time', facts: {} };
  return new BillingError({
    // http-api §11 rule 5
    code: isConflict ? ErrorCode.VERSION_CONFLICT : ErrorCode.BUSY,
    message: `${message}. This happened ${MAX_TRANSACTION_RETRIES + 1} times in a row; try again in a moment`,
    facts,
    cause,
  });
}
