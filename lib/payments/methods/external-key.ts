import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../../values/limits.ts';
import { checkStorable } from '../../values/text/index.ts';

/**
 * The key as given, null = none.
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5) if it is too long, MISSING_OR_INVALID_FIELD if it cannot be stored.
 */
export function checkExternalKey(externalKey: string | null): string | null {
  if (externalKey === null || externalKey === '') return null;
  checkStorable('External key', externalKey);
  if (externalKey.length <= MAX_EXTERNAL_KEY_CHARACTERS) return externalKey;
  throw new BillingError({
    code: ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    message: `External key has ${externalKey.length} characters; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    facts: { length: externalKey.length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  });
}
