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

export interface StripeCall {
  readonly books: StripeBooks;
  readonly id: string;
  readonly form: FormObject;
  readonly bank: Bank;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** With the placeholder `:id`. */
  readonly path: string;
  /** The accepted parameters. Like Stripe, the double rejects others. */
  readonly takes: readonly string[];
  run(call: StripeCall): object;
}

const PAGING = ['limit', 'starting_after', 'ending_before', 'expand'];
const SEARCH = ['query', 'limit', 'page', 'expand'];
const MOST = 100;

const get = (path: string, takes: Endpoint['takes'], run: Endpoint['run']): Endpoint => ({
  method: 'GET',
  path,
  takes,
  run,
});

const post = (path: string, takes: Endpoint['takes'], run: Endpoint['run']): Endpoint => ({
  ...get(path, takes, run),
  method: 'POST',
});

export const endpoints: readonly Endpoint[] = [
  post('/v1/customers', ['metadata', 'name', 'email', 'description'], ({ books, form }) => {
    const invoiceSettings = { invoice_settings: { default_payment_method: null } };
    const customer = { ...books.newObject('cus', 'customer', metadataIn(form)), ...invoiceSettings };
    books.customers.set(customer.id, customer);
    return customer;
  }),
  get('/v1/customers/search', SEARCH, (call) => search(call, call.books.customers)),
  get('/v1/customers/:id', ['expand'], ({ books, id }) => books.customer(id)),
  post('/v1/customers/:id', ['invoice_settings', 'metadata'], ({ books, id, form }) => {
    const customer = books.customer(id);
    const standard = textIn(objectIn(form, 'invoice_settings'), 'default_payment_method');
    if (standard !== undefined) {
      books.method(standard);
      customer.invoice_settings.default_payment_method = standard;
    }
    return customer;
  }),
  get('/v1/customers/:id/payment_methods', [...PAGING, 'type'], (call) => {
    const { id: customer } = call.books.customer(call.id);
    return list(
      call,
      [...call.books.methods.values()].filter((each) => each.customer === customer),
    );
  }),
  post('/v1/payment_methods/:id/attach', ['customer'], ({ books, id, form }) =>
    attachMethod(books, id, form),
  ),
  post('/v1/payment_methods/:id/detach', [], ({ books, id }) => detachMethod(books, id)),
  get('/v1/payment_methods/:id', ['expand'], ({ books, id }) => books.method(id)),
  post('/v1/payment_methods/:id', ['metadata'], ({ books, id, form }) =>
    withMetadata(books.method(id), form),
  ),
  post(
    '/v1/payment_intents',
    [
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
    ({ books, form, bank }) => createIntent(books, form, bank),
  ),
  get('/v1/payment_intents', [...PAGING, 'customer', 'created'], (call) => {
    const customer = textIn(call.form, 'customer');
    return list(
      call,
      [...call.books.intents.values()].filter((each) => each.customer === customer),
    );
  }),
  get('/v1/payment_intents/search', SEARCH, (call) => search(call, call.books.intents)),
  get('/v1/payment_intents/:id', ['expand', 'client_secret'], ({ books, id }) => books.intent(id)),
  post('/v1/payment_intents/:id', ['metadata', 'description', 'expand'], ({ books, id, form }) =>
    withMetadata(books.intent(id), form),
  ),
  post(
    '/v1/payment_intents/:id/capture',
    ['amount_to_capture', 'final_capture', 'metadata', 'expand'],
    ({ books, id, form }) => captureIntent(books, books.intent(id), form),
  ),
  post('/v1/payment_intents/:id/cancel', ['cancellation_reason', 'expand'], ({ books, id }) =>
    cancelIntent(books, books.intent(id)),
  ),
  post(
    '/v1/setup_intents',
    ['customer', 'payment_method', 'confirm', 'usage', 'automatic_payment_methods', 'return_url', 'metadata'],
    ({ books, form, bank }) => createSetup(books, form, bank),
  ),
  get('/v1/setup_intents', [...PAGING, 'customer', 'payment_method'], (call) => {
    const customer = textIn(call.form, 'customer');
    return list(
      call,
      [...call.books.setups.values()].filter((each) => each.customer === customer),
    );
  }),
  get('/v1/setup_intents/:id', ['expand'], ({ books, id }) => foundSetup(books, id)),
  post('/v1/refunds', ['payment_intent', 'amount', 'reason', 'metadata', 'expand'], ({ books, form, bank }) =>
    createRefund(books, form, bank),
  ),
  get('/v1/refunds', [...PAGING, 'payment_intent', 'charge'], (call) => {
    const intent = textIn(call.form, 'payment_intent');
    return list(
      call,
      [...call.books.refunds.values()].filter((each) => each.payment_intent === intent),
    );
  }),
  get('/v1/refunds/:id', ['expand'], ({ books, id }) => found(books.refunds, 'refund', id)),
  get('/v1/disputes/:id', ['expand'], ({ books, id }) => found(books.disputes, 'dispute', id)),
  post(
    '/v1/checkout/sessions',
    ['mode', 'customer', 'currency', 'success_url', 'cancel_url', 'setup_intent_data', 'metadata'],
    ({ books, form }) => {
      const session = books.newObject('cs', 'checkout.session', metadataIn(form));
      return {
        ...session,
        mode: textIn(form, 'mode'),
        url: `https://checkout.stripe.com/c/pay/${session.id}`,
      };
    },
  ),
];

function withMetadata<T extends StripeObject>(object: T, form: FormObject): T {
  Object.assign(object.metadata, metadataIn(form));
  return object;
}

/** Newest first. */
function list({ form }: StripeCall, objects: readonly StripeObject[]) {
  const newestFirst = objects.toReversed();
  const after = textIn(form, 'starting_after');
  const start = after === undefined ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  const limit = Math.min(Number(textIn(form, 'limit') ?? '10'), MOST);
  const data = newestFirst.slice(start, start + limit);
  return { object: 'list', url: '/', data, has_more: start + limit < newestFirst.length };
}

/** `metadata['a']:'b' AND metadata['c']:'d'`, among the objects older than the search lag. */
function search({ books, form }: StripeCall, objects: ReadonlyMap<string, StripeObject>) {
  const query = textIn(form, 'query') ?? '';
  const wanted = [...query.matchAll(/metadata\['([^']+)'\]:'([^']*)'/g)];
  const data = [...objects.values()].filter(
    (each) => books.isSearchable(each) && wanted.every(([, key = '', value]) => each.metadata[key] === value),
  );
  const limit = Math.min(Number(textIn(form, 'limit') ?? '10'), MOST);
  return { object: 'search_result', url: '/', data: data.slice(0, limit), has_more: data.length > limit };
}
