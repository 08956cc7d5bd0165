import { type InvoicePayment, type PaymentTransaction, TransactionType } from '../../records/index.ts';
import { type Currency, type Decimal, roundToCurrency, ZERO } from '../../values/money/index.ts';
import { currencyOf, takenOf } from './payment-totals.ts';

type Paid = Pick<InvoicePayment, 'paymentId' | 'amount' | 'currency'>;
type Processed = Pick<PaymentTransaction, 'amount' | 'processedAmount' | 'processedCurrency'>;

/** A payment that settles of its invoice, in the invoice's currency, what it took in another one. */
export interface ConvertedPayment {
  readonly currency: Currency;
  /** What it took in its own currency, refunds not counted. */
  readonly taken: Decimal;
}

/** @returns null for a payment in the currency of its invoice, of whatever currency its gateway processed (§9.4). */
export function convertedPayment(
  paid: Paid,
  transactions: readonly PaymentTransaction[],
): ConvertedPayment | null {
  const own = transactions.filter(({ paymentId }) => paymentId === paid.paymentId);
  const currency = currencyOf(own);
  return currency === null || currency === paid.currency ? null : { currency, taken: takenOf(own) };
}

/** Whether the transaction gives back money of the payment by the payment itself. */
export function isOwnRefund(
  { transactionType, paymentId }: Pick<PaymentTransaction, 'transactionType' | 'paymentId'>,
  paid: Pick<InvoicePayment, 'paymentId'>,
): boolean {
  return transactionType === TransactionType.REFUND && paymentId === paid.paymentId;
}

/** What the gateway has moved, in the payment's currency: what was asked for where it processed another one. */
export function movedIn(
  { amount, processedAmount, processedCurrency }: Processed,
  { currency }: Pick<ConvertedPayment, 'currency'>,
): Decimal {
  return (processedCurrency === currency ? processedAmount : amount) ?? ZERO;
}

/** What of the invoice goes with this much of the payment: amount × refunded ÷ taken, in whole minor units (§9.5 rule 1 d). */
export function proportion(
  refunded: Decimal,
  paid: Pick<Paid, 'amount' | 'currency'>,
  { taken }: Pick<ConvertedPayment, 'taken'>,
): Decimal {
  if (taken.isZero()) return paid.amount;
  const share = roundToCurrency(paid.amount.times(refunded).dividedBy(taken), paid.currency);
  return share.greaterThan(paid.amount) ? paid.amount : share;
}
