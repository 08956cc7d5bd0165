import type { Uuid } from '../../lib/values/ids/index.ts';
import { ACCOUNT, accountMetadata, TENANT } from './metadata.ts';
import { isSurelyKept } from './sent-requests.ts';
import type { StripeAccount, StripeGatewayOptions } from './stripe-accounts.ts';

const MOST_KNOWN = 50_000;
const MOST_FOUND = 10;

/**
 * The Stripe customer of each account. Stripe's search finds one only a while after it was made, which is bridged by the
 * idempotency key of the request that makes it: the same account gets the same customer, whoever asks.
 */
export class StripeCustomers {
  readonly #customerOf: StripeGatewayOptions['customerOf'];
  readonly #known = new KnownIds(MOST_KNOWN);

  constructor({ customerOf }: Pick<StripeGatewayOptions, 'customerOf'>) {
    this.#customerOf = customerOf;
  }

  /** The customer of the account; null if it has none that can be found yet. */
  async find(of: StripeAccount, accountId: Uuid): Promise<string | null> {
    const given = await this.#given(of, accountId);
    if (given !== null) return given;
    const query = `metadata['${ACCOUNT}']:'${accountId}' AND metadata['${TENANT}']:'${of.tenantId}'`;
    const { data } = await of.stripe.customers.search({ query, limit: MOST_FOUND });
    // Were there ever two, all processes take the same one.
    const [first] = data.toSorted(
      (one, other) => one.created - other.created || (one.id < other.id ? -1 : 1),
    );
    return first === undefined ? null : this.#keep(of, accountId, first.id);
  }

  /** The customer of the account, which is made if there is none. */
  async ensure(of: StripeAccount, accountId: Uuid): Promise<string> {
    const isYoung = isSurelyKept(accountId, Date.now());
    const found = isYoung ? await this.#given(of, accountId) : await this.find(of, accountId);
    if (found !== null) return found;
    const metadata = accountMetadata(of.tenantId, accountId);
    const made = await of.stripe.customers.create(
      { metadata },
      { idempotencyKey: `customer-${of.tenantId}-${accountId}` },
    );
    return this.#keep(of, accountId, made.id);
  }

  async #given(of: StripeAccount, accountId: Uuid): Promise<string | null> {
    const known = this.#known.get(`${of.tenantId} ${accountId}`);
    if (known !== undefined) return known;
    const given = await this.#customerOf?.({ tenantId: of.tenantId, accountId });
    return given === undefined || given === null ? null : this.#keep(of, accountId, given);
  }

  #keep({ tenantId }: StripeAccount, accountId: Uuid, customer: string): string {
    this.#known.set(`${tenantId} ${accountId}`, customer);
    return customer;
  }
}

/** Ids that were looked up, the latest of them: looking one up again costs a request. */
export class KnownIds {
  readonly #ids = new Map<string, string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): string | undefined {
    return this.#ids.get(key);
  }

  set(key: string, id: string): void {
    this.#ids.delete(key);
    this.#ids.set(key, id);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest);
  }

  delete(key: string): void {
    this.#ids.delete(key);
  }
}
