import { expect } from 'chai';
import type { ComputedBasis, Decimal, ItemExplanation, LocalDate, Plain } from '../../lib/index.ts';
import { dayOfMonth, formatDecimal, isMonthBased, withDayOfMonth } from '../../lib/index.ts';
import { addPeriod, addPeriods, BillingPeriod, periodLength } from '../../lib/values/time/index.ts';
import { engineForm } from './plain-views.ts';

// Amounts worked out from what an explanation says, by arithmetic of its own.

type Basis<K extends ComputedBasis['kind']> = Extract<ComputedBasis, { readonly kind: K }>;

/** Billionths. */
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

/** Share of an amount by days, rounded to cents once. */
function shared(amount: bigint, days: number, totalDays: number): bigint {
  const ratio = totalDays <= 0 ? 0n : divided(BigInt(days) * ONE, BigInt(totalDays));
  return divided(amount * ratio, ONE * CENT) * CENT;
}

/** Expects that the data of an explanation comes to the amount of the item, and that its text and its rules fit the data. */
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
  // Periods of days begin with the subscription, whatever day of the month was asked for.
  const isByDayOfMonth = isMonthBased(basis.billingPeriod);
  expect(
    rules.some(({ rule }) => rule === 'BILLING_ALIGNMENT'),
    text,
  ).to.equal(isByDayOfMonth && !isRequestedDay);
  expect(text.includes(`${billCycleDay}, as was asked for`), text).to.equal(
    isByDayOfMonth && isRequestedDay === true,
  );
}

function recomputed(explanation: ItemExplanation, basis: ComputedBasis): bigint {
  switch (basis.kind) {
    case 'FIXED':
      return cents(billionths(basis.price) * BigInt(basis.quantity));
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

/** What the lines come to, less what was billed of that; of what is given back, no more than can be. */
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

function recurring({ startDate, endDate }: ItemExplanation, basis: Basis<'RECURRING'>): bigint {
  const { share, part, prorationFixedDays } = basis;
  const rate = billionths(basis.price) * BigInt(basis.quantity);
  const whole = share === null ? cents(rate) : shared(rate, share.days, share.totalDays);
  if (prorationFixedDays === 0) expectDays(basis);
  if (part === null) {
    expect([startDate, endDate]).to.deep.equal([basis.startDate, basis.endDate]);
    return whole;
  }
  if (prorationFixedDays > 0) return shared(rate, part.days, part.totalDays);
  expect([part.days, part.totalDays]).to.deep.equal([lengthOf({ startDate, endDate }), lengthOf(basis)]);
  return shared(whole, part.days, part.totalDays);
}

/** The days of the period are those of its dates, its cycle dates those of the bill cycle day. */
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
  for (const date of cycleDates[rule]) {
    expect(dayOfMonth(date)).to.equal(dayOfMonth(withDayOfMonth(date, billCycleDay)));
  }
}

/**
 * How many days the period of a part may have: those between two cycle dates or, of the first period of a cycle, back by the
 * calendar from its end, which a change of the bill cycle day may bring (invoicing §5.4).
 */
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
