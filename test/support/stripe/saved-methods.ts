import { type FormObject, textIn } from './form-body.ts';
import { type Bank, behaviourOf, metadataIn, methodFor } from './payment-intents.ts';
import { found, type StripeBooks } from './stripe-books.ts';
import { declined, invalid, type MethodObject, missing, type SetupObject } from './stripe-objects.ts';

/** The test methods of Stripe's documentation, and what happens to charges of each. */
const tokens: Readonly<Record<string, string>> = {
  pm_card_visa: 'succeeds',
  pm_card_chargeCustomerFail: 'declines:generic_decline',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'declines:insufficient_funds',
  pm_card_authenticationRequired: 'asks',
  pm_card_createDispute: 'succeeds',
  pm_sepaDebit: 'slow',
};

/** Saves a method with a customer; of a test method a new one is made, as Stripe does. */
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

/** A method as Stripe.js makes it, of no customer yet. */
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

/** Checks a method, or waits for one that the customer gives. */
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
