import type { Bundle } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';

/**
 * Checks that the account owns the bundle.
 * @throws BillingError SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020) if the bundle belongs to another
 * account.
 */
export function checkBundleOwner(bundle: Pick<Bundle, 'id' | 'accountId'>, accountId: Uuid): void {
  if (bundle.accountId === accountId) return;
  throw specifierError(`Bundle ${bundle.id} does not belong to account ${accountId}`, bundle.id);
}

export function notOfAccount(subscriptionId: Uuid, accountId: Uuid): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
    `Subscription ${subscriptionId} does not belong to account ${accountId}`,
    { subscriptionId, accountId },
  );
}

export function notInBundle(subscriptionId: Uuid, bundleId: Uuid): BillingError {
  return specifierError(`Subscription ${subscriptionId} is not in bundle ${bundleId}`, bundleId);
}

export function specifierError(message: string, bundleId: Uuid): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER, message, { bundleId });
}

export function noSuchBundle(bundleId: Uuid): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID, `Bundle ${bundleId} does not exist`, {
    bundleId,
  });
}

export function noBundleOfKey(externalKey: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY,
    `No bundle has the external key ${shortenText(externalKey)}`,
    { externalKey },
  );
}

export function noSuchSubscription(subscriptionId: Uuid): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
    `Subscription ${subscriptionId} does not exist`,
    { subscriptionId },
  );
}

export function noSubscriptionOfKey(externalKey: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
    `No subscription has the external key ${shortenText(externalKey)}`,
    { externalKey },
  );
}
