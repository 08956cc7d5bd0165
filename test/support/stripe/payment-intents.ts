import { type FormObject, objectIn, textIn } from './form-body.ts';
import type { StripeBooks } from './stripe-books.ts';
import {
  declined,
  type IntentObject,
  invalid,
  type MethodObject,
  StripeRefusal,
  unexpectedState,
} from './stripe-objects.ts';

/** The least that may be charged, as for US dollars. */
const LEAST = 50;
const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const TENS = 10;

/** What the bank says for the double, whatever the method: else the method decides. */
export type Bank = 'BY_METHOD' | 'DECLINES' | 'IS_SLOW' | 'ASKS';

/** Makes and confirms a payment intent. */
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
    books.tell('payment_intent.requires_action', intent);
    return;
  }
  if (behaviour === 'asks') decline(books, intent, ['authentication_required', 'authentication_required']);
  if (behaviour.startsWith('declines:')) decline(books, intent, ['card_declined', behaviour.slice(9)]);
  if (behaviour === 'slow') {
    intent.status = 'processing';
    books.tell('payment_intent.processing', intent);
    return;
  }
  succeed(books, intent, { multicapture });
}

/** The money is taken, or promised. */
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
  books.tell(isHeld ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded', intent);
}

/** The bank says no: the intent waits for another method. */
export function fail(
  books: StripeBooks,
  intent: IntentObject,
  [code, declineCode]: readonly [string, string],
): StripeRefusal {
  const refusal = declined(code, declineCode);
  intent.status = 'requires_payment_method';
  intent.last_payment_error = refusal.body;
  books.tell('payment_intent.payment_failed', intent);
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
    books.tell('payment_intent.succeeded', intent);
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
  books.tell('payment_intent.canceled', intent);
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
