import { type FormObject, textIn } from './form-body.ts';
import { amountIn, type Bank, metadataIn } from './payment-intents.ts';
import type { StripeBooks } from './stripe-books.ts';
import {
  type DisputeObject,
  type IntentObject,
  type RefundObject,
  unexpectedState,
} from './stripe-objects.ts';

export function createRefund(books: StripeBooks, form: FormObject, bank: Bank): RefundObject {
  const intent = books.intent(textIn(form, 'payment_intent') ?? '');
  if (intent.latest_charge === null) throw unexpectedState('This PaymentIntent has no charge to refund.');
  const charge = books.chargeOf(intent);
  const rest = charge.amount_captured - charge.amount_refunded;
  if (rest === 0)
    throw unexpectedState(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded');
  const amount = textIn(form, 'amount') === undefined ? rest : amountIn(form, 'amount', '');
  if (amount > rest)
    throw unexpectedState('Refund amount is greater than unrefunded amount on charge', 'amount_too_large');
  if (charge.disputed) throw unexpectedState(`Charge ${charge.id} has been charged back.`, 'charge_disputed');
  const refund: RefundObject = {
    ...books.newObject('re', 'refund', metadataIn(form)),
    amount,
    currency: intent.currency,
    charge: charge.id,
    payment_intent: intent.id,
    status: bank === 'IS_SLOW' ? 'pending' : 'succeeded',
  };
  charge.amount_refunded += amount;
  books.refunds.set(refund.id, refund);
  books.tell('refund.created', refund);
  return refund;
}

/** The card's bank takes the money back, or asks first (`warning_needs_response`), when nothing is taken. */
export function openDispute(
  books: StripeBooks,
  intent: IntentObject,
  { amount = intent.amount_received, isInquiry = false },
): DisputeObject {
  const charge = books.chargeOf(intent);
  const dispute: DisputeObject = {
    ...books.newObject('du', 'dispute', {}),
    amount,
    currency: intent.currency,
    charge: charge.id,
    payment_intent: intent.id,
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
    balance_transactions: isInquiry ? [] : [moved(books, -amount, intent.currency)],
  };
  charge.disputed = !isInquiry;
  books.disputes.set(dispute.id, dispute);
  books.tell('charge.dispute.created', dispute);
  return dispute;
}

/** Won or lost; what comes back of one that is won may be less than was taken, at the rate of the day. */
export function closeDispute(
  books: StripeBooks,
  dispute: DisputeObject,
  how: 'won' | 'lost' | { readonly reinstated: number },
): void {
  dispute.status = how === 'lost' ? 'lost' : 'won';
  const reinstated = typeof how === 'object' ? how.reinstated : dispute.amount;
  if (how !== 'lost') dispute.balance_transactions.push(moved(books, reinstated, dispute.currency));
  books.tell('charge.dispute.closed', dispute);
}

function moved(books: StripeBooks, amount: number, currency: string) {
  return { id: books.newObject('txn', 'balance_transaction', {}).id, amount, currency };
}
