import {
  type InvoicePayment,
  InvoicePaymentStatus,
  isUnresolved,
  type New,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type Currency,
  Decimal,
  formatDecimal,
  minorUnits,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { collectedAmount, currencyOf } from './payment-state.ts';

/** The row of an invoice payment with its refunds and chargebacks, and the transactions that may add more rows. */
export interface PaidRows {
  readonly paid: InvoicePayment;
  readonly rows: readonly New<InvoicePayment>[];
  /** Transactions of the payment, and open refunds of the payment by other payments. May contain duplicates. */
  readonly transactions: readonly PaymentTransaction[];
}

interface RequestedAmount {
  readonly amount: Decimal;
  readonly currency: Currency | null;
}

/**
 * Returns the remainder of an invoice payment in the invoice's currency. This is the paid amount minus refunds,
 * chargebacks and open refunds by any payment (§9.5 rule 1 d). The remainder is never below 0.
 */
export function remainderOf({ paid, rows, transactions }: PaidRows): Decimal {
  if (paid.status !== 'SUCCESS') return ZERO;
  const converted = convertedPayment(paid, transactions);
  const reserved = refundsUnderWay(paid, transactions).map(({ amount, currency }) => {
    if (amount === null) return ZERO;
    return converted?.currency === currency ? proportion(amount, paid, converted) : amount;
  });
  return atLeastNothing(
    paid.amount.plus(sum(backOf(paid, rows).map(({ amount }) => amount))).minus(sum(reserved)),
  );
}

/**
 * Returns the amount that can still be refunded for a payment whose currency differs from the invoice's. The result is
 * in the payment's currency.
 */
export function convertedRemainderOf(of: PaidRows, converted: ConvertedPayment): Decimal {
  const { paid, rows, transactions } = of;
  if (paid.status !== 'SUCCESS') return ZERO;
  const { currency, taken } = converted;
  const own = transactions.filter((each) => isOwnRefund(each, paid));
  const underWay = refundsUnderWay(paid, transactions);
  const [open, elsewhere] = [
    underWay.filter((each) => isOwnRefund(each, paid)),
    underWay.filter((each) => !isOwnRefund(each, paid)),
  ];
  const reserved = sum(open.map(({ amount }) => amount ?? ZERO));
  const back = backOf(paid, rows);
  const refunded = findRecordedRefunds(own, back);
  const left = taken.minus(sum(refunded.map((each) => processedAmountIn(each, converted)))).minus(reserved);
  if (back.length === refunded.length && elsewhere.length === 0) return atLeastNothing(left);
  // Other payments and disputes are recorded only in the invoice's currency.
  const settled = remainderOf({ ...of, transactions: transactions.filter((each) => !open.includes(each)) });
  const most = roundToCurrency(taken.times(settled).dividedBy(paid.amount), currency).minus(reserved);
  return atLeastNothing(most.lessThan(left) ? most : left);
}

/** Returns the successful refunds and chargebacks of this payment. */
function backOf(paid: InvoicePayment, rows: PaidRows['rows']) {
  return rows.filter((row) => row.linkedInvoicePaymentId === paid.id && row.status === 'SUCCESS');
}

/** Returns the refunds that have a row. A refund that has just succeeded has no row yet. */
function findRecordedRefunds(refunds: readonly PaymentTransaction[], back: PaidRows['rows']) {
  return refunds.filter(
    (each) => each.status === 'SUCCESS' && back.some((row) => row.type === 'REFUND' && isRowOf(row, each)),
  );
}

/** Returns the open refunds of the payment, made by the payment itself or by another payment. */
function refundsUnderWay(paid: InvoicePayment, transactions: readonly PaymentTransaction[]) {
  const open = transactions.filter(
    (each) =>
      isUnresolved(each) &&
      (each.invoiceRefund === null
        ? isOwnRefund(each, paid)
        : each.invoiceRefund.invoicePaymentId === paid.id),
  );
  return [...new Map(open.map((each) => [each.id, each])).values()];
}

/**
 * Returns the amount that can still be refunded. The result is in the payment's currency if that is the requested
 * currency, and otherwise in the invoice's currency.
 */
export function refundRemainderOf(of: PaidRows, currency: Currency | null): Decimal {
  const converted = convertedPayment(of.paid, of.transactions);
  return converted !== null && converted.currency === currency
    ? convertedRemainderOf(of, converted)
    : remainderOf(of);
}

/**
 * Checks a refund.
 * @throws BillingError INVOICE_REFUND_AMOUNT_TOO_HIGH (4906) if it exceeds the remainder in the requested currency.
 */
export function checkRefundable({ amount, currency }: RequestedAmount, of: PaidRows): void {
  const most = refundRemainderOf(of, currency);
  if (amount.lessThanOrEqualTo(most)) return;
  throw tooHigh(ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH, amount, most);
}

/**
 * Checks a chargeback. A chargeback in another currency uses the whole remainder (§9.5 rule 3).
 * @throws BillingError INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901) if it exceeds the remainder, or if the remainder is
 * 0.
 */
export function checkDisputable({ amount, currency }: RequestedAmount, of: PaidRows): void {
  const most = remainderOf(of);
  const isWithin = currency === of.paid.currency ? amount.lessThanOrEqualTo(most) : most.greaterThan(0);
  if (isWithin) return;
  throw tooHigh(ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH, amount, most);
}

export function atLeastNothing(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}

function tooHigh(code: ErrorCode, amount: Decimal, most: Decimal) {
  const message = `${formatDecimal(amount)} is more than the ${formatDecimal(most)} that remains of the payment`;
  return billingError(code, message, { amount: formatDecimal(amount), remaining: formatDecimal(most) });
}

type Paid = Pick<InvoicePayment, 'paymentId' | 'amount' | 'currency'>;
type Processed = Pick<PaymentTransaction, 'amount' | 'processedAmount' | 'processedCurrency'>;

/** A payment whose currency differs from its invoice's. */
export interface ConvertedPayment {
  readonly currency: Currency;
  /** The captured amount before refunds, in the payment's currency. */
  readonly taken: Decimal;
}

/**
 * Returns the payment, or null if it has the currency of its invoice. The currency that the gateway processed is
 * irrelevant (§9.4).
 */
export function convertedPayment(
  paid: Paid,
  transactions: readonly PaymentTransaction[],
): ConvertedPayment | null {
  const own = transactions.filter(({ paymentId }) => paymentId === paid.paymentId);
  const currency = currencyOf(own);
  return currency === null || currency === paid.currency ? null : { currency, taken: collectedAmount(own) };
}

/** Returns true if the transaction is a refund made through the original payment. */
export function isOwnRefund(
  { transactionType, paymentId }: Pick<PaymentTransaction, 'transactionType' | 'paymentId'>,
  paid: Pick<InvoicePayment, 'paymentId'>,
): boolean {
  return transactionType === 'REFUND' && paymentId === paid.paymentId;
}

/**
 * Returns the processed amount in the payment's currency. If the gateway processed another currency, this is the
 * requested amount.
 */
export function processedAmountIn(
  { amount, processedAmount, processedCurrency }: Processed,
  { currency }: Pick<ConvertedPayment, 'currency'>,
): Decimal {
  return (processedCurrency === currency ? processedAmount : amount) ?? ZERO;
}

/**
 * Returns the share of the refund on the invoice: amount × refunded ÷ captured, in whole minor units (§9.5 rule 1 d).
 */
export function proportion(
  refunded: Decimal,
  paid: Pick<Paid, 'amount' | 'currency'>,
  { taken }: Pick<ConvertedPayment, 'taken'>,
): Decimal {
  if (taken.isZero()) return paid.amount;
  const share = roundToCurrency(paid.amount.times(refunded).dividedBy(taken), paid.currency);
  return share.greaterThan(paid.amount) ? paid.amount : share;
}

/**
 * Returns the share of a refund on the invoice (§9.5 rule 1 d). The share is proportional, but the last refund takes
 * the whole remainder, so that a full refund leaves nothing.
 * @param of Rows without the refund itself.
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

/** Returns the refund in the payment's currency that corresponds to this amount on the invoice. */
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

/**
 * Returns the row of an invoice payment. This is the successful row, otherwise a pending row, otherwise the latest row.
 * `rows` must be in creation order.
 */
export function paidRowOf(rows: readonly InvoicePayment[]): InvoicePayment | undefined {
  const tried = rows.filter(({ type }) => type === 'ATTEMPT');
  const inState = (state: InvoicePaymentStatus) => tried.findLast(({ status }) => status === state);
  return inState(InvoicePaymentStatus.SUCCESS) ?? inState(InvoicePaymentStatus.PENDING) ?? tried.at(-1);
}

type Keyed = Pick<PaymentTransaction, 'externalKey' | 'paymentId' | 'invoiceRefund'>;
type ComparedTransaction = Keyed & Pick<PaymentTransaction, 'transactionType' | 'status'>;

/** Returns true if a row of the transaction's type belongs to the transaction (§1.7 rule 4). */
export function isRowOf(
  { paymentId, transactionExternalKey }: Pick<InvoicePayment, 'paymentId' | 'transactionExternalKey'>,
  transaction: Keyed,
): boolean {
  return transactionExternalKey === transaction.externalKey && paymentId === paidPaymentOf(transaction);
}

/**
 * Returns the transaction that determines the row, among the transactions with the same key. This is a successful
 * transaction, otherwise a pending transaction, otherwise the newest transaction. For chargebacks and reversals,
 * returns the newest transaction.
 * @param transactions Must be in creation order.
 */
export function decidingTransaction<T extends ComparedTransaction>(
  transaction: T,
  transactions: readonly T[],
): T {
  const keyed = transactions.filter((each) => hasSameRow(each, transaction));
  const newest = (...statuses: TransactionStatus[]) =>
    keyed.findLast(({ status }) => statuses.includes(status));
  if (transaction.transactionType === 'CHARGEBACK')
    return newest(TransactionStatus.SUCCESS, TransactionStatus.PAYMENT_FAILURE) ?? transaction;
  return (
    newest(TransactionStatus.SUCCESS) ?? newest(TransactionStatus.PENDING) ?? keyed.at(-1) ?? transaction
  );
}

function hasSameRow(one: ComparedTransaction, other: ComparedTransaction) {
  return (
    one.transactionType === other.transactionType &&
    one.externalKey === other.externalKey &&
    paidPaymentOf(one) === paidPaymentOf(other)
  );
}

/**
 * Returns the payment of the row. For an external refund, this is the refunded payment; otherwise, it is the
 * transaction's own payment.
 */
function paidPaymentOf({ invoiceRefund, paymentId }: Keyed) {
  return invoiceRefund?.paymentId ?? paymentId;
}
