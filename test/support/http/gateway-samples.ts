import { SIGNING_GATEWAY, signatureOf } from '../payments/signing-gateway.ts';
import type { Sample } from './sample.ts';
import type { World } from './world.ts';

type MakeSample = (world: World) => Promise<Sample>;

const formFields = [{ key: 'amount', value: '10' }];

/** One sample for each operation on payment gateways. */
export const gatewaySamples: Readonly<Record<string, MakeSample>> = {
  buildFormDescriptor: async () => ({ body: { formFields } }),
  buildComboFormDescriptor: async ({ next }) => ({
    body: {
      account: { externalKey: `combined-${next()}`, currency: 'USD' },
      paymentMethod: { pluginName: 'killbill-payment-test' },
      hostedPaymentPageFields: { formFields },
    },
  }),
  processNotification: async () => ({
    segments: { pluginName: SIGNING_GATEWAY },
    body: '{"paid":true}',
  }),
  receiveGatewayNotification: async ({ tenantId }) => ({
    segments: { tenantApiKey: 'bob', pluginName: SIGNING_GATEWAY },
    body: 'paid',
    headers: { 'x-signature': signatureOf('paid', tenantId) },
  }),
  configureSandbox: async () => ({ body: { CONFIGURE_ACTION: 'ACTION_CLEAR' } }),
  getSandboxStatus: async () => ({}),
};
