import {
  type GatewayRequest,
  type GatewayResult,
  type PaymentGateway,
  PluginStatus,
} from '../../ports/index.ts';
import { EXTERNAL_PAYMENT_PLUGIN, TransactionType } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';

/**
 * The built-in gateway for cheques, cash and bank transfers (§2.4 rule 1): every operation is PROCESSED for the requested
 * amount, and it stores nothing. Its operations have no outside effect, so each is part of one storage transaction.
 */
export function externalPaymentGateway(): PaymentGateway {
  return {
    name: EXTERNAL_PAYMENT_PLUGIN,
    capabilities: { holdsPaymentMethods: false, sideEffectFree: true },
    purchase: (request, { now }) => Promise.resolve(processed(request, now)),
    getPaymentInfo: () => Promise.resolve([]),
    addPaymentMethod: () => Promise.resolve(),
    getPaymentMethodDetail: () =>
      Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
    setDefaultPaymentMethod: () => Promise.resolve(),
  };
}

function processed(request: GatewayRequest, now: Instant): GatewayResult {
  return {
    kbPaymentId: request.paymentId,
    kbTransactionPaymentId: request.transactionId,
    transactionType: TransactionType.PURCHASE,
    status: PluginStatus.PROCESSED,
    amount: request.amount,
    currency: request.currency,
    createdDate: now,
    effectiveDate: now,
    properties: [],
  };
}
