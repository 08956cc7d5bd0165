import { Readable } from 'node:stream';
import Stripe from 'stripe';
import { type GatewayTransaction, PluginStatus } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

/** The connection was never made, so that nothing can have arrived. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const SERVER_ERROR = 500;
const CONFLICT = 409;

type MakeRequest = Stripe.HttpClient['makeRequest'];

/**
 * Knows of each idempotency key whether a request with it may have arrived without an answer: Stripe's library tries
 * again by itself, and what the last try comes to does not tell of the first.
 */
export class SentRequests {
  readonly #unanswered = new Set<string>();

  /** An HTTP client for Stripe's library that tells of its tries. */
  client(agent: Stripe.HttpAgent | undefined): Stripe.HttpClient {
    const client = Stripe.createNodeHttpClient(agent);
    const makeRequest = async (...given: Parameters<MakeRequest>): ReturnType<MakeRequest> => {
      const key = keyOf(given[HEADERS]);
      try {
        const response = await client.makeRequest(...given);
        endInTime(response.getRawResponse(), given[TIMEOUT]);
        const status = response.getStatusCode();
        if (key !== null && (status >= SERVER_ERROR || status === CONFLICT)) this.#unanswered.add(key);
        return response;
      } catch (error) {
        if (key !== null && !neverSent(error)) this.#unanswered.add(key);
        throw error;
      }
    };
    return { getClientName: () => client.getClientName(), makeRequest };
  }

  /** Runs a request of that key. @throws UnansweredRequest if it fails and an earlier try may have arrived. */
  async send<T>(
    idempotencyKey: string,
    request: (options: { readonly idempotencyKey: string }) => Promise<T>,
  ): Promise<T> {
    try {
      return await request({ idempotencyKey });
    } catch (error) {
      throw this.#unanswered.has(idempotencyKey) ? new UnansweredRequest(error) : error;
    } finally {
      this.#unanswered.delete(idempotencyKey);
    }
  }
}

/** A request that has failed after a try of it that may have arrived. */
export class UnansweredRequest extends Error {
  override readonly name = 'UnansweredRequest';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'Stripe gave no answer', { cause });
  }
}

/** Whether a connection error says for certain that nothing has arrived. */
export function neverSent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && NEVER_SENT.has(error.code);
}

/**
 * Ends an answer whose body takes longer than a request may. Stripe's library counts the time of silence alone, so that a
 * body that drips would keep its connection for ever.
 */
function endInTime(answer: unknown, timeoutMs: number): void {
  if (!(answer instanceof Readable)) return;
  const late = (): void => {
    answer.destroy(new Error(`The body of the answer did not end within ${timeoutMs / 1_000} s`));
  };
  const timer = setTimeout(late, timeoutMs);
  answer.once('close', () => clearTimeout(timer));
}

const HEADERS = 4;
const TIMEOUT = 7;

function keyOf(headers: object): string | null {
  const key: unknown = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === 'idempotency-key',
  )?.[1];
  return typeof key === 'string' ? key : null;
}

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

/** Whether Stripe has told what an earlier request with the same idempotency key came to, in an answer or an error. */
export function isReplay(told: unknown): boolean {
  const headers = headersOf(told);
  return headers !== null && 'idempotent-replayed' in headers && headers['idempotent-replayed'] === 'true';
}

function headersOf(told: unknown): object | null {
  if (typeof told !== 'object' || told === null) return null;
  const response = 'lastResponse' in told ? told.lastResponse : told;
  if (typeof response !== 'object' || response === null || !('headers' in response)) return null;
  return typeof response.headers === 'object' ? response.headers : null;
}

/** Stripe forgets idempotency keys once they are at least 24 hours old; what is left is for clocks that disagree. */
const SURELY_KEPT_MS = 20 * 3_600_000;
const CLOCKS_DISAGREE_MS = 3_600_000;
const VERSION_AT = 14;

/**
 * Whether all requests that were ever made for something of this id are so young that Stripe still knows their keys: ids of
 * the engine (UUIDv7) tell when they were made, and nothing was asked for before.
 */
export function isSurelyKept(id: Uuid, nowMs: number): boolean {
  if (id[VERSION_AT] !== '7') return false;
  const madeMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const age = nowMs - madeMs;
  return age < SURELY_KEPT_MS && age > -CLOCKS_DISAGREE_MS;
}

/** Whether an earlier presentation of the transaction may have had an effect that no idempotency key tells of any more. */
export function mayBeForgotten({ transactionId, isCompletion = false }: GatewayTransaction): boolean {
  return isCompletion || !isSurelyKept(transactionId, Date.now());
}
