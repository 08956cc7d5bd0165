import type Stripe from 'stripe';
import type {
  GatewayContext,
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
} from '../../lib/ports/index.ts';
import type { PaymentBooks } from './payment-books.ts';
import {
  type FirstType,
  failedResult,
  identityOf,
  idOf,
  intentResult,
  markedResult,
  markOf,
  refundResult,
  sentAmount,
  setupResult,
  type TransactionIdentity,
  transactionMetadata,
  wasHeld,
} from './results.ts';
import type { StripeCustomers, savedMethods } from './saved-methods.ts';
import {
  failureBefore,
  failureOf,
  isOtherRequest,
  isReplay,
  mayBeForgotten,
  noSuchTransaction,
  refusal,
  type StripeAccount,
  type StripeAccounts,
  type StripeGatewayOptions,
} from './stripe-accounts.ts';

interface Parts {
  readonly accounts: StripeAccounts;
  readonly customers: StripeCustomers;
  readonly idOfMethod: ReturnType<typeof savedMethods>['idOf'];
  readonly books: PaymentBooks;
  readonly options: StripeGatewayOptions;
}

/** The data that is read from Stripe before a request that moves money. */
interface Prepared {
  readonly of: StripeAccount;
  /**
   * The result of an earlier attempt. It is looked up if Stripe may have forgotten the idempotency key of that attempt.
   */
  readonly known: GatewayResult | null;
}

/** A transaction to send to Stripe. It may have been sent before. */
interface Presented<P extends Prepared> {
  readonly told: TransactionIdentity;
  readonly request: GatewayTransaction;
  readonly context: GatewayContext;
  prepare(): Promise<P>;
  move(prepared: P): Promise<GatewayResult>;
  /** Returns true if Stripe refuses to repeat the operation because an earlier attempt may have completed it. */
  mayBeDone(error: unknown): boolean;
}

async function present<P extends Prepared>(
  books: PaymentBooks,
  { told, request, context, prepare, move, mayBeDone }: Presented<P>,
) {
  let prepared: P;
  try {
    prepared = await prepare();
  } catch (error) {
    // While Stripe is unreachable, the result of an earlier attempt is unknown.
    if (mayBeForgotten(request)) throw error;
    return failedResult(told, failureBefore(error), context.now);
  }
  if (prepared.known !== null) return prepared.known;
  try {
    return await move(prepared);
  } catch (error) {
    const earlier = mayBeDone(error) ? await resultOf(books, prepared.of, request) : null;
    if (earlier !== null) return earlier;
    const failure = failureOf(error);
    if (failure === null) throw error;
    return failedResult(told, failure, context.now);
  }
}

async function resultOf(books: PaymentBooks, of: StripeAccount, request: GatewayTransaction) {
  const results = await books.resultsOf(of, request);
  return results.find((each) => each.kbTransactionPaymentId === request.transactionId) ?? null;
}

/** Returns the result of an earlier attempt if Stripe may have forgotten the idempotency key of that attempt. */
async function earlierResult(books: PaymentBooks, of: StripeAccount, request: GatewayTransaction) {
  const known = mayBeForgotten(request) ? await resultOf(books, of, request) : null;
  if (known === null && request.isCompletion === true) throw noSuchTransaction(request);
  return known;
}

interface Charge {
  readonly of: StripeAccount;
  readonly customer: string;
  readonly method: string;
}

/**
 * Makes purchases and authorizations. Each transaction is one payment intent, which is confirmed when it is created.
 */
export class Charges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(type: FirstType, request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const { accounts, customers, idOfMethod, books } = this.#parts;
    const told = identityOf(request, type);
    return present(books, {
      told,
      request,
      context,
      prepare: async () => {
        const of = await accounts.of(context.tenantId);
        const customer = await customers.ensure(of, request.accountId);
        const known = await earlierResult(books, of, request);
        return { of, customer, known, method: await idOfMethod(of, request) };
      },
      move: async ({ of, customer, method }) => {
        if (method === null) {
          const why = `Stripe has no payment method ${request.paymentMethodId} of the account; refresh the payment methods of the account`;
          return failedResult(told, refusal('payment_method_missing', why), context.now);
        }
        const units = sentAmount(request.amount, request.currency);
        if (units === null) return failedResult(told, tooFine(request), context.now);
        const charge = { of, customer, method };
        return units === 0
          ? this.#check(type, request, charge)
          : this.#charge(type, request, { ...charge, units });
      },
      mayBeDone: isOtherRequest,
    });
  }

  async #charge(
    type: FirstType,
    request: GatewayRequest,
    { of, customer, method, units }: Charge & { readonly units: number },
  ) {
    const { stripe, sent, tenantId } = of;
    const { multicapture = false } = this.#parts.options;
    const callOptions = optionsIn(request, this.#parts.options);
    const params: Stripe.PaymentIntentCreateParams = {
      amount: units,
      currency: request.currency.toLowerCase(),
      customer,
      payment_method: method,
      confirm: true,
      ...(callOptions.isOffSession && { off_session: true }),
      capture_method: type === 'AUTHORIZE' ? 'manual' : 'automatic',
      ...redirects(callOptions.returnUrl),
      ...(callOptions.description !== null && { description: callOptions.description }),
      ...(type === 'AUTHORIZE' &&
        multicapture && { payment_method_options: { card: { request_multicapture: 'if_available' } } }),
      metadata: transactionMetadata(tenantId, request, type),
      expand: ['latest_charge'],
    };
    const told = identityOf(request, type);
    try {
      const intent = await sent.send(request.transactionId, (options) =>
        stripe.paymentIntents.create(params, options),
      );
      return intentResult(told, isReplay(intent) ? await this.#intent(of, intent.id) : intent);
    } catch (error) {
      const declined = failureOf(error)?.reference ?? null;
      // Stripe may have repeated the error of an earlier attempt, so read the current state.
      if (declined === null || !isReplay(error)) throw error;
      return intentResult(told, await this.#intent(of, declined));
    }
  }

  #intent({ stripe }: StripeAccount, id: string) {
    return stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
  }

  /** Checks whether the payment method can be charged. Used for the amount 0. */
  async #check(type: FirstType, request: GatewayRequest, { of, customer, method }: Charge) {
    const { stripe, sent, tenantId } = of;
    const { returnUrl } = optionsIn(request, this.#parts.options);
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
    const { amount, currency } = request;
    return { ...setupResult(identityOf(request, type), present), amount, currency };
  }
}

/** Reads the plugin properties of a call. */
function optionsIn({ properties }: GatewayRequest, { returnUrl }: StripeGatewayOptions) {
  const given = new Map(properties.map(({ key, value }) => [key, value]));
  return {
    /**
     * True (the default) if the customer is absent. In that case, the bank declines a payment that requires the
     * customer's consent. Set to false by `off_session=false`.
     */
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

interface Found {
  readonly of: StripeAccount;
  readonly intent: Stripe.PaymentIntent;
}

interface ChangeRequest {
  readonly request: GatewayTransaction;
  readonly context: GatewayContext;
  /** Returns true if the operation refers to this payment intent. */
  readonly isMeant: (intent: Stripe.PaymentIntent) => boolean;
}

/** Captures, voids and refunds earlier transactions. */
export class Changes {
  readonly #accounts: StripeAccounts;
  readonly #books: PaymentBooks;

  constructor(accounts: StripeAccounts, books: PaymentBooks) {
    this.#accounts = accounts;
    this.#books = books;
  }

  async capture(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const told = identityOf(request, 'CAPTURE');
    const units = sentAmount(request.amount, request.currency);
    if (units === null) return failedResult(told, tooFine(request), context.now);
    return this.#run(told, { request, context, isMeant: isCapturable }, async ({ of, intent }) => {
      const mark = markOf('capture', request.transactionId);
      const isFinal = !mayBeCapturedAgain(intent) || units >= intent.amount_capturable;
      const params: Stripe.PaymentIntentCaptureParams = {
        amount_to_capture: units,
        ...(!isFinal && { final_capture: false }),
        metadata: { [mark]: String(units) },
        expand: ['latest_charge'],
      };
      const captured = await of.sent.send(request.transactionId, (options) =>
        of.stripe.paymentIntents.capture(intent.id, params, options),
      );
      return markedResult(told, captured, String(units));
    });
  }

  /** Voids a hold. If the hold has already expired, the void succeeds. */
  async void(request: GatewayTransaction, context: GatewayContext): Promise<GatewayResult> {
    const told = identityOf(request, 'VOID');
    return this.#run(told, { request, context, isMeant: isHeld }, async ({ of, intent }) => {
      if (intent.status === 'canceled') return markedResult(told, intent, VOIDED);
      const metadata = { [markOf('void', request.transactionId)]: VOIDED };
      const idempotencyKey = `${request.transactionId}-mark`;
      await of.stripe.paymentIntents.update(intent.id, { metadata }, { idempotencyKey });
      const canceled = await of.sent.send(request.transactionId, (options) =>
        of.stripe.paymentIntents.cancel(intent.id, { expand: ['latest_charge'] }, options),
      );
      return markedResult(told, canceled, VOIDED);
    });
  }

  async refund(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult> {
    const told = identityOf(request, 'REFUND');
    const units = sentAmount(request.amount, request.currency);
    if (units === null) return failedResult(told, tooFine(request), context.now);
    return this.#run(told, { request, context, isMeant: hasReceivedAmount }, async ({ of, intent }) => {
      const metadata = transactionMetadata(of.tenantId, request, 'REFUND');
      const refund = await of.sent.send(request.transactionId, (options) =>
        of.stripe.refunds.create({ payment_intent: intent.id, amount: units, metadata }, options),
      );
      // Stripe may have repeated the response of an earlier attempt, so read the current state.
      return refundResult(told, isReplay(refund) ? await of.stripe.refunds.retrieve(refund.id) : refund);
    });
  }

  #run(
    told: TransactionIdentity,
    { request, context, isMeant }: ChangeRequest,
    change: (found: Found) => Promise<GatewayResult | null>,
  ) {
    return present(this.#books, {
      told,
      request,
      context,
      prepare: async () => {
        const of = await this.#accounts.of(context.tenantId);
        const known = await earlierResult(this.#books, of, request);
        if (known !== null) return { of, known, intent: undefined };
        const intents = await this.#books.intentsOf(of, request);
        return { of, known: alreadyDone(told, intents), intent: intents.find(isMeant) };
      },
      move: async ({ of, intent }) => {
        const result = intent === undefined ? null : await change({ of, intent });
        const why = intent === undefined ? NOTHING_THERE : NOT_DONE;
        return result ?? failedResult(told, refusal('payment_intent_unexpected_state', why), context.now);
      },
      mayBeDone: (error) => failureOf(error) !== null || isOtherRequest(error),
    });
  }
}

const VOIDED = 'canceled';
const NOTHING_THERE = 'Stripe has no payment in the required state';
const NOT_DONE = 'Stripe accepted the request but did not execute it';

function alreadyDone(told: TransactionIdentity, intents: readonly Stripe.PaymentIntent[]) {
  if (told.transactionType === 'REFUND') return null;
  const mark = markOf(told.transactionType === 'VOID' ? 'void' : 'capture', told.transactionId);
  const marked = intents.find(({ metadata }) => metadata[mark] !== undefined);
  return marked === undefined ? null : markedResult(told, marked, marked.metadata[mark] ?? '');
}

function isCapturable({ status }: Stripe.PaymentIntent) {
  return status === 'requires_capture';
}

function isHeld(intent: Stripe.PaymentIntent) {
  const { status, capture_method: method } = intent;
  return method === 'manual' && (status === 'requires_capture' || (status === 'canceled' && wasHeld(intent)));
}

function hasReceivedAmount({ amount_received: taken }: Stripe.PaymentIntent) {
  return taken > 0;
}

function mayBeCapturedAgain({ latest_charge: charge }: Stripe.PaymentIntent) {
  if (typeof charge !== 'object' || charge === null || idOf(charge) === null) return false;
  return charge.payment_method_details?.card?.multicapture?.status === 'available';
}

function tooFine({ amount, currency }: GatewayRequest) {
  return refusal(
    'invalid_amount',
    `Stripe does not accept ${amount.toFixed()} ${currency}: the amount has too many decimal places`,
  );
}
