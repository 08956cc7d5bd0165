import { checkExternalKey } from '../../accounts/index.ts';
import { invalidField } from '../../values/errors/index.ts';

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5). */
export function checkBundleKey(externalKey: string | null | undefined): string {
  checkExternalKey(externalKey);
  if (externalKey) return externalKey;
  throw invalidField('BundleJson externalKey needs to be set', { field: 'externalKey' });
}
