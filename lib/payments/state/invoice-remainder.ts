import {
  type InvoicePayment,
  InvoicePaymentStatus,
  isUnresolved,
  type PaymentTransaction,
  TransactionType,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, formatDecimal, sum, ZERO } from '../../values/money/index.ts';

/** The row of a payment of an invoice, those that take something of it back, and what may still do so. */
export interface PaidRows {
  readonly paid: InvoicePayment;
  readonly rows: readonly InvoicePayment[];
  /** Transactions among which the refunds under way are; the same one may be there twice. */
  readonly transactions: readonly PaymentTransaction[];
}

/**
 * What is left of a payment of an invoice: what it paid, less what was refunded and charged back, and less the refunds
 * under way, by whichever payment the money goes back (§9.5 rule 1 d); never less than 0.
 */
export function remainderOf({ paid, rows, transactions }: PaidRows): Decimal {
  if (paid.status !== InvoicePaymentStatus.SUCCESS) return ZERO;
  const back = rows.filter(
    (row) => row.linkedInvoicePaymentId === paid.id && row.status === InvoicePaymentStatus.SUCCESS,
  );
  const left = paid.amount
    .plus(sum(back.map(({ amount }) => amount)))
    .minus(sum(refundsUnderWay(paid, transactions).map(({ amount }) => amount ?? ZERO)));
  return left.isNegative() ? ZERO : left;
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
        ? each.transactionType === TransactionType.REFUND && each.paymentId === paid.paymentId
        : each.invoiceRefund.invoicePaymentId === paid.id),
  );
  return [...new Map(open.map((each) => [each.id, each])).values()];
}

/** @throws BillingError INVOICE_REFUND_AMOUNT_TOO_HIGH (4906) for more than what is left. */
export function checkRefundable(amount: Decimal, of: PaidRows): void {
  const most = remainderOf(of);
  if (amount.lessThanOrEqualTo(most)) return;
  throw tooHigh(ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH, amount, most);
}

/**
 * One in another currency takes all that is left (§9.5 rule 3).
 * @throws BillingError INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901) for more than what is left, or where nothing is.
 */
export function checkDisputable(
  { amount, currency }: { readonly amount: Decimal; readonly currency: Currency },
  of: PaidRows,
): void {
  const most = remainderOf(of);
  const isWithin = currency === of.paid.currency ? amount.lessThanOrEqualTo(most) : most.greaterThan(0);
  if (isWithin) return;
  throw tooHigh(ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH, amount, most);
}

function tooHigh(code: ErrorCode, amount: Decimal, most: Decimal): BillingError {
  return new BillingError({
    code,
    message: `${formatDecimal(amount)} is more than the ${formatDecimal(most)} that is left of the payment`,
    facts: { amount: formatDecimal(amount), remaining: formatDecimal(most) },
  });
}
