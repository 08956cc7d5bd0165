import { expect } from 'chai';
import type { ComputedBasis, Decimal, ItemExplanation, LocalDate, Plain } from '../../lib/index.ts';
import { dayOfMonth, formatDecimal, isMonthBased, withDayOfMonth } from '../../lib/index.ts';
import { addPeriod, addPeriods, BillingPeriod, periodLength } from '../../lib/values/time/index.ts';
import { engineForm } from './plain-views.ts';

// Recomputes amounts from explanations, with its own arithmetic.

type Basis<K extends ComputedBasis['kind']> = Extract<ComputedBasis, { readonly kind: K }>;

const ONE = 10n ** 9n;
const CENT = 10n ** 7n;

function billionths(amount: Decimal): bigint {
  const [whole = '0', fraction = ''] = formatDecimal(amount).replace('-', '').split('.');
  const absolute = BigInt(whole) * ONE + BigInt(fraction.padEnd(9, '0'));
  return amount.isNegative() ? -absolute : absolute;
}

/** n ÷ d, rounded half up, ties away from zero. */
function divided(n: bigint, d: bigint): bigint {
  const doubled = (2n * (n < 0n ? -n : n) + d) / (2n * d);
  return n < 0n ? -doubled : doubled;
}

const cents = (amount: bigint): bigint => divided(amount, CENT) * CENT;

function shared(amount: bigint, days: number, totalDays: number): bigint {
  const ratio = totalDays <= 0 ? 0n : divided(BigInt(days) * ONE, BigInt(totalDays));
  return divided(amount * ratio, ONE * CENT) * CENT;
}

/** Asserts that the explanation's data adds up to the item's amount and matches its text and rules. */
export function expectExplained(plain: Plain<ItemExplanation>): void {
  const explanation = engineForm<ItemExplanation>(plain);
  const { basis, amount, text, computedAmount, rules, pluginName } = explanation;
  const isChanged = basis !== null && pluginName !== null;
  if (isChanged) expect(text).to.contain(`by the invoice plugin "${pluginName}"`);
  else expect(formatDecimal(computedAmount), text).to.equal(formatDecimal(amount));
  if (basis === null) return;
  expect(recomputed(explanation, basis), text).to.equal(billionths(computedAmount));
  expect(text).to.contain(amount.isZero() ? '0 USD' : formatDecimal(amount.abs()));
  if (basis.kind !== 'RECURRING') return;
  const { billCycleDay, isRequestedDay } = basis;
  // Periods in days start with the subscription and ignore the requested day of the month.
  const isByDayOfMonth = isMonthBased(basis.billingPeriod);
  expect(
    rules.some(({ rule }) => rule === 'BILLING_ALIGNMENT'),
    text,
  ).to.equal(isByDayOfMonth && !isRequestedDay);
  expect(text.includes(`${billCycleDay}, as requested for`), text).to.equal(
    isByDayOfMonth && isRequestedDay === true,
  );
}

function recomputed(explanation: ItemExplanation, basis: ComputedBasis): bigint {
  switch (basis.kind) {
    case 'FIXED':
      return cents(rateOf(basis));
    case 'RECURRING':
      return recurring(explanation, basis);
    case 'REPAIR':
      return -repaired(basis);
    case 'USAGE':
      return usage(basis);
    case 'CREDIT':
      return credited(basis);
  }
}

/** The total of the lines less what was billed; a credit cannot exceed what was billed. */
function usage({ lines, due, billed, credit, usageType }: Basis<'USAGE'>): bigint {
  const total = lines.reduce(
    (sum, line) => sum + divided(billionths(line.price) * billionths(line.quantity), ONE),
    0n,
  );
  if (usageType !== 'CAPACITY') expect(cents(total)).to.equal(billionths(due));
  if (credit === null) return billionths(due.minus(billed));
  const [open, left] = [billionths(credit.open), billionths(credit.left)];
  return open < left ? -open : -left;
}

/** List price × quantity less discounts, each of which takes off its percentage of the rest or its amount. */
function rateOf({ price, quantity, discounts }: Basis<'FIXED' | 'RECURRING'>): bigint {
  let rest = billionths(price) * BigInt(quantity);
  for (const { percentOff, amountOff, perQuantity, taken } of discounts ?? []) {
    const amount = amountOff === null ? 0n : billionths(amountOff) * BigInt(perQuantity ? quantity : 1);
    const off = percentOff === null ? amount : divided(rest * billionths(percentOff), ONE * 100n);
    const expected = off < rest ? off : rest;
    expect(billionths(taken.toDecimalPlaces(9)), 'the amount of a coupon').to.equal(expected);
    rest -= expected;
  }
  return rest;
}

function recurring({ startDate, endDate }: ItemExplanation, basis: Basis<'RECURRING'>): bigint {
  const { share, part, prorationFixedDays } = basis;
  const rate = rateOf(basis);
  const whole = share === null ? cents(rate) : shared(rate, share.days, share.totalDays);
  if (prorationFixedDays === 0) expectDays(basis);
  if (part === null) {
    expect([startDate, endDate]).to.eql([basis.startDate, basis.endDate]);
    return whole;
  }
  if (prorationFixedDays > 0) return shared(rate, part.days, part.totalDays);
  expect([part.days, part.totalDays]).to.eql([lengthOf({ startDate, endDate }), lengthOf(basis)]);
  return shared(whole, part.days, part.totalDays);
}

/** Asserts that the days match the period's dates and the cycle dates match the bill cycle day. */
function expectDays(basis: Basis<'RECURRING'>): void {
  const { rule, share, startDate, endDate, billingPeriod, billCycleDay } = basis;
  if (rule === 'WHOLE') expect(share).to.equal(null);
  else {
    expect(share?.days).to.equal(endDate - startDate);
    expect(share?.totalDays).to.be.oneOf(totalsOf(basis));
  }
  if (!isMonthBased(billingPeriod)) return;
  const cycleDates = {
    WHOLE: [startDate, endDate],
    LEADING: [endDate],
    TRAILING: [startDate],
    BETWEEN_EVENTS: [],
  };
  for (const date of cycleDates[rule])
    expect(dayOfMonth(date)).to.equal(dayOfMonth(withDayOfMonth(date, billCycleDay)));
}

/** The possible lengths of a period: between cycle dates, or back from its end after a day change (invoicing §5.4). */
function totalsOf({ rule, startDate, endDate, billingPeriod, billCycleDay }: Basis<'RECURRING'>): number[] {
  const moved = (date: LocalDate, n: number) => addPeriods(date, billingPeriod, n, billCycleDay);
  if (rule === 'TRAILING') return [moved(startDate, 1) - startDate];
  const months =
    rule === 'BETWEEN_EVENTS' && isMonthBased(billingPeriod) ? periodLength(billingPeriod).number : 0;
  const ends = Array.from({ length: months + 1 }, (_, n) =>
    addPeriods(endDate, BillingPeriod.MONTHLY, n, billCycleDay),
  ).filter((end) => end >= endDate);
  return [endDate, ...ends].flatMap((end) => [end - moved(end, -1), end - addPeriod(end, billingPeriod, -1)]);
}

function repaired({ rule, amount, share, repairable }: Basis<'REPAIR'>): bigint {
  const left = billionths(repairable);
  const due =
    share === null ? billionths(amount) : shared(billionths(share.base), share.days, share.totalDays);
  if (rule === 'REMAINDER') return left;
  if (rule === 'LIMIT') expect(left < due).to.equal(true);
  return left < due ? left : due;
}

function credited({ balance, credit }: Basis<'CREDIT'>): bigint {
  const [owed, held] = [billionths(balance), billionths(credit)];
  return owed < 0n || owed < held ? -owed : -held;
}

function lengthOf({ startDate, endDate }: Record<'startDate' | 'endDate', LocalDate | null>): number {
  if (startDate === null || endDate === null) throw new Error('a period has both its dates');
  return endDate - startDate;
}
