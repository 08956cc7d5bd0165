import { amountsAfterPayment } from '../../invoicing/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import {
  BusEventType,
  type Invoice,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type InvoiceRefund,
  type New,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  convertedPayment,
  decidingTransaction,
  isOwnRefund,
  isRowOf,
  paidRowOf,
  processedAmountIn,
  refundShare,
  remainderOf,
} from './invoice-remainder.ts';

export interface SettledRecords {
  /** All transactions of the payments, in creation order. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: ReadonlyMap<Uuid, Payment>;
  /** Open refunds of invoice payments. They reduce the limit for chargebacks. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  readonly attempts: ReadonlyMap<Uuid, PaymentAttempt>;
  readonly rows: readonly InvoicePayment[];
  /** The rows by id, including all changes that were decided so far. */
  readonly latest: ReadonlyMap<Uuid, New<InvoicePayment>>;
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

type Ledger = SettledRecords & { readonly own: readonly PaymentTransaction[] };

interface Tools {
  readonly ids: IdGenerator;
  readonly now: Instant;
}

/**
 * Returns the change that a decided transaction makes to an invoice's payment row (§9.4, §9.5), or null. Transactions
 * with the same key share a row. Only the deciding transaction changes this row.
 */
export function invoiceEffect(transaction: PaymentTransaction, ledger: Ledger, tools: Tools) {
  const deciding = decidingTransaction(transaction, ledger.own);
  const effect = effectOf(deciding, ledger, tools);
  return deciding.id === transaction.id || (effect && changesCount(effect)) ? effect : null;
}

function effectOf(transaction: PaymentTransaction, ledger: Ledger, tools: Tools): ChangedRow | null {
  switch (transaction.transactionType) {
    case TransactionType.PURCHASE:
      return effectOfPurchase(transaction, ledger);
    case TransactionType.REFUND:
    case TransactionType.CREDIT:
      return effectOfRefund(transaction, ledger, tools);
    case TransactionType.CHARGEBACK:
      return effectOfChargeback(transaction, ledger, tools);
    default:
      return null;
  }
}

function changesCount({ before, after }: ChangedRow) {
  return before?.status !== after.status || !before.amount.equals(after.amount);
}

function effectOfPurchase(
  transaction: PaymentTransaction,
  { rows, invoices, attempts }: Ledger,
): ChangedRow | null {
  const before = rowOf(InvoicePaymentType.ATTEMPT, transaction, rows);
  const invoice = before && invoices.get(before.invoiceId);
  if (!before || !invoice) return null;
  const attempt = transaction.attemptId === null ? undefined : attempts.get(transaction.attemptId);
  const settled = asSettled(transaction, before, attempt);
  return changedRow(before, invoicePaymentResult(settled, invoice.currency));
}

/**
 * Returns the effect of a refund. A failed refund has no row. If the refund was pending before, its row is reversed
 * (§9.5 rule 1 e).
 */
function effectOfRefund(transaction: PaymentTransaction, ledger: Ledger, tools: Tools): ChangedRow | null {
  const { rows, invoices, own, latest } = ledger;
  const paid = findReducedRow(transaction, rows);
  const invoice = paid && invoices.get(paid.invoiceId);
  if (!paid || !invoice) return null;
  const before = rowOf(InvoicePaymentType.REFUND, transaction, rows);
  const result = invoicePaymentResult(transaction, invoice.currency);
  let { amount } = result;
  const converted = isOwnRefund(transaction, paid) ? convertedPayment(paid, own) : null;
  if (converted !== null && !amount.isZero()) {
    // This is the invoice's share of the refund (§9.5 rule 1 d).
    const others = [...latest.values()].filter(({ id }) => id !== before?.id);
    amount = refundShare(processedAmountIn(transaction, converted), {
      paid,
      rows: others,
      transactions: own,
    });
  }
  const refunded = { ...result, amount: amount.negated() };
  if (before) return changedRow(before, refunded);
  if (result.status === 'INIT') return null;
  const { externalKey } = transaction;
  return newRow(paid, { type: InvoicePaymentType.REFUND, externalKey, ...refunded }, tools);
}

/**
 * Returns the effect of a chargeback. A reversal removes the row from the balance. A later chargeback restores the row,
 * up to the remaining amount (§9.5 rules 3 and 4).
 */
function effectOfChargeback(
  transaction: PaymentTransaction,
  { rows, openInvoiceRefunds, ...ledger }: Ledger,
  tools: Tools,
): ChangedRow | null {
  const paid = findReducedRow(transaction, rows);
  if (!paid) return null;
  const transactions = [...ledger.transactions, ...openInvoiceRefunds];
  const before = rowOf(InvoicePaymentType.CHARGED_BACK, transaction, rows);
  const processedCurrency = transaction.processedCurrency ?? paid.processedCurrency;
  if (transaction.status !== 'SUCCESS') {
    const ended = { status: InvoicePaymentStatus.INIT, processedCurrency } as const;
    return before ? changedRow(before, { ...ended, amount: before.amount }) : null;
  }
  const most = remainderOf({ paid, rows: rows.filter((row) => row !== before), transactions });
  const asked = transaction.currency === paid.currency ? (transaction.amount ?? most) : most;
  const amount = asked.greaterThan(most) ? most : asked;
  const { SUCCESS: status } = InvoicePaymentStatus;
  const result = { status, amount: amount.negated(), processedCurrency };
  if (before) return changedRow(before, result);
  const { externalKey } = transaction;
  return newRow(paid, { type: InvoicePaymentType.CHARGED_BACK, externalKey, ...result }, tools);
}

function rowOf(type: InvoicePaymentType, transaction: PaymentTransaction, rows: readonly InvoicePayment[]) {
  return rows.find((row) => row.type === type && isRowOf(row, transaction));
}

/**
 * Returns the row that the transaction reduces. This is the row that the transaction names or, by default, the row of
 * its own payment.
 */
function findReducedRow(
  { invoiceRefund, paymentId, transactionType }: PaymentTransaction,
  rows: readonly InvoicePayment[],
) {
  if (invoiceRefund !== null) return rows.find(({ id }) => id === invoiceRefund.invoicePaymentId);
  if (transactionType === 'CREDIT') return undefined;
  return paidRowOf(rows.filter((row) => row.paymentId === paymentId));
}

function newRow(
  { id: linkedInvoicePaymentId, accountRecordId, invoiceId, paymentId, currency }: InvoicePayment,
  taken: InvoicePaymentResult & Pick<InvoicePayment, 'type'> & Pick<PaymentTransaction, 'externalKey'>,
  { ids, now }: Tools,
): ChangedRow {
  const { externalKey: transactionExternalKey, ...result } = taken;
  const paid = { accountRecordId, invoiceId, paymentId, currency, linkedInvoicePaymentId };
  const dates = { paymentDate: now, createdDate: now };
  return { before: null, after: { ...paid, ...dates, ...result, id: ids.next(), transactionExternalKey } };
}

type InvoicePaymentResult = Pick<InvoicePayment, 'status' | 'amount' | 'processedCurrency'>;

/**
 * Returns the transaction with the amount that it settles on the invoice. If the transaction has another currency, this
 * amount is taken from its attempt or row.
 */
export function asSettled(
  transaction: PaymentTransaction,
  { amount, currency }: Pick<InvoicePayment, 'amount' | 'currency'>,
  attempt: PaymentAttempt | undefined,
): PaymentTransaction {
  if (transaction.currency === null || transaction.currency === currency) return transaction;
  const kept = attempt?.currency === currency ? attempt.amount : null;
  return { ...transaction, amount: kept ?? amount };
}

/**
 * Returns the result of an invoice payment row, based on the status of its purchase or refund (§9.4, §9.5). The amount
 * of a refund is positive here. A payment in a currency other than the invoice's settles the requested amount.
 */
export function invoicePaymentResult(
  transaction: Pick<PaymentTransaction, 'status' | 'amount' | 'processedAmount' | 'processedCurrency'>,
  invoiceCurrency: Currency,
): InvoicePaymentResult {
  const inInvoiceCurrency = transaction.processedCurrency === invoiceCurrency;
  const settled = (inInvoiceCurrency ? transaction.processedAmount : transaction.amount) ?? ZERO;
  const processedCurrency = transaction.processedCurrency ?? invoiceCurrency;
  switch (transaction.status) {
    case TransactionStatus.SUCCESS:
      return { status: InvoicePaymentStatus.SUCCESS, amount: settled, processedCurrency };
    case TransactionStatus.PENDING:
      return { status: InvoicePaymentStatus.PENDING, amount: settled, processedCurrency };
    default:
      return { status: InvoicePaymentStatus.INIT, amount: ZERO, processedCurrency };
  }
}

/** Returns the type of the event that reports the result of an invoice's payment, refund or chargeback (§9.4). */
export function eventOfResult({ status }: Pick<InvoicePayment, 'status'>) {
  return status === 'SUCCESS' ? BusEventType.INVOICE_PAYMENT_SUCCESS : BusEventType.INVOICE_PAYMENT_FAILED;
}

/** A payment row of an invoice, before and after its transaction was decided. `before` is null for a new row. */
export type ChangedRow =
  | { readonly before: InvoicePayment; readonly after: InvoicePayment }
  | { readonly before: null; readonly after: New<InvoicePayment> };

export function changedRow(
  before: InvoicePayment,
  { status, amount, processedCurrency }: InvoicePaymentResult,
): { readonly before: InvoicePayment; readonly after: InvoicePayment } {
  return { before, after: { ...before, status, amount, processedCurrency } };
}

/**
 * Returns the invoices before and after these rows take effect (invoicing §1.4, §1.6 rule 8). The `released` invoices
 * can get credit again.
 */
export function settledInvoices(
  rows: readonly ChangedRow[],
  invoices: ReadonlyMap<Uuid, Invoice>,
  released: ReadonlySet<Uuid> = new Set(),
): readonly { readonly before: Invoice; readonly after: Invoice }[] {
  const settled = new Map([...invoices].filter(([id]) => released.has(id)));
  for (const row of rows) {
    const known = settled.get(row.after.invoiceId) ?? invoices.get(row.after.invoiceId);
    if (known && !countedChange(row).isZero()) settled.set(known.id, settleInvoice(known, row));
  }
  return [...settled].flatMap(([id, after]) => {
    const before = invoices.get(id);
    return before ? [{ before, after }] : [];
  });
}

/** Returns the invoice after the change of the row. The raw balance of a migrated invoice stays 0. */
export function settleInvoice(invoice: Invoice, row: ChangedRow): Invoice {
  if (invoice.isMigration) return invoice;
  const payment = { ...row.after, status: InvoicePaymentStatus.SUCCESS, amount: countedChange(row) } as const;
  return { ...invoice, ...amountsAfterPayment(invoice, payment) };
}

function countedChange({ before, after }: ChangedRow) {
  return countedAmount(after).minus(countedAmount(before));
}

/**
 * Returns the amount by which the row changes its invoice's balance. It is 0 for all rows except SUCCESS rows (§9.4).
 */
function countedAmount(row: Omit<InvoicePayment, 'recordId'> | null) {
  return row?.status === 'SUCCESS' ? row.amount : ZERO;
}

/**
 * Returns the item adjustments of a refund when it succeeds for the first time (§9.5 rule 1 e). Corrections do not
 * change these adjustments.
 */
export function adjustmentsDue(
  before: PaymentTransaction,
  after: PaymentTransaction,
): InvoiceRefund['adjustments'] {
  const { invoiceRefund: refund } = before;
  const isDue = refund !== null && !refund.isApplied && after.status === 'SUCCESS';
  return isDue ? refund.adjustments : [];
}

/** Returns the decided transaction. If item adjustments are due for its refund, marks the refund as applied. */
export function withAdjustmentsNoted(before: PaymentTransaction, after: PaymentTransaction) {
  const { invoiceRefund } = after;
  if (invoiceRefund === null || adjustmentsDue(before, after).length === 0) return after;
  return { ...after, invoiceRefund: { ...invoiceRefund, isApplied: true } };
}
