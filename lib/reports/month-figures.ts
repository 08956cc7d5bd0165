import { paymentTotals } from '../payments/index.ts';
import type { InvoiceSum, TransactionSum } from '../ports/storage/index.ts';
import type { PaymentTransaction } from '../records/index.ts';
import { type Currency, type Decimal, decimal, ZERO } from '../values/money/index.ts';
import type { MonthFigures } from './report-operations.ts';

/** Figures to add. Missing members are 0. */
export type FigureChange = Partial<MonthFigures> & Pick<MonthFigures, 'currency'>;

/** Adds figures by currency. */
export function addFigures(
  figures: readonly MonthFigures[],
  added: readonly FigureChange[],
): readonly MonthFigures[] {
  const sums = new Map(figures.map((each) => [each.currency, each]));
  for (const each of added) {
    const sum = sums.get(each.currency) ?? noFigures(each.currency);
    sums.set(each.currency, {
      currency: each.currency,
      invoiced: sum.invoiced.plus(each.invoiced ?? ZERO),
      invoiceCount: sum.invoiceCount + (each.invoiceCount ?? 0),
      collected: sum.collected.plus(each.collected ?? ZERO),
      failedCount: sum.failedCount + (each.failedCount ?? 0),
      failedAmount: sum.failedAmount.plus(each.failedAmount ?? ZERO),
      recoveredCount: sum.recoveredCount + (each.recoveredCount ?? 0),
      recoveredAmount: sum.recoveredAmount.plus(each.recoveredAmount ?? ZERO),
    });
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

function noFigures(currency: Currency): MonthFigures {
  return {
    currency,
    invoiced: ZERO,
    invoiceCount: 0,
    collected: ZERO,
    failedCount: 0,
    failedAmount: ZERO,
    recoveredCount: 0,
    recoveredAmount: ZERO,
  };
}

/** Restores figures from JSON, in which whole amounts are stored as numbers. */
export function readMonthFigures(stored: unknown): readonly MonthFigures[] {
  return (stored as readonly MonthFigures[]).map((each) => ({
    ...each,
    invoiced: amountOf(each.invoiced),
    collected: amountOf(each.collected),
    failedAmount: amountOf(each.failedAmount),
    recoveredAmount: amountOf(each.recoveredAmount),
  }));
}

function amountOf(stored: Decimal | number): Decimal {
  return decimal(String(stored));
}

/** Returns the figures of committed invoices, except migrated invoices and invoices that a parent pays (§2 rule 2). */
export function invoiceFigures(sums: readonly InvoiceSum[]): readonly FigureChange[] {
  return sums
    .filter(({ status, isMigration, isDelegated }) => status === 'COMMITTED' && !isMigration && !isDelegated)
    .map(({ currency, amount, count }) => ({ currency, invoiced: amount, invoiceCount: count }));
}

const taking: ReadonlySet<string> = new Set(['PURCHASE', 'CAPTURE']);
const returning: ReadonlySet<string> = new Set(['REFUND', 'CREDIT']);
const attempts: ReadonlySet<string> = new Set(['AUTHORIZE', 'CAPTURE', 'PURCHASE']);
const failures: ReadonlySet<string> = new Set(['PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PAYMENT_SYSTEM_OFF']);

/** Returns the figures of all transactions except voids and chargebacks (§2 rules 3 to 5). */
export function transactionFigures(sums: readonly TransactionSum[]): readonly FigureChange[] {
  return sums.flatMap((sum): readonly FigureChange[] => {
    const { transactionType: type, status, currency, isRecovery, count, amount } = sum;
    if (currency === null) return [];
    if (failures.has(status) && attempts.has(type))
      return [{ currency, failedCount: count, failedAmount: amount }];
    if (status !== 'SUCCESS') return [];
    if (returning.has(type)) return [{ currency, collected: amount.negated() }];
    if (!taking.has(type)) return [];
    const recovered = isRecovery ? { recoveredCount: count, recoveredAmount: amount } : {};
    return [{ currency, collected: amount, ...recovered }];
  });
}

/**
 * Returns true if the sums include a void, a chargeback or a chargeback reversal. The effect of these transactions
 * depends on the whole payment.
 */
export function hasVoidsOrChargebacks(sums: readonly TransactionSum[]): boolean {
  return sums.some(({ transactionType: type }) => type === 'VOID' || type === 'CHARGEBACK');
}

/**
 * Returns the amount by which one transaction changes the collected amount of a payment. It is the difference between
 * the payment's totals after and before the transaction (payments §4.4).
 * @param transactions All transactions of the payment, in creation order.
 */
export function calculateCollectedChange(
  transactions: readonly PaymentTransaction[],
  recordId: number,
): readonly FigureChange[] {
  const after = paymentTotals(transactions.filter((each) => each.recordId <= recordId));
  const before = paymentTotals(transactions.filter((each) => each.recordId < recordId));
  const { currency } = after;
  return currency === null ? [] : [{ currency, collected: netOf(after).minus(netOf(before)) }];
}

function netOf(totals: ReturnType<typeof paymentTotals>): Decimal {
  const { capturedAmount, purchasedAmount, refundedAmount, creditedAmount } = totals;
  return capturedAmount.plus(purchasedAmount).minus(refundedAmount).minus(creditedAmount);
}
