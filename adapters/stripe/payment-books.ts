import Stripe from 'stripe';
import type { GatewayResult } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import {
  type FirstType,
  idIn,
  intentResult,
  markedResult,
  marksOf,
  PAYMENT,
  refundResult,
  setupResult,
  TENANT,
  TRANSACTION,
  TYPE,
} from './results.ts';
import type { StripeCustomers } from './saved-methods.ts';
import type { StripeAccount } from './stripe-accounts.ts';

/** Stripe's largest page. */
const PAGE = 100;
const MOST_REFUNDS = 1_000;
const EXPAND = ['data.latest_charge'];

export interface PaymentOf {
  readonly accountId: Uuid;
  readonly paymentId: Uuid;
}

/**
 * Finds payments by the metadata that the gateway sets. Looks in the customer's current list first, then uses Stripe's
 * search, whose results are delayed.
 */
export class PaymentBooks {
  readonly #customers: StripeCustomers;

  constructor(customers: StripeCustomers) {
    this.#customers = customers;
  }

  /** Returns the payment intents of a payment. There is one for each purchase or authorization that reached Stripe. */
  async intentsOf(of: StripeAccount, { accountId, paymentId }: PaymentOf): Promise<Stripe.PaymentIntent[]> {
    const customer = await this.#customers.ensure(of, accountId);
    const list = await of.stripe.paymentIntents.list({ customer, limit: PAGE, expand: EXPAND });
    const found = list.data.filter(isOf(of, paymentId));
    if (found.length > 0 && !list.has_more) return found;
    const searched = await searchedIntents(of, paymentId).catch((error: unknown) => {
      // Stripe accounts in India cannot use search, but a complete list is sufficient.
      if (list.has_more || !(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      return [];
    });
    const known = new Set(found.map(({ id }) => id));
    return [...found, ...searched.filter(({ id }) => !known.has(id))];
  }

  /** Returns the card checks of a payment with the amount 0. Searches the customer's hundred newest checks. */
  async setupsOf(of: StripeAccount, { accountId, paymentId }: PaymentOf): Promise<Stripe.SetupIntent[]> {
    const customer = await this.#customers.ensure(of, accountId);
    const { data } = await of.stripe.setupIntents.list({ customer, limit: PAGE });
    return data.filter(isOf(of, paymentId));
  }

  /** Returns the refunds that the gateway made for a payment intent. */
  async refundsOf({ stripe, tenantId }: StripeAccount, intentId: string): Promise<Stripe.Refund[]> {
    const refunds = await stripe.refunds
      .list({ payment_intent: intentId, limit: PAGE })
      .autoPagingToArray({ limit: MOST_REFUNDS });
    return refunds.filter(({ metadata }) => metadata?.[TENANT] === tenantId);
  }

  /** Returns all transactions of the payment at Stripe. Failures that were already reported are final. */
  async resultsOf(of: StripeAccount, asked: PaymentOf): Promise<readonly GatewayResult[]> {
    const { paymentId } = asked;
    const [found, setups] = await Promise.all([this.intentsOf(of, asked), this.setupsOf(of, asked)]);
    const intents = await Promise.all(found.map((intent) => cancelFailedIntent(of, intent)));
    const taken = intents.filter(({ amount_received }) => amount_received > 0);
    const refunds = await Promise.all(taken.map(({ id }) => this.refundsOf(of, id)));
    return [
      ...intents.flatMap((intent) => resultsOfIntent(paymentId, intent)),
      ...setups.flatMap((setup) => {
        const told = firstOf(paymentId, setup.metadata);
        return told === null ? [] : [setupResult(told, setup)];
      }),
      ...refunds.flat().flatMap((refund) => {
        const transactionId = idIn(refund.metadata, TRANSACTION);
        if (transactionId === null) return [];
        return [refundResult({ paymentId, transactionId, transactionType: 'REFUND' }, refund)];
      }),
    ];
  }
}

/**
 * Searches payment intents without using the customer. The customer may have been deleted at Stripe, or `customerOf`
 * may no longer return the customer.
 */
async function searchedIntents({ stripe, tenantId }: StripeAccount, paymentId: Uuid) {
  const query = `metadata['${PAYMENT}']:'${paymentId}' AND metadata['${TENANT}']:'${tenantId}'`;
  const { data } = await stripe.paymentIntents.search({ query, limit: PAGE, expand: EXPAND });
  return data;
}

/**
 * Cancels a failed payment intent. Otherwise, the customer could still add another method to the intent on a page, and
 * would pay twice if a later payment succeeded. If the intent has made progress in the meantime, returns it unchanged.
 */
async function cancelFailedIntent({ stripe }: StripeAccount, intent: Stripe.PaymentIntent) {
  if (intent.status !== 'requires_payment_method' || intent.last_payment_error === null) return intent;
  try {
    await stripe.paymentIntents.cancel(intent.id);
    return intent;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    return stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
  }
}

function resultsOfIntent(paymentId: Uuid, intent: Stripe.PaymentIntent) {
  const told = firstOf(paymentId, intent.metadata);
  const marked = (['CAPTURE', 'VOID'] as const).flatMap((transactionType) => {
    const marks = marksOf(transactionType === 'VOID' ? 'void' : 'capture', intent.metadata);
    return marks.flatMap(([transactionId, written]) => {
      return markedResult({ paymentId, transactionId, transactionType }, intent, written) ?? [];
    });
  });
  return told === null ? marked : [intentResult(told, intent), ...marked];
}

function firstOf(paymentId: Uuid, metadata: Stripe.Metadata | null) {
  const transactionId = idIn(metadata, TRANSACTION);
  if (transactionId === null) return null;
  const transactionType: FirstType = metadata?.[TYPE] === 'AUTHORIZE' ? 'AUTHORIZE' : 'PURCHASE';
  return { paymentId, transactionId, transactionType };
}

function isOf({ tenantId }: StripeAccount, paymentId: Uuid) {
  return ({ metadata }: { readonly metadata: Stripe.Metadata | null }): boolean =>
    metadata?.[PAYMENT] === paymentId && metadata[TENANT] === tenantId;
}
