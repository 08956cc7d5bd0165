import type { GatewayContext, HostedForm, PaymentGateway } from '../../lib/ports/index.ts';
import type { StripeCustomers } from './customers.ts';
import { accountMetadata } from './metadata.ts';
import type { StripeAccounts } from './stripe-accounts.ts';

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
