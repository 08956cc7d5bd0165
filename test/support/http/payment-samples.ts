import { SIGNING_GATEWAY, signatureOf } from '../payments/scripted-gateway.ts';
import type { MakeSample, Sample } from './samples.ts';
import { createdId } from './serving.ts';
import type { World } from './world.ts';

const PENDING = '?pluginProperty=ACTION_RETURN_PLUGIN_STATUS_PENDING%3Dtrue';

/** Creates a payment of the world's account with this first transaction and its own keys. */
export async function begun(world: World, transactionType: string, query = '') {
  const keys = { paymentExternalKey: `pay-${world.next()}`, transactionExternalKey: `first-${world.next()}` };
  const body = { transactionType, amount: 10, currency: 'USD', ...keys };
  const path = `/1.0/kb/accounts/${world.accountId}/payments${query}`;
  const paymentId = createdId(await world.serving.call('POST', path, { body }));
  return { paymentId, ...keys };
}

type Begun = Awaited<ReturnType<typeof begun>>;

export async function transactionOf({ serving }: World, { paymentId }: Begun): Promise<string> {
  const { json } = await serving.call('GET', `/1.0/kb/payments/${paymentId}`);
  return (json as { transactions: { transactionId: string }[] }).transactions[0]?.transactionId ?? '';
}

async function chargedBack(world: World): Promise<Begun & { readonly chargeback: string }> {
  const payment = await begun(world, 'PURCHASE');
  const chargeback = `chargeback-${world.next()}`;
  const body = { amount: 4, currency: 'USD', transactionExternalKey: chargeback };
  await world.serving.call('POST', `/1.0/kb/payments/${payment.paymentId}/chargebacks`, { body });
  return { ...payment, chargeback };
}

/** Returns two samples of a payment operation: one by id and one by key. */
function operation(
  name: string,
  make: (world: World) => Promise<{ readonly payment: Begun; readonly body: object }>,
): Readonly<Record<string, MakeSample>> {
  return {
    [name]: async (world) => {
      const { payment, body } = await make(world);
      return { segments: { paymentId: payment.paymentId }, body };
    },
    [`${name}ByExternalKey`]: async (world) => {
      const { payment, body } = await make(world);
      return { body: { ...body, paymentExternalKey: payment.paymentExternalKey } };
    },
  };
}

const amount = { amount: 3, currency: 'USD' };

/** Creates an invoice of the world's account that is paid with its payment method. */
async function paidInvoice(
  world: World,
): Promise<{ readonly invoiceId: string; readonly paymentId: string }> {
  const invoiceId = await unpaidInvoice(world);
  const body = { accountId: world.accountId };
  const paymentId = createdId(
    await world.serving.call('POST', `/1.0/kb/invoices/${invoiceId}/payments`, { body }),
  );
  return { invoiceId, paymentId };
}

async function unpaidInvoice({ serving, accountId }: World): Promise<string> {
  const path = `/1.0/kb/invoices/charges/${accountId}?autoCommit=true`;
  const { json } = await serving.call('POST', path, { body: [{ accountId, amount: 20, currency: 'USD' }] });
  return (json as { invoiceId: string }[])[0]?.invoiceId ?? '';
}

export const paymentSamples: Readonly<Record<string, MakeSample>> = {
  ...operation('captureAuthorization', async (world) => ({
    payment: await begun(world, 'AUTHORIZE'),
    body: amount,
  })),
  ...operation('completeTransaction', async (world) => ({
    payment: await begun(world, 'PURCHASE', PENDING),
    body: {},
  })),
  ...operation('voidPayment', async (world) => ({ payment: await begun(world, 'AUTHORIZE'), body: {} })),
  ...operation('refundPayment', async (world) => ({ payment: await begun(world, 'PURCHASE'), body: amount })),
  ...operation('chargebackPayment', async (world) => ({
    payment: await begun(world, 'PURCHASE'),
    body: amount,
  })),
  ...operation('chargebackReversalPayment', async (world) => {
    const payment = await chargedBack(world);
    return { payment, body: { transactionExternalKey: payment.chargeback } };
  }),
  processPayment: async ({ next }) => ({
    body: { transactionType: 'AUTHORIZE', ...amount, paymentExternalKey: `new-${next()}` },
  }),
  processPaymentByExternalKey: async () => ({
    query: 'externalKey=customer',
    body: { transactionType: 'PURCHASE', ...amount },
  }),
  notifyStateChanged: async (world) => {
    const payment = await begun(world, 'PURCHASE', PENDING);
    const transactionId = await transactionOf(world, payment);
    return { segments: { transactionId }, body: { paymentId: payment.paymentId, status: 'SUCCESS' } };
  },
  getPayment: async () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  getPaymentByExternalKey: async (world) => ({
    query: `externalKey=${(await begun(world, 'CREDIT')).paymentExternalKey}&audit=MINIMAL`,
  }),
  getPaymentByTransactionId: async () => ({ query: 'withAttempts=true&audit=FULL' }),
  getPaymentByTransactionExternalKey: async (world) => ({
    query: `transactionExternalKey=${(await begun(world, 'CREDIT')).transactionExternalKey}`,
  }),
  getInvoicePayment: async () => ({ query: 'withAttempts=true&withPluginInfo=true&audit=FULL' }),
  completeInvoicePaymentTransaction: async (world) => ({
    segments: { paymentId: (await paidInvoice(world)).paymentId },
    body: {},
  }),
  createRefundWithAdjustments: async (world) => ({
    segments: { paymentId: (await paidInvoice(world)).paymentId },
    body: amount,
  }),
  createChargeback: async (world) => ({
    segments: { paymentId: (await paidInvoice(world)).paymentId },
    body: amount,
  }),
  createChargebackReversal: async (world) => {
    const { paymentId } = await paidInvoice(world);
    const transactionExternalKey = `chargeback-${world.next()}`;
    const body = { ...amount, transactionExternalKey };
    await world.serving.call('POST', `/1.0/kb/invoicePayments/${paymentId}/chargebacks`, { body });
    return { segments: { paymentId }, body: { transactionExternalKey } };
  },
  createInstantPayment: async (world) => ({
    segments: { invoiceId: await unpaidInvoice(world) },
    body: { accountId: world.accountId },
  }),
  payAllInvoices: async (world) => {
    await unpaidInvoice(world);
    return {};
  },
};

/** Adds a payment method to the world's account that is not its default. */
async function added({ serving, accountId, next }: World) {
  const externalKey = `method-${next()}`;
  const body = { pluginName: 'killbill-payment-test', externalKey };
  const path = `/1.0/kb/accounts/${accountId}/paymentMethods`;
  return { paymentMethodId: createdId(await serving.call('POST', path, { body })), externalKey };
}

export const paymentMethodSamples: Readonly<Record<string, MakeSample>> = {
  createPaymentMethod: async ({ next }) => ({
    query: 'pluginProperty=a%3Db&controlPluginName=nobody',
    body: { externalKey: `method-${next()}` },
  }),
  getPaymentMethodsForAccount: async () => ({ query: 'withPluginInfo=true&pluginProperty=a%3Db&audit=FULL' }),
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

export const paymentListSamples: Readonly<Record<string, (world: World) => Promise<Sample>>> = {
  getPayments: async () => ({
    query: 'limit=5&pluginName=killbill-payment-test&withAttempts=true&withPluginInfo=true&audit=FULL',
  }),
  searchPayments: async () => ({
    query: 'withAttempts=true&audit=MINIMAL',
    segments: { searchKey: '_SUCCESS' },
  }),
  createComboPayment: async (world) => ({ body: { account: { externalKey: `combo-${world.next()}` } } }),
  cancelScheduledPaymentTransactionById: async (world) => ({
    segments: { paymentTransactionId: world.transactionId },
  }),
  cancelScheduledPaymentTransactionByExternalKey: async () => ({
    query: 'transactionExternalKey=unheard-of',
  }),
  updatePaymentTransactionState: async (world) => {
    const payment = await begun(world, 'PURCHASE');
    const paymentTransactionId = await transactionOf(world, payment);
    return { segments: { paymentId: payment.paymentId, paymentTransactionId } };
  },
};

export const gatewaySamples: Readonly<Record<string, MakeSample>> = {
  buildFormDescriptor: async () => ({}),
  buildComboFormDescriptor: async ({ next }) => ({
    body: { account: { externalKey: `combined-${next()}` } },
  }),
  processNotification: async () => ({ segments: { pluginName: SIGNING_GATEWAY } }),
  receiveGatewayNotification: async ({ tenantId }) => ({
    segments: { tenantApiKey: 'bob', pluginName: SIGNING_GATEWAY },
    headers: { 'x-signature': signatureOf('paid', tenantId) },
  }),
  configureSandbox: async () => ({}),
  getSandboxStatus: async () => ({}),
  configureSandboxAlias: async () => ({}),
  getSandboxStatusAlias: async () => ({}),
};
