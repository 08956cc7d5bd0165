import type Stripe from 'stripe';
import type {
  GatewayContext,
  GatewayRequest,
  GatewayResult,
  GatewayTransaction,
} from '../../lib/ports/index.ts';
import { sentAmount } from './amounts.ts';
import {
  type Failure,
  failureBefore,
  failureOf,
  isOtherRequest,
  noSuchTransaction,
  refusal,
} from './failures.ts';
import { mayBeForgotten } from './idempotency-window.ts';
import { markOf, transactionMetadata } from './metadata.ts';
import type { PaymentBooks } from './payment-books.ts';
import { isReplay } from './replays.ts';
import { failedResult, idOf, markedResult, refundResult, type Told, toldOf, wasHeld } from './results.ts';
import type { StripeAccount, StripeAccounts } from './stripe-accounts.ts';

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
