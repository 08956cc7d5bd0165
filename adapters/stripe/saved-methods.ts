import Stripe from 'stripe';
import { GatewayError, type PaymentGateway } from '../../lib/ports/index.ts';
import type { PluginProperty } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { ACCOUNT, accountMetadata, idIn, idOf, PAYMENT_METHOD, TENANT } from './results.ts';
import {
  areKeysRetained,
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

/**
 * Returns functions that manage the payment methods that Stripe saves with an account's customer. The metadata of each
 * method contains its id in the engine.
 */
export function savedMethods(accounts: StripeAccounts, customers: StripeCustomers) {
  const known = new KnownIds(MOST_KNOWN);

  const find = async (of: StripeAccount, { accountId, paymentMethodId }: MethodOf) => {
    const customer = await customers.ensure(of, accountId);
    const methods = await listMethods(of, customer);
    const method = methods.find(({ metadata }) => idIn(metadata, PAYMENT_METHOD) === paymentMethodId);
    return method === undefined ? null : { customer, method };
  };
  const name = async (of: StripeAccount, methodId: string, { accountId, paymentMethodId }: MethodOf) => {
    const metadata = { ...accountMetadata(of.tenantId, accountId), [PAYMENT_METHOD]: paymentMethodId };
    await of.stripe.paymentMethods.update(methodId, { metadata });
    known.set(`${of.tenantId} ${paymentMethodId}`, methodId);
  };

  /** Returns Stripe's id of the method, or null if the customer does not have the method. */
  const idOfMethod = async (of: StripeAccount, asked: MethodOf): Promise<string | null> => {
    const key = `${of.tenantId} ${asked.paymentMethodId}`;
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found = (await find(of, asked))?.method.id ?? null;
    if (found !== null) known.set(key, found);
    return found;
  };

  const members: Required<Pick<PaymentGateway, MethodMembers>> = {
    addPaymentMethod: async ({ accountId, paymentMethodId, details, setDefault }, { tenantId }) => {
      const given = details.externalPaymentMethodId ?? tokenIn(details.properties);
      if (given === null) {
        throw new GatewayError(
          'A Stripe payment method needs its id (pm_…) from Stripe.js or a setup intent as externalPaymentMethodId',
        );
      }
      const of = await accounts.of(tenantId);
      await reportStripeErrors(async () => {
        const customer = await customers.ensure(of, accountId);
        const id = await attachMethod(of, given, { customer, idempotencyKey: `${paymentMethodId}-attach` });
        await name(of, id, { accountId, paymentMethodId });
        if (setDefault) await makeDefault(of, customer, id);
      });
    },
    deletePaymentMethod: async (asked, { tenantId }) => {
      const of = await accounts.of(tenantId);
      const found = await find(of, asked);
      known.delete(`${tenantId} ${asked.paymentMethodId}`);
      if (found !== null) await of.stripe.paymentMethods.detach(found.method.id);
    },
    getPaymentMethodDetail: async (asked, { tenantId }) => {
      const of = await accounts.of(tenantId);
      const found = await find(of, asked);
      if (found === null)
        return { externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] };
      const { customer, method } = found;
      const isDefaultPaymentMethod = (await defaultOf(of, customer)) === method.id;
      return {
        externalPaymentMethodId: method.id,
        isDefaultPaymentMethod,
        properties: describeMethod(method),
      };
    },
    setDefaultPaymentMethod: async (asked, { tenantId }) => {
      const of = await accounts.of(tenantId);
      const found = await find(of, asked);
      if (found === null)
        throw new GatewayError(`Stripe has no payment method ${asked.paymentMethodId} of the account`);
      await makeDefault(of, found.customer, found.method.id);
    },
    /** Returns the payment methods, or null if the account has no customer. */
    getPaymentMethods: async ({ accountId }, { tenantId }) => {
      const of = await accounts.of(tenantId);
      const customer = await customers.find(of, accountId);
      if (customer === null) return null;
      const [methods, standard] = await Promise.all([listMethods(of, customer), defaultOf(of, customer)]);
      return methods.map(({ id, metadata }) => {
        const paymentMethodId = idIn(metadata, PAYMENT_METHOD);
        const ours = paymentMethodId !== null && { paymentMethodId };
        return { ...ours, externalPaymentMethodId: id, isDefault: id === standard };
      });
    },
    /**
     * Assigns engine ids to methods that were saved outside the engine. The engine needs these ids to charge the
     * methods.
     */
    resetPaymentMethods: async ({ accountId, paymentMethods }, { tenantId }) => {
      const of = await accounts.of(tenantId);
      const customer = await customers.find(of, accountId);
      if (customer === null) return;
      const ours = new Map(
        paymentMethods.map((each) => [each.externalPaymentMethodId, each.paymentMethodId]),
      );
      for (const method of await listMethods(of, customer)) {
        const paymentMethodId = ours.get(method.id);
        if (paymentMethodId === undefined) continue;
        if (idIn(method.metadata, PAYMENT_METHOD) === paymentMethodId) continue;
        await name(of, method.id, { accountId, paymentMethodId });
      }
    },
  };
  return { idOf: idOfMethod, members };
}

/**
 * Attaches a method. Stripe refuses to attach a method twice, so a method that the customer already has, for example
 * from a setup intent, is accepted.
 * @returns the method's id, which differs for a test method of Stripe.
 */

async function attachMethod(
  { stripe }: StripeAccount,
  given: string,
  { customer, idempotencyKey }: { readonly customer: string; readonly idempotencyKey: string },
) {
  try {
    return (await stripe.paymentMethods.attach(given, { customer }, { idempotencyKey })).id;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    const known = await stripe.paymentMethods.retrieve(given).catch(() => null);
    if (known === null || idOf(known.customer) !== customer) throw error;
    const paymentMethodId = idIn(known.metadata, PAYMENT_METHOD);
    if (paymentMethodId === null) return known.id;
    throw new GatewayError(
      `Stripe has ${given} as the payment method ${paymentMethodId} of the account; refresh the payment methods of the account`,
    );
  }
}

function listMethods({ stripe }: StripeAccount, customer: string) {
  return stripe.customers
    .listPaymentMethods(customer, { limit: PAGE })
    .autoPagingToArray({ limit: MOST_LISTED });
}

async function defaultOf({ stripe }: StripeAccount, customerId: string) {
  const customer = await stripe.customers.retrieve(customerId);
  return customer.deleted ? null : idOf(customer.invoice_settings.default_payment_method);
}

async function makeDefault({ stripe }: StripeAccount, customer: string, methodId: string) {
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: methodId } });
}

/** If Stripe rejects a request, reports its error to the caller as a `GatewayError`. */
async function reportStripeErrors(work: () => Promise<void>) {
  const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
  try {
    await work();
  } catch (error) {
    const isRefusal = error instanceof StripeCardError || error instanceof StripeInvalidRequestError;
    throw isRefusal ? new GatewayError(error.message) : error;
  }
}

function tokenIn(properties: readonly PluginProperty[]) {
  return properties.find(({ key }) => key === 'payment_method' || key === 'token')?.value ?? null;
}

function describeMethod({ type, card, sepa_debit: sepa, us_bank_account: bank }: Stripe.PaymentMethod) {
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

/**
 * Creates a page on which a customer adds a method. If the fields contain `success_url`, Stripe hosts the page.
 * Otherwise, the result is a setup intent for Stripe's form within a page of the host. After the customer has added the
 * method, a refresh of the account's payment methods finds it.
 */
export function setupForms(
  accounts: StripeAccounts,
  customers: StripeCustomers,
): Required<PaymentGateway>['buildFormDescriptor'] {
  return async ({ accountId: kbAccountId, customFields }, { tenantId }) => {
    const of = await accounts.of(tenantId);
    const customer = await customers.ensure(of, kbAccountId);
    const metadata = accountMetadata(tenantId, kbAccountId);
    const fields = new Map(customFields.map(({ key, value }) => [key, value]));
    const successUrl = fields.get('success_url') ?? null;
    if (successUrl === null) {
      const automatic = { automatic_payment_methods: { enabled: true } };
      const asked = { customer, usage: 'off_session', ...automatic, metadata } as const;
      const { id, client_secret } = await of.stripe.setupIntents.create(asked);
      return { kbAccountId, formFields: { setup_intent: id, client_secret } };
    }
    const cancelUrl = fields.get('cancel_url') ?? null;
    const { id, url } = await of.stripe.checkout.sessions.create({
      mode: 'setup',
      customer,
      currency: (fields.get('currency') ?? 'usd').toLowerCase(),
      success_url: successUrl,
      ...(cancelUrl !== null && { cancel_url: cancelUrl }),
      setup_intent_data: { metadata },
      metadata,
    });
    const page = url !== null && { formUrl: url };
    return { kbAccountId, formMethod: 'GET', ...page, formFields: { checkout_session: id } };
  };
}

const MOST_KNOWN_CUSTOMERS = 50_000;
const MOST_FOUND = 10;

/**
 * The Stripe customers of the accounts. Stripe's search finds a new customer only after a delay. Until then, an
 * idempotency key prevents a second customer.
 */
export class StripeCustomers {
  readonly #customerOf: StripeGatewayOptions['customerOf'];
  readonly #known = new KnownIds(MOST_KNOWN_CUSTOMERS);

  constructor({ customerOf }: Pick<StripeGatewayOptions, 'customerOf'>) {
    this.#customerOf = customerOf;
  }

  /** Returns the customer of the account, or null if it cannot be found yet. */
  async find(of: StripeAccount, accountId: Uuid): Promise<string | null> {
    const given = await this.#findGivenCustomer(of, accountId);
    if (given !== null) return given;
    const query = `metadata['${ACCOUNT}']:'${accountId}' AND metadata['${TENANT}']:'${of.tenantId}'`;
    const { data } = await of.stripe.customers.search({ query, limit: MOST_FOUND });
    // If an account has two customers, all processes choose the same customer.
    const [first] = data.toSorted(
      (one, other) => one.created - other.created || (one.id < other.id ? -1 : 1),
    );
    return first === undefined ? null : this.#keep(of, accountId, first.id);
  }

  /** Returns the customer of the account. Creates the customer if none exists. */
  async ensure(of: StripeAccount, accountId: Uuid): Promise<string> {
    const isYoung = areKeysRetained(accountId, Date.now());
    const found = isYoung ? await this.#findGivenCustomer(of, accountId) : await this.find(of, accountId);
    if (found !== null) return found;
    const metadata = accountMetadata(of.tenantId, accountId);
    const idempotencyKey = `customer-${of.tenantId}-${accountId}`;
    const made = await of.stripe.customers.create({ metadata }, { idempotencyKey });
    return this.#keep(of, accountId, made.id);
  }

  async #findGivenCustomer(of: StripeAccount, accountId: Uuid) {
    const known = this.#known.get(`${of.tenantId} ${accountId}`);
    if (known !== undefined) return known;
    const given = await this.#customerOf?.({ tenantId: of.tenantId, accountId });
    return given === undefined || given === null ? null : this.#keep(of, accountId, given);
  }

  #keep({ tenantId }: StripeAccount, accountId: Uuid, customer: string) {
    this.#known.set(`${tenantId} ${accountId}`, customer);
    return customer;
  }
}

/** Caches the ids that were looked up last, because each lookup takes a request. */
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
