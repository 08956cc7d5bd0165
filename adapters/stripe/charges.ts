import type Stripe from 'stripe';
import type {
  GatewayContext,
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
} from '../../lib/ports/index.ts';
import type { StripeCustomers } from './customers.ts';
import { type FirstType, markOf, transactionMetadata } from './metadata.ts';
import type { PaymentBooks } from './payment-books.ts';
import {
  failedResult,
  idOf,
  intentResult,
  markedResult,
  refundResult,
  sentAmount,
  setupResult,
  type Told,
  toldOf,
  wasHeld,
} from './results.ts';
import type { SavedMethods } from './saved-methods.ts';
import {
  type Failure,
  failureBefore,
  failureOf,
  isOtherRequest,
  isReplay,
  mayBeForgotten,
  noSuchTransaction,
  refusal,
} from './sent-requests.ts';
import type { StripeAccount, StripeAccounts, StripeGatewayOptions } from './stripe-accounts.ts';

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

/** The payment intent that an operation is about. */
interface Found {
  readonly of: StripeAccount;
  readonly intent: Stripe.PaymentIntent;
}

interface Asked {
  readonly request: GatewayTransaction;
  readonly context: GatewayContext;
  /** Whether the operation is about that payment intent. */
  readonly isMeant: (intent: Stripe.PaymentIntent) => boolean;
}

/** What Stripe tells before anything is asked to change. */
interface Before {
  readonly of: StripeAccount;
  /** What an earlier presentation has come to. */
  readonly known: GatewayResult | null;
  readonly intent: Stripe.PaymentIntent | undefined;
}

/** Captures, voids and refunds of what was authorized or taken before. */
export class Changes {
  readonly #accounts: StripeAccounts;
  readonly #books: PaymentBooks;

  constructor(accounts: StripeAccounts, books: PaymentBooks) {
    this.#accounts = accounts;
    this.#books = books;
  }

  async capture(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const told = toldOf(request, 'CAPTURE');
    const units = sentAmount(request.amount, request.currency);
    if (units === null) return failedResult(told, tooFine(request), context.now);
    return this.#run(told, { request, context, isMeant: isCapturable }, async ({ of, intent }) => {
      const mark = markOf('capture', request.transactionId);
      const isFinal = !mayBeCapturedAgain(intent) || units >= intent.amount_capturable;
      const captured = await of.sent.send(request.transactionId, (options) =>
        of.stripe.paymentIntents.capture(
          intent.id,
          {
            amount_to_capture: units,
            ...(!isFinal && { final_capture: false }),
            metadata: { [mark]: String(units) },
            expand: ['latest_charge'],
          },
          options,
        ),
      );
      return markedResult(told, captured, String(units));
    });
  }

  /** A hold that is gone already, as after it ran out, is given back all the same. */
  async void(request: GatewayTransaction, context: GatewayContext): Promise<GatewayResult> {
    const told = toldOf(request, 'VOID');
    const voided = await this.#run(told, { request, context, isMeant: isHeld }, async ({ of, intent }) => {
      if (intent.status === 'canceled') return markedResult(told, intent, VOIDED);
      const metadata = { [markOf('void', request.transactionId)]: VOIDED };
      await of.stripe.paymentIntents.update(
        intent.id,
        { metadata },
        { idempotencyKey: `${request.transactionId}-mark` },
      );
      const canceled = await of.sent.send(request.transactionId, (options) =>
        of.stripe.paymentIntents.cancel(intent.id, { expand: ['latest_charge'] }, options),
      );
      return markedResult(told, canceled, VOIDED);
    });
    return voided;
  }

  async refund(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const told = toldOf(request, 'REFUND');
    const units = sentAmount(request.amount, request.currency);
    if (units === null) return failedResult(told, tooFine(request), context.now);
    return this.#run(told, { request, context, isMeant: hasTaken }, async ({ of, intent }) => {
      const metadata = transactionMetadata(of.tenantId, request, 'REFUND');
      const refund = await of.sent.send(request.transactionId, (options) =>
        of.stripe.refunds.create({ payment_intent: intent.id, amount: units, metadata }, options),
      );
      // The answer to an earlier presentation says what was so then.
      return refundResult(told, isReplay(refund) ? await of.stripe.refunds.retrieve(refund.id) : refund);
    });
  }

  async #run(
    told: Told,
    asked: Asked,
    change: (found: Found) => Promise<GatewayResult | null>,
  ): Promise<GatewayResult> {
    const { request, context } = asked;
    const failed = (failure: Failure) => failedResult(told, failure, context.now);
    let before: Before;
    try {
      before = await this.#before(told, asked);
    } catch (error) {
      // Of an earlier presentation nobody knows, while Stripe cannot be asked.
      if (mayBeForgotten(request)) throw error;
      return failed(failureBefore(error));
    }
    const { of, known, intent } = before;
    if (known !== null) return known;
    if (intent === undefined) return failed(refusal('payment_intent_unexpected_state', NOTHING_THERE));
    try {
      return (await change({ of, intent })) ?? failed(refusal('payment_intent_unexpected_state', NOT_DONE));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null && !isOtherRequest(error)) throw error;
      // An earlier presentation may have done what Stripe now refuses to do again.
      const earlier = await this.#known(of, told, request);
      if (earlier !== null) return earlier;
      if (failure === null) throw error;
      return failed(failure);
    }
  }

  async #before(told: Told, { request, context, isMeant }: Asked): Promise<Before> {
    const of = await this.#accounts.of(context.tenantId);
    const known = mayBeForgotten(request) ? await this.#known(of, told, request) : null;
    if (known === null && request.isCompletion === true) throw noSuchTransaction(request);
    if (known !== null) return { of, known, intent: undefined };
    const intents = await this.#books.intentsOf(of, request);
    return { of, known: alreadyDone(told, intents), intent: intents.find(isMeant) };
  }

  async #known(of: StripeAccount, told: Told, request: GatewayTransaction): Promise<GatewayResult | null> {
    const results = await this.#books.resultsOf(of, request);
    return results.find((each) => each.kbTransactionPaymentId === told.transactionId) ?? null;
  }
}

const VOIDED = 'canceled';
const NOTHING_THERE = 'Stripe has no payment in the state that this takes';
const NOT_DONE = 'Stripe has taken the request and not done it';

function alreadyDone(told: Told, intents: readonly Stripe.PaymentIntent[]): GatewayResult | null {
  if (told.transactionType === 'REFUND') return null;
  const mark = markOf(told.transactionType === 'VOID' ? 'void' : 'capture', told.transactionId);
  const marked = intents.find(({ metadata }) => metadata[mark] !== undefined);
  return marked === undefined ? null : markedResult(told, marked, marked.metadata[mark] ?? '');
}

function isCapturable({ status }: Stripe.PaymentIntent): boolean {
  return status === 'requires_capture';
}

function isHeld(intent: Stripe.PaymentIntent): boolean {
  const { status, capture_method: method } = intent;
  return method === 'manual' && (status === 'requires_capture' || (status === 'canceled' && wasHeld(intent)));
}

function hasTaken({ amount_received: taken }: Stripe.PaymentIntent): boolean {
  return taken > 0;
}

function mayBeCapturedAgain({ latest_charge: charge }: Stripe.PaymentIntent): boolean {
  if (typeof charge !== 'object' || charge === null || idOf(charge) === null) return false;
  return charge.payment_method_details?.card?.multicapture?.status === 'available';
}

function tooFine({ amount, currency }: GatewayRequest): Failure {
  return refusal(
    'invalid_amount',
    `Stripe does not take ${amount.toFixed()} ${currency}: the amount is too fine`,
  );
}
