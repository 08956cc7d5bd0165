import { type PaymentTransaction, TransactionStatus, TransactionType } from '../../records/index.ts';
import { type Currency, type Decimal, roundToCurrency, sum, ZERO } from '../../values/money/index.ts';

/** Derived totals of a payment; `currency` is null while no transaction has one. PENDING never counts. */
export interface PaymentTotals {
  readonly authAmount: Decimal;
  readonly capturedAmount: Decimal;
  readonly purchasedAmount: Decimal;
  readonly refundedAmount: Decimal;
  readonly creditedAmount: Decimal;
  readonly currency: Currency | null;
}

type Counted = Pick<
  PaymentTransaction,
  | 'externalKey'
  | 'transactionType'
  | 'status'
  | 'amount'
  | 'currency'
  | 'processedAmount'
  | 'processedCurrency'
>;

const firstTypes: readonly TransactionType[] = [
  TransactionType.AUTHORIZE,
  TransactionType.PURCHASE,
  TransactionType.CREDIT,
];

/** Totals over the transactions of one payment in creation order (§4.4). */
export function paymentTotals(transactions: readonly Counted[]): PaymentTotals {
  const currency = currencyOf(transactions);
  const kept = keptTransactions(transactions);
  const chargebacks = activeChargebacks(transactions);
  const total = (type: TransactionType): Decimal =>
    currency === null ? ZERO : roundToCurrency(totalOf(kept, type, currency), currency);
  const disputed = (type: TransactionType): Decimal =>
    currency === null ? ZERO : roundToCurrency(lessChargebacks(total(type), chargebacks, currency), currency);
  return {
    authAmount: total(TransactionType.AUTHORIZE),
    capturedAmount: disputed(TransactionType.CAPTURE),
    purchasedAmount: disputed(TransactionType.PURCHASE),
    refundedAmount: total(TransactionType.REFUND),
    creditedAmount: total(TransactionType.CREDIT),
    currency,
  };
}

/** What was taken before chargebacks, less what was refunded (§4.3 rule 5); open refunds are not in it. */
export function refundable(transactions: readonly Counted[]): Decimal {
  const currency = currencyOf(transactions);
  if (currency === null) return ZERO;
  const kept = keptTransactions(transactions);
  return takenOf(transactions).minus(totalOf(kept, 'REFUND', currency));
}

/** What was taken, before chargebacks and refunds. */
export function takenOf(transactions: readonly Counted[]): Decimal {
  const currency = currencyOf(transactions);
  if (currency === null) return ZERO;
  const kept = keptTransactions(transactions);
  return totalOf(kept, 'CAPTURE', currency).plus(totalOf(kept, 'PURCHASE', currency));
}

/** The chargeback of this key that stands, if it does (§4.4 rule 2). */
export function activeChargeback<T extends Counted>(
  transactions: readonly T[],
  externalKey: string,
): T | null {
  const latest = transactions.findLast(
    (each) =>
      each.transactionType === TransactionType.CHARGEBACK &&
      each.externalKey === externalKey &&
      (each.status === TransactionStatus.SUCCESS || each.status === TransactionStatus.PAYMENT_FAILURE),
  );
  return latest?.status === TransactionStatus.SUCCESS ? latest : null;
}

/** §4.4 rule 3. */
export function currencyOf(transactions: readonly Counted[]): Currency | null {
  const first = transactions.filter(({ transactionType }) => firstTypes.includes(transactionType));
  const settled = first.find(
    ({ status }) => status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING,
  );
  return (settled ?? first.at(-1))?.currency ?? null;
}

/** §4.4 rule 1: a VOID cancels the latest successful transaction before it that is not yet voided. */
function keptTransactions(transactions: readonly Counted[]): readonly Counted[] {
  const kept: Counted[] = [];
  let voids = 0;
  for (const transaction of transactions.toReversed()) {
    if (transaction.status !== TransactionStatus.SUCCESS) continue;
    if (transaction.transactionType === TransactionType.VOID) voids += 1;
    else if (voids > 0) voids -= 1;
    else kept.push(transaction);
  }
  return kept;
}

/** §4.4 rule 2: for each key the latest recorded chargeback, unless a reversal (PAYMENT_FAILURE) is newer. */
function activeChargebacks(transactions: readonly Counted[]): readonly Counted[] {
  const latest = new Map<string, Counted>();
  for (const transaction of transactions) {
    if (transaction.transactionType !== TransactionType.CHARGEBACK) continue;
    const { status } = transaction;
    if (status !== TransactionStatus.SUCCESS && status !== TransactionStatus.PAYMENT_FAILURE) continue;
    latest.set(transaction.externalKey, transaction);
  }
  return [...latest.values()].filter(({ status }) => status === TransactionStatus.SUCCESS);
}

/** §4.4 rule 4. */
function totalOf(kept: readonly Counted[], type: TransactionType, currency: Currency): Decimal {
  return (
    amountIn(
      kept.filter(({ transactionType }) => transactionType === type),
      currency,
    ) ?? ZERO
  );
}

/** §4.4 rule 5: chargebacks in a currency that cannot be compared dispute the whole total. */
function lessChargebacks(total: Decimal, chargebacks: readonly Counted[], currency: Currency): Decimal {
  const disputed = amountIn(chargebacks, currency) ?? total;
  const rest = total.minus(disputed);
  return rest.isNegative() ? ZERO : rest;
}

/** Σ processed amounts if all are in `currency`, else Σ requested amounts if all of those are, else undefined. */
function amountIn(transactions: readonly Counted[], currency: Currency): Decimal | undefined {
  if (transactions.every(({ processedCurrency }) => processedCurrency === currency)) {
    return sum(transactions.map(({ processedAmount }) => processedAmount ?? ZERO));
  }
  if (transactions.every((transaction) => transaction.currency === currency)) {
    return sum(transactions.map(({ amount }) => amount ?? ZERO));
  }
  return undefined;
}
