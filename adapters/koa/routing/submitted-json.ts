import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { MAX_JSON_DEPTH } from '../../../lib/values/limits.ts';
import { JsonBoundError, parseSubmittedJson, type SubmittedJson } from '../../../lib/values/money/index.ts';

/**
 * Reads the JSON of a body. Lists are counted while they are read, so that a list that is too long is never made.
 * @param what names the JSON in messages, such as `The body`.
 * @throws BillingError MALFORMED_BODY for other text and for JSON nested too deep, MISSING_OR_INVALID_FIELD for a list of
 * more than `maxElements`.
 */
export function submittedJson(text: string, maxElements: number, what = 'The body'): SubmittedJson {
  try {
    return parseSubmittedJson(text, { depth: MAX_JSON_DEPTH, elements: maxElements });
  } catch (error) {
    if (error instanceof JsonBoundError) throw outOfBounds(error, maxElements);
    const reason = error instanceof Error ? error.message : String(error);
    throw new BillingError({
      code: ErrorCode.MALFORMED_BODY,
      message: `${what} is not JSON: ${reason}`,
      cause: error,
    });
  }
}

function outOfBounds(error: JsonBoundError, maxElements: number): BillingError {
  if (error.bound === 'elements') {
    return new BillingError({
      code: ErrorCode.MISSING_OR_INVALID_FIELD,
      message: `A list of the body has ${error.found} elements; at most ${maxElements} are allowed`,
      facts: { elements: error.found, maxElements },
      cause: error,
    });
  }
  return new BillingError({
    code: ErrorCode.MALFORMED_BODY,
    message: `The body has lists and objects more than ${MAX_JSON_DEPTH} levels deep`,
    cause: error,
  });
}
