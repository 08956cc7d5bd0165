import type { Bundle } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';

/** @throws BillingError SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020) if another account owns the bundle. */
export function checkBundleOwner(bundle: Pick<Bundle, 'id' | 'accountId'>, accountId: Uuid): void {
  if (bundle.accountId === accountId) return;
  throw specifierError(`Bundle ${bundle.id} does not belong to account ${accountId}`, bundle.id);
}

/** The error for a subscription that is named together with an account that it does not belong to. */
export function notOfAccount(subscriptionId: Uuid, accountId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
    message: `Subscription ${subscriptionId} does not belong to account ${accountId}`,
    facts: { subscriptionId, accountId },
  });
}

/** The error for a subscription that is named together with a bundle that it is not in. */
export function notInBundle(subscriptionId: Uuid, bundleId: Uuid): BillingError {
  return specifierError(`Subscription ${subscriptionId} is not in bundle ${bundleId}`, bundleId);
}

/** The error for ids and keys that do not go together. */
export function specifierError(message: string, bundleId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
    message,
    facts: { bundleId },
  });
}

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

/** The error for an id that no subscription of the tenant has. */
export function noSuchSubscription(subscriptionId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
    message: `Subscription ${subscriptionId} does not exist`,
    facts: { subscriptionId },
  });
}

/** The error for a key that no subscription of the tenant has. */
export function noSubscriptionOfKey(externalKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
    message: `No subscription has the external key ${shortened(externalKey)}`,
    facts: { externalKey },
  });
}
