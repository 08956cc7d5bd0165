import {
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  isUnresolved,
  type New,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type Currency,
  Decimal,
  formatDecimal,
  minorUnits,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { currencyOf, takenOf } from './payment-state.ts';

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

export function atLeastNothing(amount: Decimal): Decimal {
  return amount.isNegative() ? ZERO : amount;
}

function tooHigh(code: ErrorCode, amount: Decimal, most: Decimal): BillingError {
  const message = `${formatDecimal(amount)} is more than the ${formatDecimal(most)} that is left of the payment`;
  return billingError(code, message, { amount: formatDecimal(amount), remaining: formatDecimal(most) });
}

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

/**
 * What a payment has paid of its invoice. One that was tried under several keys has a row for each: the one that has
 * succeeded counts, else the one that may, else the latest.
 * @param rows of one payment, in creation order.
 */
export function paidRowOf(rows: readonly InvoicePayment[]): InvoicePayment | undefined {
  const tried = rows.filter(({ type }) => type === InvoicePaymentType.ATTEMPT);
  const inState = (state: InvoicePaymentStatus) => tried.findLast(({ status }) => status === state);
  return inState(InvoicePaymentStatus.SUCCESS) ?? inState(InvoicePaymentStatus.PENDING) ?? tried.at(-1);
}

type Keyed = Pick<PaymentTransaction, 'externalKey' | 'paymentId' | 'invoiceRefund'>;
type Told = Keyed & Pick<PaymentTransaction, 'transactionType' | 'status'>;

/** Whether the row, of the type that the transaction has one of, is the transaction's (§1.7 rule 4). */
export function isRowOf(
  { paymentId, transactionExternalKey }: Pick<InvoicePayment, 'paymentId' | 'transactionExternalKey'>,
  transaction: Keyed,
): boolean {
  return transactionExternalKey === transaction.externalKey && paymentId === paidPaymentOf(transaction);
}

/**
 * The transaction that the row of this one follows, of those with its key: the one that has succeeded, else the one that
 * may, else the newest; of a chargeback and its reversals the newest that stands or was taken back.
 * @param transactions in creation order.
 */
export function decidingTransaction<T extends Told>(transaction: T, transactions: readonly T[]): T {
  const keyed = transactions.filter((each) => hasSameRow(each, transaction));
  const newest = (...statuses: TransactionStatus[]) =>
    keyed.findLast(({ status }) => statuses.includes(status));
  if (transaction.transactionType === TransactionType.CHARGEBACK)
    return newest(TransactionStatus.SUCCESS, TransactionStatus.PAYMENT_FAILURE) ?? transaction;
  return (
    newest(TransactionStatus.SUCCESS) ?? newest(TransactionStatus.PENDING) ?? keyed.at(-1) ?? transaction
  );
}

function hasSameRow(one: Told, other: Told): boolean {
  return (
    one.transactionType === other.transactionType &&
    one.externalKey === other.externalKey &&
    paidPaymentOf(one) === paidPaymentOf(other)
  );
}

/** The payment of the row: that of which an external refund takes back, else the transaction's own. */
function paidPaymentOf({ invoiceRefund, paymentId }: Keyed) {
  return invoiceRefund?.paymentId ?? paymentId;
}
