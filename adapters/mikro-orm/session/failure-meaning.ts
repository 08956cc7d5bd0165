import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { LostCommitError } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

/** If the database is unavailable, returns the error for callers (http-api §12). Otherwise returns the given error. */
export function failureMeaning(dialect: Pick<Dialect, 'failureOf'>, error: unknown): unknown {
  if (error instanceof LostCommitError) {
    return new BillingError({
      code: ErrorCode.BUSY,
      message:
        'The database connection was lost while a change was being stored, so the outcome is unknown. ' +
        'Check whether the change was stored before you send the request again',
      facts: { isOutcomeUnknown: true },
      cause: error.cause,
    });
  }
  const { kind } = dialect.failureOf(error);
  if (kind === 'no-room') {
    return new BillingError({
      code: ErrorCode.NO_ROOM,
      message:
        'The database cannot write: its disk is full, it is read-only, or another resource is exhausted. ' +
        'Reads still work; send the request again when the problem is fixed',
      cause: error,
    });
  }
  if (kind === 'moving') {
    return new BillingError({
      code: ErrorCode.BUSY,
      message: 'The tenant is being moved to another cell; send the request again in a moment',
      facts: { isMoving: true },
      cause: error,
    });
  }
  if (kind === 'away') {
    return new BillingError({
      code: ErrorCode.BUSY,
      message: 'The database cannot be reached or does not respond; send the request again in a moment',
      facts: { isUnreachable: true },
      cause: error,
    });
  }
  return error;
}

/**
 * Adds the cause to an error for the operator who starts the engine. Errors for later callers must not reveal the
 * location of the database.
 */
export function withReason(error: unknown): unknown {
  if (!(error instanceof BillingError && error.cause instanceof Error)) return error;
  const { code, facts, cause } = error;
  return new BillingError({ code, message: `${error.message}. Reason: ${cause.message}`, facts, cause });
}
