import type { Sample } from './sample.ts';
import { createdId } from './serving.ts';
import type { World } from './world.ts';

type MakeSample = (world: World) => Promise<Sample>;

/** A method of the world's account that is not its default. */
async function added({ serving, accountId, next }: World) {
  const externalKey = `method-${next()}`;
  const body = { pluginName: 'killbill-payment-test', externalKey };
  const path = `/1.0/kb/accounts/${accountId}/paymentMethods`;
  return { paymentMethodId: createdId(await serving.call('POST', path, { body })), externalKey };
}

/** One sample for each operation on payment methods. */
export const paymentMethodSamples: Readonly<Record<string, MakeSample>> = {
  createPaymentMethod: async ({ next }) => ({
    query: 'pluginProperty=a%3Db&controlPluginName=nobody',
    body: { externalKey: `method-${next()}` },
  }),
  getPaymentMethodsForAccount: async () => ({
    query: 'withPluginInfo=true&pluginProperty=a%3Db&audit=FULL',
  }),
  getPaymentMethod: async () => ({ query: 'withPluginInfo=true&audit=FULL' }),
  getPaymentMethodByKey: async (world) => ({
    query: `externalKey=${(await added(world)).externalKey}&withPluginInfo=true&audit=FULL`,
  }),
  getPaymentMethods: async () => ({ query: 'limit=2&withPluginInfo=true&audit=FULL' }),
  searchPaymentMethods: async ({ accountId }) => ({
    segments: { searchKey: accountId },
    query: 'limit=2&withPluginInfo=true&pluginName=killbill-payment-test&audit=FULL',
  }),
  setDefaultPaymentMethod: async () => ({}),
  deletePaymentMethod: async (world) => ({
    segments: { paymentMethodId: (await added(world)).paymentMethodId },
  }),
  refreshPaymentMethods: async () => ({ query: 'PluginName=killbill-payment-test&pluginProperty=a%3Db' }),
};
