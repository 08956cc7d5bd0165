import { Readable } from 'node:stream';
import Stripe from 'stripe';
import { GatewayError, type GatewayTransaction, PluginStatus } from '../../lib/ports/index.ts';
import { checkOptionTypes, requireOption } from '../../lib/values/errors/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

export interface StripeAccount {
  readonly tenantId: Uuid;
  readonly stripe: Stripe;
  readonly sent: SentRequests;
  /** Secrets for verifying the signatures of notifications. If the list is empty, all notifications are rejected. */
  readonly webhookSecrets: readonly string[];
}

const REQUEST_TIMEOUT_MS = 12_000;
const TRIES_AGAIN = 1;

const optionTypes = {
  name: 'text',
  customerOf: 'a function',
  returnUrl: 'text',
  multicapture: 'true or false',
  requestTimeoutMs: 'a number',
  client: 'an object',
} as const;

/**
 * The Stripe accounts of the tenants. The object for an account is created on first use. If the creation fails, the
 * next use tries again.
 */
export class StripeAccounts {
  readonly #options: StripeGatewayOptions;
  readonly #accounts = new Map<Uuid, Promise<StripeAccount>>();

  /**
   * Checks the options.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an option of the wrong type.
   * @throws GatewayError for an invalid kind of key.
   */
  constructor(options: StripeGatewayOptions) {
    checkOptionTypes(options, optionTypes);
    const { credentials } = options;
    if (typeof credentials !== 'function') checkedKey(credentials);
    this.#options = options;
  }

  of(tenantId: Uuid): Promise<StripeAccount> {
    const known = this.#accounts.get(tenantId);
    if (known !== undefined) return known;
    const made = this.#make(tenantId);
    this.#accounts.set(tenantId, made);
    made.catch(() => this.#accounts.delete(tenantId));
    return made;
  }

  async #make(tenantId: Uuid) {
    const { credentials, client = {}, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#options;
    const given = typeof credentials === 'function' ? await credentials(tenantId) : credentials;
    const { httpAgent, ...rest } = client;
    const sent = new SentRequests();
    const stripe = new Stripe(checkedKey(given), {
      telemetry: false,
      ...rest,
      httpClient: sent.client(httpAgent),
      maxNetworkRetries: TRIES_AGAIN,
      timeout: requestTimeoutMs,
      ...(given.stripeAccount !== undefined && { stripeAccount: given.stripeAccount }),
      appInfo: { name: 'billwright' },
    });
    const secrets = given.webhookSecret ?? [];
    return { tenantId, stripe, sent, webhookSecrets: typeof secrets === 'string' ? [secrets] : secrets };
  }
}

function checkedKey(credentials: StripeCredentials) {
  requireOption('credentials', credentials, 'an object');
  const { apiKey } = credentials;
  requireOption('apiKey', apiKey, 'text');
  checkOptionTypes(credentials, { stripeAccount: 'text' });
  if (/^(sk|rk)_./.test(apiKey)) return apiKey;
  throw new GatewayError('The Stripe API key must be a secret (sk_…) or restricted (rk_…) one');
}

export interface StripeCredentials {
  /** Secret key `sk_…`, or a restricted key `rk_…` with the rights in `adapters/stripe/README.md`. */
  readonly apiKey: string;
  /**
   * Secret `whsec_…` of the endpoint for Stripe's events. Pass several secrets while you rotate them. Without a secret,
   * notifications are rejected.
   */
  readonly webhookSecret?: string | readonly string[];
  /** Id `acct_…` of the connected account for which the gateway acts. */
  readonly stripeAccount?: string;
}

export interface StripeGatewayOptions {
  /**
   * The Stripe account for all tenants, or a function that returns the account of a tenant. Its result is cached until
   * the process restarts.
   */
  readonly credentials:
    | StripeCredentials
    | ((tenantId: Uuid) => StripeCredentials | Promise<StripeCredentials>);
  /** Name of the gateway for hosts and in the HTTP API. At most 50 characters. Defaults to `stripe`. */
  readonly name?: string;
  /**
   * Returns the existing Stripe customer (`cus_…`) of an account, or null if the account has none. By default, the
   * gateway creates a customer for each account and finds it again by its metadata.
   */
  readonly customerOf?: (account: {
    readonly tenantId: Uuid;
    readonly accountId: Uuid;
  }) => string | null | Promise<string | null>;
  /**
   * URL to which customers return after consenting at their bank. Without it, payment methods that redirect customers
   * are rejected.
   */
  readonly returnUrl?: string;
  /**
   * If true, requests authorizations that can be captured several times, if the Stripe account and the card allow it.
   * If false (the default), the first capture releases the rest.
   */
  readonly multicapture?: boolean;
  /**
   * Time limit of a request to Stripe in milliseconds. If the response is lost, the request is sent once more. Defaults
   * to 12,000.
   */
  readonly requestTimeoutMs?: number;
  /** Additional options for Stripe's client, such as `httpAgent` for a proxy. By default, `telemetry` is off. */
  readonly client?: Pick<Stripe.StripeConfig, 'httpAgent' | 'host' | 'port' | 'protocol' | 'telemetry'>;
}

/**
 * Codes of errors that occur before a connection is established. Stripe cannot have received the request in this case.
 */
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
 * Records the idempotency keys of requests that may have reached Stripe without a response. Stripe's library repeats
 * requests on its own.
 */
export class SentRequests {
  readonly #unanswered = new Set<string>();

  /** Returns an HTTP client for Stripe's library. It records each attempt. */
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

  /**
   * Sends a request with an idempotency key.
   * @throws UnansweredRequest if the request fails and an earlier attempt may have reached Stripe.
   */
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

/** A failed request. An earlier attempt of this request may have reached Stripe. */
export class UnansweredRequest extends Error {
  override readonly name = 'UnansweredRequest';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'Stripe did not respond', { cause });
  }
}

/** Returns true if a connection error proves that the request did not arrive. */
export function neverSent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && NEVER_SENT.has(error.code);
}

/**
 * Ends a response if its body takes longer than the time limit. Stripe's library limits only the time in which no data
 * arrives.
 */
function endInTime(answer: unknown, timeoutMs: number) {
  if (!(answer instanceof Readable)) return;
  const late = (): void => {
    answer.destroy(new Error(`The response body did not arrive within ${timeoutMs / 1_000} s`));
  };
  const timer = setTimeout(late, timeoutMs);
  answer.once('close', () => clearTimeout(timer));
}

const HEADERS = 4;
const TIMEOUT = 7;

function keyOf(headers: object) {
  const key: unknown = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === 'idempotency-key',
  )?.[1];
  return typeof key === 'string' ? key : null;
}

/** A request that certainly had no effect. */
export interface Failure {
  /**
   * ERROR means that Stripe rejected the request. CANCELED means that nothing was submitted, so the request may be
   * retried.
   */
  readonly status: typeof PluginStatus.ERROR | typeof PluginStatus.CANCELED;
  readonly code: string | null;
  readonly message: string;
  /** The object that Stripe created although the request failed, such as the declined payment intent. */
  readonly reference: string | null;
}

/** Returns the failure of a request that moves money, or null if the effect is unknown. */
export function failureOf(error: unknown): Failure | null {
  const { errors } = Stripe;
  if (error instanceof errors.StripeCardError || error instanceof errors.StripeInvalidRequestError)
    return { ...errorFacts(error), status: PluginStatus.ERROR };
  if (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError ||
    (error instanceof errors.StripeConnectionError && neverSent(error.detail))
  )
    return { ...errorFacts(error), status: PluginStatus.CANCELED };
  return null;
}

/** Returns the failure for a request that failed before money moved. Nothing was submitted in this case. */
export function failureBefore(error: unknown): Failure {
  const known = failureOf(error);
  if (known !== null) return { ...known, status: PluginStatus.CANCELED };
  const message = error instanceof Error ? error.message : 'Stripe did not respond';
  return { status: PluginStatus.CANCELED, code: null, message, reference: null };
}

export function refusal(code: string, message: string): Failure {
  return { status: PluginStatus.ERROR, code, message, reference: null };
}

/** Returns the result for a pending transaction that Stripe's list does not contain. Its outcome remains open. */
export function noSuchTransaction({ transactionId }: GatewayTransaction): Error {
  return new Error(`Stripe does not return the pending transaction ${transactionId}`);
}

/** Returns true if Stripe already has a result for the same key but different parameters. */
export function isOtherRequest(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

function errorFacts(error: Stripe.errors.StripeError) {
  const code = error.decline_code || error.code || null;
  const reference = error.payment_intent?.id ?? error.setup_intent?.id ?? null;
  return { code, message: error.message, reference };
}

/** Returns true if Stripe returned the result of an earlier request with the same idempotency key. */
export function isReplay(told: unknown): boolean {
  const headers = headersOf(told);
  return headers !== null && 'idempotent-replayed' in headers && headers['idempotent-replayed'] === 'true';
}

function headersOf(told: unknown) {
  if (typeof told !== 'object' || told === null) return null;
  const response = 'lastResponse' in told ? told.lastResponse : told;
  if (typeof response !== 'object' || response === null || !('headers' in response)) return null;
  return typeof response.headers === 'object' ? response.headers : null;
}

/**
 * Minimum time, in milliseconds, that Stripe keeps an idempotency key. Stripe guarantees 24 hours; this value is lower
 * because clocks may differ.
 */
const SURELY_KEPT_MS = 20 * 3_600_000;
const CLOCKS_DISAGREE_MS = 3_600_000;
const VERSION_AT = 14;

/**
 * Returns true if Stripe still has the keys of all requests for this id. The time in the id (a UUIDv7) is before all of
 * these requests.
 */
export function areKeysRetained(id: Uuid, nowMs: number): boolean {
  if (id[VERSION_AT] !== '7') return false;
  const madeMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const age = nowMs - madeMs;
  return age < SURELY_KEPT_MS && age > -CLOCKS_DISAGREE_MS;
}

/** Returns true if an earlier attempt of the transaction may have had an effect and Stripe has forgotten its key. */
export function mayBeForgotten({ transactionId, isCompletion = false }: GatewayTransaction): boolean {
  return isCompletion || !areKeysRetained(transactionId, Date.now());
}
