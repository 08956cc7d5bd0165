import { RetryLater, retryLaterOf } from '../../ports/index.ts';
import { type CalledPlugin, pluginFailure } from '../../runtime/index.ts';
import { type BillingError, MalformedAnswer } from '../../values/errors/index.ts';

/** After that queued work asks a source again that has failed without saying when to come again. */
const USAGE_SOURCE_PAUSE_MS = 30_000;

/**
 * The error for a source that has not told what was used. Queued work is done again after a pause, or when the source says,
 * for as long as it takes: there is nothing wrong with the account (§9 rule 6).
 * @param error what was thrown: of `callPlugin`, or on reading the answer.
 */
export function sourceFailure(called: CalledPlugin, error: unknown): BillingError {
  const thrown = causeOf(error);
  const what =
    thrown instanceof MalformedAnswer
      ? `${thrown.message} (${called.member ?? called.name})`
      : `did not tell what was used (${called.member ?? called.name}); the log of the server tells why`;
  return pluginFailure(called, what, retryLaterOf(error) === undefined ? later(error) : error);
}

function causeOf(error: unknown): unknown {
  if (error instanceof MalformedAnswer || !(error instanceof Error) || error.cause === undefined)
    return error;
  return causeOf(error.cause);
}

function later(cause: unknown): RetryLater {
  const text = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new RetryLater(USAGE_SOURCE_PAUSE_MS, text), { cause });
}
