import { SIGNING_GATEWAY, signatureOf } from '../payments/signing-gateway.ts';
import type { Sample } from './sample.ts';
import type { World } from './world.ts';

type MakeSample = (world: World) => Promise<Sample>;

/** One sample for each operation on payment gateways. */
export const gatewaySamples: Readonly<Record<string, MakeSample>> = {
  buildFormDescriptor: async () => ({}),
  buildComboFormDescriptor: async ({ next }) => ({
    body: { account: { externalKey: `combined-${next()}` } },
  }),
  processNotification: async () => ({
    segments: { pluginName: SIGNING_GATEWAY },
  }),
  receiveGatewayNotification: async ({ tenantId }) => ({
    segments: { tenantApiKey: 'bob', pluginName: SIGNING_GATEWAY },
    headers: { 'x-signature': signatureOf('paid', tenantId) },
  }),
  configureSandbox: async () => ({}),
  getSandboxStatus: async () => ({}),
};
