import { type InvoicePayment, InvoicePaymentStatus } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, formatDecimal, sum, ZERO } from '../../values/money/index.ts';

/** The row of a payment of an invoice, and those that take something of it back. */
interface PaidRows {
  readonly paid: InvoicePayment;
  readonly rows: readonly InvoicePayment[];
}

/** What is left of a payment of an invoice: what it paid, less what was refunded and charged back (§9.5 rule 1 d). */
export function remainderOf({ paid, rows }: PaidRows): Decimal {
  if (paid.status !== InvoicePaymentStatus.SUCCESS) return ZERO;
  const back = rows.filter(
    (row) => row.linkedInvoicePaymentId === paid.id && row.status === InvoicePaymentStatus.SUCCESS,
  );
  return paid.amount.plus(sum(back.map(({ amount }) => amount)));
}

/** @throws BillingError INVOICE_REFUND_AMOUNT_TOO_HIGH (4906) for more than what is left, refunds under way counted. */
export function checkRefundable(amount: Decimal, of: PaidRows & { readonly open: Decimal }): void {
  const most = remainderOf(of).minus(of.open);
  if (amount.lessThanOrEqualTo(most)) return;
  throw tooHigh(ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH, amount, most);
}

/** @throws BillingError INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901); one in another currency takes all that was paid. */
export function checkDisputable(
  { amount, currency }: { readonly amount: Decimal; readonly currency: Currency },
  of: PaidRows,
): void {
  if (currency !== of.paid.currency) return;
  const most = remainderOf(of);
  if (amount.lessThanOrEqualTo(most)) return;
  throw tooHigh(ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH, amount, most);
}

function tooHigh(code: ErrorCode, amount: Decimal, most: Decimal): BillingError {
  return new BillingError({
    code,
    message: `${formatDecimal(amount)} is more than the ${formatDecimal(most)} that is left of the payment`,
    facts: { amount: formatDecimal(amount), remaining: formatDecimal(most) },
  });
}
