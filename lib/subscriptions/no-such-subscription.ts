import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Of an id that no subscription of the tenant has. */
export function noSuchSubscription(subscriptionId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
    message: `Subscription ${subscriptionId} does not exist`,
    facts: { subscriptionId },
  });
}
