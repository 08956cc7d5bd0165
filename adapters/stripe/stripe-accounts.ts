import Stripe from 'stripe';
import { GatewayError } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { SentRequests } from './sent-requests.ts';

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

/** Whose Stripe account is used. */
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
