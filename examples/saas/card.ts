import type { PaymentGateway, TenantBilling } from '../../adapters/node/billwright.ts';
import { stripeGateway } from '../../adapters/stripe/index.ts';
import { sandboxGateway } from '../../adapters/testing/index.ts';
import type { Customer } from './database.ts';

/** Returns Stripe if its keys are set, otherwise the sandbox, which accepts every payment. */
export function paymentsOf(environment: Readonly<Record<string, string | undefined>>) {
  const { STRIPE_SECRET_KEY: apiKey, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET } = environment;
  if (!apiKey) return { gateway: sandboxGateway(), publishableKey: null };
  const credentials = { apiKey, ...(STRIPE_WEBHOOK_SECRET && { webhookSecret: STRIPE_WEBHOOK_SECRET }) };
  return { gateway: stripeGateway({ credentials }), publishableKey: STRIPE_PUBLISHABLE_KEY ?? '' };
}

/** Creates a SetupIntent and returns its secret, with which Stripe's form in the browser saves a card. */
export async function newSetupIntent(acme: TenantBilling, customer: Customer, gateway: PaymentGateway) {
  const request = { accountId: customer.account_id, pluginName: gateway.name };
  const { formFields } = await acme.paymentGateways.buildForm(request);
  return String(formFields?.client_secret);
}

/** Makes the newest card the default and pays open invoices with it. The sandbox has no form, so this adds a card. */
export async function useNewCard(acme: TenantBilling, customer: Customer, gateway: PaymentGateway) {
  const { account_id: accountId } = customer;
  if (gateway.name === 'stripe') await acme.paymentMethods.refresh({ accountId });
  else await acme.paymentMethods.add({ accountId, pluginName: gateway.name });
  const newest = (await acme.paymentMethods.ofAccount(accountId)).at(-1);
  if (newest === undefined) return;
  await acme.paymentMethods.setDefault({
    accountId,
    paymentMethodId: newest.id,
    payAllUnpaidInvoices: true,
  });
}
