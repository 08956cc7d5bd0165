import type { PaymentGateway } from '../../lib/ports/index.ts';
import { Changes, Charges } from './charges.ts';
import { StripeCustomers } from './customers.ts';
import { StripeNotifications } from './notifications.ts';
import { PaymentBooks } from './payment-books.ts';
import { SavedMethods, SetupForms } from './saved-methods.ts';
import { StripeAccounts, type StripeGatewayOptions } from './stripe-accounts.ts';

/**
 * Payments by Stripe: purchases, authorizations, captures, voids and refunds as payment intents, methods that Stripe saves,
 * its pages for new ones, and its signed events, of which disputes become chargebacks. It keeps nothing itself: our ids lie
 * in the metadata of the objects at Stripe. What holds, and what was never run against the service itself, is told in
 * `adapters/stripe/README.md`.
 *
 * @throws GatewayError for credentials whose key is no secret or restricted one.
 * @example
 * const billing = await Billing.open({
 *   storage,
 *   gateways: [stripeGateway({ credentials: { apiKey: 'sk_…', webhookSecret: 'whsec_…' } })],
 * });
 */
export function stripeGateway(options: StripeGatewayOptions): PaymentGateway {
  const accounts = new StripeAccounts(options);
  const customers = new StripeCustomers(options);
  const methods = new SavedMethods(accounts, customers);
  const books = new PaymentBooks(customers);
  const charges = new Charges({ accounts, customers, methods, books, options });
  const changes = new Changes(accounts, books);
  const forms = new SetupForms(accounts, customers);
  const notifications = new StripeNotifications(accounts);
  return {
    name: options.name ?? 'stripe',
    // All that Stripe has received of a payment is in its own list and search.
    capabilities: { holdsPaymentMethods: true, completeLedger: true },
    purchase: (request, context) => charges.run('PURCHASE', request, context),
    authorize: (request, context) => charges.run('AUTHORIZE', request, context),
    capture: (request, context) => changes.capture(request, context),
    void: (request, context) => changes.void(request, context),
    refund: (request, context) => changes.refund(request, context),
    getPaymentInfo: async (asked, { tenantId }) => books.resultsOf(await accounts.of(tenantId), asked),
    addPaymentMethod: methods.addPaymentMethod,
    deletePaymentMethod: methods.deletePaymentMethod,
    getPaymentMethodDetail: methods.getPaymentMethodDetail,
    setDefaultPaymentMethod: methods.setDefaultPaymentMethod,
    getPaymentMethods: methods.getPaymentMethods,
    resetPaymentMethods: methods.resetPaymentMethods,
    buildFormDescriptor: (request, context) => forms.build(request, context),
    verifyNotification: (request, context) => notifications.verify(request, context),
    processNotification: ({ body }, context) => notifications.process(body, context),
  };
}
