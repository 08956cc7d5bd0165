import type Stripe from 'stripe';
import type {
  GatewayContext,
  GatewayDispute,
  NotificationAnswer,
  PaymentGateway,
} from '../../lib/ports/index.ts';
import { asCurrency } from '../../lib/values/money/index.ts';
import { Changes, Charges } from './charges.ts';
import { PaymentBooks } from './payment-books.ts';
import { idIn, PAYMENT, readAmount, type StoredMetadata, TENANT } from './results.ts';
import { SavedMethods, SetupForms, StripeCustomers } from './saved-methods.ts';
import { type StripeAccount, StripeAccounts, type StripeGatewayOptions } from './stripe-accounts.ts';

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

type Verified = Parameters<Required<PaymentGateway>['verifyNotification']>[0];

const SIGNATURE = 'stripe-signature';
const TAKEN: NotificationAnswer = { status: 200 };
const UNREADABLE: NotificationAnswer = { status: 400, entity: 'not an event of Stripe' };

/**
 * Events that Stripe sends. They may come twice, late and in any order: of what they tell only ids count, and what is so
 * is asked for anew.
 */
export class StripeNotifications {
  readonly #accounts: StripeAccounts;

  constructor(accounts: StripeAccounts) {
    this.#accounts = accounts;
  }

  /** Whether one of the endpoint's secrets has signed these bytes, within the last five minutes. */
  async verify({ rawBody, headers }: Verified, { tenantId }: GatewayContext): Promise<boolean> {
    const { stripe, webhookSecrets } = await this.#accounts.of(tenantId);
    const signature = headers[SIGNATURE];
    if (typeof signature !== 'string') return false;
    const body = Buffer.from(rawBody);
    return webhookSecrets.some((secret) => {
      try {
        stripe.webhooks.constructEvent(body, signature, secret);
        return true;
      } catch {
        return false;
      }
    });
  }

  async process(body: string, { tenantId }: GatewayContext): Promise<NotificationAnswer> {
    const event = readEvent(body);
    if (event === null) return UNREADABLE;
    const { type, object } = event;
    if (type.startsWith('charge.dispute.')) return this.#disputed(await this.#accounts.of(tenantId), object);
    const isOfPayment =
      type.startsWith('payment_intent.') ||
      type.startsWith('setup_intent.') ||
      type.startsWith('refund.') ||
      type === 'charge.refund.updated';
    return isOfPayment ? answerOf(tenantId, object.metadata) : TAKEN;
  }

  async #disputed({ stripe, tenantId }: StripeAccount, { id }: EventObject): Promise<NotificationAnswer> {
    if (id === undefined) return UNREADABLE;
    const dispute = await stripe.disputes.retrieve(id, { expand: ['payment_intent'] });
    const intent = dispute.payment_intent;
    const answer = answerOf(tenantId, typeof intent === 'string' ? null : intent?.metadata);
    return answer.kbPaymentId === undefined ? TAKEN : { ...answer, dispute: disputeOf(dispute) };
  }
}

/**
 * Money is gone from the withdrawal until it is reinstated; an inquiry withdraws nothing. How much was moved is said in the
 * currency of the Stripe account, at the rate of each day, so that what came back may be less than what went.
 */
function disputeOf(dispute: Stripe.Dispute): GatewayDispute {
  const currency = asCurrency(dispute.currency.toUpperCase());
  const moved = dispute.balance_transactions.reduce((sum, { amount }) => sum + Math.sign(amount), 0);
  return {
    reference: dispute.id,
    amount: readAmount(dispute.amount, currency),
    currency,
    stands: moved < 0,
  };
}

/** A payment of another tenant of the same Stripe account is that tenant's to hear of. */
function answerOf(tenantId: string, metadata: StoredMetadata): NotificationAnswer {
  const kbPaymentId = metadata?.[TENANT] === tenantId ? idIn(metadata, PAYMENT) : null;
  return kbPaymentId === null ? TAKEN : { ...TAKEN, kbPaymentId };
}

interface EventObject {
  readonly id?: string;
  readonly metadata?: Record<string, string> | null;
}

function readEvent(body: string): { readonly type: string; readonly object: EventObject } | null {
  try {
    const event = JSON.parse(body) as Partial<Stripe.EventBase> & { readonly type?: unknown };
    const object: unknown = event.data?.object;
    if (typeof event.type !== 'string' || typeof object !== 'object' || object === null) return null;
    return { type: event.type, object };
  } catch {
    return null;
  }
}
