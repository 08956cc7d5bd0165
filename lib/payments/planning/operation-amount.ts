import {
  type InvoicePayment,
  InvoicePaymentType,
  isUnresolved,
  type PaymentTransaction,
  TransactionType,
} from '../../records/index.ts';
import type { BillingError } from '../../values/errors/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  statedAmount,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import {
  checkDisputable,
  checkRefundable,
  isRowOf,
  type PaidRows,
  paidRowOf,
  refundRemainderOf,
  remainderOf,
} from '../state/invoice-remainder.ts';
import { badParameter } from '../state/payment-errors.ts';
import { isFirstOperation } from '../state/payment-state.ts';
import { currencyOf, paymentTotals, refundable } from '../state/payment-totals.ts';
import type { OperationFacts, OperationRequest, OperationRules } from './operation-facts.ts';

/** What an operation is for; VOID and the end of a chargeback have no amount. */
export interface OperationAmount {
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
}

/** Of the rules of an operation those that amounts depend on. */
export type AmountRules = Pick<OperationRules, 'allowsOverRefund' | 'roundsFloatNoise'>;

const NONE: OperationAmount = { amount: null, currency: null };

/**
 * Currency and amount of an operation (§4.3).
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031), MISSING_OR_INVALID_FIELD (60003) for an amount that is finer than
 * its currency.
 */
export function checkAmount(
  request: OperationRequest,
  facts: OperationFacts,
  rules: AmountRules,
): OperationAmount {
  const { operation } = request;
  if (operation === 'VOID' || operation === 'CHARGEBACK_REVERSAL') return NONE;
  const currency = request.currency ?? facts.account.currency;
  if (currency === null) throw lacksCurrency();
  const paid = currencyOf(facts.transactions);
  if (paid !== null && paid !== currency && operation !== 'CHARGEBACK') {
    throw badParameter('currency', `is ${currency}, but the payment is in ${paid}`, { currency });
  }
  const amount = statedIn(request, facts, rules);
  if (amount === null) throw badParameter('amount', 'is needed');
  checkSign(amount, operation);
  if (operation === 'REFUND') checkRefund({ amount, currency }, facts, rules);
  if (operation === 'CHARGEBACK') checkChargeback({ amount, currency }, facts);
  return { amount, currency };
}

/**
 * Returns the amount that is asked for, with at most the digits of its currency (rule 8).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a finer one.
 */
export function statedIn(
  request: OperationRequest,
  facts: OperationFacts,
  { roundsFloatNoise }: Pick<OperationRules, 'roundsFloatNoise'>,
): Decimal | null {
  const { operation, amount } = request;
  const currency = request.currency ?? facts.account.currency;
  if (amount === null || currency === null) return amount;
  return statedAmount(amount, { currency, roundsFloatNoise, rest: restOf(operation, currency, facts) });
}

export function lacksCurrency(): BillingError {
  return badParameter('currency', 'is needed: the account has none');
}

/** Rule 2: only a card check is for nothing. */
export function checkSign(amount: Decimal, operation: OperationRequest['operation']): void {
  const least = operation === 'AUTHORIZE' ? 'must not be negative' : 'must be more than 0';
  if (amount.isNegative() || (amount.isZero() && operation !== 'AUTHORIZE'))
    throw badParameter('amount', least);
}

/** Rule 5; of a payment of an invoice what is left of its ledger (§9.5 rule 1). */
export function checkRefund(
  { amount, currency }: { readonly amount: Decimal; readonly currency: Currency | null },
  facts: OperationFacts,
  { allowsOverRefund }: Pick<OperationRules, 'allowsOverRefund'>,
): void {
  const paid = paidRows(facts);
  if (paid !== null) {
    checkRefundable({ amount, currency }, paid);
    return;
  }
  if (allowsOverRefund) return;
  const most = refundable(facts.transactions).minus(openRefunds(facts.transactions));
  if (amount.lessThanOrEqualTo(most)) return;
  throw badParameter('amount', `is more than the ${formatDecimal(most)} that can be refunded`);
}

/** What the payment has paid of an invoice, and what may take it back; null = it pays none. */
export function paidRows({ rows, transactions, openInvoiceRefunds }: OperationFacts): PaidRows | null {
  const paid = paidRowOf(rows);
  return paid ? { paid, rows, transactions: [...transactions, ...openInvoiceRefunds] } : null;
}

/** Returns all that an operation could take back of the payment, which older data may have left finer than its currency. */
function restOf(
  operation: OperationRequest['operation'],
  currency: Currency,
  facts: OperationFacts,
): Decimal | null {
  if (operation !== 'REFUND' && operation !== 'CHARGEBACK') return null;
  const paid = paidRows(facts);
  if (paid !== null) return operation === 'REFUND' ? refundRemainderOf(paid, currency) : remainderOf(paid);
  return refundable(facts.transactions).minus(openRefunds(facts.transactions));
}

/** What refunds whose outcome is open may still take. */
function openRefunds(transactions: readonly PaymentTransaction[]): Decimal {
  const open = transactions.filter(
    (each) => each.transactionType === TransactionType.REFUND && isUnresolved(each),
  );
  return sum(open.map(({ amount }) => amount ?? ZERO));
}

/** Rule 6; of a payment of an invoice what is left of its ledger (§9.5 rule 3). */
function checkChargeback(
  { amount, currency }: { readonly amount: Decimal; readonly currency: Currency },
  facts: OperationFacts,
): void {
  const paid = paidRows(facts);
  if (paid !== null) {
    checkDisputable({ amount, currency }, paid);
    return;
  }
  const totals = paymentTotals(facts.transactions);
  if (totals.currency !== currency) return;
  const most = totals.capturedAmount.plus(totals.purchasedAmount);
  if (amount.lessThanOrEqualTo(most)) return;
  throw badParameter('amount', `is more than the ${formatDecimal(most)} that can be charged back`);
}

/** What a completion tells its gateway, and what it is decided on. */
interface Completing {
  readonly pending: PaymentTransaction;
  readonly facts: OperationFacts;
  readonly rules: AmountRules;
}

/**
 * What a gateway is told instead of what is stored (§4.3 rule 7), null = as stored: an amount that the operation could
 * have, of what gives money back of a payment no more than could be given back without the transaction itself, and of what
 * pays an invoice only what is known to settle so much of it.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031), MISSING_OR_INVALID_FIELD (60003) for an amount that is finer than
 * its currency, of a payment of an invoice INVOICE_REFUND_AMOUNT_TOO_HIGH (4906).
 */
export function toldAmount(
  { amount: asked, currency }: OperationAmount,
  { pending, facts, rules }: Completing,
): OperationAmount {
  const { transactionType: type, invoiceRefund } = pending;
  if (type === TransactionType.VOID) return { amount: null, currency: null };
  const givesBack = type === TransactionType.REFUND || invoiceRefund !== null;
  const row = paysRow(pending, facts);
  const isBound = givesBack || !isFirstOperation(type) || row !== undefined;
  if (isBound && currency !== null && currency !== pending.currency)
    throw badParameter('currency', `is ${currency}, but the transaction is in ${pending.currency}`);
  const amount = asked && statedAs(asked, currency ?? pending.currency, { pending, rules });
  if (amount === null) return { amount, currency };
  // It settles what control plugins were asked about (§9.4), which is known of the stored amount alone.
  if (row !== undefined && row.currency !== pending.currency && pending.amount?.equals(amount) !== true)
    throw badParameter('amount', `cannot be another one: the invoice is in ${row.currency}`);
  const isOfNothing = amount.isZero() && pending.amount?.isZero() === true;
  if (!isOfNothing) checkSign(amount, type);
  const isMore = pending.amount === null || amount.greaterThan(pending.amount);
  if (givesBack && isMore) checkMore(amount, { pending, facts, rules });
  return { amount, currency };
}

/** Returns what is asked for, which may be what is stored, however fine that is. */
function statedAs(
  amount: Decimal,
  currency: OperationAmount['currency'],
  { pending: { amount: rest }, rules: { roundsFloatNoise } }: Pick<Completing, 'pending' | 'rules'>,
): Decimal {
  return currency === null ? amount : statedAmount(amount, { currency, roundsFloatNoise, rest });
}

/** What the transaction is to settle of an invoice; undefined = it pays none. */
function paysRow(pending: PaymentTransaction, { rows }: OperationFacts): InvoicePayment | undefined {
  if (pending.transactionType !== TransactionType.PURCHASE) return undefined;
  return rows.find((row) => row.type === InvoicePaymentType.ATTEMPT && isRowOf(row, pending));
}

function checkMore(amount: Decimal, { pending, facts, rules }: Completing): void {
  if (pending.transactionType === TransactionType.REFUND) {
    const isOther = ({ id }: PaymentTransaction) => id !== pending.id;
    const { transactions, openInvoiceRefunds } = facts;
    const others = {
      ...facts,
      transactions: transactions.filter(isOther),
      openInvoiceRefunds: openInvoiceRefunds.filter(isOther),
    };
    checkRefund({ amount, currency: pending.currency }, others, rules);
    return;
  }
  // What is given back of it another way is known to the other payment only.
  const most = formatDecimal(pending.amount ?? amount);
  throw badParameter('amount', `is more than the ${most} that was asked for first`);
}
