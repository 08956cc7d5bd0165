export type { StripeCredentials, StripeGatewayOptions } from './options.ts';
export { stripeGateway } from './stripe-gateway.ts';
