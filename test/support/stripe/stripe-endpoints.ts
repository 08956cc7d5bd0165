import type { Bank } from './payment-intents.ts';
import {
  attachMethod,
  cancelIntent,
  captureIntent,
  createIntent,
  createRefund,
  createSetup,
  detachMethod,
  foundSetup,
  metadataIn,
} from './payment-intents.ts';
import type { StripeBooks } from './stripe-books.ts';
import { found } from './stripe-books.ts';
import { type FormObject, objectIn, type StripeObject, textIn } from './stripe-objects.ts';

/** A call of the API: what the path names, and its form or query. */
export interface StripeCall {
  readonly books: StripeBooks;
  readonly id: string;
  readonly form: FormObject;
  readonly bank: Bank;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** With `:id` in the place of an id. */
  readonly path: string;
  /** What it takes; anything else is refused, as Stripe does. */
  readonly takes: readonly string[];
  run(call: StripeCall): object;
}

const PAGING = ['limit', 'starting_after', 'ending_before', 'expand'];
const SEARCH = ['query', 'limit', 'page', 'expand'];
const MOST = 100;

export const endpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/v1/customers',
    takes: ['metadata', 'name', 'email', 'description'],
    run: ({ books, form }) => {
      const invoiceSettings = { invoice_settings: { default_payment_method: null } };
      const customer = { ...books.newObject('cus', 'customer', metadataIn(form)), ...invoiceSettings };
      books.customers.set(customer.id, customer);
      return customer;
    },
  },
  {
    method: 'GET',
    path: '/v1/customers/search',
    takes: SEARCH,
    run: (call) => search(call, call.books.customers),
  },
  { method: 'GET', path: '/v1/customers/:id', takes: ['expand'], run: ({ books, id }) => books.customer(id) },
  {
    method: 'POST',
    path: '/v1/customers/:id',
    takes: ['invoice_settings', 'metadata'],
    run: ({ books, id, form }) => {
      const customer = books.customer(id);
      const standard = textIn(objectIn(form, 'invoice_settings'), 'default_payment_method');
      if (standard !== undefined) {
        books.method(standard);
        customer.invoice_settings.default_payment_method = standard;
      }
      return customer;
    },
  },
  {
    method: 'GET',
    path: '/v1/customers/:id/payment_methods',
    takes: [...PAGING, 'type'],
    run: (call) => {
      const { id: customer } = call.books.customer(call.id);
      return list(
        call,
        [...call.books.methods.values()].filter((each) => each.customer === customer),
      );
    },
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id/attach',
    takes: ['customer'],
    run: ({ books, id, form }) => attachMethod(books, id, form),
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id/detach',
    takes: [],
    run: ({ books, id }) => detachMethod(books, id),
  },
  {
    method: 'GET',
    path: '/v1/payment_methods/:id',
    takes: ['expand'],
    run: ({ books, id }) => books.method(id),
  },
  {
    method: 'POST',
    path: '/v1/payment_methods/:id',
    takes: ['metadata'],
    run: ({ books, id, form }) => withMetadata(books.method(id), form),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents',
    takes: [
      'amount',
      'currency',
      'customer',
      'payment_method',
      'confirm',
      'off_session',
      'capture_method',
      'automatic_payment_methods',
      'return_url',
      'description',
      'payment_method_options',
      'metadata',
      'expand',
    ],
    run: ({ books, form, bank }) => createIntent(books, form, bank),
  },
  {
    method: 'GET',
    path: '/v1/payment_intents',
    takes: [...PAGING, 'customer', 'created'],
    run: (call) => {
      const customer = textIn(call.form, 'customer');
      return list(
        call,
        [...call.books.intents.values()].filter((each) => each.customer === customer),
      );
    },
  },
  {
    method: 'GET',
    path: '/v1/payment_intents/search',
    takes: SEARCH,
    run: (call) => search(call, call.books.intents),
  },
  {
    method: 'GET',
    path: '/v1/payment_intents/:id',
    takes: ['expand', 'client_secret'],
    run: ({ books, id }) => books.intent(id),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id',
    takes: ['metadata', 'description', 'expand'],
    run: ({ books, id, form }) => withMetadata(books.intent(id), form),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id/capture',
    takes: ['amount_to_capture', 'final_capture', 'metadata', 'expand'],
    run: ({ books, id, form }) => captureIntent(books, books.intent(id), form),
  },
  {
    method: 'POST',
    path: '/v1/payment_intents/:id/cancel',
    takes: ['cancellation_reason', 'expand'],
    run: ({ books, id }) => cancelIntent(books, books.intent(id)),
  },
  {
    method: 'POST',
    path: '/v1/setup_intents',
    takes: [
      'customer',
      'payment_method',
      'confirm',
      'usage',
      'automatic_payment_methods',
      'return_url',
      'metadata',
    ],
    run: ({ books, form, bank }) => createSetup(books, form, bank),
  },
  {
    method: 'GET',
    path: '/v1/setup_intents',
    takes: [...PAGING, 'customer', 'payment_method'],
    run: (call) => {
      const customer = textIn(call.form, 'customer');
      return list(
        call,
        [...call.books.setups.values()].filter((each) => each.customer === customer),
      );
    },
  },
  {
    method: 'GET',
    path: '/v1/setup_intents/:id',
    takes: ['expand'],
    run: ({ books, id }) => foundSetup(books, id),
  },
  {
    method: 'POST',
    path: '/v1/refunds',
    takes: ['payment_intent', 'amount', 'reason', 'metadata', 'expand'],
    run: ({ books, form, bank }) => createRefund(books, form, bank),
  },
  {
    method: 'GET',
    path: '/v1/refunds',
    takes: [...PAGING, 'payment_intent', 'charge'],
    run: (call) => {
      const intent = textIn(call.form, 'payment_intent');
      return list(
        call,
        [...call.books.refunds.values()].filter((each) => each.payment_intent === intent),
      );
    },
  },
  {
    method: 'GET',
    path: '/v1/refunds/:id',
    takes: ['expand'],
    run: ({ books, id }) => found(books.refunds, 'refund', id),
  },
  {
    method: 'GET',
    path: '/v1/disputes/:id',
    takes: ['expand'],
    run: ({ books, id }) => found(books.disputes, 'dispute', id),
  },
  {
    method: 'POST',
    path: '/v1/checkout/sessions',
    takes: ['mode', 'customer', 'currency', 'success_url', 'cancel_url', 'setup_intent_data', 'metadata'],
    run: ({ books, form }) => {
      const session = books.newObject('cs', 'checkout.session', metadataIn(form));
      return {
        ...session,
        mode: textIn(form, 'mode'),
        url: `https://checkout.stripe.com/c/pay/${session.id}`,
      };
    },
  },
];

function withMetadata<T extends StripeObject>(object: T, form: FormObject): T {
  Object.assign(object.metadata, metadataIn(form));
  return object;
}

/** The newest first. */
function list({ form }: StripeCall, objects: readonly StripeObject[]) {
  const newestFirst = objects.toReversed();
  const after = textIn(form, 'starting_after');
  const start = after === undefined ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  const limit = Math.min(Number(textIn(form, 'limit') ?? '10'), MOST);
  const data = newestFirst.slice(start, start + limit);
  return { object: 'list', url: '/', data, has_more: start + limit < newestFirst.length };
}

/** `metadata['a']:'b' AND metadata['c']:'d'`, of what is known for a minute. */
function search({ books, form }: StripeCall, objects: ReadonlyMap<string, StripeObject>) {
  const query = textIn(form, 'query') ?? '';
  const wanted = [...query.matchAll(/metadata\['([^']+)'\]:'([^']*)'/g)];
  const data = [...objects.values()].filter(
    (each) => books.isSearchable(each) && wanted.every(([, key = '', value]) => each.metadata[key] === value),
  );
  const limit = Math.min(Number(textIn(form, 'limit') ?? '10'), MOST);
  return { object: 'search_result', url: '/', data: data.slice(0, limit), has_more: data.length > limit };
}
