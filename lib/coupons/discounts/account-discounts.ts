import type { CatalogOfAccount } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type BillingEvent,
  CouponScope,
  type Discount,
  type New,
  type Redemption,
} from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addMonths, type DatedInstant, type Instant, type LocalDate } from '../../values/time/index.ts';
import { monthsOf } from './discount-spans.ts';
import { discountOf, isOnSubscription } from './with-discounts.ts';

/**
 * The billing events of an account's subscriptions. They do not include discounts of redemptions that have not been
 * stored yet.
 */
export interface AccountBilling {
  readonly account: Account;
  readonly eventsOf: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  /** The end of billing, by subscription. Contains only subscriptions whose billing ends. */
  readonly ends: ReadonlyMap<Uuid, DatedInstant>;
}

/** Loads the billing events of accounts, by account id. The invoicing module implements this function. */
export type LoadBilling = (
  session: ReadSession,
  input: {
    readonly accounts: readonly Account[];
    readonly catalogOf: CatalogOfAccount;
    readonly now: Instant;
  },
) => Promise<ReadonlyMap<Uuid, AccountBilling>>;

interface SubscriptionDiscount {
  readonly subscriptionId: Uuid;
  readonly events: readonly BillingEvent[];
  readonly discount: Discount;
}

/** Returns the discount that a redemption gives on each subscription. */
export function discountsOf(
  redemption: New<Redemption>,
  { account, eventsOf }: AccountBilling,
): readonly SubscriptionDiscount[] {
  return [...eventsOf].flatMap(([subscriptionId, events]) => {
    if (!isOnSubscription(redemption, subscriptionId)) return [];
    const discount = discountOf(redemption, events, account.currency);
    return discount === null ? [] : [{ subscriptionId, events, discount }];
  });
}

/**
 * Returns the end of the last discount of a redemption (§6 rule 1). Returns infinity if the end is not known. This is
 * the case for a discount without an end, for a redemption on an account if the coupon discounts a number of periods of
 * each subscription, and while billing is paused.
 */
export function endOfRedemption(redemption: New<Redemption>, billing: AccountBilling): Instant {
  const { account, ends } = billing;
  const { subscriptionId: only, redeemed } = redemption;
  const endAt = (date: LocalDate | null) => (date === null ? NEVER : atReferenceTime(date, account).at);
  const endOn = (id: Uuid, discount?: Discount) =>
    Math.min(endAt(discount ? endOf(discount) : null), ends.get(id)?.at ?? NEVER);
  const discounts = discountsOf(redemption, billing);
  if (only !== null) return endOn(only, discounts[0]?.discount) as Instant;
  const months = monthsOf(redemption.duration);
  if (months === null) return NEVER;
  const found = discounts.map(({ subscriptionId, discount }) => endOn(subscriptionId, discount));
  return Math.max(endAt(addMonths(redeemed.date, months)), ...found) as Instant;
}

/** Returns the end of the discount, or null if a later period can still be discounted. */
function endOf({ appliesTo, from, until, fixedUntil }: Discount): LocalDate | null {
  const hasNoPeriod = from === until;
  return hasNoPeriod && appliesTo === CouponScope.BOTH ? null : fixedUntil;
}

const NEVER = Number.POSITIVE_INFINITY as Instant;
