import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type BillingEvent,
  CouponScope,
  type CoverageRow,
  type Discount,
  type New,
  type Redemption,
} from '../../records/index.ts';
import type { TouchedDate } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { addDays, type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import { discountOf, matchesPlan } from '../discounts/with-discounts.ts';

/** The subscriptions that a redemption can discount, with their billed days since the redemption. */
export interface BilledDiscounts {
  readonly currency: Currency | null;
  readonly subscriptions: readonly {
    readonly subscriptionId: Uuid;
    readonly events: readonly BillingEvent[];
    readonly rows: readonly CoverageRow[];
  }[];
}

interface BilledDiscountsInput {
  readonly redemption: New<Redemption>;
  readonly account: Pick<Account, 'currency'>;
  readonly eventsOf: ReadonlyMap<Uuid, readonly BillingEvent[]>;
}

export async function loadBilledDiscounts(
  session: ReadSession,
  { redemption, account, eventsOf }: BilledDiscountsInput,
): Promise<BilledDiscounts> {
  const { subscriptionId: only, redeemed } = redemption;
  const found = [...eventsOf].filter(
    ([id, events]) =>
      (only === null || only === id) && events.some((event) => matchesPlan(redemption, event)),
  );
  const windows = found.map(([subscriptionId]) => ({ subscriptionId, from: redeemed.date }));
  const rows = await session.invoices.loadCoverage(windows);
  const rowsOf = Map.groupBy(rows, ({ subscriptionId }) => subscriptionId);
  return {
    currency: account.currency,
    subscriptions: found.map(([subscriptionId, events]) => ({
      subscriptionId,
      events,
      rows: rowsOf.get(subscriptionId) ?? [],
    })),
  };
}

/** Days on which a charge can start: `from` ≤ start < `until`. A null `until` means no end. */
interface Days {
  readonly from: LocalDate;
  readonly until: LocalDate | null;
}

/**
 * Returns the first day on which the change alters charges, by subscription, and the first day of a billed charge
 * that the change alters. The day is null if no billed charge changes.
 * @param change `before` is null for a new redemption.
 */
export function changedDays(
  { subscriptions, currency }: BilledDiscounts,
  { before, after }: { readonly before: New<Redemption> | null; readonly after: New<Redemption> },
): { readonly touched: readonly TouchedDate[]; readonly billedDate: LocalDate | null } {
  const touched: TouchedDate[] = [];
  const billed: LocalDate[] = [];
  for (const { subscriptionId, events, rows } of subscriptions) {
    const discountOn = (redemption: New<Redemption>) => discountOf(redemption, events, currency);
    const [is, was] = [discountOn(after), before === null ? null : discountOn(before)];
    const recurring = differenceOf(was && recurringDays(was), is && recurringDays(is));
    const fixed = differenceOf(was && fixedDays(was), is && fixedDays(is));
    const starts = [recurring, fixed].flatMap((days) => days?.from ?? []);
    touched.push(...starts.map((date) => ({ subscriptionId, date })));
    if (recurring === null) continue;
    // A new discount cannot lower a charge of 0.
    const candidates = before === null ? rows.filter(({ kind }) => kind !== 'FREE') : rows;
    const changed = candidates.filter(
      (row) =>
        isRecurring(row) && isWithin(row.startDate, recurring) && matchesPlan(after, planOf(row, events)),
    );
    billed.push(...changed.map(({ startDate }) => startDate));
  }
  const [first, ...others] = billed;
  return { touched, billedDate: first === undefined ? null : minDate(first, ...others) };
}

/** Returns the first day on or after `date` from which the end of a discount changes no billed charge. */
export function firstChangeableDate({ subscriptions }: BilledDiscounts, date: LocalDate): LocalDate {
  const billed = subscriptions.flatMap(({ rows }) =>
    rows.filter((row) => isRecurring(row) && row.startDate >= date),
  );
  return billed.reduce((last, { startDate }) => maxDate(last, addDays(startDate, 1)), date);
}

/** A billed fixed price stays as it is. */
function isRecurring({ kind }: CoverageRow): boolean {
  return kind !== 'FIXED';
}

function recurringDays({ appliesTo, from, until }: Discount): Days | null {
  return appliesTo === CouponScope.FIXED ? null : { from, until };
}

function fixedDays({ appliesTo, redeemed, fixedUntil }: Discount): Days | null {
  return appliesTo === CouponScope.RECURRING ? null : { from: redeemed, until: fixedUntil };
}

/** Returns the days that are discounted only before or only after the change. A change moves only the end. */
function differenceOf(was: Days | null, is: Days | null): Days | null {
  if (was === null || is === null) return was ?? is;
  if (was.until === is.until || is.until === null) return null;
  return { from: is.until, until: was.until };
}

function isWithin(date: LocalDate, { from, until }: Days): boolean {
  return from <= date && (until === null || date < until);
}

/** Returns the plan of a billed row, with its product. */
function planOf({ planName }: CoverageRow, events: readonly BillingEvent[]) {
  return events.find((each) => each.planName === planName) ?? { planName, productName: null };
}
