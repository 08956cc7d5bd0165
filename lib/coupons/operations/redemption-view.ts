import type { New, Redemption } from '../../records/index.ts';
import { addDays, type Instant, localDateOf, maxDate } from '../../values/time/index.ts';
import { type AccountBilling, discountsOf } from '../discounts/account-discounts.ts';
import { countPeriods } from '../discounts/discount-spans.ts';
import { termsOf } from '../redeeming/plan-redemptions.ts';
import type { RedemptionView } from './coupon-operations.ts';

export function redemptionView(
  redemption: New<Redemption>,
  billing: AccountBilling,
  now: Instant,
): RedemptionView {
  const { id, accountId, subscriptionId, createdDate, redeemed, ended } = redemption;
  const tomorrow = addDays(localDateOf(now, billing.account.timeZone), 1);
  const discounts = discountsOf(redemption, billing).map(({ subscriptionId, events, discount }) => {
    const { from: startDate, until: endDate } = discount;
    const from = maxDate(startDate, tomorrow);
    const periodsLeft = endDate === null ? null : countPeriods(events, { from, until: endDate });
    return { subscriptionId, startDate, endDate, periodsLeft };
  });
  return {
    id,
    accountId,
    subscriptionId,
    ...termsOf(redemption),
    redeemedDate: redeemed.date,
    endedDate: ended?.date ?? null,
    discounts,
    createdDate,
  };
}
