import type Stripe from 'stripe';
import type { GatewayContext, NotificationAnswer, PaymentGateway } from '../../lib/ports/index.ts';
import { asCurrency } from '../../lib/values/money/index.ts';
import { Changes, Charges } from './charges.ts';
import { PaymentBooks } from './payment-books.ts';
import { idIn, PAYMENT, readAmount, type StoredMetadata, TENANT } from './results.ts';
import { StripeCustomers, savedMethods, setupForms } from './saved-methods.ts';
import { type StripeAccount, StripeAccounts, type StripeGatewayOptions } from './stripe-accounts.ts';

/**
 * Payments by Stripe: purchases, authorizations, captures, voids and refunds as payment intents, saved
 * methods, Stripe's pages for new methods, and signed events. Disputes become chargebacks. The gateway stores
 * nothing; the metadata of Stripe's objects contains the engine's ids. `adapters/stripe/README.md` lists its
 * limits.
 *
 * @throws GatewayError for credentials whose key is neither a secret nor a restricted key.
 * @example const billing = await Billing.open({ storage, gateways: [stripeGateway({ credentials: { apiKey:
 * 'sk_…', webhookSecret: 'whsec_…' } })], });
 */
export function stripeGateway(options: StripeGatewayOptions): PaymentGateway {
  const accounts = new StripeAccounts(options);
  const customers = new StripeCustomers(options);
  const methods = savedMethods(accounts, customers);
  const books = new PaymentBooks(customers);
  const charges = new Charges({ accounts, customers, idOfMethod: methods.idOf, books, options });
  const changes = new Changes(accounts, books);
  const notifications = new StripeNotifications(accounts);
  return {
    name: options.name ?? 'stripe',
    // Stripe's list and search contain everything that Stripe received.
    capabilities: { holdsPaymentMethods: true, completeLedger: true },
    purchase: (request, context) => charges.run('PURCHASE', request, context),
    authorize: (request, context) => charges.run('AUTHORIZE', request, context),
    capture: (request, context) => changes.capture(request, context),
    void: (request, context) => changes.void(request, context),
    refund: (request, context) => changes.refund(request, context),
    getPaymentInfo: async (asked, { tenantId }) => books.resultsOf(await accounts.of(tenantId), asked),
    ...methods.members,
    buildFormDescriptor: setupForms(accounts, customers),
    verifyNotification: (request, context) => notifications.verify(request, context),
    processNotification: ({ body }, context) => notifications.process(body, context),
  };
}

type Verified = Parameters<Required<PaymentGateway>['verifyNotification']>[0];

const SIGNATURE = 'stripe-signature';
const TAKEN: NotificationAnswer = { status: 200 };
const UNREADABLE: NotificationAnswer = { status: 400, entity: 'not a Stripe event' };

/**
 * Processes Stripe's events, which may arrive twice, late or out of order. Uses only the ids in an event, and reads the
 * rest from Stripe.
 */
export class StripeNotifications {
  readonly #accounts: StripeAccounts;

  constructor(accounts: StripeAccounts) {
    this.#accounts = accounts;
  }

  /** Returns true if these bytes were signed with one of the endpoint's secrets within the last five minutes. */
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
    if (type.startsWith('charge.dispute.'))
      return this.#answerDispute(await this.#accounts.of(tenantId), object);
    const isOfPayment = /^(payment_intent|setup_intent|refund)\.|^charge\.refund\.updated$/.test(type);
    return isOfPayment ? answerOf(tenantId, object.metadata) : TAKEN;
  }

  async #answerDispute({ stripe, tenantId }: StripeAccount, { id }: EventObject) {
    if (id === undefined) return UNREADABLE;
    const dispute = await stripe.disputes.retrieve(id, { expand: ['payment_intent'] });
    const intent = dispute.payment_intent;
    const answer = answerOf(tenantId, typeof intent === 'string' ? null : intent?.metadata);
    return answer.kbPaymentId === undefined ? TAKEN : { ...answer, dispute: disputeOf(dispute) };
  }
}

/**
 * Returns the dispute. It is open while money is withdrawn. The amount of a reinstatement may be smaller than that of
 * the withdrawal.
 */
function disputeOf(dispute: Stripe.Dispute) {
  const currency = asCurrency(dispute.currency.toUpperCase());
  const moved = dispute.balance_transactions.reduce((sum, { amount }) => sum + Math.sign(amount), 0);
  const amount = readAmount(dispute.amount, currency);
  return { reference: dispute.id, amount, currency, stands: moved < 0 };
}

/** Returns the response to a notification. Ignores payments of other tenants that use the same Stripe account. */
function answerOf(tenantId: string, metadata: StoredMetadata) {
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
