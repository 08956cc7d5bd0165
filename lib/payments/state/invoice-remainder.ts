import {
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  isUnresolved,
  type New,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import {
  type ConvertedPayment,
  convertedPayment,
  isOwnRefund,
  movedIn,
  proportion,
} from './converted-payment.ts';
import { isRowOf } from './keyed-row.ts';

/** The row of a payment of an invoice, those that take something of it back, and what may still do so. */
export interface PaidRows {
  readonly paid: InvoicePayment;
  readonly rows: readonly New<InvoicePayment>[];
  /** Those of the payment, and refunds of it by other payments that are under way; the same one may be there twice. */
  readonly transactions: readonly PaymentTransaction[];
}

interface Asked {
  readonly amount: Decimal;
  readonly currency: Currency | null;
}

/**
 * What is left of a payment of an invoice, in the invoice's currency: what it paid, less what was refunded and charged
 * back, and less the refunds under way, by whichever payment the money goes back (§9.5 rule 1 d); never less than 0.
 */
export function remainderOf({ paid, rows, transactions }: PaidRows): Decimal {
  if (paid.status !== InvoicePaymentStatus.SUCCESS) return ZERO;
  const converted = convertedPayment(paid, transactions);
  const reserved = refundsUnderWay(paid, transactions).map(({ amount, currency }) => {
    if (amount === null) return ZERO;
    return converted?.currency === currency ? proportion(amount, paid, converted) : amount;
  });
  return atLeastNothing(
    paid.amount.plus(sum(backOf(paid, rows).map(({ amount }) => amount))).minus(sum(reserved)),
  );
}

/** The same of a payment in another currency than its invoice, in that currency: what its own refunds may still take. */
export function convertedRemainderOf(of: PaidRows, converted: ConvertedPayment): Decimal {
  const { paid, rows, transactions } = of;
  if (paid.status !== InvoicePaymentStatus.SUCCESS) return ZERO;
  const { currency, taken } = converted;
  const own = transactions.filter((each) => isOwnRefund(each, paid));
  const underWay = refundsUnderWay(paid, transactions);
  const [open, elsewhere] = [
    underWay.filter((each) => isOwnRefund(each, paid)),
    underWay.filter((each) => !isOwnRefund(each, paid)),
  ];
  const reserved = sum(open.map(({ amount }) => amount ?? ZERO));
  const back = backOf(paid, rows);
  const refunded = countedOf(own, back);
  const left = taken.minus(sum(refunded.map((each) => movedIn(each, converted)))).minus(reserved);
  if (back.length === refunded.length && elsewhere.length === 0) return atLeastNothing(left);
  // What another payment or a dispute takes is known in the invoice's currency only.
  const settled = remainderOf({ ...of, transactions: transactions.filter((each) => !open.includes(each)) });
  const most = roundToCurrency(taken.times(settled).dividedBy(paid.amount), currency).minus(reserved);
  return atLeastNothing(most.lessThan(left) ? most : left);
}

/** Rows that stand, and take back of what was paid. */
function backOf(paid: InvoicePayment, rows: PaidRows['rows']): PaidRows['rows'] {
  return rows.filter(
    (row) => row.linkedInvoicePaymentId === paid.id && row.status === InvoicePaymentStatus.SUCCESS,
  );
}

/** Refunds that have a row: the effect of one that has just succeeded is still to be decided. */
function countedOf(
  refunds: readonly PaymentTransaction[],
  back: PaidRows['rows'],
): readonly PaymentTransaction[] {
  return refunds.filter(
    (each) =>
      each.status === TransactionStatus.SUCCESS &&
      back.some((row) => row.type === InvoicePaymentType.REFUND && isRowOf(row, each)),
  );
}

/** Refunds of the payment whose outcome is open: its own, and those that another payment makes. */
function refundsUnderWay(
  paid: InvoicePayment,
  transactions: readonly PaymentTransaction[],
): readonly PaymentTransaction[] {
  const open = transactions.filter(
    (each) =>
      isUnresolved(each) &&
      (each.invoiceRefund === null
        ? isOwnRefund(each, paid)
        : each.invoiceRefund.invoicePaymentId === paid.id),
  );
  return [...new Map(open.map((each) => [each.id, each])).values()];
}

/** Returns what refunds may still take, in the payment's currency if that is the one that is asked for. */
export function refundRemainderOf(of: PaidRows, currency: Currency | null): Decimal {
  const converted = convertedPayment(of.paid, of.transactions);
  return converted !== null && converted.currency === currency
    ? convertedRemainderOf(of, converted)
    : remainderOf(of);
}

/** @throws BillingError INVOICE_REFUND_AMOUNT_TOO_HIGH (4906) for more than what is left, in the currency that is asked for. */
export function checkRefundable({ amount, currency }: Asked, of: PaidRows): void {
  const most = refundRemainderOf(of, currency);
  if (amount.lessThanOrEqualTo(most)) return;
  throw tooHigh(ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH, amount, most);
}

/**
 * One in another currency takes all that is left (§9.5 rule 3).
 * @throws BillingError INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901) for more than what is left, or where nothing is.
 */
export function checkDisputable({ amount, currency }: Asked, of: PaidRows): void {
  const most = remainderOf(of);
  const isWithin = currency === of.paid.currency ? amount.lessThanOrEqualTo(most) : most.greaterThan(0);
  if (isWithin) return;
  throw tooHigh(ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH, amount, most);
}

function atLeastNothing(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}

function tooHigh(code: ErrorCode, amount: Decimal, most: Decimal): BillingError {
  return new BillingError({
    code,
    message: `${formatDecimal(amount)} is more than the ${formatDecimal(most)} that is left of the payment`,
    facts: { amount: formatDecimal(amount), remaining: formatDecimal(most) },
  });
}
