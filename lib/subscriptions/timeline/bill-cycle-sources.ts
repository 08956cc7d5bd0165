import { type Account, ProductCategory, type Subscription } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { BillCycleDaySources } from './bill-cycle-day.ts';
import { firstChargeDate } from './first-charge-date.ts';
import type { Transition } from './transitions.ts';

export interface SubscriptionTimeline {
  readonly subscription: Pick<Subscription, 'id' | 'bundleId' | 'category'>;
  readonly transitions: readonly Transition[];
}

/**
 * What the bill cycle days of these subscriptions are derived from (§15.1). Subscriptions without transitions have none;
 * where add-ons are among them, their base must be too.
 */
export function billCycleDaySources(
  timelines: readonly SubscriptionTimeline[],
  account: Pick<Account, 'billCycleDayLocal' | 'timeZone'>,
): ReadonlyMap<Uuid, BillCycleDaySources> {
  const started = timelines.filter(({ transitions }) => transitions.length > 0);
  const charges = new Map(
    started.map(({ subscription, transitions }) => [
      subscription.id,
      firstChargeDate(transitions, account.timeZone),
    ]),
  );
  const ofBundle = Map.groupBy(
    started.map(({ subscription }) => subscription),
    ({ bundleId }) => bundleId,
  );
  return new Map(
    started.map(({ subscription }) => {
      const firstCharge = chargeOf(subscription.id, charges);
      const base = alignmentBase(subscription, ofBundle.get(subscription.bundleId) ?? []);
      const baseFirstCharge = chargeOf(base.id, charges);
      return [
        subscription.id,
        { accountBillCycleDay: account.billCycleDayLocal, firstCharge, baseFirstCharge },
      ];
    }),
  );
}

function chargeOf(subscriptionId: Uuid, charges: ReadonlyMap<Uuid, LocalDate>): LocalDate {
  const date = charges.get(subscriptionId);
  assertInvariant(date !== undefined, `Subscription ${subscriptionId} has no first charge date`, {
    subscriptionId,
  });
  return date;
}

/**
 * The subscription whose first charge date BUNDLE alignment follows: the bundle's BASE; outside such a bundle, the
 * subscription itself (§15.1).
 */
export function alignmentBase<T extends Pick<Subscription, 'id' | 'category'>>(
  subscription: T,
  ofBundle: readonly T[],
): T {
  if (subscription.category !== ProductCategory.ADD_ON) return subscription;
  return ofBundle.find((other) => other.category === ProductCategory.BASE) ?? subscription;
}
