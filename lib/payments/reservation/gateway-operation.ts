import type { GatewayOperation, PaymentGateway } from '../../ports/index.ts';
import { TransactionType } from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';

/** The member of a gateway that runs a transaction of this type (§2.1); a chargeback calls nobody. */
const memberOf = {
  AUTHORIZE: 'authorize',
  CAPTURE: 'capture',
  PURCHASE: 'purchase',
  REFUND: 'refund',
  CREDIT: 'credit',
  VOID: 'void',
} as const satisfies Partial<Record<TransactionType, keyof PaymentGateway>>;

/** What the gateway is called by for a transaction of this type. */
export function operationOf(gateway: PaymentGateway, type: TransactionType): GatewayOperation {
  assertInvariant(type !== TransactionType.CHARGEBACK, 'A chargeback calls no gateway', {});
  const operation = gateway[memberOf[type]];
  assertInvariant(operation, 'An operation that a gateway lacks must be refused before', { type });
  return operation.bind(gateway) as GatewayOperation;
}

/** @throws BillingError PAYMENT_PLUGIN_EXCEPTION (7199) if the gateway cannot do it. */
export function checkOffers(gateway: PaymentGateway, type: TransactionType): void {
  if (type === TransactionType.CHARGEBACK || gateway[memberOf[type]] !== undefined) return;
  throw new BillingError({
    code: ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
    message: `Payment plugin "${gateway.name}" does not offer ${memberOf[type]}; nothing was attempted`,
    facts: { pluginName: gateway.name, transactionType: type },
  });
}
