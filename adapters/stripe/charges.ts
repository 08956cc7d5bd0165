import type Stripe from 'stripe';
import type { GatewayContext, GatewayRequest, GatewayResult } from '../../lib/ports/index.ts';
import { sentAmount } from './amounts.ts';
import type { StripeCustomers } from './customers.ts';
import { failureBefore, failureOf, isOtherRequest, noSuchTransaction, refusal } from './failures.ts';
import { mayBeForgotten } from './idempotency-window.ts';
import { type FirstType, transactionMetadata } from './metadata.ts';
import type { StripeGatewayOptions } from './options.ts';
import type { PaymentBooks } from './payment-books.ts';
import { isReplay } from './replays.ts';
import { failedResult, intentResult, setupResult, toldOf } from './results.ts';
import type { SavedMethods } from './saved-methods.ts';
import type { StripeAccount, StripeAccounts } from './stripe-accounts.ts';

interface Parts {
  readonly accounts: StripeAccounts;
  readonly customers: StripeCustomers;
  readonly methods: SavedMethods;
  readonly books: PaymentBooks;
  readonly options: StripeGatewayOptions;
}

/** What is charged, with whose method. */
interface Prepared {
  readonly of: StripeAccount;
  readonly customer: string;
  readonly method: string | null;
  /** What an earlier presentation of the same transaction has come to, where its idempotency key may be forgotten. */
  readonly known: GatewayResult | null;
}

/** Purchases and authorizations: one payment intent for each transaction, confirmed as it is made. */
export class Charges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(type: FirstType, request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const told = toldOf(request, type);
    let prepared: Prepared;
    try {
      prepared = await this.#prepare(request, context);
    } catch (error) {
      // Of an earlier presentation nobody knows, while Stripe cannot be asked.
      if (mayBeForgotten(request)) throw error;
      return failedResult(told, failureBefore(error), context.now);
    }
    const { known, method } = prepared;
    if (known !== null) return known;
    if (method === null) {
      const why = `Stripe has no payment method ${request.paymentMethodId} of the account; a refresh of its payment methods finds those that it has`;
      return failedResult(told, refusal('payment_method_missing', why), context.now);
    }
    const units = sentAmount(request.amount, request.currency);
    if (units === null) {
      const why = `Stripe cannot charge ${request.amount.toFixed()} ${request.currency}: the amount is finer than what it takes`;
      return failedResult(told, refusal('invalid_amount', why), context.now);
    }
    try {
      return units === 0
        ? await this.#check(type, request, { ...prepared, method })
        : await this.#charge(type, request, { ...prepared, method, units });
    } catch (error) {
      const earlier = isOtherRequest(error) ? await this.#known(prepared.of, request) : null;
      if (earlier !== null) return earlier;
      const failure = failureOf(error);
      if (failure === null) throw error;
      return failedResult(told, failure, context.now);
    }
  }

  async #prepare(request: GatewayRequest, { tenantId }: GatewayContext): Promise<Prepared> {
    const { accounts, customers, methods } = this.#parts;
    const of = await accounts.of(tenantId);
    const customer = await customers.ensure(of, request.accountId);
    const known = mayBeForgotten(request) ? await this.#known(of, request) : null;
    if (known === null && request.isCompletion === true) throw noSuchTransaction(request);
    return { of, customer, method: await methods.idOf(of, request), known };
  }

  async #known(of: StripeAccount, request: GatewayRequest): Promise<GatewayResult | null> {
    const results = await this.#parts.books.resultsOf(of, request);
    return results.find((each) => each.kbTransactionPaymentId === request.transactionId) ?? null;
  }

  async #charge(
    type: FirstType,
    request: GatewayRequest,
    { of, customer, method, units }: Prepared & { readonly method: string; readonly units: number },
  ): Promise<GatewayResult> {
    const { stripe, sent, tenantId } = of;
    const { multicapture = false } = this.#parts.options;
    const said = saidIn(request, this.#parts.options);
    const params: Stripe.PaymentIntentCreateParams = {
      amount: units,
      currency: request.currency.toLowerCase(),
      customer,
      payment_method: method,
      confirm: true,
      ...(said.isOffSession && { off_session: true }),
      capture_method: type === 'AUTHORIZE' ? 'manual' : 'automatic',
      ...redirects(said.returnUrl),
      ...(said.description !== null && { description: said.description }),
      ...(type === 'AUTHORIZE' &&
        multicapture && { payment_method_options: { card: { request_multicapture: 'if_available' } } }),
      metadata: transactionMetadata(tenantId, request, type),
      expand: ['latest_charge'],
    };
    const told = toldOf(request, type);
    try {
      const intent = await sent.send(request.transactionId, (options) =>
        stripe.paymentIntents.create(params, options),
      );
      return intentResult(told, isReplay(intent) ? await this.#intent(of, intent.id) : intent);
    } catch (error) {
      const declined = declinedIntent(error);
      // An answer to an earlier presentation says what was so then.
      if (declined === null || !isReplay(error)) throw error;
      return intentResult(told, await this.#intent(of, declined));
    }
  }

  #intent({ stripe }: StripeAccount, id: string): Promise<Stripe.PaymentIntent> {
    return stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
  }

  /** An amount of 0 takes nothing: whether the method could be charged is asked. */
  async #check(
    type: FirstType,
    request: GatewayRequest,
    { of, customer, method }: Prepared & { readonly method: string },
  ): Promise<GatewayResult> {
    const { stripe, sent, tenantId } = of;
    const { returnUrl } = saidIn(request, this.#parts.options);
    const params: Stripe.SetupIntentCreateParams = {
      customer,
      payment_method: method,
      confirm: true,
      usage: 'off_session',
      ...redirects(returnUrl),
      metadata: transactionMetadata(tenantId, request, type),
    };
    const setup = await sent.send(request.transactionId, (options) =>
      stripe.setupIntents.create(params, options),
    );
    const present = isReplay(setup) ? await stripe.setupIntents.retrieve(setup.id) : setup;
    return {
      ...setupResult(toldOf(request, type), present),
      amount: request.amount,
      currency: request.currency,
    };
  }
}

/** What the plugin properties of a call may say. */
function saidIn({ properties }: GatewayRequest, { returnUrl }: StripeGatewayOptions) {
  const given = new Map(properties.map(({ key, value }) => [key, value]));
  return {
    /** Whether the customer is away, so that a bank that wants consent declines; `off_session=false`: it is asked for. */
    isOffSession: given.get('off_session') !== 'false',
    returnUrl: given.get('return_url') ?? returnUrl ?? null,
    description: given.get('description') ?? null,
  };
}

function redirects(returnUrl: string | null) {
  if (returnUrl === null)
    return { automatic_payment_methods: { enabled: true, allow_redirects: 'never' } } as const;
  return { automatic_payment_methods: { enabled: true }, return_url: returnUrl } as const;
}

function declinedIntent(error: unknown): string | null {
  return failureOf(error)?.reference ?? null;
}
