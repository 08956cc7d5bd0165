import type { Bundle } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';

/** @throws BillingError SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020) if another account owns the bundle. */
export function checkBundleOwner(bundle: Pick<Bundle, 'id' | 'accountId'>, accountId: Uuid): void {
  if (bundle.accountId === accountId) return;
  throw specifierError(`Bundle ${bundle.id} does not belong to account ${accountId}`, bundle.id);
}

/** The error for a subscription that is named together with an account that it does not belong to. */
export function notOfAccount(subscriptionId: Uuid, accountId: Uuid): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
    `Subscription ${subscriptionId} does not belong to account ${accountId}`,
    { subscriptionId, accountId },
  );
}

/** The error for a subscription that is named together with a bundle that it is not in. */
export function notInBundle(subscriptionId: Uuid, bundleId: Uuid): BillingError {
  return specifierError(`Subscription ${subscriptionId} is not in bundle ${bundleId}`, bundleId);
}

/** The error for ids and keys that do not go together. */
export function specifierError(message: string, bundleId: Uuid): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER, message, { bundleId });
}

/** The error for an id that no bundle of the tenant has. */
export function noSuchBundle(bundleId: Uuid): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID, `Bundle ${bundleId} does not exist`, {
    bundleId,
  });
}

/** The error for a key that no bundle of the tenant has. */
export function noBundleOfKey(externalKey: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY,
    `No bundle has the external key ${shortened(externalKey)}`,
    { externalKey },
  );
}

/** The error for an id that no subscription of the tenant has. */
export function noSuchSubscription(subscriptionId: Uuid): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
    `Subscription ${subscriptionId} does not exist`,
    { subscriptionId },
  );
}

/** The error for a key that no subscription of the tenant has. */
export function noSubscriptionOfKey(externalKey: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
    `No subscription has the external key ${shortened(externalKey)}`,
    { externalKey },
  );
}
