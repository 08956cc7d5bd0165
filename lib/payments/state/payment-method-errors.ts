import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { GatewayFailure } from '../claims/gateway-reply.ts';

export function noSuchMethod(paymentMethodId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    message: `Payment method ${paymentMethodId} does not exist`,
    facts: { paymentMethodId },
  });
}

/** A gateway refused or failed an operation on a payment method; a timeout has a code of its own. */
export function gatewayFailed(code: ErrorCode, pluginName: string, reply: GatewayFailure): BillingError {
  const facts = { pluginName };
  if (reply.kind === 'TIMEOUT') {
    const message = `Payment plugin "${pluginName}" did not answer within ${reply.timeoutMs} ms; nothing was stored`;
    return new BillingError({ code: ErrorCode.PAYMENT_PLUGIN_TIMEOUT, message, facts });
  }
  return new BillingError({
    code,
    message: `Payment plugin "${pluginName}" refused: ${reply.message}`,
    facts,
  });
}

export function noMethodOfKey(externalKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    message: `No payment method has the external key "${shortened(externalKey)}"`,
    facts: { externalKey },
  });
}

/** The default is deleted only if that is what a call asks for (§10.3). */
export function isDefaultMethod(paymentMethodId: Uuid, accountId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD,
    message:
      `Payment method ${paymentMethodId} is the default of account ${accountId}; delete it with ` +
      'deleteDefaultPmWithAutoPayOff or forceDefaultPmDeletion, or set another default first',
    facts: { paymentMethodId, accountId },
  });
}

/** A gateway's own search of payment methods failed. */
export function searchFailed(pluginName: string, why: string): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS,
    message: `Payment plugin "${pluginName}" did not search payment methods: ${why}`,
    facts: { pluginName },
  });
}
