import { checkExternalKey } from '../../accounts/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5). */
export function checkBundleKey(externalKey: string | null | undefined): string {
  checkExternalKey(externalKey);
  if (externalKey) return externalKey;
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message: 'BundleJson externalKey needs to be set',
    facts: { field: 'externalKey' },
  });
}
