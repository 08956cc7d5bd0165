/**
 * Doubles for tests of host applications (clock, gateway, catalog, hasher) and checks of catalog plugins and payment
 * gateways. Entry point `billwright/testing`.
 */
import '../supported-node.ts';

export * from '../payments/index.ts';
export { type CatalogPluginSubject, checkCatalogPlugin } from './check-catalog-plugin.ts';
export { checkPaymentGateway } from './check-payment-gateway.ts';
export {
  type ClockStep,
  type FakeClock,
  fakeClock,
  type MemoryCatalogPlugin,
  memoryCatalogPlugin,
  plainHasher,
} from './doubles.ts';
export type {
  PaymentGatewayCheckOptions,
  PaymentGatewayReport,
  ProvokedOutcome,
  ProvokedPending,
  SignedNotification,
} from './gateway-check/gateway-caller.ts';
