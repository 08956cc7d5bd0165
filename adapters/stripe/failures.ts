import Stripe from 'stripe';
import { type GatewayTransaction, PluginStatus } from '../../lib/ports/index.ts';
import { neverSent } from './sent-requests.ts';

/** A request that certainly has no effect. */
export interface Failure {
  /** ERROR: Stripe says no. CANCELED: nothing was submitted, it may be tried again soon. */
  readonly status: typeof PluginStatus.ERROR | typeof PluginStatus.CANCELED;
  readonly code: string | null;
  readonly message: string;
  /** What Stripe has made all the same, such as the declined payment intent. */
  readonly reference: string | null;
}

/** What an error of a request that moves money means; null = nobody knows whether it had its effect. */
export function failureOf(error: unknown): Failure | null {
  const { errors } = Stripe;
  if (error instanceof errors.StripeCardError || error instanceof errors.StripeInvalidRequestError)
    return { ...toldBy(error), status: PluginStatus.ERROR };
  if (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError ||
    (error instanceof errors.StripeConnectionError && neverSent(error.detail))
  )
    return { ...toldBy(error), status: PluginStatus.CANCELED };
  return null;
}

/** What an error means that comes before anything was asked that moves money: nothing was submitted. */
export function failureBefore(error: unknown): Failure {
  const known = failureOf(error);
  if (known !== null) return { ...known, status: PluginStatus.CANCELED };
  const message = error instanceof Error ? error.message : 'Stripe gave no answer';
  return { status: PluginStatus.CANCELED, code: null, message, reference: null };
}

export function refusal(code: string, message: string): Failure {
  return { status: PluginStatus.ERROR, code, message, reference: null };
}

/** What is pending here and not to be found at Stripe is as open as before. */
export function noSuchTransaction({ transactionId }: GatewayTransaction): Error {
  return new Error(`Stripe does not tell of the pending transaction ${transactionId}`);
}

/** Whether Stripe has a result of an earlier request with the same key, for which it was asked otherwise. */
export function isOtherRequest(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

function toldBy(error: Stripe.errors.StripeError): Omit<Failure, 'status'> {
  const code = error.decline_code || error.code || null;
  const reference = error.payment_intent?.id ?? error.setup_intent?.id ?? null;
  return { code, message: error.message, reference };
}
