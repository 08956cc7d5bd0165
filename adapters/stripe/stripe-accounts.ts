import { Readable } from 'node:stream';
import Stripe from 'stripe';
import { GatewayError, type GatewayTransaction, PluginStatus } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';

/** The Stripe account of one tenant, to be asked for it. */
export interface StripeAccount {
  readonly tenantId: Uuid;
  readonly stripe: Stripe;
  readonly sent: SentRequests;
  /** Empty: no notification can be verified. */
  readonly webhookSecrets: readonly string[];
}

const REQUEST_TIMEOUT_MS = 12_000;
const TRIES_AGAIN = 1;

/** The Stripe accounts of the tenants, each made when it is first asked for; one that cannot be made is asked for again. */
export class StripeAccounts {
  readonly #options: StripeGatewayOptions;
  readonly #accounts = new Map<Uuid, Promise<StripeAccount>>();

  /** @throws GatewayError for a key that is none of those that may be used here. */
  constructor(options: StripeGatewayOptions) {
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

  async #make(tenantId: Uuid): Promise<StripeAccount> {
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

function checkedKey({ apiKey }: StripeCredentials): string {
  if (/^(sk|rk)_./.test(apiKey)) return apiKey;
  throw new GatewayError('The Stripe API key must be a secret (sk_…) or restricted (rk_…) one');
}

export interface StripeCredentials {
  /** `sk_…`, or a restricted key `rk_…` with the rights that `adapters/stripe/README.md` lists. */
  readonly apiKey: string;
  /**
   * `whsec_…` of the endpoint that Stripe sends its events to; several while one is being replaced. Without it no
   * notification is taken.
   */
  readonly webhookSecret?: string | readonly string[];
  /** `acct_…`: acts for this connected account. */
  readonly stripeAccount?: string;
}

export interface StripeGatewayOptions {
  /**
   * The Stripe account of all tenants, or that of each. What a tenant gets is kept as long as the process lives: new keys
   * take a restart.
   */
  readonly credentials:
    | StripeCredentials
    | ((tenantId: Uuid) => StripeCredentials | Promise<StripeCredentials>);
  /** Under which hosts and the HTTP API name it; default `stripe`, at most 50 characters. */
  readonly name?: string;
  /**
   * The Stripe customer (`cus_…`) of an account, for hosts that had customers at Stripe before; null = it has none yet.
   * Without it the gateway makes a customer for each account, and finds it again by its metadata.
   */
  readonly customerOf?: (account: {
    readonly tenantId: Uuid;
    readonly accountId: Uuid;
  }) => string | null | Promise<string | null>;
  /** Where a customer comes back to whom a bank has asked for consent; without it methods that redirect are not taken. */
  readonly returnUrl?: string;
  /**
   * Default false; true = asks for authorizations that can be captured several times, where the Stripe account and the
   * card allow it. Otherwise the first capture releases what it leaves.
   */
  readonly multicapture?: boolean;
  /** How long one request to Stripe may take, in milliseconds; default 12,000. A lost answer is asked for once more. */
  readonly requestTimeoutMs?: number;
  /** More for the client of Stripe's library, such as `httpAgent` for a proxy; `telemetry` is off unless it is asked for. */
  readonly client?: Pick<Stripe.StripeConfig, 'httpAgent' | 'host' | 'port' | 'protocol' | 'telemetry'>;
}

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
