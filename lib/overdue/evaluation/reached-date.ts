import { type Decimal, ZERO } from '../../values/money/index.ts';
import { durationEnd, type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import type { OverdueState } from '../config/overdue-config.ts';
import { agesFrom, type UnpaidInvoice } from './billing-snapshot.ts';

/**
 * The first date on which what is unpaid today was old, many and much enough for a state (§5.3 rule 2); null: it asks
 * for none of these.
 * @param unpaid all that counts today.
 */
export function reachedDate({ condition }: OverdueState, unpaid: readonly UnpaidInvoice[]): LocalDate | null {
  if (condition === null) return null;
  const { unpaidFor, unpaidCount, unpaidTotal } = condition;
  const oldEnough =
    unpaidFor === null
      ? []
      : unpaid.flatMap((invoice) => {
          const end = durationEnd(agesFrom(invoice), unpaidFor);
          return end === undefined ? [] : maxDate(end, countsFrom(invoice));
        });
  const inOrder = unpaid.toSorted((one, other) => countsFrom(one) - countsFrom(other));
  return latest([
    earliest(oldEnough),
    unpaidCount === null ? null : dateOf(inOrder[unpaidCount - 1]),
    unpaidTotal === null || unpaidTotal.isZero() ? null : dateOf(firstUpTo(inOrder, unpaidTotal)),
  ]);
}

/** The one with which the balances before it make the total. */
function firstUpTo(inOrder: readonly UnpaidInvoice[], total: Decimal): UnpaidInvoice | undefined {
  let owed = ZERO;
  return inOrder.find(({ balance }) => {
    owed = owed.plus(balance);
    return owed.greaterThanOrEqualTo(total);
  });
}

function countsFrom(invoice: UnpaidInvoice): LocalDate {
  const { targetDate } = invoice;
  return targetDate === null ? agesFrom(invoice) : maxDate(agesFrom(invoice), targetDate);
}

function dateOf(invoice: UnpaidInvoice | undefined): LocalDate | null {
  return invoice === undefined ? null : countsFrom(invoice);
}

function earliest([first, ...others]: readonly LocalDate[]): LocalDate | null {
  return first === undefined ? null : minDate(first, ...others);
}

function latest(dates: readonly (LocalDate | null)[]): LocalDate | null {
  const [first, ...others] = dates.flatMap((date) => date ?? []);
  return first === undefined ? null : maxDate(first, ...others);
}
