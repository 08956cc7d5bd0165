import Stripe from 'stripe';
import { GatewayError } from '../../lib/ports/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import type { StripeCredentials, StripeGatewayOptions } from './options.ts';
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
