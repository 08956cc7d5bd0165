export type { StripeCredentials, StripeGatewayOptions } from './stripe-accounts.ts';
export { stripeGateway } from './stripe-gateway.ts';
