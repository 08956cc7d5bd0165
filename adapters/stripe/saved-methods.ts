import Stripe from 'stripe';
import {
  type GatewayContext,
  GatewayError,
  type GatewayPaymentMethod,
  type HostedForm,
  type PaymentGateway,
  type PaymentMethodDetails,
} from '../../lib/ports/index.ts';
import type { PluginProperty } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { ACCOUNT, accountMetadata, idIn, idOf, PAYMENT_METHOD, TENANT } from './results.ts';
import {
  isSurelyKept,
  type StripeAccount,
  type StripeAccounts,
  type StripeGatewayOptions,
} from './stripe-accounts.ts';

const MOST_KNOWN = 50_000;
const MOST_LISTED = 1_000;
const PAGE = 100;

type MethodMembers =
  | 'addPaymentMethod'
  | 'deletePaymentMethod'
  | 'getPaymentMethodDetail'
  | 'setDefaultPaymentMethod'
  | 'getPaymentMethods'
  | 'resetPaymentMethods';

interface MethodOf {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid;
}

/** Payment methods as Stripe saves them with the customer of the account; each carries our id. */
export class SavedMethods implements Required<Pick<PaymentGateway, MethodMembers>> {
  readonly #accounts: StripeAccounts;
  readonly #customers: StripeCustomers;
  readonly #known = new KnownIds(MOST_KNOWN);

  constructor(accounts: StripeAccounts, customers: StripeCustomers) {
    this.#accounts = accounts;
    this.#customers = customers;
  }

  /** The id that the method has at Stripe; null if the customer has none that is ours. */
  async idOf(of: StripeAccount, { accountId, paymentMethodId }: MethodOf): Promise<string | null> {
    const key = `${of.tenantId} ${paymentMethodId}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = (await this.#find(of, { accountId, paymentMethodId }))?.method.id ?? null;
    if (found !== null) this.#known.set(key, found);
    return found;
  }

  addPaymentMethod: Required<PaymentGateway>['addPaymentMethod'] = async (request, { tenantId }) => {
    const { accountId, paymentMethodId, details, setDefault } = request;
    const given = details.externalPaymentMethodId ?? tokenIn(details.properties);
    if (given === null) {
      throw new GatewayError(
        'A payment method of Stripe needs its id (pm_…) as externalPaymentMethodId, as Stripe.js or a setup intent gives it',
      );
    }
    const of = await this.#accounts.of(tenantId);
    await declared(async () => {
      const customer = await this.#customers.ensure(of, accountId);
      const id = await attached(of, given, { customer, idempotencyKey: `${paymentMethodId}-attach` });
      await this.#name(of, id, { accountId, paymentMethodId });
      if (setDefault) await makeDefault(of, customer, id);
    });
  };

  deletePaymentMethod: Required<PaymentGateway>['deletePaymentMethod'] = async (asked, { tenantId }) => {
    const of = await this.#accounts.of(tenantId);
    const found = await this.#find(of, asked);
    this.#known.delete(`${tenantId} ${asked.paymentMethodId}`);
    if (found !== null) await of.stripe.paymentMethods.detach(found.method.id);
  };

  getPaymentMethodDetail: Required<PaymentGateway>['getPaymentMethodDetail'] = async (
    asked,
    { tenantId },
  ): Promise<PaymentMethodDetails> => {
    const of = await this.#accounts.of(tenantId);
    const found = await this.#find(of, asked);
    if (found === null)
      return { externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] };
    const isDefault = (await defaultOf(of, found.customer)) === found.method.id;
    return {
      externalPaymentMethodId: found.method.id,
      isDefaultPaymentMethod: isDefault,
      properties: shownOf(found.method),
    };
  };

  setDefaultPaymentMethod: Required<PaymentGateway>['setDefaultPaymentMethod'] = async (
    asked,
    { tenantId },
  ) => {
    const of = await this.#accounts.of(tenantId);
    const found = await this.#find(of, asked);
    if (found === null)
      throw new GatewayError(`Stripe has no payment method ${asked.paymentMethodId} of the account`);
    await makeDefault(of, found.customer, found.method.id);
  };

  /** Null while the account has no customer: it keeps none. */
  getPaymentMethods: Required<PaymentGateway>['getPaymentMethods'] = async ({ accountId }, { tenantId }) => {
    const of = await this.#accounts.of(tenantId);
    const customer = await this.#customers.find(of, accountId);
    if (customer === null) return null;
    const [methods, standard] = await Promise.all([listed(of, customer), defaultOf(of, customer)]);
    return methods.map((method): GatewayPaymentMethod => {
      const paymentMethodId = idIn(method.metadata, PAYMENT_METHOD);
      return {
        ...(paymentMethodId !== null && { paymentMethodId }),
        externalPaymentMethodId: method.id,
        isDefault: method.id === standard,
      };
    });
  };

  /** Those that Stripe had without us get the ids that they have here, by which they are charged. */
  resetPaymentMethods: Required<PaymentGateway>['resetPaymentMethods'] = async (
    { accountId, paymentMethods },
    { tenantId },
  ) => {
    const of = await this.#accounts.of(tenantId);
    const customer = await this.#customers.find(of, accountId);
    if (customer === null) return;
    const ours = new Map(
      paymentMethods.map((each) => [each.externalPaymentMethodId, each.paymentMethodId] as const),
    );
    for (const method of await listed(of, customer)) {
      const paymentMethodId = ours.get(method.id);
      if (paymentMethodId === undefined) continue;
      if (idIn(method.metadata, PAYMENT_METHOD) === paymentMethodId) continue;
      await this.#name(of, method.id, { accountId, paymentMethodId });
    }
  };

  async #name(of: StripeAccount, methodId: string, { accountId, paymentMethodId }: MethodOf): Promise<void> {
    const metadata = { ...accountMetadata(of.tenantId, accountId), [PAYMENT_METHOD]: paymentMethodId };
    await of.stripe.paymentMethods.update(methodId, { metadata });
    this.#known.set(`${of.tenantId} ${paymentMethodId}`, methodId);
  }

  async #find(of: StripeAccount, { accountId, paymentMethodId }: MethodOf) {
    const customer = await this.#customers.ensure(of, accountId);
    const method = (await listed(of, customer)).find(
      ({ metadata }) => idIn(metadata, PAYMENT_METHOD) === paymentMethodId,
    );
    return method === undefined ? null : { customer, method };
  }
}

/**
 * Attaches a method, and takes one that the customer has already, as after a setup intent: Stripe refuses to attach it again.
 * @returns its id, which is another one for a method that Stripe offers for tests.
 */
async function attached(
  { stripe }: StripeAccount,
  given: string,
  { customer, idempotencyKey }: { readonly customer: string; readonly idempotencyKey: string },
): Promise<string> {
  try {
    return (await stripe.paymentMethods.attach(given, { customer }, { idempotencyKey })).id;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    const known = await stripe.paymentMethods.retrieve(given).catch(() => null);
    if (known === null || idOf(known.customer) !== customer) throw error;
    const paymentMethodId = idIn(known.metadata, PAYMENT_METHOD);
    if (paymentMethodId === null) return known.id;
    throw new GatewayError(
      `Stripe has ${given} as the payment method ${paymentMethodId} of the account; a refresh of its payment methods finds it`,
    );
  }
}

function listed({ stripe }: StripeAccount, customer: string): Promise<Stripe.PaymentMethod[]> {
  return stripe.customers
    .listPaymentMethods(customer, { limit: PAGE })
    .autoPagingToArray({ limit: MOST_LISTED });
}

async function defaultOf({ stripe }: StripeAccount, customerId: string): Promise<string | null> {
  const customer = await stripe.customers.retrieve(customerId);
  return customer.deleted ? null : idOf(customer.invoice_settings.default_payment_method);
}

async function makeDefault({ stripe }: StripeAccount, customer: string, methodId: string): Promise<void> {
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: methodId } });
}

/** What Stripe refuses is said to the caller; a failure that is none of the request's stays one. */
async function declared(work: () => Promise<void>): Promise<void> {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  try {
    await work();
  } catch (error) {
    const isRefusal = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
    throw isRefusal ? new GatewayError(error.message) : error;
  }
}

function tokenIn(properties: readonly PluginProperty[]): string | null {
  return properties.find(({ key }) => key === 'payment_method' || key === 'token')?.value ?? null;
}

function shownOf({ type, card, sepa_debit: sepa, us_bank_account: bank }: Stripe.PaymentMethod) {
  const shown = {
    type,
    brand: card?.brand,
    last4: card?.last4 ?? sepa?.last4 ?? bank?.last4,
    exp_month: card?.exp_month,
    exp_year: card?.exp_year,
    country: card?.country ?? sepa?.country,
    funding: card?.funding,
    bank_name: bank?.bank_name,
  };
  return Object.entries(shown).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: String(value), isUpdatable: false }],
  );
}

type FormRequest = Parameters<Required<PaymentGateway>['buildFormDescriptor']>[0];

/**
 * Where a customer adds a method: with `success_url` among the fields a page of Stripe's, else a setup intent for Stripe's
 * own form within a page of the host. Afterwards a refresh of the account's payment methods finds it.
 */
export class SetupForms {
  readonly #accounts: StripeAccounts;
  readonly #customers: StripeCustomers;

  constructor(accounts: StripeAccounts, customers: StripeCustomers) {
    this.#accounts = accounts;
    this.#customers = customers;
  }

  async build({ accountId, customFields }: FormRequest, { tenantId }: GatewayContext): Promise<HostedForm> {
    const { stripe } = await this.#accounts.of(tenantId);
    const of = await this.#accounts.of(tenantId);
    const customer = await this.#customers.ensure(of, accountId);
    const metadata = accountMetadata(tenantId, accountId);
    const fields = new Map(customFields.map(({ key, value }) => [key, value]));
    const successUrl = fields.get('success_url') ?? null;
    if (successUrl === null) {
      const setup = await stripe.setupIntents.create({
        customer,
        usage: 'off_session',
        automatic_payment_methods: { enabled: true },
        metadata,
      });
      return {
        kbAccountId: accountId,
        formFields: { setup_intent: setup.id, client_secret: setup.client_secret },
      };
    }
    const cancelUrl = fields.get('cancel_url') ?? null;
    const session = await stripe.checkout.sessions.create({
      mode: 'setup',
      customer,
      currency: (fields.get('currency') ?? 'usd').toLowerCase(),
      success_url: successUrl,
      ...(cancelUrl !== null && { cancel_url: cancelUrl }),
      setup_intent_data: { metadata },
      metadata,
    });
    return {
      kbAccountId: accountId,
      formMethod: 'GET',
      ...(session.url !== null && { formUrl: session.url }),
      formFields: { checkout_session: session.id },
    };
  }
}

const MOST_KNOWN_CUSTOMERS = 50_000;
const MOST_FOUND = 10;

/**
 * The Stripe customer of each account. Stripe's search finds one only a while after it was made, which is bridged by the
 * idempotency key of the request that makes it: the same account gets the same customer, whoever asks.
 */
export class StripeCustomers {
  readonly #customerOf: StripeGatewayOptions['customerOf'];
  readonly #known = new KnownIds(MOST_KNOWN_CUSTOMERS);

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
