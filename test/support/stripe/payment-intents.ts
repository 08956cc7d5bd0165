import { found, type StripeBooks } from './stripe-books.ts';
import type {
  DisputeObject,
  FormObject,
  IntentObject,
  MethodObject,
  RefundObject,
  SetupObject,
} from './stripe-objects.ts';
import {
  declined,
  invalid,
  missing,
  objectIn,
  StripeRefusal,
  textIn,
  unexpectedState,
} from './stripe-objects.ts';

/** Minimum charge in US dollars. */
const LEAST = 50;
const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const TENS = 10;

/** The bank's response; by default the method decides. */
export type Bank = 'BY_METHOD' | 'DECLINES' | 'IS_SLOW' | 'ASKS';

export function createIntent(books: StripeBooks, form: FormObject, bank: Bank): IntentObject {
  const currency = textIn(form, 'currency') ?? '';
  const amount = amountIn(form, 'amount', currency);
  const method = methodFor(books, form);
  const returnUrl = textIn(form, 'return_url');
  const automatic = objectIn(form, 'automatic_payment_methods');
  if (returnUrl === undefined && automatic.allow_redirects !== 'never')
    throw invalid('A return_url must be given where payment methods may redirect', { param: 'return_url' });
  const isManual = textIn(form, 'capture_method') === 'manual';
  const intent: IntentObject = {
    ...books.newObject('pi', 'payment_intent', metadataIn(form)),
    amount,
    amount_capturable: 0,
    amount_received: 0,
    currency,
    customer: textIn(form, 'customer') ?? null,
    payment_method: method.id,
    capture_method: isManual ? 'manual' : 'automatic',
    client_secret: `secret_${method.id}`,
    status: 'requires_confirmation',
    latest_charge: null,
    last_payment_error: null,
    cancellation_reason: null,
    canceled_at: null,
    next_action: null,
  };
  books.intents.set(intent.id, intent);
  const card = objectIn(objectIn(form, 'payment_method_options'), 'card');
  confirm(books, intent, {
    behaviour: behaviourOf(method, bank),
    isOffSession: textIn(form, 'off_session') === 'true',
    returnUrl,
    multicapture: card.request_multicapture === 'if_available',
  });
  return intent;
}

interface Confirmation {
  readonly behaviour: string;
  readonly isOffSession: boolean;
  readonly returnUrl: string | undefined;
  readonly multicapture: boolean;
}

function confirm(books: StripeBooks, intent: IntentObject, how: Confirmation): void {
  const { behaviour, isOffSession, returnUrl, multicapture } = how;
  if (behaviour === 'asks' && !isOffSession) {
    intent.status = 'requires_action';
    const url = `https://hooks.stripe.com/redirect/${intent.id}`;
    intent.next_action =
      returnUrl === undefined
        ? { type: 'use_stripe_sdk' }
        : { type: 'redirect_to_url', redirect_to_url: { url } };
    books.emit('payment_intent.requires_action', intent);
    return;
  }
  if (behaviour === 'asks') decline(books, intent, ['authentication_required', 'authentication_required']);
  if (behaviour.startsWith('declines:')) decline(books, intent, ['card_declined', behaviour.slice(9)]);
  if (behaviour === 'slow') {
    intent.status = 'processing';
    books.emit('payment_intent.processing', intent);
    return;
  }
  succeed(books, intent, { multicapture });
}

/** The charge succeeds or is pending. */
export function succeed(
  books: StripeBooks,
  intent: IntentObject,
  { multicapture }: { readonly multicapture: boolean },
): void {
  const isHeld = intent.capture_method === 'manual';
  const charge = {
    ...books.newObject('ch', 'charge', {}),
    payment_intent: intent.id,
    amount: intent.amount,
    amount_captured: isHeld ? 0 : intent.amount,
    amount_refunded: 0,
    captured: !isHeld,
    disputed: false,
    status: 'succeeded',
    payment_method_details: {
      type: 'card',
      card: { multicapture: { status: isHeld && multicapture ? 'available' : 'unavailable' } },
    },
  };
  books.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  intent.next_action = null;
  intent.status = isHeld ? 'requires_capture' : 'succeeded';
  if (isHeld) intent.amount_capturable = intent.amount;
  else intent.amount_received = intent.amount;
  books.emit(isHeld ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded', intent);
}

/** The bank declines, and the intent waits for another method. */
export function fail(
  books: StripeBooks,
  intent: IntentObject,
  [code, declineCode]: readonly [string, string],
): StripeRefusal {
  const refusal = declined(code, declineCode);
  intent.status = 'requires_payment_method';
  intent.last_payment_error = refusal.body;
  books.emit('payment_intent.payment_failed', intent);
  return refusal;
}

function decline(books: StripeBooks, intent: IntentObject, codes: readonly [string, string]): never {
  const { status, body } = fail(books, intent, codes);
  throw new StripeRefusal(status, { ...body, payment_intent: intent });
}

export function captureIntent(books: StripeBooks, intent: IntentObject, form: FormObject): IntentObject {
  if (intent.status !== 'requires_capture')
    throw unexpectedState(`This PaymentIntent could not be captured because it is ${intent.status}.`);
  const given = textIn(form, 'amount_to_capture');
  const amount = given === undefined ? intent.amount_capturable : amountIn(form, 'amount_to_capture', '');
  if (amount > intent.amount_capturable)
    throw unexpectedState('The amount to capture is greater than what is capturable.', 'amount_too_large');
  const charge = books.chargeOf(intent);
  const isFinal = textIn(form, 'final_capture') !== 'false';
  if (!isFinal && charge.payment_method_details.card.multicapture.status !== 'available')
    throw invalid('final_capture may only be given where multicapture is available', {
      param: 'final_capture',
    });
  Object.assign(intent.metadata, metadataIn(form));
  intent.amount_received += amount;
  charge.amount_captured += amount;
  charge.captured = true;
  intent.amount_capturable = isFinal ? 0 : intent.amount_capturable - amount;
  if (intent.amount_capturable === 0) {
    intent.status = 'succeeded';
    charge.payment_method_details.card.multicapture.status = 'unavailable';
    books.emit('payment_intent.succeeded', intent);
  }
  return intent;
}

const CANCELABLE = new Set([
  'requires_payment_method',
  'requires_capture',
  'requires_confirmation',
  'requires_action',
  'processing',
]);

export function cancelIntent(books: StripeBooks, intent: IntentObject): IntentObject {
  if (!CANCELABLE.has(intent.status))
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
    );
  intent.status = 'canceled';
  intent.amount_capturable = 0;
  intent.canceled_at = Math.floor(books.nowMs() / 1_000);
  books.emit('payment_intent.canceled', intent);
  return intent;
}

export function methodFor(books: StripeBooks, form: FormObject): MethodObject {
  const id = textIn(form, 'payment_method') ?? '';
  const method = books.method(id);
  const customer = textIn(form, 'customer') ?? null;
  if (method.spent || method.customer !== customer)
    throw invalid('The PaymentMethod may not be used: it was detached, or is another customer’s.', {
      code: 'payment_method_unexpected_state',
    });
  return method;
}

export function behaviourOf(method: MethodObject, bank: Bank): string {
  const forced = { BY_METHOD: null, DECLINES: 'declines:insufficient_funds', IS_SLOW: 'slow', ASKS: 'asks' };
  return forced[bank] ?? method.behaviour;
}

const MOST_KEYS = 50;
const LONGEST_KEY = 40;
const LONGEST_VALUE = 500;

export function metadataIn(form: FormObject): Record<string, string> {
  const entries = Object.entries(objectIn(form, 'metadata')).map(
    ([key, value]) => [key, String(value)] as const,
  );
  const isTooMuch =
    entries.length > MOST_KEYS ||
    entries.some(([key, value]) => key.length > LONGEST_KEY || value.length > LONGEST_VALUE);
  if (isTooMuch) throw invalid('Metadata is too long', { param: 'metadata' });
  return Object.fromEntries(entries);
}

export function amountIn(form: FormObject, key: string, currency: string): number {
  const text = textIn(form, key) ?? '';
  if (!/^\d+$/.test(text))
    throw invalid(`Invalid integer: ${text}`, { code: 'parameter_invalid_integer', param: key });
  const amount = Number(text);
  if (key === 'amount' && currency !== '' && amount < LEAST)
    throw invalid('Amount must be at least $0.50 usd', { code: 'amount_too_small', param: key });
  if (THREE_DECIMALS.has(currency) && amount % TENS !== 0)
    throw invalid('The last digit of the amount must be 0', { code: 'invalid_amount', param: key });
  return amount;
}

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
  books.emit('refund.created', refund);
  return refund;
}

/** Opens a chargeback, or an inquiry (`warning_needs_response`), which moves no money. */
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
  books.emit('charge.dispute.created', dispute);
  return dispute;
}

/** Closes a dispute. If won, less may be returned because of the exchange rate. */
export function closeDispute(
  books: StripeBooks,
  dispute: DisputeObject,
  how: 'won' | 'lost' | { readonly reinstated: number },
): void {
  dispute.status = how === 'lost' ? 'lost' : 'won';
  const reinstated = typeof how === 'object' ? how.reinstated : dispute.amount;
  if (how !== 'lost') dispute.balance_transactions.push(moved(books, reinstated, dispute.currency));
  books.emit('charge.dispute.closed', dispute);
}

function moved(books: StripeBooks, amount: number, currency: string) {
  return { id: books.newObject('txn', 'balance_transaction', {}).id, amount, currency };
}

/** Stripe's test methods and how their charges behave. */
const tokens: Readonly<Record<string, string>> = {
  pm_card_visa: 'succeeds',
  pm_card_chargeCustomerFail: 'declines:generic_decline',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'declines:insufficient_funds',
  pm_card_authenticationRequired: 'asks',
  pm_card_createDispute: 'succeeds',
  pm_sepaDebit: 'slow',
};

/** Attaches a method to a customer. Like Stripe, creates a new one from a test method. */
export function attachMethod(books: StripeBooks, id: string, form: FormObject): MethodObject {
  const customer = books.customer(textIn(form, 'customer') ?? '');
  const behaviour = Object.hasOwn(tokens, id) ? tokens[id] : undefined;
  if (behaviour !== undefined) {
    const method = newMethod(books, behaviour, customer.id);
    books.methods.set(method.id, method);
    return method;
  }
  const method = books.method(id);
  if (method.spent) throw invalid('This PaymentMethod was detached and may not be used again.');
  if (method.customer !== null)
    throw invalid('The payment method you provided has already been attached to a customer.');
  method.customer = customer.id;
  return method;
}

/** A method as created by Stripe.js, without a customer. */
export function newMethod(books: StripeBooks, behaviour: string, customer: string | null): MethodObject {
  const isSepa = behaviour === 'slow';
  const card = {
    brand: 'visa',
    last4: '4242',
    exp_month: 8,
    exp_year: 2031,
    country: 'US',
    funding: 'credit',
  };
  return {
    ...books.newObject('pm', 'payment_method', {}),
    customer,
    type: isSepa ? 'sepa_debit' : 'card',
    ...(isSepa ? { sepa_debit: { last4: '3000', country: 'DE' } } : { card }),
    behaviour,
    spent: false,
  };
}

export function detachMethod(books: StripeBooks, id: string): MethodObject {
  const method = books.method(id);
  if (method.customer === null)
    throw invalid(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  method.customer = null;
  method.spent = true;
  for (const customer of books.customers.values())
    if (customer.invoice_settings.default_payment_method === id)
      customer.invoice_settings.default_payment_method = null;
  return method;
}

/** Verifies a method, or waits for the customer to provide one. */
export function createSetup(books: StripeBooks, form: FormObject, bank: Bank): SetupObject {
  const given = textIn(form, 'payment_method');
  const isConfirmed = textIn(form, 'confirm') === 'true';
  const setup: SetupObject = {
    ...books.newObject('seti', 'setup_intent', metadataIn(form)),
    customer: textIn(form, 'customer') ?? null,
    payment_method: given ?? null,
    client_secret: 'seti_secret',
    status: given === undefined ? 'requires_payment_method' : 'requires_confirmation',
    last_setup_error: null,
    cancellation_reason: null,
    next_action: null,
  };
  books.setups.set(setup.id, setup);
  if (!isConfirmed) return setup;
  if (given === undefined) throw missing('PaymentMethod', '');
  const behaviour = behaviourOf(methodFor(books, form), bank);
  if (behaviour.startsWith('declines:')) {
    const codes = ['card_declined', behaviour.slice(9)] as const;
    setup.status = 'requires_payment_method';
    setup.last_setup_error = declined(...codes).body;
    throw declined(...codes, { setup_intent: setup });
  }
  setup.status = behaviour === 'asks' ? 'requires_action' : 'succeeded';
  if (behaviour === 'asks') setup.next_action = { type: 'use_stripe_sdk' };
  return setup;
}

export function foundSetup(books: StripeBooks, id: string): SetupObject {
  return found(books.setups, 'setupintent', id);
}
