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
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  convertedPayment,
  decidingTransaction,
  isOwnRefund,
  isRowOf,
  movedIn,
  paidRowOf,
  refundShare,
  remainderOf,
} from './invoice-remainder.ts';

/** The records around transactions that are being settled. */
export interface SettledRecords {
  /** All transactions of the payments, in creation order, as they are now. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: ReadonlyMap<Uuid, Payment>;
  /** Refunds of invoices' payments that are under way, where chargebacks leave room for them. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  readonly attempts: ReadonlyMap<Uuid, PaymentAttempt>;
  readonly rows: readonly InvoicePayment[];
  /** The same by id, with what has been decided just before. */
  readonly latest: ReadonlyMap<Uuid, New<InvoicePayment>>;
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** With the transactions of the payment. */
type Ledger = SettledRecords & { readonly own: readonly PaymentTransaction[] };

interface Tools {
  readonly ids: IdGenerator;
  readonly now: Instant;
}

/**
 * What a decided transaction makes of the payment rows of its invoice (§9.4, §9.5); null = nothing. Transactions of one
 * key share a row, which follows the one that decides about it: a correction of another one leaves it as it is.
 */
export function invoiceEffect(
  transaction: PaymentTransaction,
  ledger: Ledger,
  tools: Tools,
): ChangedRow | null {
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

function changesCount({ before, after }: ChangedRow): boolean {
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

/** A refund that fails leaves no row; one that was pending before takes its row back (§9.5 rule 1 e). */
function effectOfRefund(transaction: PaymentTransaction, ledger: Ledger, tools: Tools): ChangedRow | null {
  const { rows, invoices, own, latest } = ledger;
  const paid = paidBy(transaction, rows);
  const invoice = paid && invoices.get(paid.invoiceId);
  if (!paid || !invoice) return null;
  const before = rowOf(InvoicePaymentType.REFUND, transaction, rows);
  const result = invoicePaymentResult(transaction, invoice.currency);
  let { amount } = result;
  const converted = isOwnRefund(transaction, paid) ? convertedPayment(paid, own) : null;
  if (converted !== null && !amount.isZero()) {
    // The share of what the payment settled in the invoice's currency (§9.5 rule 1 d).
    const others = [...latest.values()].filter(({ id }) => id !== before?.id);
    amount = refundShare(movedIn(transaction, converted), { paid, rows: others, transactions: own });
  }
  const refunded = { ...result, amount: amount.negated() };
  if (before) return changedRow(before, refunded);
  if (result.status === InvoicePaymentStatus.INIT) return null;
  const { externalKey } = transaction;
  return newRow(paid, { type: InvoicePaymentType.REFUND, externalKey, ...refunded }, tools);
}

/**
 * A reversal takes the row out of the balance, a later chargeback of its key puts it back (§9.5 rules 3 and 4). No more
 * is taken than what is left of the payment; all of that by one in another currency.
 */
function effectOfChargeback(
  transaction: PaymentTransaction,
  { rows, openInvoiceRefunds, ...ledger }: Ledger,
  tools: Tools,
): ChangedRow | null {
  const paid = paidBy(transaction, rows);
  if (!paid) return null;
  const transactions = [...ledger.transactions, ...openInvoiceRefunds];
  const before = rowOf(InvoicePaymentType.CHARGED_BACK, transaction, rows);
  const processedCurrency = transaction.processedCurrency ?? paid.processedCurrency;
  if (transaction.status !== TransactionStatus.SUCCESS) {
    const ended = { status: InvoicePaymentStatus.INIT, processedCurrency } as const;
    return before ? changedRow(before, { ...ended, amount: before.amount }) : null;
  }
  const most = remainderOf({ paid, rows: rows.filter((row) => row !== before), transactions });
  const asked = transaction.currency === paid.currency ? (transaction.amount ?? most) : most;
  const amount = asked.greaterThan(most) ? most : asked;
  const result = {
    status: InvoicePaymentStatus.SUCCESS,
    amount: amount.negated(),
    processedCurrency,
  } as const;
  if (before) return changedRow(before, result);
  const { externalKey } = transaction;
  return newRow(paid, { type: InvoicePaymentType.CHARGED_BACK, externalKey, ...result }, tools);
}

function rowOf(
  type: InvoicePaymentType,
  transaction: PaymentTransaction,
  rows: readonly InvoicePayment[],
): InvoicePayment | undefined {
  return rows.find((row) => row.type === type && isRowOf(row, transaction));
}

/** What was paid, of which the transaction takes back: the row it names, else that of its own payment. */
function paidBy(
  { invoiceRefund, paymentId, transactionType }: PaymentTransaction,
  rows: readonly InvoicePayment[],
): InvoicePayment | undefined {
  if (invoiceRefund !== null) return rows.find(({ id }) => id === invoiceRefund.invoicePaymentId);
  if (transactionType === TransactionType.CREDIT) return undefined;
  return paidRowOf(rows.filter((row) => row.paymentId === paymentId));
}

/** A row that takes back of what was paid. */
function newRow(
  { id: linkedInvoicePaymentId, accountRecordId, invoiceId, paymentId, currency }: InvoicePayment,
  {
    externalKey: transactionExternalKey,
    ...result
  }: InvoicePaymentResult & Pick<InvoicePayment, 'type'> & Pick<PaymentTransaction, 'externalKey'>,
  { ids, now }: Tools,
): ChangedRow {
  const paid = { accountRecordId, invoiceId, paymentId, currency, linkedInvoicePaymentId };
  const dates = { paymentDate: now, createdDate: now };
  return { before: null, after: { ...paid, ...dates, ...result, id: ids.next(), transactionExternalKey } };
}

type InvoicePaymentResult = Pick<InvoicePayment, 'status' | 'amount' | 'processedCurrency'>;

/**
 * The transaction with what it was to settle of the invoice: of one in another currency its attempt keeps that (§8.1 rule
 * 3), and its row while it is not settled.
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
 * What the status of a PURCHASE makes of its ATTEMPT row, and that of a refund of its REFUND row, whose amount is
 * negative (§9.4, §9.5). An amount in another currency than the invoice's settles what was requested.
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

/** Which event tells what became of an invoice's payment, refund or chargeback (§9.4). */
export function eventOfResult({ status }: Pick<InvoicePayment, 'status'>) {
  return status === InvoicePaymentStatus.SUCCESS
    ? BusEventType.INVOICE_PAYMENT_SUCCESS
    : BusEventType.INVOICE_PAYMENT_FAILED;
}

/** A payment row of an invoice before and after its transaction was decided; null before = it is new. */
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
 * The invoices before and after these rows are counted (invoicing §1.4, §1.6 rule 8): what was paid beyond the balance
 * becomes credit. `released` are invoices whose payment ended without success: they may be offered credit again.
 */
export function settledInvoices(
  rows: readonly ChangedRow[],
  invoices: ReadonlyMap<Uuid, Invoice>,
  released: ReadonlySet<Uuid> = new Set(),
): readonly { readonly before: Invoice; readonly after: Invoice }[] {
  const settled = new Map<Uuid, Invoice>();
  for (const id of released) {
    const invoice = invoices.get(id);
    if (invoice) settled.set(id, invoice);
  }
  for (const row of rows) {
    const known = settled.get(row.after.invoiceId) ?? invoices.get(row.after.invoiceId);
    if (known && !countedChange(row).isZero()) settled.set(known.id, settleInvoice(known, row));
  }
  return [...settled].flatMap(([id, after]) => {
    const before = invoices.get(id);
    return before ? [{ before, after }] : [];
  });
}

/** The invoice less what the row newly counts; the raw balance of a migration invoice is 0 by definition. */
export function settleInvoice(invoice: Invoice, row: ChangedRow): Invoice {
  if (invoice.isMigration) return invoice;
  const payment = { ...row.after, status: InvoicePaymentStatus.SUCCESS, amount: countedChange(row) } as const;
  return { ...invoice, ...amountsAfterPayment(invoice, payment) };
}

function countedChange({ before, after }: ChangedRow): Decimal {
  return countedAmount(after).minus(countedAmount(before));
}

/** What a row takes off its invoice's balance: only SUCCESS rows count (§9.4). */
function countedAmount(row: Omit<InvoicePayment, 'recordId'> | null): Decimal {
  return row?.status === InvoicePaymentStatus.SUCCESS ? row.amount : ZERO;
}

/**
 * What a refund takes off items of its invoice (§9.5 rule 1 e): all that was asked for when it first succeeds, however
 * long its outcome was open; nothing when it is corrected later, for issued adjustments stand.
 */
export function adjustmentsDue(
  before: PaymentTransaction,
  after: PaymentTransaction,
): InvoiceRefund['adjustments'] {
  const { invoiceRefund } = before;
  if (invoiceRefund === null || invoiceRefund.isApplied || after.status !== TransactionStatus.SUCCESS)
    return [];
  return invoiceRefund.adjustments;
}

/** The decided transaction, which remembers that its adjustments are made. */
export function withAdjustmentsNoted(
  before: PaymentTransaction,
  after: PaymentTransaction,
): PaymentTransaction {
  const { invoiceRefund } = after;
  if (invoiceRefund === null || adjustmentsDue(before, after).length === 0) return after;
  return { ...after, invoiceRefund: { ...invoiceRefund, isApplied: true } };
}
