import { isUnresolved } from '../../records/index.ts';
import { Decimal, minorUnits } from '../../values/money/index.ts';
import { convertedPayment, proportion } from './converted-payment.ts';
import { convertedRemainderOf, type PaidRows, remainderOf } from './invoice-remainder.ts';

/**
 * What of the invoice goes back with a refund of this much in the payment's currency (§9.5 rule 1 d): the proportional
 * share, and with the last of it all that is left, so that a payment that is refunded whole settles nothing any more.
 * @param of without the refund itself.
 */
export function refundShare(refunded: Decimal, of: PaidRows): Decimal {
  const converted = convertedPayment(of.paid, of.transactions);
  if (converted === null) return refunded;
  const settled = { ...of, transactions: of.transactions.filter((each) => !isUnresolved(each)) };
  const rest = remainderOf(settled);
  if (refunded.greaterThanOrEqualTo(convertedRemainderOf(settled, converted))) return rest;
  const share = proportion(refunded, of.paid, converted);
  return share.greaterThan(rest) ? rest : share;
}

/** What a refund must give back in the payment's currency, so that at least this much of the invoice goes with it. */
export function refundFor(amount: Decimal, of: PaidRows): Decimal {
  const converted = convertedPayment(of.paid, of.transactions);
  if (converted === null || of.paid.amount.isZero()) return amount;
  const { currency, taken } = converted;
  const exact = taken.times(amount).dividedBy(of.paid.amount);
  const needed = exact.toDecimalPlaces(minorUnits(currency), Decimal.ROUND_UP);
  const most = convertedRemainderOf(of, converted);
  const isLast = amount.lessThanOrEqualTo(remainderOf(of)) && needed.greaterThan(most);
  return isLast ? most : needed;
}
