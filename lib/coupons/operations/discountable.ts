import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, BillingEvent } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';
import type { DiscountedPlan } from '../discounts/with-discounts.ts';

/** The billing events of an account's subscriptions, without discounts that are not stored yet. */
export interface AccountBilling {
  readonly eventsOf: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  /** When billing ends, for each subscription that has ended. */
  readonly ends: ReadonlyMap<Uuid, DatedInstant>;
}

/** Loads the billing events of accounts, by account id. The invoicing module derives the events. */
export type LoadBilling = (
  session: ReadSession,
  input: {
    readonly accounts: readonly Account[];
    readonly catalogOf: CatalogOfAccount;
    readonly now: Instant;
  },
) => Promise<ReadonlyMap<Uuid, AccountBilling>>;

/**
 * Returns the plans that a redemption would discount: the plan of the subscription, or the plans of all running
 * subscriptions of the account.
 * @throws BillingError COUPON_SUBSCRIPTION_ENDED (62012).
 */
export function discountableSubscriptions(
  { eventsOf, ends }: AccountBilling,
  { subscriptionId, redeemed }: { readonly subscriptionId: Uuid | null; readonly redeemed: DatedInstant },
): { readonly plans: readonly DiscountedPlan[] } {
  const isEnded = (id: Uuid) => (ends.get(id)?.at ?? Number.POSITIVE_INFINITY) <= redeemed.at;
  if (subscriptionId !== null) {
    if (isEnded(subscriptionId))
      throw billingError(
        ErrorCode.COUPON_SUBSCRIPTION_ENDED,
        `Subscription ${subscriptionId} has ended, so no coupon can be redeemed on it`,
        { subscriptionId },
      );
    return { plans: [planOn(eventsOf.get(subscriptionId) ?? [], redeemed)] };
  }
  const running = [...eventsOf].filter(([id]) => !isEnded(id));
  return { plans: running.map(([, events]) => planOn(events, redeemed)) };
}

/** Returns the plan in force at the redemption, or the first plan of a subscription that starts later. */
function planOn(events: readonly BillingEvent[], { date }: DatedInstant): DiscountedPlan {
  const planned = events.filter(({ planName }) => planName !== null);
  const inForce = planned.findLast(({ localDate }) => localDate <= date) ?? planned[0];
  return inForce ?? { planName: null, productName: null };
}
