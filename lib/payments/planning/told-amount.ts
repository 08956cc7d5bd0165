import {
  type InvoicePayment,
  InvoicePaymentType,
  type PaymentTransaction,
  TransactionType,
} from '../../records/index.ts';
import { type Decimal, formatDecimal, statedAmount } from '../../values/money/index.ts';
import { isRowOf } from '../state/keyed-row.ts';
import { badParameter } from '../state/payment-errors.ts';
import { isFirstOperation } from '../state/payment-state.ts';
import { type AmountRules, checkRefund, checkSign, type OperationAmount } from './operation-amount.ts';
import type { OperationFacts } from './operation-facts.ts';

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
