import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';

/** The error for an id that no bundle of the tenant has. */
export function noSuchBundle(bundleId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
    message: `Bundle ${bundleId} does not exist`,
    facts: { bundleId },
  });
}

/** The error for a key that no bundle of the tenant has. */
export function noBundleOfKey(externalKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY,
    message: `No bundle has the external key ${shortened(externalKey)}`,
    facts: { externalKey },
  });
}
