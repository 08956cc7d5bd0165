import { exampleIds } from './example-ids.ts';

const { accountId, paymentId } = exampleIds;
const some = { amount: 3, currency: 'USD' };
const formFields = [{ key: 'amount', value: '10' }];
const paymentMethod = { pluginName: 'killbill-payment-test' };

/** The bodies of an operation on the payment of the path, and on one that the body names. */
function onPayment(name: string, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { [name]: body, [`${name}ByExternalKey`]: { ...body, paymentExternalKey: 'order-17' } };
}

/** Bodies of requests on payments and payment methods, by operation. */
export const paymentExamples: Readonly<Record<string, unknown>> = {
  createPaymentMethod: {
    ...paymentMethod,
    externalKey: 'card-1',
    pluginInfo: { properties: [{ key: 'token', value: 'tok_1' }] },
  },
  ...onPayment('captureAuthorization', some),
  ...onPayment('completeTransaction', {}),
  ...onPayment('voidPayment', {}),
  ...onPayment('refundPayment', some),
  ...onPayment('chargebackPayment', some),
  ...onPayment('chargebackReversalPayment', { transactionExternalKey: 'chargeback-1' }),
  processPayment: { transactionType: 'AUTHORIZE', ...some, paymentExternalKey: 'order-17' },
  processPaymentByExternalKey: { transactionType: 'PURCHASE', ...some },
  notifyStateChanged: { paymentId, status: 'SUCCESS' },
  createComboPayment: {
    account: { externalKey: 'ada', currency: 'USD' },
    paymentMethod,
    transaction: { transactionType: 'PURCHASE', amount: 3, currency: 'USD' },
  },
  updatePaymentTransactionState: {
    transactionStatus: 'PAYMENT_FAILURE',
    currentPaymentStateName: 'PURCHASE_FAILED',
  },
  completeInvoicePaymentTransaction: {},
  createRefundWithAdjustments: some,
  createChargeback: some,
  createChargebackReversal: { transactionExternalKey: 'chargeback-1' },
  createInstantPayment: { accountId },
  buildFormDescriptor: { formFields },
  buildComboFormDescriptor: {
    account: { externalKey: 'ada', currency: 'USD' },
    paymentMethod,
    hostedPaymentPageFields: { formFields },
  },
  processNotification: '{"paid":true}',
  receiveGatewayNotification: 'paid',
  configureSandbox: { CONFIGURE_ACTION: 'ACTION_CLEAR' },
};
