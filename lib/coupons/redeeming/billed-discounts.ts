import type { ReadSession } from '../../ports/storage/index.ts';
import type { BillingEvent, CoverageRow, New, Redemption } from '../../records/index.ts';
import type { TouchedDate } from '../../subscriptions/index.ts';
import { addDays, type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import type { AccountBilling } from '../discounts/account-discounts.ts';
import { discountOf, isOnSubscription, matchesPlan, reducesPeriod } from '../discounts/with-discounts.ts';

/**
 * Loads the recurring charges billed since the redemption. Fixed prices are not loaded, because they do not change once
 * they have been billed.
 */
export async function loadBilledCharges(
  session: ReadSession,
  redemption: New<Redemption>,
  { eventsOf }: AccountBilling,
): Promise<readonly CoverageRow[]> {
  const from = redemption.redeemed.date;
  const windows = [...eventsOf.keys()]
    .filter((id) => isOnSubscription(redemption, id))
    .map((subscriptionId) => ({ subscriptionId, from }));
  const rows = await session.invoices.loadCoverage(windows);
  return rows.filter(
    (row) => row.kind !== 'FIXED' && matchesPlan(redemption, planOf(row, eventsOf.get(row.subscriptionId))),
  );
}

/** Returns the plan of a billed charge together with its product. */
function planOf({ planName }: CoverageRow, events: readonly BillingEvent[] = []) {
  return events.find((each) => each.planName === planName) ?? { planName, productName: null };
}

/**
 * Returns, by subscription, the first day on which the change alters charges. Also returns the first day of a billed
 * charge that the change alters, or null if none exists.
 * @param change `before` is null for a new redemption.
 */
export function changedDays(
  { account, eventsOf }: AccountBilling,
  change: { readonly before: New<Redemption> | null; readonly after: New<Redemption> },
  charges: readonly CoverageRow[],
): { readonly touched: readonly TouchedDate[]; readonly billedDate: LocalDate | null } {
  const { before, after } = change;
  const date = maxDate(after.redeemed.date, after.ended?.date ?? after.redeemed.date);
  const touched: TouchedDate[] = [];
  const billed: LocalDate[] = [];
  for (const [subscriptionId, events] of eventsOf) {
    if (!isOnSubscription(after, subscriptionId)) continue;
    const [was, is] = [before, after].map((each) => each && discountOf(each, events, account.currency));
    if (was?.fixedUntil === is?.fixedUntil && was?.until === is?.until) continue;
    touched.push({ subscriptionId, date });
    const changed = charges.filter(
      (row) =>
        row.subscriptionId === subscriptionId &&
        // A new discount cannot lower a charge of 0.
        (before !== null || row.kind !== 'FREE') &&
        isReduced(was, row) !== isReduced(is, row),
    );
    billed.push(...changed.map(({ startDate }) => startDate));
  }
  const [first, ...others] = billed;
  return { touched, billedDate: first === undefined ? null : minDate(first, ...others) };
}

function isReduced(
  discount: Parameters<typeof reducesPeriod>[0] | null | undefined,
  { startDate }: CoverageRow,
): boolean {
  return discount ? reducesPeriod(discount, startDate) : false;
}

/** Returns the first day, on or after `date`, on which a discount can end without changing a billed charge. */
export function firstChangeableDate(charges: readonly CoverageRow[], date: LocalDate): LocalDate {
  return charges.reduce((last, { startDate }) => maxDate(last, addDays(startDate, 1)), date);
}
