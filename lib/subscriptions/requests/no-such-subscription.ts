import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';

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
