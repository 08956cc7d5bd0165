/**
 * For tests of host applications: a clock that a test moves, a gateway that it scripts, a catalog that it sets, a hasher
 * that costs nothing, and checks of catalog plugins and payment gateways. Entry point `billwright/testing`.
 */

import '../supported-node.ts';

export * from '../payments/index.ts';
export { type CatalogPluginSubject, checkCatalogPlugin } from './check-catalog-plugin.ts';
export { checkPaymentGateway } from './check-payment-gateway.ts';
export { type ClockStep, type FakeClock, fakeClock } from './fake-clock.ts';
export type {
  PaymentGatewayCheckOptions,
  ProvokedOutcome,
  ProvokedPending,
  SignedNotification,
} from './gateway-check/gateway-check-options.ts';
export type { PaymentGatewayReport } from './gateway-check/gateway-report.ts';
export { type MemoryCatalogPlugin, memoryCatalogPlugin } from './memory-catalog-plugin.ts';
export { plainHasher } from './plain-hasher.ts';
