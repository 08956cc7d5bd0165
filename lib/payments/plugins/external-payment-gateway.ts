import {
  type GatewayContext,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  PluginStatus,
} from '../../ports/index.ts';
import { EXTERNAL_PAYMENT_PLUGIN, TransactionType } from '../../records/index.ts';

/**
 * The built-in gateway for cheques, cash and bank transfers (§2.4 rule 1): every operation is PROCESSED for the requested
 * amount, and it stores nothing. Its operations have no outside effect, so each is part of one storage transaction.
 */
export function externalPaymentGateway(): PaymentGateway {
  return {
    name: EXTERNAL_PAYMENT_PLUGIN,
    capabilities: { holdsPaymentMethods: false, sideEffectFree: true },
    authorize: processedAs(TransactionType.AUTHORIZE),
    capture: processedAs(TransactionType.CAPTURE),
    purchase: processedAs(TransactionType.PURCHASE),
    refund: processedAs(TransactionType.REFUND),
    credit: processedAs(TransactionType.CREDIT),
    void: processedAs(TransactionType.VOID),
    getPaymentInfo: () => Promise.resolve([]),
    addPaymentMethod: () => Promise.resolve(),
    getPaymentMethodDetail: () =>
      Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
    setDefaultPaymentMethod: () => Promise.resolve(),
    buildFormDescriptor: ({ accountId: kbAccountId }) => Promise.resolve({ kbAccountId }),
    processNotification: () => Promise.resolve({}),
  };
}

function processedAs(transactionType: TransactionType) {
  return (
    request: GatewayTransaction & Partial<GatewayRequest>,
    { now }: GatewayContext,
  ): Promise<GatewayResult> =>
    Promise.resolve({
      kbPaymentId: request.paymentId,
      kbTransactionPaymentId: request.transactionId,
      transactionType,
      status: PluginStatus.PROCESSED,
      ...(request.amount && { amount: request.amount }),
      ...(request.currency && { currency: request.currency }),
      createdDate: now,
      effectiveDate: now,
      properties: [],
    });
}
