import { begun, transactionOf } from './payment-samples.ts';
import type { Sample } from './sample.ts';
import type { World } from './world.ts';

/** Samples of the lists of payments, and of what operators do about payments. */
export const paymentListSamples: Readonly<Record<string, (world: World) => Promise<Sample>>> = {
  getPayments: async () => ({
    query: 'limit=5&pluginName=killbill-payment-test&withAttempts=true&withPluginInfo=true&audit=FULL',
  }),
  searchPayments: async () => ({
    query: 'withAttempts=true&audit=MINIMAL',
    segments: { searchKey: '_SUCCESS' },
  }),
  createComboPayment: async (world) => ({
    body: { account: { externalKey: `combo-${world.next()}` } },
  }),
  cancelScheduledPaymentTransactionById: async (world) => ({
    segments: { paymentTransactionId: world.transactionId },
  }),
  cancelScheduledPaymentTransactionByExternalKey: async () => ({
    query: 'transactionExternalKey=unheard-of',
  }),
  updatePaymentTransactionState: async (world) => {
    const payment = await begun(world, 'PURCHASE');
    const paymentTransactionId = await transactionOf(world, payment);
    return {
      segments: { paymentId: payment.paymentId, paymentTransactionId },
    };
  },
};
