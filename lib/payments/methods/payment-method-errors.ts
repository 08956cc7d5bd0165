import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../../values/limits.ts';
import { checkStorable } from '../../values/text/index.ts';
import type { GatewayReply } from '../gateways/gateway-call.ts';

/**
 * The key as given, null = none.
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5) if it is too long, MISSING_OR_INVALID_FIELD if it cannot be stored.
 */
export function checkExternalKey(externalKey: string | null): string | null {
  if (externalKey === null || externalKey === '') return null;
  checkStorable('External key', externalKey);
  if (externalKey.length <= MAX_EXTERNAL_KEY_CHARACTERS) return externalKey;
  throw new BillingError({
    code: ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    message: `External key has ${externalKey.length} characters; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    facts: { length: externalKey.length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  });
}

export function noSuchMethod(paymentMethodId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    message: `Payment method ${paymentMethodId} does not exist`,
    facts: { paymentMethodId },
  });
}

/** A gateway refused or failed an operation on a payment method; a timeout has a code of its own. */
export function gatewayFailed(
  code: ErrorCode,
  pluginName: string,
  reply: Exclude<GatewayReply<unknown>, { readonly kind: 'VALUE' }>,
): BillingError {
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
